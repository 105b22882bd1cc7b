"""The picture of a comparison."""

# SPDX-License-Identifier: BSD-3-Clause

import matplotlib.pyplot as plt
import numpy as np
import pytest

from skrank.metrics import mean_rank, score_queries
from skrank.plot import ComparisonDisplay, QueryDifferenceDisplay
from skrank.stats import compare_rankers, confidence_interval
from tests.plot.test_base import LARGE, LONG, SMALL, assert_text_fits

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


@pytest.fixture(scope="module")
def comparison(scores):
    return compare_rankers(scores)


def points(display, words, panel=0):
    return list(zip(*display.points_[panel][words].get_data(), strict=True))


def labels(display):
    return [text.get_text() for text in display.axes_[0].get_yticklabels()]


def legend(display):
    box = display.ax_.get_legend()
    return box.get_title().get_text(), [text.get_text() for text in box.get_texts()]


@pytest.mark.slow
def test_the_lines_are_the_intervals_of_the_comparison(comparison):
    display = ComparisonDisplay.from_comparison(comparison)
    segments = display.intervals_[0].get_segments()
    assert comparison.rows
    for row, segment in zip(comparison.rows, segments, strict=True):
        assert segment[:, 0].tolist() == [row.low, row.high]
    drawn = np.concatenate([points(display, words) for words in display.points_[0]])
    drawn = drawn[np.argsort(drawn[:, 1])]
    assert drawn[:, 0].tolist() == [row.difference for row in comparison.rows]
    assert drawn[:, 1].tolist() == [segment[0, 1] for segment in segments]


def test_the_points_show_the_adjusted_decision(comparison):
    row = comparison.rows
    assert [r.p_adjusted <= 0.05 for r in row] == [True, True, False] * 2
    display = ComparisonDisplay.from_comparison(comparison, metric="mrr")
    words = ["worse", "not significantly different"]
    assert list(display.points_[0]) == words
    note = "95% simultaneous intervals; tests adjusted for 6 comparisons (max-T)"
    assert legend(display) == (note, words)
    assert points(display, "worse") == [(row[0].difference, 1), (row[1].difference, 2)]
    assert points(display, "not significantly different") == [(row[2].difference, 4)]
    # The rows are labelled by ranker, with letters, under their baseline.
    assert comparison.letters["mrr"] == {"best": "a", "good": "b", "good too": "b"}
    assert labels(display) == [
        *("minus best (a)", "good (b)", "good too (b)"),
        *("minus good (b)", "good too (b)"),
    ]
    assert display.ax_.get_xlabel() == "difference in MRR\n(larger is better)"
    assert display.ax_.xaxis.label.get_size() > 8


def test_an_interval_without_zero_may_not_be_significant_after_adjustment():
    rows = {"metric": ["MRR"] * 2, "ranker": ["one", "two"], "baseline": ["old"] * 2}
    rows |= {"difference": [0.1, 0.2], "low": [0.01, 0.1], "high": [0.2, 0.3]}
    display = ComparisonDisplay(**rows, is_shown=[False, True]).plot()
    assert points(display, "not significantly different") == [(0.1, 0)]
    assert points(display, "better") == [(0.2, 1)]


def test_rows_are_labelled_by_ranker_under_their_metric_with_a_baseline(scores):
    comparison = compare_rankers(scores, baseline="best")
    display = ComparisonDisplay.from_comparison(comparison)
    assert labels(display) == [
        *("MRR", "good", "good too"),
        *("negative MR", "good", "good too"),
    ]
    assert display.ax_.get_xlabel() == "metric minus that of best"
    assert len(points(display, "worse")) == 4


def test_one_pair_is_labelled_by_its_metrics(scores):
    comparison = compare_rankers(scores[["best", "good"]], correction=None)
    display = ComparisonDisplay.from_comparison(comparison)
    assert labels(display) == ["MRR", "negative MR"]
    assert display.ax_.get_xlabel() == "good minus best"
    assert legend(display)[0] == "95% intervals"


def test_smaller_differences_are_better_where_smaller_values_are():
    row = {"metric": ["MR"], "ranker": ["new"], "baseline": ["old"]}
    row |= {"difference": [-2.0], "low": [-3.0], "high": [-1.0], "is_shown": [True]}
    display = ComparisonDisplay(**row, greater_is_better=[False]).plot()
    assert points(display, "better") == [(-2.0, 0)]
    assert display.ax_.get_xlabel() == "MR: new minus old\n(smaller is better)"


