"""The same metric, NDCG@10 with linear gain, by other libraries."""

# SPDX-License-Identifier: BSD-3-Clause

import os
import warnings
from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import sklearn.metrics

from skrank.metrics import ndcg_score
from tests.benchmarks.speed.workloads import Lists


class Way(NamedTuple):
    """A way to compute the metric: its function, and over how many queries it goes.

    What the function returns is turned into the mean over queries by `mean`.
    """

    function: Callable
    n_queries: int
    mean: Callable = float


def as_dicts(lists, values, documents):
    """Return ``{query: {document: value}}``, filled as pytrec_eval's readers do."""
    dicts = defaultdict(dict)
    rows = zip(lists.qid.tolist(), documents, values.tolist(), strict=True)
    for query, document, value in rows:
        dicts[f"q{query}"][document] = value
    return dicts


def document_ids(lists):
    return [f"d{row}" for row in range(len(lists.qid))]


def by_ranx(lists):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its text and its compiler warn
        import numba
        import ranx

        numba.set_num_threads(1)
        qrels, run = ranx.Qrels({"q": {"d": 1}}), ranx.Run({"q": {"d": 1.0}})
        ranx.evaluate(qrels, run, "ndcg@10")
    documents, n_queries = document_ids(lists), lists.n_queries()

    def build():
        qrels = ranx.Qrels(as_dicts(lists, lists.y_true, documents))
        return qrels, ranx.Run(as_dicts(lists, lists.y_score, documents))

    built = build()
    return {
        "ranx, evaluation alone": Way(
            lambda: ranx.evaluate(*built, "ndcg@10"), n_queries
        ),
        "ranx, with its objects": Way(
            lambda: ranx.evaluate(*build(), "ndcg@10"), n_queries
        ),
    }


def by_pytrec_eval(lists):
    import pytrec_eval

    documents, n_queries = document_ids(lists), lists.n_queries()

    def build():
        qrels = as_dicts(lists, lists.y_true, documents)
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10"})
        return evaluator, as_dicts(lists, lists.y_score, documents)

    evaluate = pytrec_eval.RelevanceEvaluator.evaluate

    def mean(result):
        return np.mean([values["ndcg_cut_10"] for values in result.values()])

    built = build()
    return {
        "pytrec_eval, evaluation alone": Way(lambda: evaluate(*built), n_queries, mean),
        "pytrec_eval, with its dicts": Way(lambda: evaluate(*build()), n_queries, mean),
    }


def by_torchmetrics(lists, n_queries=500):
    import torch
    from torchmetrics.retrieval import RetrievalNormalizedDCG

    # Its tensors are short: threads do not help, and hurt where a core is busy.
    torch.set_num_threads(1)
    sample = first_queries(lists, n_queries)
    y_true, y_score, qid = map(torch.from_numpy, sample)

    def evaluate():
        metric = RetrievalNormalizedDCG(top_k=10)
        metric.update(y_score, y_true, indexes=qid)
        return metric.compute()

    return {"torchmetrics": Way(evaluate, sample.n_queries())}


def by_sklearn(lists, n_queries=300):
    sample = first_queries(lists, n_queries)
    ends = sample.starts()[1:]
    parts = np.split(sample.y_true, ends), np.split(sample.y_score, ends)
    queries = [([grades], [scores]) for grades, scores in zip(*parts, strict=True)]

    def evaluate():
        return np.mean([sklearn.metrics.ndcg_score(*query, k=10) for query in queries])

    return {"scikit-learn, a loop over queries": Way(evaluate, len(queries))}


def by_ir_measures(lists, n_queries=2000):
    import ir_measures

    sample = first_queries(lists, n_queries)
    documents = document_ids(sample)
    judged = as_dicts(sample, sample.y_true, documents)
    run = as_dicts(sample, sample.y_score, documents)
    measure = ir_measures.nDCG @ 10

    def evaluate():
        return ir_measures.calc_aggregate([measure], judged, run)[measure]

    return {"ir_measures, with dicts": Way(evaluate, sample.n_queries())}


