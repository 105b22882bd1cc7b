"""The differences of two rankers by query."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest

from skrank.metrics import QueryScores, mean_rank, score_queries
from skrank.plot import QueryDifferenceDisplay

# Query by query the rank of the one relevant document of three: old 1, 2, 3, 1 and
# new 2, 1, 1, 1.
Y_TRUE = [1, 0, 0] * 4
QID = np.repeat(["a", "b", "c", "d"], 3)
OLD = [3, 2, 1, 2, 3, 1, 1, 3, 2, 3, 2, 1]
NEW = [2, 3, 1, 3, 2, 1, 3, 2, 1, 3, 2, 1]
RUNS = {"old": OLD, "new": NEW}
# Reciprocal ranks, new minus old.
DIFFERENCE = [1 / 2 - 1, 1 - 1 / 2, 1 - 1 / 3, 0]


def counts(display):
    return display.n_wins, display.n_ties, display.n_losses


def heights(bars):
    return bars.get_data().values.tolist()


def test_the_bars_are_the_differences_of_the_queries_in_descending_order():
    display = QueryDifferenceDisplay.from_predictions(Y_TRUE, RUNS, "mrr", qid=QID)
    assert display.difference == pytest.approx(DIFFERENCE)
    assert counts(display) == (2, 1, 1)
    assert heights(display.wins_) == pytest.approx([1 - 1 / 3, 1 - 1 / 2])
    assert heights(display.ties_) == [0]
    assert heights(display.losses_) == pytest.approx([1 / 2 - 1])
    assert display.wins_.get_data().edges.tolist() == [0.5, 1.5, 2.5]
    assert display.losses_.get_data().edges.tolist() == [3.5, 4.5]
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == ["new is better: 2", "equal: 1", "old is better: 1"]
    assert display.ax_.get_ylabel() == "difference in MRR\n(larger is better)"
    assert display.ax_.get_xlabel() == "4 queries, the best differences first"


def test_the_baseline_can_be_chosen():
    scores = score_queries(Y_TRUE, RUNS | {"old2": OLD}, ["mrr", "hits@1"], qid=QID)
    options = {"metric": "mrr", "ranker": "old", "baseline": "new"}
    display = QueryDifferenceDisplay.from_scores(scores, **options)
    assert display.difference == pytest.approx(np.negative(DIFFERENCE))
    assert (display.ranker, display.baseline) == ("old", "new")


@pytest.mark.parametrize("metric", ["neg_mean_rank", mean_rank])
def test_wins_are_those_of_the_better_ranker_where_smaller_is_better(metric):
    display = QueryDifferenceDisplay.from_predictions(Y_TRUE, RUNS, metric, qid=QID)
    ranks = np.array([2 - 1, 1 - 2, 1 - 3, 0])
    sign = -1 if metric == "neg_mean_rank" else 1
    assert display.difference == pytest.approx(sign * ranks)
    assert display.greater_is_better == (sign == -1)
    assert counts(display) == (2, 1, 1)
    assert heights(display.wins_) == pytest.approx([-2 * sign, -1 * sign])


def test_queries_that_lose_most_are_named():
    display = QueryDifferenceDisplay.from_predictions(
        Y_TRUE, RUNS, "mrr", qid=QID, baseline="new", n_worst=3
    )
    texts = [(text.get_text(), *text.xy) for text in display.query_texts_]
    # Only two queries lose.
    assert texts == [("c", 4, pytest.approx(1 / 3 - 1)), ("b", 3, 1 / 2 - 1)]


def test_a_query_is_named_by_all_of_its_keys():
    by = {"fold": np.repeat([0, 1], 6)}
    scores = score_queries(Y_TRUE, RUNS, "mrr", qid=QID, by=by)
    display = QueryDifferenceDisplay.from_scores(scores, n_worst=1)
    assert [text.get_text() for text in display.query_texts_] == ["a, 0"]


def test_queries_where_the_metric_is_undefined_are_drawn_as_they_count():
    given = [1, 0, 0, 0, 0, 0] + [1, 0, 0] * 2, RUNS, "mrr"
    display = QueryDifferenceDisplay.from_predictions(*given, qid=QID)
    assert display.difference[1] == 0
    assert counts(display) == (1, 2, 1)
    assert display.ax_.get_xlabel() == "4 queries, the best differences first"
    how = {"qid": QID, "replace_undefined_by": np.nan}
    display = QueryDifferenceDisplay.from_predictions(*given, **how)
    assert np.isnan(display.difference[1])
    assert counts(display) == (1, 1, 1)
    undefined = "3 queries, the best differences first\n(undefined and left out: 1)"
    assert display.ax_.get_xlabel() == undefined


def test_values_that_differ_by_rounding_are_equal():
    frame = {"qid": [1, 2, 1, 2], "ranker": ["old", "old", "new", "new"]}
    frame["mrr"] = [0.1 + 0.2, 0.5, 0.3, 0.4]
    scores = QueryScores.from_frame(frame, ranker="ranker")
    display = QueryDifferenceDisplay.from_scores(scores)
    assert counts(display) == (0, 1, 1)


@pytest.mark.slow
def test_rankers_that_are_all_equal_are_drawn():
    given, how = (Y_TRUE, {"old": OLD, "same": OLD}, "mrr"), {"qid": QID, "n_worst": 2}
    display = QueryDifferenceDisplay.from_predictions(*given, **how)
    assert counts(display) == (0, 4, 0)
    assert display.query_texts_ == []
    display.figure_.canvas.draw()


def test_the_constructor_only_stores_its_parameters():
    display = QueryDifferenceDisplay(difference=[0.5, -0.25])
    assert not hasattr(display, "ax_")
    assert display.plot() is display
    assert heights(display.losses_) == [-0.25]
    with pytest.raises(ValueError, match="n_worst == -1, must be >= 0"):
        display.plot(n_worst=-1)
    with pytest.raises(TypeError, match="n_worst must be an instance of int"):
        display.plot(n_worst=0.5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, r"'metric' parameter .* one of \['mrr', 'hits@1'\]. Got None instead"),
        ({"metric": "map"}, "Got 'map' instead"),
        ({"metric": "mrr"}, r"'ranker' parameter .* \['new', 'old2'\]. Got None"),
        ({"metric": "mrr", "ranker": "old"}, "Got 'old' instead"),
        ({"metric": "mrr", "baseline": "x"}, "'baseline' parameter .* Got 'x' instead"),
    ],
)
def test_what_is_compared_must_be_named(options, message):
    scores = score_queries(Y_TRUE, RUNS | {"old2": OLD}, ["mrr", "hits@1"], qid=QID)
    with pytest.raises(ValueError, match=message):
        QueryDifferenceDisplay.from_scores(scores, **options)
    with pytest.raises(ValueError, match="compares two rankers"):
        QueryDifferenceDisplay.from_scores(scores[["old"]])