@pytest.mark.parametrize(
    ("options", "claim", "margins"),
    [
        ({"margin": 0.05}, "within 0.05 of 0", [-0.05, 0.05]),
        ({"margin": 0.5}, "within 0.5 of 0", [-0.5, 0.5]),
    ],
)
def test_a_claim_is_drawn_with_its_margin(options, claim, margins, scores):
    comparison = compare_rankers(scores[["mrr"]], **options)
    display = ComparisonDisplay.from_comparison(comparison)
    assert list(display.margins) == margins
    shown = [row.difference for row in comparison.rows if row.p_adjusted <= 0.05]
    drawn = points(display, claim) if claim in display.points_[0] else []
    assert [x for x, _ in drawn] == shown
    assert set(display.points_[0]) <= {claim, "not shown"}
    n_drawn = [len(points(display, words)) for words in display.points_[0]]
    assert sum(n_drawn) == len(comparison.rows)


@pytest.mark.parametrize(("marker", "end"), [(">", 1), ("<", 0)])
def test_an_interval_without_an_end_has_an_arrow(marker, end):
    rows = {"metric": ["MRR"] * 2, "ranker": ["a", "b"], "baseline": ["c"] * 2}
    rows |= {"difference": [0.1, 0.2], "is_shown": [True, False]}
    ends = [[0.0, 0.1], [0.2, 0.3]]
    display = ComparisonDisplay(**rows, low=ends[0], high=ends[1]).plot()
    assert not any(line.get_marker() in ("<", ">") for line in display.ax_.lines)
    ends[end] = [np.inf if end else -np.inf] * 2
    display = ComparisonDisplay(**rows, low=ends[0], high=ends[1]).plot()
    (arrows,) = [line for line in display.ax_.lines if line.get_marker() in ("<", ">")]
    assert arrows.get_marker() == marker
    assert arrows.get_ydata().tolist() == [0, 1]
    limits = display.ax_.get_xlim()
    segments = np.array(display.intervals_[0].get_segments())[:, :, 0]
    for x, segment in zip(arrows.get_xdata(), segments, strict=True):
        assert limits[0] < x < limits[1]
        assert segment[end] == x
        assert abs(x - limits[end]) < 0.05 * np.ptp(limits)


def test_the_intervals_of_equivalence_have_the_level_of_two_one_sided_tests(scores):
    comparison = compare_rankers(scores[["mrr"]], margin=0.1, correction=None)
    display = ComparisonDisplay.from_comparison(comparison)
    assert display.note == "90% intervals"
    assert display.note_of_means == "means with 95% intervals"


@pytest.mark.slow
def test_the_differences_by_query_have_the_wins_of_the_comparison(scores, comparison):
    assert len(comparison.rows) == 6
    for row in comparison.rows:
        names = {name: row[name] for name in ("metric", "ranker", "baseline")}
        display = QueryDifferenceDisplay.from_scores(scores, **names)
        counts = display.n_wins, display.n_ties, display.n_losses
        assert counts == (row.wins, row.ties, row.losses)
        assert display.difference.mean() == pytest.approx(row.difference)


def test_what_is_not_compared_is_an_error(comparison):
    message = r"one of \['mrr', 'neg_mean_rank'\]. Got 'map' instead"
    with pytest.raises(ValueError, match=message):
        ComparisonDisplay.from_comparison(comparison, metric="map")
    with pytest.raises(TypeError, match="instance of RankerComparison"):
        ComparisonDisplay.from_comparison(comparison.rows)
    with pytest.raises(ValueError, match="'kind' parameter of Compar"):
        ComparisonDisplay.from_comparison(comparison, kind="mean")
    display = ComparisonDisplay.from_comparison(comparison)
    display.means = None
    with pytest.raises(ValueError, match=r"if it has 'means'\. Got None instead"):
        display.plot(kind="means")


def test_means_have_rows_of_rankers_and_panels_of_metrics(scores, comparison):
    display = ComparisonDisplay.from_comparison(comparison, kind="means")
    with pytest.warns(UserWarning, match="may be too narrow"):
        intervals = confidence_interval(scores)
    # The best MRR first, in both panels.
    summary = scores.summary()
    best_first = sorted(summary, key=lambda name: -summary[name]["mrr"])
    assert labels(display) == best_first
    assert best_first[0] == "best"
    found = [ax.get_xlabel() for ax in display.axes_]
    assert found == [f"{name}\n(larger is better)" for name in ("MRR", "negative MR")]
    for panel, metric in enumerate(["mrr", "neg_mean_rank"]):
        segments = display.intervals_[panel].get_segments()
        drawn = {}
        for words in display.points_[panel]:
            drawn |= {y: x for x, y in points(display, words, panel)}
        for row, name in enumerate(best_first):
            assert drawn[row] == summary[name][metric]
            interval = intervals[name][metric]
            assert segments[row].tolist() == [[interval.low, row], [interval.high, row]]


