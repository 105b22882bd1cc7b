"""A metric against its cutoff."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from scipy.stats import binomtest

from skrank.metrics import QueryScores, score_queries
from skrank.plot import MetricAtKDisplay
from skrank.stats import compare_rankers

# The rank of the one relevant document of three in four queries.
RANKS = {"old": [1, 2, 3, 1], "new": [2, 1, 1, 1]}
Y_TRUE = np.tile([1, 0, 0], (4, 1))
RUNS = {
    name: np.array([[3.5 - rank, 3 - (rank == 1), 2 - (rank < 3)] for rank in ranks])
    for name, ranks in RANKS.items()
}
HITS = {
    name: [np.mean(np.array(ranks) <= k) for k in (1, 2, 3)]
    for name, ranks in RANKS.items()
}


def test_the_lines_are_the_means_of_the_metric():
    display = MetricAtKDisplay.from_predictions(Y_TRUE, RUNS, "hits", ks=[1, 2, 3])
    assert display.rankers == ["old", "new"]
    for line, values in zip(display.lines_, HITS.values(), strict=True):
        assert line.get_xdata().tolist() == [1, 2, 3]
        assert line.get_ydata().tolist() == values
    assert display.ax_.get_ylabel() == "Hits@k\n(larger is better)"
    # One number is one cutoff. The best ranker there is the first of the legend.
    display = MetricAtKDisplay.from_predictions(Y_TRUE, RUNS, "hits", ks=2)
    assert display.k.tolist() == [2]
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["new", "old"]


def test_the_bands_are_the_intervals_of_the_queries():
    given, how = (Y_TRUE, RUNS["old"], "hits"), {"ks": [1, 2, 3]}
    display = MetricAtKDisplay.from_predictions(*given, **how, confidence_level=0.9)
    assert display.ax_.get_legend() is None  # of one ranker without a name
    assert len(display.lines_) == 1
    (band,) = display.bands_
    points = band.get_paths()[0].vertices
    for k, share in zip((1, 2, 3), HITS["old"], strict=True):
        test = binomtest(int(4 * share), 4)
        ends = test.proportion_ci(confidence_level=0.9, method="wilson")
        found = points[points[:, 0] == k, 1]
        assert (found.min(), found.max()) == pytest.approx((ends.low, ends.high))
    assert "90% confidence" in display.ax_.get_xlabel()
    with pytest.raises(ValueError, match=r"in the range \[0, 1\]. Got 95.0 instead"):
        MetricAtKDisplay.from_predictions(*given, **how, confidence_level=95)


def test_cutoffs_are_drawn_in_ascending_order():
    names = ["hits@3", "mrr", "hits@1", "precision@1", "hits_at_2"]
    scores = score_queries(Y_TRUE, RUNS, names)
    display = MetricAtKDisplay.from_scores(scores, metric="hits")
    assert display.k.tolist() == [1, 2, 3]
    assert display.estimate.tolist() == list(HITS.values())
    assert display.metric == "Hits@k"


def test_values_without_intervals_have_no_bands():
    display = MetricAtKDisplay(k=[1, 2], estimate=[0.1, 0.2], low=[0, 0], high=[1, 1])
    assert len(display.plot().bands_) == 1
    display = MetricAtKDisplay(k=[1, 2], estimate=[0.1, 0.2]).plot()
    assert display.bands_ == []
    assert display.ax_.get_ylabel() == "metric\n(larger is better)"


def test_far_cutoffs_are_drawn_on_a_logarithmic_axis():
    display = MetricAtKDisplay(k=[1, 30], estimate=[0.1, 0.2]).plot()
    assert display.ax_.get_xscale() == "linear"
    display = MetricAtKDisplay(k=[1, 2, 31], estimate=[0.1, 0.2, 0.3]).plot()
    assert display.ax_.get_xscale() == "log"
    assert display.ax_.get_xticks().tolist() == [1, 2, 31]


def test_values_of_other_tools_are_drawn_under_their_name():
    frame = {"qid": [1, 2], "time@5": [0.25, 0.75], "time@10": [1.0, 2.0]}
    display = MetricAtKDisplay.from_scores(QueryScores.from_frame(frame))
    assert display.estimate.tolist() == [[0.5, 1.5]]
    assert display.metric == "time@k"


def test_a_metric_with_cutoffs_must_be_named():
    scores = score_queries(Y_TRUE, RUNS, ["hits@1", "mrr@1", "map"])
    message = r"among \['hits', 'mrr'\]. Got None instead"
    with pytest.raises(ValueError, match=message):
        MetricAtKDisplay.from_scores(scores)
    with pytest.raises(ValueError, match="Got 'map' instead"):
        MetricAtKDisplay.from_scores(scores, metric="map")
    with pytest.raises(TypeError, match="a scorer name without its cutoff"):
        MetricAtKDisplay.from_predictions(Y_TRUE, RUNS, ["hits"])
    with pytest.raises(ValueError, match=r"such as 'hits'\. Got 'hits@3' instead"):
        MetricAtKDisplay.from_predictions(Y_TRUE, RUNS, "hits@3")


def test_the_band_of_one_query_is_almost_the_range_of_the_metric():
    display = MetricAtKDisplay.from_predictions([0, 1], [2, 1], "ndcg", ks=[2, 3])
    # With the quantile 1 - .975^2 of the beta distribution (1, 1/2); a saddlepoint
    # approximation for one query is right to a tenth.
    value, quantile = 1 / np.log2(3), 1 - 0.975**2
    np.testing.assert_allclose(display.low, value * quantile, rtol=0.1)
    np.testing.assert_allclose(1 - display.high, (1 - value) * quantile, rtol=0.1)


@pytest.mark.slow
def test_an_infinite_interval_has_no_band():
    with pytest.warns(UserWarning, match="no end but the limits of the metric"):
        display = MetricAtKDisplay.from_predictions([0, 1], [2, 1], "dcg", ks=[2, 3])
    assert np.isinf(display.high).all()
    assert display.bands_[0].get_paths() == []
    display.figure_.canvas.draw()


@pytest.mark.slow
def test_a_baseline_is_subtracted_query_by_query():
    rng = np.random.default_rng(0)
    y_true = rng.integers(0, 2, size=(200, 8))
    runs = {name: y_true + rng.normal(size=(200, 8)) for name in ("a", "b", "c")}
    options = {"baseline": "b", "confidence_level": 0.9}
    given = y_true, runs, "ndcg"
    display = MetricAtKDisplay.from_predictions(*given, ks=[1, 2, 5], **options)
    assert display.rankers == ["a", "c"]
    names = ["ndcg@1", "ndcg@2", "ndcg@5"]
    scores = score_queries(y_true, runs, names)
    comparison = compare_rankers(scores, correction=None, **options)
    found = {(row.ranker, row.metric): row for row in comparison.rows}
    difference = scores.values - scores.values[1]
    for line, band, ranker in zip(display.lines_, display.bands_, "ac", strict=True):
        points = band.get_paths()[0].vertices
        for place, (k, y) in enumerate(zip((1, 2, 5), line.get_ydata(), strict=True)):
            row = found[ranker, names[place]]
            own = difference["abc".index(ranker), place]
            assert y == pytest.approx(np.mean(own))
            ends = points[points[:, 0] == k, 1]
            assert (ends.min(), ends.max()) == pytest.approx((row.low, row.high))
    assert display.ax_.get_ylabel() == "NDCG@k minus that of b\n(larger is better)"
    assert display.ax_.get_xlabel() == "cutoff k (bands: 90% confidence)"
    (zero,) = [x for x in display.ax_.lines if x not in display.lines_]
    assert list(zero.get_ydata()) == [0, 0]


def test_differences_that_are_undefined_have_no_points():
    # The second cutoff counts documents that no query has.
    frame = {"qid": [1, 2, 3, 4, 5, 6] * 2, "ranker": ["old"] * 6 + ["new"] * 6}
    frame |= {"time@1": [1.0, 2, 3, 4, 5, 6, 2, 3, 5, 5, 6, 8], "time@2": [np.nan] * 12}
    scores = QueryScores.from_frame(frame, ranker="ranker", replace_undefined_by=np.nan)
    with pytest.warns(UserWarning, match="is undefined for every query"):
        display = MetricAtKDisplay.from_scores(scores, baseline="old")
    assert len(display.lines_) == len(display.bands_) == 1  # of one difference
    (found,) = display.estimate
    assert found == pytest.approx([8 / 6, np.nan], nan_ok=True)


def test_the_baseline_must_be_one_of_the_rankers():
    scores = score_queries(Y_TRUE, RUNS, ["mrr@1", "mrr@2"])
    for baseline in ("older", 0):
        message = rf"'baseline' parameter of MetricAtKDisplay .* Got {baseline!r}"
        with pytest.raises(ValueError, match=message):
            MetricAtKDisplay.from_scores(scores, baseline=baseline)
    with pytest.raises(ValueError, match="at least two rankers"):
        MetricAtKDisplay.from_scores(scores[["old"]], baseline="old")
