"""Comparisons of values by query that another tool computed."""

# SPDX-License-Identifier: BSD-3-Clause

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.stats import ttest_rel

from skrank.metrics import score_queries
from skrank.stats import compare_rankers, confidence_interval

pytestmark = pytest.mark.filterwarnings("ignore:The (p-value|interval) may be too")

RNG = np.random.RandomState(0)
IDS = [f"q{i}" for i in RNG.permutation(40)]
OLD, NEW = RNG.rand(40).round(2), RNG.rand(40).round(2) + 0.2


def by_query(values, order=slice(None)):
    return dict(zip(IDS[order], values[order].tolist(), strict=True))


FORMS = {
    "dict of arrays": lambda: {"old": OLD, "new": NEW},
    "dict of lists": lambda: {"old": OLD.tolist(), "new": NEW.tolist()},
    "dict of columns": lambda: {"qid": IDS, "old": OLD, "new": NEW},
    "dict of dicts": lambda: {
        "old": by_query(OLD),
        "new": by_query(NEW, slice(None, None, -1)),
    },
    "dict of series": lambda: {
        "old": pd.Series(OLD, IDS),
        "new": pd.Series(NEW, IDS)[::-1],
    },
    "dict of polars": lambda: {"old": pl.Series(OLD), "new": pl.Series(NEW)},
    "pandas": lambda: pd.DataFrame({"old": OLD, "new": NEW}),
    "pandas, index": lambda: pd.DataFrame(
        {"old": OLD, "new": NEW}, index=pd.Index(IDS, name="qid")
    ),
    "polars": lambda: pl.DataFrame({"qid": IDS, "old": OLD, "new": NEW}),
    "pyarrow": lambda: pa.table({"qid": IDS, "old": OLD, "new": NEW}),
    "long": lambda: (
        pd.DataFrame(
            {
                "ranker": np.repeat(["old", "new"], 40),
                "qid": IDS + IDS,
                "value": np.concatenate([OLD, NEW]),
            }
        )
        .sample(frac=1, random_state=0)
        .sort_values("ranker", ascending=False)
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_values_by_ranker_in_any_form_are_compared(form):
    comparison = compare_rankers(FORMS[form](), test="t")
    (row,) = comparison.rows
    theirs = ttest_rel(NEW, OLD)
    assert (row.metric, row.ranker, row.baseline) == ("value", "new", "old")
    assert row.pvalue == pytest.approx(theirs.pvalue)
    assert row.low == pytest.approx(theirs.confidence_interval().low)
    assert (row.wins, row.losses) == ((NEW > OLD).sum(), (NEW < OLD).sum())
    # The estimates of both the rows and the scores.
    assert row.estimate == comparison.scores.summary()["new"]["value"]
    assert comparison.scores.summary()["old"]["value"] == pytest.approx(OLD.mean())
    if form not in ("dict of arrays", "dict of lists", "dict of polars", "pandas"):
        loss = np.argmin(NEW - OLD)
        worst = nw.from_native(comparison.worst_queries(1))
        assert worst["qid"].to_list() == [IDS[loss]]


@pytest.mark.parametrize("values", [np.array([OLD, NEW]), [OLD.tolist(), NEW.tolist()]])
def test_the_rankers_of_an_array_are_numbered(values):
    (row,) = compare_rankers(values, test="t").rows
    assert (row.ranker, row.baseline) == ("1", "0")
    assert row.pvalue == pytest.approx(ttest_rel(NEW, OLD).pvalue)


def test_the_values_of_several_metrics_by_query_are_compared():
    # What pytrec_eval returns of two runs.
    runs = {
        name: {
            query: {"ndcg_cut_10": value, "own": value**2}
            for query, value in by_query(values).items()
        }
        for name, values in {"old": OLD, "new": NEW}.items()
    }
    rows = compare_rankers(runs, test="t").rows
    assert [row.metric for row in rows] == ["ndcg_cut_10", "own"]
    expected = [ttest_rel(NEW, OLD).pvalue, ttest_rel(NEW**2, OLD**2).pvalue]
    assert [row.pvalue for row in rows] == pytest.approx(expected)


def test_segments_clusters_and_weights_are_columns():
    country, user = np.repeat(["fr", "us"], 20), np.arange(40) // 2
    values = {"country": country, "user": user, "old": OLD, "new": NEW}
    for given in (values, pd.DataFrame(values), pl.DataFrame(values)):
        comparison = compare_rankers(given, by="country", clusters="user", test="t")
        assert [row.country for row in comparison.rows] == ["fr", "us"]
        summary = comparison.scores.summary("country")
        assert summary["us"]["old"]["value"] == pytest.approx(OLD[20:].mean())
        # One unit per user: the mean of two queries.
        difference = (NEW - OLD)[:20].reshape(10, 2).mean(axis=1)
        (row, _) = comparison.rows
        expected = ttest_rel(difference, np.zeros(10)).pvalue
        assert row.pvalue == pytest.approx(expected)
    weight = np.arange(40.0)
    (row,) = compare_rankers({"old": OLD, "new": NEW, "sample_weight": weight}).rows
    assert row.estimate == pytest.approx(np.average(NEW, weights=weight))


@pytest.mark.slow
def test_a_frame_of_query_scores_comes_back():
    qid = np.repeat(np.arange(30), 5)
    rng = np.random.default_rng(0)
    y_true = np.tile([1, 0, 0, 1, 0], 30)
    runs = {"a": rng.random(150), "b": rng.random(150)}
    by = {"part": qid % 2}
    scores = score_queries(y_true, runs, ["mrr", "hits@1"], qid=qid, by=by)
    for kind in ("pandas", "polars", "pyarrow"):
        comparison = compare_rankers(scores.to_frame(kind), by="part")
        assert comparison.rows == compare_rankers(scores, by="part").rows
        assert comparison.scores.table.kind == kind
        intervals = confidence_interval(comparison.scores)
        assert type(intervals.to_frame()).__module__.startswith(kind)


def test_one_dict_holds_scores_and_values():
    qid = np.repeat(IDS, 2)
    y_true, y_score = np.tile([1, 0], 40), np.random.default_rng(0).random(80)
    scores = score_queries(y_true, y_score, "mrr", qid=qid)
    mrr = dict(zip(scores.keys["qid"], scores.values[0, 0], strict=True))
    values = {query: {"mrr": value / 2} for query, value in mrr.items()}
    (row,) = compare_rankers({"whole": scores, "half": values}).rows
    assert row.estimate == pytest.approx(row.estimate_baseline / 2)


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        ({"a": OLD, "b": NEW[:39]}, ValueError, r"same queries.*'a' and 'b'.*has 39"),
        ({"a": by_query(OLD), "b": NEW}, ValueError, "same queries"),
        (
            {"a": OLD, "b": np.where(NEW > 1, np.nan, NEW)},
            ValueError,
            "'b' must not be",
        ),
        ({"a": OLD, "b": [OLD, NEW]}, ValueError, r"Got shape \(2, 40\) for 'b'"),
        ({"a": OLD, "b": [*NEW[:39], np.inf]}, ValueError, "must be finite"),
        ([OLD, NEW[:39]], ValueError, "same queries"),
        (OLD, ValueError, r"shape \(n_rankers, n_queries\)\. Got ndarray of other"),
        (np.zeros((2, 3, 4)), ValueError, r"Got ndarray of other shape"),
        (7, TypeError, r"Got int instead"),
        ({"a": OLD}, ValueError, r"at least two rankers\. Got \['a'\]"),
        ({}, ValueError, r"at least one ranker\. Got \[\]"),
        ({"qid": range(40)}, ValueError, r"at least one ranker\. Got \['qid'\]"),
        ({"qid": IDS, "a": by_query(OLD), "b": NEW}, ValueError, "in the order of"),
        ({"qid": ["q"] * 40, "a": OLD, "b": NEW}, ValueError, "qid='q' twice"),
    ],
)
def test_what_is_not_a_value_per_query_is_refused(values, error, message):
    with pytest.raises(error, match=message):
        compare_rankers(values)