@pytest.mark.slow
def test_means_show_the_letters_and_what_differs_from_the_best(scores, comparison):
    assert comparison.letters["mrr"] == {"best": "a", "good": "b", "good too": "b"}
    display = ComparisonDisplay.from_comparison(comparison, kind="means", metric="mrr")
    assert [text.get_text() for text in display.ax_.texts] == ["a", "b", "b"]
    assert [text.xy[1] for text in display.ax_.texts] == [0, 1, 2]
    equal, worse = "best, or not significantly different", "significantly worse"
    assert [y for _, y in points(display, equal)] == [0]
    assert [y for _, y in points(display, worse)] == [1, 2]
    note = "means with 95% intervals; tests adjusted for 6 comparisons (max-T)"
    assert legend(display) == (note, [equal, worse])
    assert display.axes_ == [display.ax_]
    # Without the best ranker no difference is significant.
    alike = compare_rankers(scores[["good", "good too"]])
    display = ComparisonDisplay.from_comparison(alike, kind="means", metric="mrr")
    assert not display.ax_.texts  # letters say nothing of two rankers
    assert legend(display)[1] == ["baseline", "not significantly different"]


def test_means_show_what_differs_from_a_baseline(scores):
    comparison = compare_rankers(scores, baseline="good")
    display = ComparisonDisplay.from_comparison(comparison, kind="means", metric="mrr")
    best, good, too = (scores.summary()[name]["mrr"] for name in scores.rankers)
    row = labels(display).index("good")
    assert points(display, "baseline") == [(good, row)]
    assert points(display, "better") == [(best, 0)]
    assert points(display, "not significantly different") == [(too, 3 - row)]
    assert not display.ax_.texts


@pytest.fixture(scope="module")
def five():
    rng = np.random.default_rng(1)
    y_true = np.tile([1, 0, 0, 0, 0, 0], 40)
    runs = {f"{s:g}": y_true + s * rng.normal(size=len(y_true)) for s in (1, 2, 4, 8)}
    runs = {"none": rng.normal(size=len(y_true)), **runs}
    qid = np.repeat(np.arange(40), 6)
    return score_queries(y_true, runs, [mean_rank, "mrr"], qid=qid)


@pytest.mark.slow
def test_many_rankers_are_drawn_by_their_means(five):
    display = ComparisonDisplay.from_comparison(compare_rankers(five))
    assert len(display.axes_) == 2
    assert len(labels(display)) == 5
    # Four rankers have six pairs, which are drawn.
    four = [name for name in five.rankers if name != "none"]
    display = ComparisonDisplay.from_comparison(compare_rankers(five[four]))
    assert len(display.intervals_[0].get_segments()) == 2 * 6
    # With a baseline, differences have a row for each ranker as well.
    comparison = compare_rankers(five, baseline="none")
    display = ComparisonDisplay.from_comparison(comparison)
    assert len(display.intervals_[0].get_segments()) == 2 * 4
    # Two baselines do not have all pairs.
    comparison = compare_rankers(five, baseline=["none", "8"])
    display = ComparisonDisplay.from_comparison(comparison)
    assert len(display.intervals_[0].get_segments()) == 2 * (4 + 3)
    display.plot(kind="means")
    assert list(display.points_[0]) == ["mean"]
    # Means do not show a claim about pairs.
    comparison = compare_rankers(five["mrr"], margin=0.1)
    display = ComparisonDisplay.from_comparison(comparison)
    assert len(display.intervals_[0].get_segments()) == 10
    display.plot(kind="means")
    assert list(display.points_[0]) == ["mean"]
    assert display.plot().intervals_[0].get_segments()


@pytest.mark.slow
def test_the_smallest_mean_comes_first_where_smaller_is_better(five):
    comparison = compare_rankers(five)
    display = ComparisonDisplay.from_comparison(comparison)
    ranks = {name: five.summary()[name]["mean_rank"] for name in five.rankers}
    assert labels(display) == sorted(ranks, key=ranks.get)
    assert display.axes_[0].get_xlabel() == "MR\n(smaller is better)"
    (first, *_), *_ = points(display, "best, or not significantly different")
    assert first == min(ranks.values())


def test_metrics_that_share_their_words_are_called_by_their_names():
    runs = {"a": [2, 1] * 20, "b": [1, 2, 2, 1] * 10}
    metrics, qid = ["rbp(p=0.5)", "rbp(p=0.8)", "mrr"], np.repeat(np.arange(20), 2)
    scores = score_queries([1, 0] * 20, runs, metrics, qid=qid)
    display = ComparisonDisplay.from_comparison(compare_rankers(scores))
    assert labels(display) == ["rbp(p=0.5)", "rbp(p=0.8)", "MRR"]


