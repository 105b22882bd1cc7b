"""The rows of the table about a TREC run: text ids, beside pytrec_eval."""

# SPDX-License-Identifier: BSD-3-Clause

from functools import partial
from typing import NamedTuple

import numpy as np

from skrank.metrics import evaluate
from tests.benchmarks.speed.rows import Group, Row, Task
from tests.benchmarks.speed.workloads import scaled

# skrank's names of eight measures, and pytrec_eval's names of them and of their values.
MEASURES = {
    "map": ("map", "map"),
    "mrr": ("recip_rank", "recip_rank"),
    "ndcg": ("ndcg", "ndcg"),
    "ndcg@10": ("ndcg_cut.10", "ndcg_cut_10"),
    "precision@10": ("P.10", "P_10"),
    "recall@100": ("recall.100", "recall_100"),
    "r_precision": ("Rprec", "Rprec"),
    "bpref": ("bpref", "bpref"),
}


class Run(NamedTuple):
    """A run of a system joined with its judgements, a row for each document.

    The queries and the documents are numbers, and their texts sort like these.
    """

    qid: np.ndarray
    doc_id: np.ndarray
    y_true: np.ndarray
    y_score: np.ndarray
    judged: np.ndarray
    returned: np.ndarray
    query_texts: np.ndarray
    doc_texts: np.ndarray

    def arguments(self, qid, doc_id):
        """Return the arguments of `evaluate`, with the ids in some form."""
        masks = {"judged": self.judged, "returned": self.returned}
        return {"y_true": self.y_true, "y_score": self.y_score, "qid": qid} | (
            masks | {"doc_id": doc_id}
        )

    def texts(self):
        """Return the ids of queries and of documents as text, for each row."""
        return self.query_texts[self.qid], self.doc_texts[self.doc_id]


def make_run(rng, n_queries, n_returned, n_judged, n_both, n_levels=None):
    """Return a run in which each query returned and judged so many documents."""
    n_rows = n_returned + n_judged - n_both
    documents = 40 * n_rows
    steps = rng.integers(1, documents // n_rows, (n_queries, n_rows))
    doc_id = rng.permuted(np.cumsum(steps, axis=1) - 1, axis=1)
    place = np.arange(n_queries * n_rows) % n_rows
    judged = place >= n_returned - n_both
    relevant = judged & (rng.random(len(place)) < 0.1)
    y_score = rng.normal(size=len(place))
    if n_levels:
        edges = np.quantile(y_score, np.linspace(0, 1, n_levels + 1)[1:-1])
        y_score = np.searchsorted(edges, y_score).astype(float)
    return Run(
        np.repeat(np.arange(n_queries), n_rows),
        doc_id.ravel(),
        relevant * rng.integers(1, 3, len(place)),
        y_score,
        judged,
        place < n_returned,
        np.array([f"topic-{number:05d}" for number in range(n_queries)]),
        np.array(
            [f"FR94{number // 7:08d}-{number:09d}" for number in range(documents)]
        ),
    )


def as_dicts(run):
    """Return the judgements and the run as ``{query: {document: value}}``."""
    qrels, returned = {}, {}
    for kept, values, dicts in [
        (run.judged, run.y_true, qrels),
        (run.returned, run.y_score, returned),
    ]:
        qid, doc_id = (texts[kept].tolist() for texts in run.texts())
        for query, document, value in zip(
            qid, doc_id, values[kept].tolist(), strict=True
        ):
            dicts.setdefault(query, {})[document] = value
    return qrels, returned


def by_pytrec_eval(run):
    """Return a function that evaluates dicts, made before, and its means."""
    import pytrec_eval

    qrels, returned = as_dicts(run)
    measures = {measure for measure, _ in MEASURES.values()}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, measures)

    def means():
        values = evaluator.evaluate(returned).values()
        return {
            name: np.mean([value[measure] for value in values])
            for name, (_, measure) in MEASURES.items()
        }

    return partial(evaluator.evaluate, returned), means


