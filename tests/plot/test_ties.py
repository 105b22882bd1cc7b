"""The worst, the average and the best ordering of tied documents."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest

from skrank.metrics import mean_rank
from skrank.plot import TieSpanDisplay

# All three documents are tied in the first query of "flat", none in those of "sharp".
Y_TRUE = np.array([[1, 0, 0], [1, 0, 0]])
RUNS = {
    "flat": np.array([[1, 1, 1], [3, 2, 1]]),
    "sharp": np.array([[2, 3, 1], [3, 2, 1]]),
}


def points(line):
    return list(zip(*line.get_data(), strict=True))


def row_labels(display):
    return [text.get_text() for text in display.ax_.get_yticklabels()]


def test_the_points_are_the_values_under_each_tie_policy():
    display = TieSpanDisplay.from_predictions(Y_TRUE, RUNS, "mrr")
    expected = (1 + 1 / 2 + 1 / 3) / 3
    sharp = (1 / 2 + 1) / 2
    for line, flat in [
        (display.pessimistic_, 1 / 3),
        (display.expected_, expected),
        (display.optimistic_, 1),
    ]:
        assert points(line) == [((flat + 1) / 2, 0), (sharp, 1)]
    ends = np.array(display.spans_.get_segments())
    assert ends[:, :, 0].tolist() == [[(1 / 3 + 1) / 2, 1], [sharp, sharp]]
    assert row_labels(display) == ["flat", "sharp"]
    assert display.ax_.get_xlabel() == "MRR (larger is better)"


def test_several_metrics_are_headings():
    display = TieSpanDisplay.from_predictions(Y_TRUE, RUNS, ["mrr", mean_rank])
    labels = ["MRR", "flat", "sharp", "MR (smaller is better)", "flat", "sharp"]
    assert row_labels(display) == labels
    worst, best = (3 + 1) / 2, (1 + 1) / 2
    assert points(display.pessimistic_)[2] == (worst, 4)
    assert points(display.optimistic_)[2] == (best, 4)


def test_the_metrics_of_one_ranker_are_rows():
    metrics = ["hits@1", "mrr", "ndcg"]
    display = TieSpanDisplay.from_predictions(Y_TRUE, RUNS["flat"], metrics)
    assert row_labels(display) == ["Hits@1", "MRR", "NDCG"]
    assert display.rankers == [None]
    assert points(display.expected_)[0] == ((1 / 3 + 1) / 2, 0)


def test_other_parameters_reach_the_metrics():
    display = TieSpanDisplay.from_predictions(Y_TRUE, RUNS, "mrr", sample_weight=[1, 3])
    assert display.pessimistic[0, 0] == pytest.approx((1 / 3 + 3) / 4)
    with pytest.raises(TypeError, match="sets 'ties' itself"):
        TieSpanDisplay.from_predictions(Y_TRUE, RUNS, "mrr", ties="first")


def test_the_constructor_only_stores_its_parameters():
    display = TieSpanDisplay(
        rankers=["one"],
        metrics=["MRR"],
        pessimistic=[[0.25]],
        expected=[[0.5]],
        optimistic=[[0.75]],
    )
    assert not hasattr(display, "ax_")
    assert display.plot() is display
    assert points(display.expected_) == [(0.5, 0)]
