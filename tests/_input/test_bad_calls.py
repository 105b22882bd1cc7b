"""Random calls with wrong arguments end in an error that skrank wrote, or in a result.

`python -m tests._input.test_bad_calls 10000 7` makes so many calls with a seed, and
prints what is not as it should be.
"""

# SPDX-License-Identifier: BSD-3-Clause

import collections
import linecache
import sys
import traceback
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from scipy import sparse
from sklearn.linear_model import Ridge
from sklearn.utils.fixes import parse_version

from skrank import link_prediction, metrics, model_selection, plot, stats, tables
from skrank.datasets import load_nations, make_ranking
from skrank.metrics import score_queries
from skrank.rankers import FusionRanker, PairwiseRanker, QueryRanker

X, Y, QID = make_ranking(12, n_features=3, n_informative=2, random_state=0)
N, SCORE = len(Y), X[:, 0]
BOTH = score_queries(Y, {"a": X[:, 0], "b": X[:, 1]}, ["mrr", "ndcg@5"], qid=QID)
ONE = score_queries(Y, X[:, 0], "mrr", qid=QID)
FRAME = pd.DataFrame(X, columns=["a", "b", "c"]).assign(qid=QID)
ROWS = pd.DataFrame({"qid": QID, "y_true": Y, "y_score": SCORE, "brand": QID % 3})
QRELS, RUN = {"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 0.7, "d3": 0.9}}
TRIPLES = load_nations().train[:200]
MODEL = link_prediction.PopularityPredictor().fit(load_nations().train)
RANKER = QueryRanker(Ridge()).fit(FRAME, Y)
ROWS_OF_RUN = {"qrels": QRELS, "run": RUN}
BASIC = {"y_true": Y, "y_score": SCORE, "qid": QID}
SCORED = BASIC | {"metrics": "mrr"}
RUNS = {"one": RUN, "two": {"q1": ["d2", "d1"]}}


def of_self(estimator, name, **given):
    """Return a method of an estimator as a function, and its arguments."""
    return (lambda **given: getattr(estimator(), name)(**given)), given


def split(splitter, **fixed):
    def all_parts(X, y=None, qid=None, time=None, **params):
        given = {"qid": qid} | ({} if time is None else {"time": time})
        return list(splitter(**(fixed | params)).split(X, y, **given))

    return all_parts


# Functions, with arguments that are right.
CALLS = {
    "evaluate": (metrics.evaluate, SCORED | {"judged": Y >= 0, "sample_weight": None}),
    "score_queries": (metrics.score_queries, SCORED | {"by": {"u": QID % 3}}),
    "returned": (metrics.evaluate, SCORED | {"exclude": Y < 0, "returned": Y >= 0}),
    "explain": (metrics.explain, BASIC | {"metric": "mrr"}),
    "tie_report": (metrics.tie_report, SCORED),
    "query_report": (metrics.query_report, SCORED | {"query": QID[0]}),
    "catalogue": (
        metrics.catalogue_scores,
        {"y_score": SCORE, "qid": QID, "item": np.arange(N) % 9, "k": 3, "items": 9},
    ),
    "from_frame": (metrics.QueryScores.from_frame, {"frame": BOTH["a"].to_frame()}),
    "concat": (metrics.QueryScores.concat, {"parts": [ONE]}),
    "where": (BOTH.where, {"qid": 3}),
    "summary": (BOTH.summary, {"by": "qid"}),
    "balanced": (BOTH.balanced, {"by": "qid"}),
    "worst_queries": (BOTH.worst_queries, {"n": 3, "ranker": "a"}),
    "to_frame": (BOTH.to_frame, {"kind": "pandas", "undefined": "nan"}),
    "ranking_metric": (
        lambda metrics_, **given: metrics.RankingMetric(metrics_).update(**given),
        BASIC | {"metrics_": "mrr"},
    ),
    "make_scorer": (metrics.make_ranking_scorer, {"score": "ndcg@5", "ties": "first"}),
    "get_scorer": (metrics.get_scorer, {"scoring": "mrr"}),
    "interval": (
        stats.confidence_interval,
        {"scores": BOTH, "by": "qid", "clusters": QID[:12], "confidence_level": 0.9},
    ),
    "mean_interval": (stats.mean_interval, {"values": np.arange(30) / 30}),
    "compare": (
        stats.compare_rankers,
        {"scores": BOTH, "baseline": "a", "margin": 0.1, "clusters": None, "by": None},
    ),
    "compare_values": (
        stats.compare_rankers,
        {"scores": {"a": Y[:40] / 9, "b": Y[1:41] / 9}, "test": "t", "paired": True},
    ),
    "gate": (
        stats.gate,
        {"scores": BOTH, "baseline": "a", "margin": 0.1, "clusters": None},
    ),
    "required": (stats.required_queries, {"scores": BOTH["mrr"], "effect": 0.1}),
    "align": (tables.align, ROWS_OF_RUN | {"missing_queries": "zero", "wide": False}),
    "score_runs": (tables.score_runs, ROWS_OF_RUN | {"metrics": "mrr", "by": None}),
    "from_topk": (
        tables.from_topk,
        {"indices": [[1, 2], [0, 1]], "relevant": [{1}, {2}], "scores": None}
        | {"qid": ["u", "v"], "duplicates": "best"},
    ),
    "fuse": (tables.fuse, {"runs": RUNS, "method": "sum", "weights": None}),
    "compare_lists": (tables.compare_lists, {"runs": RUNS}),
    "changed": (tables.changed_documents, {"runs": RUNS}),
    "score_table": (tables.score_table, {"source": ROWS, "metrics": "mrr", "by": ()}),
    "read_rows": (tables.read_rows, {"source": ROWS, "y_score": "y_score"}),
    "ndcg": (metrics.ndcg_score, BASIC | {"k": 5, "gain": "linear", "discount": "ln"}),
    "rbp": (metrics.rbp_score, BASIC | {"p": 0.5, "max_grade": 4, "average": "macro"}),
    "err": (metrics.err_score, BASIC | {"k": 5, "max_grade": 4}),
    "precision": (metrics.precision_at_k_score, BASIC | {"k": 5, "normalize": "k"}),
    "ild": (metrics.ild_score, BASIC | {"features": X, "k": 5, "distance": "cosine"}),
    "matrix": (
        metrics.mrr_score,
        {"y_true": [2, 0], "y_score": [[1, 2, 3], [3, 2, 1]], "exclude": None},
    ),
    "fit": of_self(lambda: QueryRanker(Ridge()), "fit", X=FRAME, y=Y, qid=None),
    "estimator": (
        lambda estimator: QueryRanker(estimator).fit(FRAME, Y),
        {"estimator": Ridge()},
    ),
    "pairwise": of_self(lambda: PairwiseRanker(Ridge()), "fit", X=X, y=Y, qid=QID),
    "fusion": of_self(FusionRanker, "fit", X=FRAME, y=Y),
    "predict": of_self(lambda: RANKER, "predict", X=FRAME, qid=None),
    "rank": of_self(lambda: RANKER, "rank", X=FRAME, qid=None),
    "score": of_self(lambda: RANKER, "score", X=FRAME, y=Y, qid=None),
    "cross_val": (
        model_selection.cross_val_query_scores,
        {"estimator": QueryRanker(Ridge()), "X": FRAME, "y": Y, "scoring": "mrr"}
        | {"cv": 3, "params": None},
    ),
    "kfold": (
        split(model_selection.QueryKFold),
        {"X": FRAME, "y": Y, "qid": QID, "n_splits": 3},
    ),
    "time_range": (
        split(model_selection.TimeRangeSplit),
        {"X": FRAME, "time": np.arange(N), "test_size": 0.2, "gap": 0},
    ),
    "time_series": (
        split(model_selection.QueryTimeSeriesSplit),
        {"X": FRAME, "qid": QID, "time": QID, "n_splits": 2, "test_size": 2},
    ),
    "train_test": (
        lambda first, second, **given: model_selection.query_train_test_split(
            first, second, **given
        ),
        {"first": X, "second": Y, "qid": QID, "test_size": 0.3},
    ),
    "links": (
        link_prediction.evaluate_link_prediction,
        {"model": MODEL, "X": TRIPLES, "known": TRIPLES, "metrics": "mrr"}
        | {"sides": "tail", "candidates": None, "by": None},
    ),
    "link_fit": of_self(link_prediction.PopularityPredictor, "fit", X=TRIPLES),
    "constraints": (link_prediction.type_constraints, {"X": TRIPLES}),
    "display": (plot.ComparisonDisplay.from_comparison, {"comparison": BOTH}),
    "at_k": (plot.MetricAtKDisplay.from_scores, {"scores": BOTH}),
}

BAD = [
    *(None, True, 0, 1, -1, 2.5, np.nan, np.inf, 10**30, 1j, "", "a", "mrr", b"x"),
    *([], (), {}, set(), [[]], [None], [[1, 2], [3]], [[1], [1, 2]], [{}], {"a": 1}),
    *({"a": [1, 2]}, {"a": {"b": 1}}, {1: 2}, {"a": None}, {"q1": []}, ["a", 1], [1j]),
    *(object(), Ellipsis, slice(3), range(3), iter([1, 2]), lambda: 1),
    *(np.array(1.0), np.zeros(0), np.zeros((0, 3)), np.zeros((3, 0)), np.zeros((2, 2))),
    *(np.zeros((2, 2, 2)), np.array([None, 1], dtype=object), np.array(["a", "b"])),
    *(np.array(["2020-01-01"], dtype="datetime64[D]"), np.array([b"x"])),
    *(np.ma.masked_array([1.0, 2.0], [True, False]), sparse.csr_matrix(np.eye(3))),
    *(pd.DataFrame(), pd.Series(dtype=float), pd.DataFrame({"a": [1, 2]}), pd.NA),
    *(pd.Series([1, None]), pd.Series(["a", "b"]), pd.Timestamp("2020-01-01"), pd.NaT),
    *(pl.DataFrame(), pl.Series([1, 2]), pa.table({}), pa.table({"a": [1]})),
    *(pa.array([1, None]), BOTH, ONE, RANKER, MODEL, Ridge(), warnings),
    *(X, Y, QID, SCORE, FRAME, ROWS, QRELS, RUN, RUNS, TRIPLES, Y[:-1], X[:, :2]),
]
OWN_WORDS = ("unexpected keyword argument", "required ", "positional argument")


def call_of(rng):
    """Return the name of a function, and arguments of which one to three are wrong."""
    name = [*CALLS][rng.integers(len(CALLS))]
    given = dict(CALLS[name][1])
    for argument in rng.permutation([*given])[: rng.choice([1, 1, 1, 2, 3])].tolist():
        kind = rng.integers(10)
        if kind < 7:
            given[argument] = BAD[rng.integers(len(BAD))]
        elif kind == 7:  # swapped
            other = rng.choice([*given])
            given[argument], given[other] = given[other], given[argument]
        elif kind == 8:
            del given[argument]
        else:
            given[f"{argument}_"] = given.pop(argument)
    return name, given


def fault_of(name, given):
    """Return the error of a call that nobody wrote for a reader, or None."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            CALLS[name][0](**given)
    except (TypeError, ValueError, ImportError, OSError) as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        is_raised = linecache.getline(frame.filename, frame.lineno).lstrip()
        is_own = any(f"/{one}/" in frame.filename for one in ("skrank", "sklearn"))
        if is_own and is_raised.startswith("raise"):
            return None
        if (
            isinstance(error, OSError)
            or is_of_estimator(error)
            or any(one in str(error) for one in OWN_WORDS)
        ):
            return None
        return error
    except Exception as error:
        return error
    return None


def is_of_estimator(error):
    """Return True if scikit-learn refuses what an estimator is given."""
    files = [one.filename for one in traceback.extract_tb(error.__traceback__)]
    own = [place for place, file in enumerate(files) if "/skrank/" in file]
    return any("/sklearn/" in file for file in files[max(own, default=-1) + 1 :])


def of_place(error):
    frames = traceback.extract_tb(error.__traceback__)
    own = [one for one in frames if "/skrank/" in one.filename] or frames
    place = f"{own[-1].filename.rpartition('/skrank/')[2]}:{own[-1].lineno}"
    return f"{place} {type(error).__name__}: {str(error)[:120]}"


@pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.7"),
    reason="the oldest libraries have bare errors of their own",
)
@pytest.mark.filterwarnings("ignore")
def test_a_bad_call_has_an_error_of_skrank_or_a_result():
    rng = np.random.default_rng(0)
    calls = (call_of(rng) for _ in range(300))
    faults = [(call, fault_of(*call)) for call in calls]
    assert [(call[0], of_place(one)) for call, one in faults if one] == []


if __name__ == "__main__":
    n_calls, rng = int(sys.argv[1]), np.random.default_rng(int(sys.argv[2]))
    found = collections.defaultdict(list)
    for _ in range(n_calls):
        name, given = call_of(rng)
        error = fault_of(name, given)
        if error is not None:
            found[of_place(error)].append((name, given))
    print(n_calls, "calls,", sum(map(len, found.values())), "faults,", len(found), "of")
    for place, calls in sorted(found.items(), key=lambda one: -len(one[1])):
        name, given = calls[0]
        changed = [
            f"{key}={value!r:.60}"
            for key, value in given.items()
            if value is not CALLS[name][1].get(key, ...)
        ]
        print(len(calls), place, "|", name, "; ".join(changed).replace("\n", " "))