def task_of(run, qid, doc_id, means=None):
    """Return the task of evaluating the run by trec_eval's rules."""
    function = partial(
        evaluate,
        metrics=list(MEASURES),
        convention="trec_eval",
        **run.arguments(qid, doc_id),
    )
    if means is not None:
        for name, value in function().items():
            if not np.isclose(value, means[name], rtol=1e-9):
                raise AssertionError(f"{name}: {means[name]} by pytrec_eval, {value}")
    return Task(function, n_bytes=run.y_score.nbytes)


def containers(texts):
    """Return text in all kinds of columns."""
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    objects = texts.astype(object)
    return {
        "pandas object": pd.Series(objects, dtype=object),
        "pandas str": pd.Series(objects, dtype="string[pyarrow]"),
        "polars": pl.Series(objects.tolist()),
        "pyarrow": pa.array(objects.tolist()),
        "NumPy text": texts,
    }


def build_small(scale):
    rng = np.random.default_rng(10)
    run = make_run(rng, scaled(100, scale), 1000, 1000, 150)
    theirs, means = by_pytrec_eval(run)
    means = means()
    qid, doc_id = map(containers, run.texts())
    tasks = {"pytrec_eval": Task(theirs), "codes": task_of(run, run.qid, run.doc_id)}
    for kind in qid:
        tasks[kind] = task_of(run, qid[kind], doc_id[kind], means)
    return tasks


SMALL = [
    Row(
        f"TREC run, 185,000 rows: {kind}",
        (kind, "pytrec_eval"),
        "x pytrec_eval",
        at_most=(limit,),
    )
    for kind, limit in {
        "pandas object": 0.4,
        "pandas str": 0.4,
        "polars": 0.4,
        "pyarrow": 0.4,
        "NumPy text": 0.25,
        "codes": 0.25,
    }.items()
]
SMALL.append(
    Row(
        "TREC run: text over integer codes",
        ("pandas object", "codes"),
        "x codes",
        at_most=(1.8,),
    )
)


def build_tied(scale):
    rng = np.random.default_rng(11)
    run = make_run(rng, scaled(100, scale), 1000, 1000, 150, n_levels=400)
    theirs, means = by_pytrec_eval(run)
    qid, doc_id = (containers(texts)["pandas object"] for texts in run.texts())
    return {
        "pytrec_eval": Task(theirs),
        "tied": task_of(run, qid, doc_id, means()),
    }


TIED = [
    Row(
        "TREC run, 400 levels: pandas object",
        ("tied", "pytrec_eval"),
        "x pytrec_eval",
        at_most=(1.5,),
    )
]


def build_large(scale):
    rng = np.random.default_rng(12)
    run = make_run(rng, scaled(7000, scale), 1000, 100, 60)
    theirs, _ = by_pytrec_eval(run)
    qid, doc_id = (texts.astype(object) for texts in run.texts())
    return {"pytrec_eval": Task(theirs), "large": task_of(run, qid, doc_id)}


LARGE = [
    Row(
        "TREC run, 7 M rows: pandas object",
        ("large", "pytrec_eval"),
        "x pytrec_eval",
        at_most=(0.35,),
    )
]


def build_qid(scale):
    rng = np.random.default_rng(13)
    run = make_run(rng, scaled(100, scale), 1000, 1000, 150)
    ids = {"integers": run.qid, "text": run.texts()[0].astype(object)}
    return {
        kind: Task(
            partial(evaluate, metrics=list(MEASURES), **run.arguments(qid, None)),
            n_bytes=run.y_score.nbytes,
        )
        for kind, qid in ids.items()
    }


QID = [
    Row(
        "grouped query ids of text: 8 measures",
        ("text", "integers"),
        "x integers",
        at_most=(1.5,),
    )
]

BESIDE = "8 measures by trec_eval's rules, beside pytrec_eval"
GROUPS = [
    Group(
        f"TREC run of 185,000 rows, {BESIDE}", build_small, SMALL, needs="pytrec_eval"
    ),
    Group(f"the same, tied, {BESIDE}", build_tied, TIED, needs="pytrec_eval"),
    Group(
        f"TREC run of 7 million rows, {BESIDE}",
        build_large,
        LARGE,
        runs=1 / 15,
        needs="pytrec_eval",
    ),
    Group("the run of 185,000 rows, with tied documents in any order", build_qid, QID),
]
