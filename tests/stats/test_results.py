"""Results as mappings, rows, text and data frames."""

# SPDX-License-Identifier: BSD-3-Clause

import copy
import pickle
from collections.abc import Mapping

import numpy as np
import pytest

from skrank.metrics import mean_rank, score_queries
from skrank.stats import ConfidenceIntervals, confidence_interval, mean_interval
from tests.stats.pilot import drawn_scores, scores_of
from tests.stats.test_intervals import FIELDS

pytestmark = pytest.mark.filterwarnings("ignore:The interval may be too narrow")


def test_a_table_is_a_mapping_of_rankers_and_of_metrics():
    intervals = confidence_interval(drawn_scores(["mrr", "hits@1"], n_rankers=2))
    assert isinstance(intervals, Mapping)
    assert list(intervals) == ["a", "b"]
    assert len(intervals) == 2
    assert list(intervals["b"]) == ["mrr", "hits@1"]
    assert {*intervals["b"]["mrr"]} == {*FIELDS, "metric", "ranker"}
    with pytest.raises(KeyError):
        intervals["c"]


def test_an_array_has_one_interval_whose_entries_are_attributes_and_items():
    values = np.random.RandomState(0).rand(30)
    interval = mean_interval(values)
    assert isinstance(interval, ConfidenceIntervals)
    assert dict(interval) == interval.rows[0]
    assert interval.low == interval["low"] < interval.estimate
    assert str(interval).split("\n\n")[0] == "30 queries, 95% intervals"
    assert list(interval.to_frame().columns) == list(interval)
    for again in (pickle.loads(pickle.dumps(interval)), copy.deepcopy(interval)):
        assert (again.low, again.high) == (interval.low, interval.high)


def test_several_intervals_have_no_entries_as_attributes():
    scores = drawn_scores(["mrr", "hits@1"], n_rankers=1)
    assert confidence_interval(scores["mrr"]).method == "bounded"
    intervals = confidence_interval(scores)
    with pytest.raises(AttributeError, match=r"'low'. Choose one of the 2 intervals"):
        _ = intervals.low
    with pytest.raises(AttributeError, match=r"no attribute 'lower'\.$"):
        _ = intervals.lower


def test_the_rows_of_a_table_are_its_intervals_metric_by_metric():
    intervals = confidence_interval(drawn_scores(["mrr", "hits@1"], n_rankers=2))
    places = [(row.metric, row.ranker) for row in intervals.rows]
    assert places == [("mrr", "a"), ("mrr", "b"), ("hits@1", "a"), ("hits@1", "b")]
    assert intervals.rows
    for row in intervals.rows:
        assert intervals[row.ranker][row.metric] is row


def test_a_table_prints_the_best_ranker_first():
    rng = np.random.RandomState(0)
    scores = scores_of(bad=rng.rand(20) - 1, good=rng.rand(20) + 1)
    intervals = confidence_interval(scores, clusters=np.arange(20) // 2)
    title, table = str(intervals).split("\n\n")
    assert title == "10 clusters of queries, 95% intervals"
    header, *lines = [line.split("  ") for line in table.split("\n")]
    assert [cell.strip() for cell in header if cell] == [
        *("metric", "ranker", "estimate", "interval", "method")
    ]
    for line, name in zip(lines, ("good", "bad"), strict=True):
        row = intervals[name]["value"]
        ends = f"[{row.low:.4f}, {row.high:.4f}]"
        cells = ["value", name, f"{row.estimate:.4f}", ends, "t"]
        assert [cell.strip() for cell in line if cell] == cells
        assert all(f"<td>{cell}</td>" in intervals._repr_html_() for cell in cells)


def test_lower_ranks_are_printed_first():
    ranks = confidence_interval(drawn_scores(mean_rank))
    lines = str(ranks).split("\n")[3:]
    estimates = [float(line.split()[2]) for line in lines]
    assert estimates == sorted(estimates)
    assert len(set(estimates)) == 3


def test_one_ranker_without_a_name_has_no_column_for_it():
    scores = score_queries([1, 0, 1, 0], [2, 1, 1, 2], "mrr", qid=[1, 1, 2, 2])
    intervals = confidence_interval(scores)
    assert str(intervals).split("\n")[2].split() == [
        *("metric", "estimate", "interval", "method")
    ]
    assert "ranker" not in intervals.to_frame().columns


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_the_frame_of_a_table_has_its_rows(kind):
    intervals = confidence_interval(drawn_scores(["mrr", "hits@1"]))
    frame = intervals.to_frame(kind)
    assert type(frame).__module__.split(".")[0] == kind
    for name in ("metric", "ranker", "low", "n_queries", "method"):
        column = frame[name].to_pylist() if kind == "pyarrow" else list(frame[name])
        assert column == [row[name] for row in intervals.rows]


def test_a_table_can_be_pickled():
    intervals = confidence_interval(drawn_scores("mrr"))
    again = pickle.loads(pickle.dumps(intervals))
    assert str(again) == str(intervals)
    assert again == intervals
