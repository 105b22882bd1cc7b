"""The picture of a comparison."""

# SPDX-License-Identifier: BSD-3-Clause

import matplotlib.pyplot as plt
import numpy as np
import pytest

from skrank.metrics import score_queries
from skrank.plot import ComparisonDisplay, QueryDifferenceDisplay
from skrank.stats import compare_rankers

N_QUERIES = 150


@pytest.fixture(scope="module")
def scores():
    """Return scores of three rankers, two of which are as good as each other."""
    rng = np.random.default_rng(0)
    y_true = np.tile([1, 0, 0, 0, 0, 0], N_QUERIES)
    noise = {"best": 0.2, "good": 1.0, "good too": 1.0}
    runs = {
        name: y_true + s * rng.normal(size=len(y_true)) for name, s in noise.items()
    }
    qid = np.repeat(np.arange(N_QUERIES), 6)
    return score_queries(y_true, runs, ["mrr", "neg_mean_rank"], qid=qid)


def points(display, words):
    return list(zip(*display.points_[words].get_data(), strict=True))


def labels(display):
    return [text.get_text() for text in display.ax_.get_yticklabels()]


def test_the_lines_are_the_intervals_of_the_comparison(scores):
    comparison = compare_rankers(scores)
    display = ComparisonDisplay.from_comparison(comparison)
    segments = display.intervals_.get_segments()
    for row, segment in zip(comparison.rows, segments, strict=True):
        assert segment[:, 0].tolist() == [row.low, row.high]
    drawn = np.concatenate(
        [points(display, words) for words in display.points_ if points(display, words)]
    )
    drawn = drawn[np.argsort(drawn[:, 1])]
    assert drawn[:, 0].tolist() == [row.difference for row in comparison.rows]
    assert drawn[:, 1].tolist() == [segment[0, 1] for segment in segments]


def test_the_points_show_the_adjusted_decision(scores):
    comparison = compare_rankers(scores)
    row = comparison.rows
    assert [r.p_adjusted <= 0.05 for r in row] == [True, True, False] * 2
    display = ComparisonDisplay.from_comparison(comparison, metric="mrr")
    assert list(display.points_) == ["better", "worse", "not told apart"]
    assert points(display, "better") == []
    assert points(display, "worse") == [(row[0].difference, 1), (row[1].difference, 2)]
    assert points(display, "not told apart") == [(row[2].difference, 4)]


def test_an_interval_without_zero_may_not_be_told_apart_after_adjustment():
    display = ComparisonDisplay(
        metric=["MRR"] * 2,
        ranker=["one", "two"],
        baseline=["old"] * 2,
        difference=[0.1, 0.2],
        low=[0.01, 0.1],
        high=[0.2, 0.3],
        is_shown=[False, True],
    ).plot()
    assert points(display, "not told apart") == [(0.1, 0)]
    assert points(display, "better") == [(0.2, 1)]


def test_rows_are_labelled_by_ranker_with_letters_under_their_baseline(scores):
    comparison = compare_rankers(scores)
    display = ComparisonDisplay.from_comparison(comparison, metric="mrr")
    assert comparison.letters["mrr"] == {"best": "a", "good": "b", "good too": "b"}
    assert labels(display) == [
        *("from best (a)", "good (b)", "good too (b)"),
        *("from good (b)", "good too (b)"),
    ]
    assert display.ax_.get_xlabel() == (
        "difference in MRR (larger is better)\n95% intervals\n"
        "colours: adjusted for 6 comparisons (max-t)"
    )


def test_rows_are_labelled_by_ranker_under_their_metric_with_a_baseline(scores):
    comparison = compare_rankers(scores, baseline="best")
    display = ComparisonDisplay.from_comparison(comparison)
    assert labels(display) == [
        *("MRR", "good", "good too"),
        *("negative MR", "good", "good too"),
    ]
    assert display.ax_.get_xlabel().startswith("difference from best\n")
    assert len(points(display, "worse")) == 4


def test_one_pair_is_labelled_by_its_metrics(scores):
    comparison = compare_rankers(scores[["best", "good"]], correction=None)
    display = ComparisonDisplay.from_comparison(comparison)
    assert labels(display) == ["MRR", "negative MR"]
    assert display.ax_.get_xlabel() == "difference good \u2212 best\n95% intervals"


def test_smaller_differences_are_better_where_smaller_values_are():
    display = ComparisonDisplay(
        metric=["MR"],
        ranker=["new"],
        baseline=["old"],
        difference=[-2.0],
        low=[-3.0],
        high=[-1.0],
        is_shown=[True],
        greater_is_better=[False],
    ).plot()
    assert points(display, "better") == [(-2.0, 0)]
    assert "difference in MR (smaller is better)\nfrom old" in display.ax_.get_xlabel()