def frame_of(lists):
    """Return the lists as a table of Arrow."""
    import pyarrow as pa

    return pa.table({"q": lists.qid, "y": lists.y_true, "s": lists.y_score})


# The ten best of each query by an aggregate, and by window functions.
BEST_TEN = """
    WITH lists AS (
        SELECT arg_max(y, s, 10)::DOUBLE[] AS shown, max(y, 10)::DOUBLE[] AS best
        FROM docs GROUP BY q
    ), sums AS (
        SELECT list_inner_product(shown, $1[:len(shown)]) AS dcg,
            list_inner_product(best, $1[:len(best)]) AS ideal
        FROM lists
    )
    SELECT avg(CASE WHEN ideal > 0 THEN dcg / ideal ELSE 0 END) FROM sums
"""
BY_WINDOWS = """
    WITH ranks AS (
        SELECT q, y, row_number() OVER (PARTITION BY q ORDER BY s DESC) AS shown,
            row_number() OVER (PARTITION BY q ORDER BY y DESC) AS best
        FROM docs
    ), sums AS (
        SELECT sum(CASE WHEN shown <= 10 THEN y / log2(shown + 1) END) AS dcg,
            sum(CASE WHEN best <= 10 THEN y / log2(best + 1) END) AS ideal
        FROM ranks GROUP BY q
    )
    SELECT avg(CASE WHEN ideal > 0 THEN dcg / ideal ELSE 0 END) FROM sums
"""


def by_duckdb(lists):
    """Ask a table in memory, as fast as DuckDB has it, by one thread as skrank."""
    import duckdb

    connection = duckdb.connect(config={"threads": 1})
    docs = frame_of(lists)
    connection.register("docs_of_arrow", docs)
    connection.execute("CREATE TABLE docs AS FROM docs_of_arrow")
    discount = (1 / np.log2(np.arange(2, 12))).tolist()

    def ask(query, parameters=()):
        return connection.execute(query, [*parameters]).fetchone()[0]

    n_queries = lists.n_queries()
    return {
        "DuckDB, arg_max": Way(lambda: ask(BEST_TEN, [discount]), n_queries),
        "DuckDB, window functions": Way(lambda: ask(BY_WINDOWS), n_queries),
    }


def by_polars(lists):
    os.environ.setdefault("POLARS_MAX_THREADS", "1")  # read when it is imported
    import polars as pl

    docs = pl.from_arrow(frame_of(lists))
    place = pl.int_range(pl.len().clip(upper_bound=10)) + 2

    def dcg(by):
        best = pl.col("y").sort_by(by, descending=True).head(10)
        return (best / place.log(2)).sum()

    ratio = pl.when(pl.col("ideal") > 0).then(pl.col("dcg") / pl.col("ideal"))

    def evaluate():
        sums = docs.lazy().group_by("q").agg(dcg=dcg("s"), ideal=dcg("y"))
        return sums.select(ratio.otherwise(0).mean()).collect().item()

    return {"polars, sort_by and head": Way(evaluate, lists.n_queries())}


def first_queries(lists, n_queries):
    """Return the rows of the first queries, as a sample: lengths are random."""
    return Lists(*(values[lists.qid < n_queries].copy() for values in lists))


LIBRARIES = {
    "sklearn": by_sklearn,
    "ranx": by_ranx,
    "pytrec_eval": by_pytrec_eval,
    "torchmetrics": by_torchmetrics,
    "ir_measures": by_ir_measures,
    "duckdb": by_duckdb,
    "polars": by_polars,
}


def ways_of(library, lists):
    """Return what to time of a library, having seen that its number is skrank's.

    So nobody times another metric, or the metric of other queries.
    """
    each = ndcg_score(
        lists.y_true, lists.y_score, qid=lists.qid, k=10, gain="linear", average=None
    )
    ways = LIBRARIES[library](lists)
    for name, way in ways.items():
        theirs, ours = way.mean(way.function()), each[: way.n_queries].mean()
        if not np.isclose(theirs, ours, rtol=1e-6):
            raise AssertionError(f"{name} computes {theirs}, skrank {ours}")
    return ways
