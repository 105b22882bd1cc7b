"""The rows of the table about a TREC run: text ids, beside pytrec_eval."""

# SPDX-License-Identifier: BSD-3-Clause

from functools import partial
from typing import NamedTuple

import numpy as np

from skrank.metrics import evaluate
from tests.benchmarks.speed.rows import Group, Row, Task
from tests.benchmarks.speed.workloads import scaled

# skrank's names of eight measures, and those of pytrec_eval and trec_eval.
MEASURES = {
    "map": "map",
    "mrr": "recip_rank",
    "ndcg": "ndcg",
    "ndcg@10": "ndcg_cut.10",
    "precision@10": "P.10",
    "recall@100": "recall.100",
    "r_precision": "Rprec",
    "bpref": "bpref",
}


class Run(NamedTuple):
    """A run joined with its judgements, a row for each document; ids are numbers."""

    qid: np.ndarray
    doc_id: np.ndarray
    y_true: np.ndarray
    y_score: np.ndarray
    judged: np.ndarray
    returned: np.ndarray

    def texts(self):
        """Return the ids of queries and of documents as text, which sorts like them."""
        topics = np.array([f"topic-{i:05d}" for i in range(self.qid[-1] + 1)])
        documents = range(self.doc_id.max() + 1)
        documents = np.array([f"FR94{i // 7:08d}-{i:09d}" for i in documents])
        return topics[self.qid], documents[self.doc_id]

    def task(self, qid, doc_id, means=None, convention="trec_eval"):
        """Return the task of evaluating the run, with the ids in some form.

        Where `means` are given, they have to be what it computes.
        """
        given = self._replace(qid=qid, doc_id=doc_id)._asdict()
        options = {"metrics": list(MEASURES), "convention": convention}
        function = partial(evaluate, **given, **options)
        for name, value in function().items() if means else ():
            if not np.isclose(value, means[name], rtol=1e-9):
                raise AssertionError(f"{name}: {means[name]} by pytrec_eval, {value}")
        return Task(function, n_bytes=self.y_score.nbytes)


def make_run(seed, n_queries, n_judged=1000, n_both=150):
    """Return a run in which each query returned 1,000 documents."""
    rng, n_returned = np.random.default_rng(seed), 1000
    n_rows = n_returned + n_judged - n_both
    steps = rng.integers(1, 40, (n_queries, n_rows))
    doc_id = rng.permuted(np.cumsum(steps, axis=1) - 1, axis=1)
    place = np.arange(n_queries * n_rows) % n_rows
    judged = place >= n_returned - n_both
    relevant = judged & (rng.random(len(place)) < 0.1)
    y_score = rng.normal(size=len(place))
    return Run(
        np.repeat(np.arange(n_queries), n_rows),
        doc_id.ravel(),
        relevant * rng.integers(1, 3, len(place)),
        y_score,
        judged,
        place < n_returned,
    )


def by_pytrec_eval(run):
    """Return a function that evaluates dicts, made before, and one of its means."""
    import pytrec_eval

    dicts = {}, {}
    parts = (run.judged, run.y_true), (run.returned, run.y_score)
    for (kept, values), by_query in zip(parts, dicts, strict=True):
        rows = [x[kept].tolist() for x in (*run.texts(), values)]
        for query, document, value in zip(*rows, strict=True):
            by_query.setdefault(query, {})[document] = value
    evaluator = pytrec_eval.RelevanceEvaluator(dicts[0], {*MEASURES.values()})

    def means():
        return mean_of_measures(evaluator.evaluate(dicts[1]))

    return partial(evaluator.evaluate, dicts[1]), means


def mean_of_measures(found):
    """Return the means by skrank's names of what pytrec_eval returns."""
    return {
        name: np.mean([values[theirs.replace(".", "_")] for values in found.values()])
        for name, theirs in MEASURES.items()
    }


def build_small(scale):
    run = make_run(10, scaled(100, scale))
    theirs, means = by_pytrec_eval(run)
    text = run.task(*(texts.astype(object) for texts in run.texts()), means())
    codes = run.task(run.qid, run.doc_id)
    return {"pytrec_eval": Task(theirs), "codes": codes, "text": text}


def build_large(scale):
    run = make_run(12, scaled(7000, scale), n_judged=100, n_both=60)
    ids = (texts.astype(object) for texts in run.texts())
    return {"pytrec_eval": Task(by_pytrec_eval(run)[0]), "large": run.task(*ids)}


def beside(name, task, at_most):
    return Row(name, (task, "pytrec_eval"), "x pytrec_eval", at_most)


BESIDE = "8 measures by trec_eval's rules, beside pytrec_eval"
GROUPS = [
    Group(
        f"TREC run of 185,000 rows, {BESIDE}",
        build_small,
        [
            beside("TREC run, 185,000 rows: pandas object", "text", 0.4),
            beside("TREC run, 185,000 rows: codes", "codes", 0.25),
        ],
        needs="pytrec_eval",
    ),
    Group(
        f"TREC run of 7 million rows, {BESIDE}",
        build_large,
        [beside("TREC run, 7 M rows: pandas object", "large", 0.35)],
        runs=1 / 15,
        needs="pytrec_eval",
    ),
]