@pytest.mark.slow
def test_panels_take_the_place_of_the_axes(five):
    figure, axes = plt.subplots(1, 2, figsize=(12, 4))
    comparison = compare_rankers(five)
    display = ComparisonDisplay.from_comparison(comparison, ax=axes[1])
    assert display.ax_ is axes[1]
    assert display.figure_ is figure
    figure.canvas.draw()
    for panel in display.axes_:
        assert panel.get_position().x0 > axes[0].get_position().x1
        # A title of the axes stands above the panels.
        assert panel.get_position().y1 <= axes[1].get_position().y0
    own = plt.figure().add_axes((0.1, 0.1, 0.8, 0.8))
    with pytest.raises(ValueError, match="must come from plt"):
        ComparisonDisplay.from_comparison(comparison, ax=own)
    display = ComparisonDisplay.from_comparison(comparison, metric="mrr", ax=own)
    assert display.axes_ == [own]


def many(n_rankers, metrics=("NDCG@10",)):
    """Return the display of all pairs of rankers with long names."""
    names = [f"{LONG} {i}" for i in range(n_rankers)]
    pairs = [(j, i) for i in range(n_rankers) for j in range(i + 1, n_rankers)]
    pairs *= len(metrics)
    difference = np.array([(i - j) / 20 for i, j in pairs])
    keys = ["metric", "ranker", "estimate", "low", "high"]
    return ComparisonDisplay(
        metric=np.repeat(metrics, len(pairs) // len(metrics)).tolist(),
        ranker=[names[i] for i, _ in pairs],
        baseline=[names[j] for _, j in pairs],
        difference=difference,
        low=difference - 0.06,
        high=difference + 0.06,
        is_shown=np.abs(difference) > 0.06,
        letters=[("ab", "c")] * len(pairs),
        note="95% intervals; tests adjusted for 66 comparisons (max-T)",
        means=[
            dict(zip(keys, (metric, name, x, x - 0.03, x + 0.03), strict=True))
            for metric in metrics
            for name, x in zip(names, np.arange(n_rankers) / 20, strict=True)
        ],
        note_of_means="means with 95% intervals; tests adjusted for 66 comparisons",
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_rankers", "kind", "metrics", "size"),
    [
        (2, "differences", ["NDCG@10"], SMALL),
        (9, "differences", ["NDCG@10"], SMALL),
        (3, "differences", ["NDCG@10"], LARGE),
        (12, "means", ["NDCG@10"], SMALL),
        (5, "means", ["NDCG@10", "MRR", "Hits@10"], SMALL),
        (5, "means", ["NDCG@10", "MRR", "Hits@10"], LARGE),
    ],
)
def test_all_text_is_inside_of_the_figure_and_no_labels_overlap(
    n_rankers, kind, metrics, size
):
    with plt.rc_context({"figure.figsize": size}):
        display = many(n_rankers, metrics).plot(kind=kind)
    figure, axes = display.figure_, display.axes_
    figure.canvas.draw()
    across = [ax.get_xticklabels() for ax in axes]
    below = [ax.xaxis.label for ax in axes]
    groups = [axes[0].get_yticklabels(), *across, below, axes[0].texts]
    assert_text_fits(figure, {display.ax_, *axes}, groups)
    assert sum(ax.get_position().width for ax in axes) > 0.3


def test_a_new_figure_is_as_high_as_its_rows_need():
    assert many(2, ["MRR"]).plot(kind="means").figure_.get_figheight() == 4.8
    # The 60 rows, and four more for the words around them, have 16 points each.
    figure = many(60, ["MRR"]).plot(kind="means").figure_
    assert figure.get_figheight() == pytest.approx((60 + 4) * 16 / 72)


@pytest.mark.slow
def test_segments_have_rows_and_panels_of_their_own():
    rng = np.random.RandomState(0)
    qid = np.repeat(np.arange(200), 6)
    runs = {name: rng.rand(1200) for name in ["a", "b", "c"]}
    y_true, by = rng.randint(2, size=1200), {"part": np.array(["x", "y"])[qid % 2]}
    scores = score_queries(y_true, runs, "ndcg", qid=qid, by=by)
    comparison = compare_rankers(scores, by="part", baseline="a")
    display = ComparisonDisplay.from_comparison(comparison)
    headings = ["NDCG, part x", "NDCG, part y"]
    assert list(dict.fromkeys(display.metric)) == headings
    assert display.difference.tolist() == [row.difference for row in comparison.rows]
    assert labels(display) == [headings[0], "b", "c", headings[1], "b", "c"]
    pair = compare_rankers(scores[["a", "b"]], by="part")
    assert labels(ComparisonDisplay.from_comparison(pair)) == headings
    pairs = compare_rankers(scores, by="part")
    display = ComparisonDisplay.from_comparison(pairs, kind="means")
    drawn = [ax.get_xlabel().split("\n")[0] for ax in display.axes_]
    assert drawn == headings
    summary = scores.summary("part")["y"]
    (points,) = display.points_[1].values()
    assert sorted(points.get_xdata()) == sorted(of["ndcg"] for of in summary.values())