@pytest.mark.slow_rows
@pytest.mark.parametrize(
    ("options", "claim", "margins"),
    [
        ({"margin": 0.05}, "within 0.05 of 0", [-0.05, 0.05]),
        ({"alternative": "greater"}, "greater than 0", []),
        ({"alternative": "greater", "margin": 0.05}, "greater than -0.05", [-0.05]),
        ({"alternative": "less", "margin": 0.05}, "less than 0.05", [0.05]),
    ],
)
def test_a_claim_is_drawn_with_its_margin(options, claim, margins, scores):
    comparison = compare_rankers(scores[["mrr"]], **options)
    display = ComparisonDisplay.from_comparison(comparison)
    assert list(display.points_) == [claim, "not shown"]
    assert list(display.margins) == margins
    shown = [row.difference for row in comparison.rows if row.p_adjusted <= 0.05]
    assert [x for x, _ in points(display, claim)] == shown
    # A line without an end reaches the edge of the axes.
    left, right = display.ax_.get_xlim()
    for low, high in np.array(display.intervals_.get_segments())[:, :, 0]:
        assert left <= low < high <= right


def test_the_intervals_of_equivalence_have_the_level_of_two_one_sided_tests(scores):
    comparison = compare_rankers(scores[["mrr"]], margin=0.1, correction=None)
    display = ComparisonDisplay.from_comparison(comparison)
    assert display.note == "90% intervals"


def test_a_test_without_an_interval_is_drawn_as_points(scores):
    comparison = compare_rankers(scores[["mrr"]], test="sign")
    display = ComparisonDisplay.from_comparison(comparison)
    assert np.isnan(display.low).all()
    assert sum(len(points(display, words)) for words in display.points_) == 3
    display.figure_.canvas.draw()


def test_the_differences_by_query_have_the_wins_of_the_comparison(scores):
    for row in compare_rankers(scores).rows:
        names = {name: row[name] for name in ("metric", "ranker", "baseline")}
        display = QueryDifferenceDisplay.from_scores(scores, **names)
        counts = display.n_wins, display.n_ties, display.n_losses
        assert counts == (row.wins, row.ties, row.losses)
        assert display.difference.mean() == pytest.approx(row.difference)


def test_what_is_not_compared_is_an_error(scores):
    comparison = compare_rankers(scores)
    message = r"one of \['mrr', 'neg_mean_rank'\]. Got 'map' instead"
    with pytest.raises(ValueError, match=message):
        ComparisonDisplay.from_comparison(comparison, metric="map")
    with pytest.raises(TypeError, match="instance of RankerComparison"):
        ComparisonDisplay.from_comparison(comparison.rows)


def many(n_rankers):
    """Return the display of all pairs of rankers with long names."""
    names = [
        f"sentence-transformers/all-mpnet-base-v2, epoch {i}" for i in range(n_rankers)
    ]
    pairs = [(j, i) for i in range(n_rankers) for j in range(i + 1, n_rankers)]
    difference = np.array([(i - j) / 20 for i, j in pairs])
    return ComparisonDisplay(
        metric=["NDCG@10"] * len(pairs),
        ranker=[names[i] for i, _ in pairs],
        baseline=[names[j] for _, j in pairs],
        difference=difference,
        low=difference - 0.06,
        high=difference + 0.06,
        is_shown=np.abs(difference) > 0.06,
        letters=[("ab", "c")] * len(pairs),
        note="95% intervals\ncolours: adjusted for 66 comparisons (max-t)",
    )


@pytest.mark.slow_rows
@pytest.mark.parametrize("size", [(3.2, 2.4), (6.4, 4.8), (12, 8)])
@pytest.mark.parametrize("n_rankers", [2, 5, 12])
def test_all_text_is_inside_of_the_figure_and_no_labels_overlap(n_rankers, size):
    with plt.rc_context({"figure.figsize": size}):
        display = many(n_rankers).plot()
    figure, ax = display.figure_, display.ax_
    figure.canvas.draw()
    box, found = figure.bbox.padded(1), ax.get_tightbbox()
    assert box.x0 <= found.x0 <= found.x1 <= box.x1
    assert box.y0 <= found.y0 <= found.y1 <= box.y1
    assert ax.get_position().width > 0.3
    for texts in [ax.get_yticklabels(), ax.get_xticklabels()]:
        boxes = [text.get_window_extent() for text in texts if text.get_text()]
        for i, one in enumerate(boxes):
            assert not any(one.overlaps(other) for other in boxes[i + 1 :])
