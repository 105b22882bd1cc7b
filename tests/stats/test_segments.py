"""Intervals and comparisons by segment: those of its queries, in one family."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from skrank.metrics import QueryScores, score_queries
from skrank.stats import compare_rankers, confidence_interval

pytestmark = pytest.mark.filterwarnings(
    "ignore:The interval may be too narrow:UserWarning",
    "ignore:The p-value may be too small:UserWarning",
    "ignore:No sign-flip test:UserWarning",
)

NAMES = ["mrr", "ndcg@5", "hits@1", "neg_mean_rank"]


def segmented_scores(names=NAMES, n_queries=90, n_rankers=3, **params):
    """Return scores of queries with ties, some of which are undefined, in any order.

    A `sample_weight` has a value for each query.
    """
    rng = np.random.RandomState(0)
    qid = rng.permutation(np.repeat(np.arange(n_queries), 6))
    y_true = (rng.rand(len(qid)) < 0.3).astype(int)
    runs = {
        name: np.round(y_true + (1 + i) * rng.randn(len(qid)), 1)
        for i, name in zip(range(n_rankers), "abcdef", strict=False)
    }
    by = {
        "country": np.array(["fr", "us", "de", "us"])[qid % 4],
        "device": np.where(qid % 5 == 0, 1, 2),
        "user": qid // 3,
    }
    ids = np.array([f"q{i}" for i in range(n_queries)])[qid]
    if "sample_weight" in params:
        params["sample_weight"] = params["sample_weight"][qid]
    return score_queries(y_true, runs, names, qid=ids, by=by, **params)


def with_segments(segments, **rankers):
    """Return scores of values given by ranker, and the segment of each query."""
    n = len(segments)
    frame = {
        "qid": np.tile(np.arange(n), len(rankers)),
        "segment": np.tile(segments, len(rankers)),
        "ranker": np.repeat(list(rankers), n),
        "value": np.concatenate([*rankers.values()]),
    }
    return QueryScores.from_frame(frame, ranker="ranker", by="segment")


def studentized(sums, differences):
    return np.abs(sums) / np.sqrt((differences**2).sum())


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [{}, {"method": "t", "confidence_level": 0.9}, {"clusters": "user"}],
    ids=str,
)
def test_the_intervals_of_a_segment_are_those_of_its_queries(options):
    scores = segmented_scores()
    intervals = confidence_interval(scores, by="country", **options)
    assert list(intervals) == ["de", "fr", "us"]
    assert intervals
    for label in intervals:
        alone = confidence_interval(scores.where(country=label), **options)
        expected = [{"country": label, **row} for row in alone.rows]
        assert [row for row in intervals.rows if row.country == label] == expected
        assert list(intervals[label]) == ["a", "b", "c"]
        mrr = alone["a"]["mrr"]
        assert intervals[label]["a"]["mrr"] == {"country": label, **mrr}


@pytest.mark.slow
def test_clusters_of_an_array_are_those_of_the_queries_of_the_segment():
    scores = segmented_scores()
    by_name = confidence_interval(scores, by="country", clusters="user")
    by_values = confidence_interval(scores, by="country", clusters=scores.keys["user"])
    assert by_values.rows == by_name.rows


def test_a_query_in_two_segments_is_no_cluster_in_either():
    rng = np.random.RandomState(0)
    frame = {"qid": np.tile(np.arange(20), 2), "seed": np.repeat([0, 1], 20)}
    frame["value"] = rng.rand(40)
    scores = QueryScores.from_frame(frame, by="seed")
    assert confidence_interval(scores)["value"].method == "t"
    by_seed = confidence_interval(scores, by="seed")
    assert {row.method for row in by_seed.rows} == {"bounded"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("params", "by"),
    [
        ({}, "country"),
        ({}, ["country", "device"]),
        ({"sample_weight": np.random.RandomState(0).permutation(90)}, ["country"]),
        ({"average": "weighted"}, ["country", "device"]),
        ({"replace_undefined_by": np.nan}, "country"),
        ({"replace_undefined_by": 0.25}, ["country", "device"]),
    ],
    ids=str,
)
def test_every_estimate_is_the_summary_of_the_segment(params, by):
    scores = segmented_scores(**params)
    summary = scores.summary(by)
    intervals = confidence_interval(scores, by=by)
    comparison = compare_rankers(scores, by=by)
    assert list(intervals) == list(summary)
    for label, of_segment in summary.items():
        for ranker, values in of_segment.items():
            for metric, value in values.items():
                assert intervals[label][ranker][metric].estimate == value
    names = [by] if isinstance(by, str) else by
    assert comparison.rows
    for row in comparison.rows:
        label = tuple(row[name] for name in names)
        of_segment = summary[label[0] if isinstance(by, str) else label]
        # Where rankers are undefined for different queries, the rows name what counts
        # for both.
        if not np.isnan(params.get("replace_undefined_by", 0)):
            assert row.estimate == of_segment[row.ranker][row.metric]
            assert row.estimate_baseline == of_segment[row.baseline][row.metric]


@pytest.mark.slow
def test_the_rows_of_a_segment_are_those_of_its_queries_alone():
    scores = segmented_scores()
    options = {"test": "t", "correction": None}
    rows = compare_rankers(scores, by="country", **options).rows
    rows = iter(rows)
    for label in ["de", "fr", "us"]:
        of_label = scores.where(country=label)
        for alone in compare_rankers(of_label, **options).rows:
            row = next(rows)
            assert row.country == label
            for name, value in alone.items():
                if isinstance(value, float):
                    value = pytest.approx(value, rel=1e-12, abs=1e-15)
                assert row[name] == value
    assert row.country == "us"
    assert next(rows, None) is None


def test_all_segments_are_one_family_of_the_maximum():
    # Thirteen queries: all 2^13 combinations of signs are tried.
    rng = np.random.RandomState(3)
    segments = np.repeat(["x", "y"], [6, 7])
    d = rng.randn(13) + 0.6
    scores = with_segments(segments, old=np.zeros(13), new=d)
    rows = compare_rankers(scores, by="segment", test="permutation").rows
    x = segments == "x"
    signs = np.array(list(itertools.product([1, -1], repeat=13)))
    t = np.array([studentized(signs[:, s] @ d[s], d[s]) for s in (x, ~x)])
    observed = np.array([studentized(d[s].sum(), d[s]) for s in (x, ~x)])
    pvalue = (t >= observed[:, None] - 1e-12).mean(axis=1)
    assert [row.pvalue for row in rows] == pytest.approx(pvalue, abs=1e-12)
    around = [(s, d[s] - d[s].mean()) for s in (x, ~x)]
    t_around = np.array([studentized(signs[:, s] @ one, one) for s, one in around])
    reached = [
        (flips.max(axis=0) >= observed[:, None] - 1e-12).mean(axis=1)
        for flips in (t, t_around)
    ]
    expected = np.maximum(*reached)
    assert [row.p_adjusted for row in rows] == pytest.approx(expected, abs=1e-12)


def test_a_user_in_two_segments_has_one_sign():
    # Eight users, each with a query in both segments: 2^8 combinations of signs.
    rng = np.random.RandomState(1)
    d = np.tile(rng.randn(8) + 0.7, 2) + 0.1 * rng.randn(16)
    segments, user = np.repeat(["x", "y"], 8), np.tile(np.arange(8), 2)
    scores = with_segments(segments, old=np.zeros(16), new=d)
    rows = compare_rankers(scores, by="segment", clusters=user).rows
    signs = np.array(list(itertools.product([1, -1], repeat=8)))
    t = np.array([studentized(signs @ part, part) for part in (d[:8], d[8:])])
    observed = np.array([studentized(part.sum(), part) for part in (d[:8], d[8:])])
    larger = observed.argmax()
    expected = (t.max(axis=0) >= observed[larger] - 1e-12).mean()
    assert rows[larger].p_adjusted == pytest.approx(expected, abs=1e-12)
    # As correlated as these segments are, the second comparison costs little.
    assert rows[larger].p_adjusted < 2 * rows[larger].pvalue


def test_an_effect_in_one_segment_is_found_there():
    rng = np.random.RandomState(0)
    segments = np.repeat(["x", "y"], 40)
    old = rng.rand(80)
    new = old + np.where(segments == "x", 0.2, 0) + 0.1 * rng.randn(80)
    scores = with_segments(segments, old=old, new=new, copy=old)
    comparison = compare_rankers(scores, by="segment")
    assert comparison.letters == {
        "x": {"value": {"new": "a", "copy": "b", "old": "b"}},
        "y": {"value": {"new": "a", "copy": "a", "old": "a"}},
    }


@pytest.mark.slow
def test_the_tables_and_the_frame_name_the_segment():
    comparison = compare_rankers(segmented_scores(["mrr"]), by=["country", "device"])
    title, estimates, differences, _ = str(comparison).split("\n\n")
    assert title.startswith("90 queries by country, device (")
    assert "18 comparisons (3 pairs x 1 metric x 6 segments)" in title.replace(
        "\n", " "
    )
    for part in (estimates, differences):
        lines = part.split("\n")
        assert lines[0].split()[:4] == ["country", "device", "metric", "ranker"]
        assert lines[1].split()[:3] == ["de", "1", "mrr"]
    frame = comparison.to_frame()
    assert list(frame.columns)[:5] == [
        *("country", "device", "metric", "ranker", "baseline")
    ]
    assert len(frame) == 18
    assert (
        "<td>de</td><td>1</td><td>mrr</td>"
        in confidence_interval(
            comparison.scores, by=["country", "device"]
        )._repr_html_()
    )


def test_the_worst_queries_are_those_of_each_segment():
    old, new = np.full(8, 0.5), np.array([0.5, 0.1, 0.9, 0.4, 0.0, 1.0, 0.5, 0.3])
    scores = with_segments(np.repeat(["x", "y"], 4), old=old, new=new)
    frame = compare_rankers(scores, by="segment").worst_queries(1)
    assert frame["qid"].tolist() == [1, 4]
    assert frame["segment"].tolist() == ["x", "y"]


def test_a_segment_without_a_defined_query_is_not_compared():
    rng = np.random.RandomState(0)
    qid = np.repeat(np.arange(20), 5)
    y_true = np.where(qid < 10, rng.randint(2, size=100), 0)
    runs = {"a": rng.rand(100), "b": rng.rand(100)}
    scores = score_queries(
        y_true,
        runs,
        "ndcg",
        qid=qid,
        by={"part": np.where(qid < 10, "x", "y")},
        replace_undefined_by=np.nan,
    )
    with pytest.warns(UndefinedMetricWarning, match="every query with part='y' of 'a'"):
        rows = compare_rankers(scores, by="part").rows
    assert [row.part for row in rows] == ["x"]


def test_the_warning_names_the_segment():
    values = np.zeros(40)
    values[:2] = 0.9
    scores = with_segments(np.repeat(["x", "y"], 20), a=np.zeros(40), b=values)
    with pytest.warns(UserWarning, match="'value' of 'b' and 'a', segment='x'"):
        compare_rankers(scores, by="segment", test="permutation")
    scores = with_segments(
        np.repeat(["x", "y"], 20),
        a=2 * values + np.arange(40) * (values == 0) * (np.arange(40) >= 20),
    )
    with pytest.warns(UserWarning, match="'value' of 'a', segment='x'"):
        confidence_interval(scores, by="segment")


@pytest.mark.parametrize("function", [confidence_interval, compare_rankers])
def test_by_must_name_key_columns(function):
    scores = segmented_scores(["mrr"])
    match = rf"'by' parameter of {function.__name__} must name key columns, among "
    with pytest.raises(ValueError, match=match + r"\['country', 'device', 'qid'"):
        function(scores, by="countries")
    with pytest.raises(ValueError, match="must not be 'low', which is a column"):
        function(scores, by="low")
