"""Intervals of a table of values, and of arrays."""

# SPDX-License-Identifier: BSD-3-Clause

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import skew, t
from sklearn.exceptions import UndefinedMetricWarning

from skrank.metrics import QueryScores, mean_rank, score_queries
from skrank.stats import compare_rankers, confidence_interval, mean_interval
from skrank.stats.inference import hall
from tests.stats.pilot import drawn_scores

# Many samples here are small, as the warning says.
pytestmark = pytest.mark.filterwarnings("ignore:The interval may be too narrow")

FIELDS = {
    *("estimate", "low", "high", "standard_error", "n_queries", "n_undefined"),
    "method",
}


def test_hits_on_all_of_20_queries_do_not_prove_that_none_fails():
    interval = mean_interval(np.ones(20))
    assert interval.method == "wilson"
    assert (interval.low, interval.high) == (pytest.approx(0.8389, abs=1e-4), 1)
    assert {*interval} == FIELDS


def test_the_values_of_rankers_have_the_intervals_of_each():
    values = {"hits": np.ones(20), "ndcg": np.linspace(0.2, 1, 20)}
    for given in (values, pd.DataFrame(values)):
        found = compare_rankers(given).intervals
        for name, method in [("hits", "wilson"), ("ndcg", "bounded")]:
            row, alone = found[name]["value"], mean_interval(values[name])
            assert row.method == method
            assert (row.low, row.high) == (alone.low, alone.high)
    (_, row) = compare_rankers({"a": np.ones(20), "b": np.ones(20)}).intervals.rows
    assert (row.low, row.high) == (pytest.approx(0.8389, abs=1e-4), 1)


@pytest.mark.parametrize(
    "options",
    [{"clusters": np.arange(20) // 4}, {"sample_weight": np.arange(20) + 1.0}],
)
def test_equal_values_of_clusters_or_weights_are_not_known_exactly(options):
    for value in (0.0, 0.3, 1.0):
        row = mean_interval(np.full(20, value), **options)
        assert 0 <= row.low < row.high <= 1
        assert row.high - row.low > 0.1


def test_values_of_0_and_1_have_wilsons_interval_and_others_halls():
    assert mean_interval([0, 1, 1, 0]).method == "wilson"
    assert mean_interval([0, 1, 0.5, 2]).method == "hall"


def test_unbounded_means_have_halls_interval_with_their_skewness():
    values = np.random.RandomState(0).exponential(size=30)
    error = values.std(ddof=1) / np.sqrt(30)
    expected = hall(values.mean(), error, 29, skew(values) / np.sqrt(30), 0.95)
    interval = mean_interval(values)
    assert (interval.low, interval.high) == pytest.approx(expected, rel=1e-12)


def test_a_table_has_an_interval_for_each_ranker_and_metric_like_its_summary():
    scores = drawn_scores(["mrr", "ndcg@5"])
    intervals, summary = confidence_interval(scores), scores.summary()
    assert {k: [*v] for k, v in intervals.items()} == {
        k: [*v] for k, v in summary.items()
    }
    one = confidence_interval(scores["a"]["mrr"])["a"]["mrr"]
    assert one == intervals["a"]["mrr"]


NAMES = ["mrr", "hits@1", "neg_mean_rank", "adjusted_mean_rank_index", "ndcg@3"]
NAMES += ["neg_geometric_mean_rank", "neg_harmonic_mean_rank", "inverse_mean_rank"]
NAMES += ["adjusted_hits@2", "neg_adjusted_mean_rank", "gm_map"]


@pytest.mark.parametrize(
    "params", [{}, {"average": "weighted"}, {"replace_undefined_by": np.nan}], ids=str
)
@pytest.mark.parametrize("name", NAMES)
def test_the_estimate_is_the_summary_to_the_last_bit(name, params):
    scores = drawn_scores(name, n_rankers=1, **params)
    assert np.isnan(scores.table.measured[0][0].values).any()
    interval = confidence_interval(scores)["a"][name]
    assert interval.estimate == scores.summary()["a"][name]
    assert interval.low < interval.estimate < interval.high


def test_an_undefined_query_counts_in_the_interval_as_it_does_in_the_summary():
    y_true = [1, 0, 0, 0, 0, 1]
    data = {"qid": [1, 1, 2, 2, 3, 3], "metrics": "mrr"}
    replaced = score_queries(y_true, [2, 1, 2, 1, 2, 1], **data)
    interval = confidence_interval(replaced, method="t")["mrr"]
    assert (interval.n_queries, interval.n_undefined) == (3, 1)
    assert interval.estimate == replaced.summary()["mrr"] == (1 + 0 + 1 / 2) / 3
    error = np.std([1, 0, 1 / 2], ddof=1) / np.sqrt(3)
    assert interval.standard_error == pytest.approx(error)

    left_out = score_queries(
        y_true, [2, 1, 2, 1, 2, 1], **data, replace_undefined_by=np.nan
    )
    interval = confidence_interval(left_out, method="t")["mrr"]
    assert (interval.n_queries, interval.n_undefined) == (2, 1)
    assert interval.estimate == (1 + 1 / 2) / 2
    # The mean 0.75 +- 12.7 * 0.25 is cut to the range of the metric.
    assert (interval.low, interval.high) == (0, 1)


def test_an_array_leaves_nan_out_with_a_warning():
    with pytest.warns(UserWarning, match=r"1 of 3 values are NaN\. They are left out"):
        array = mean_interval([2, np.nan, 1.5], method="t")
    assert (array.n_queries, array.n_undefined) == (2, 1)
    assert array.estimate == (2 + 3 / 2) / 2
    radius = t.ppf(0.975, 1) * 0.25
    assert array.high == pytest.approx(1.75 + radius)


def test_a_metric_that_is_undefined_everywhere_and_left_out_has_no_interval():
    data = {"qid": [1, 1, 2, 2], "metrics": "mrr"}
    nothing = score_queries(
        [0, 0, 0, 0], [2, 1, 2, 1], **data, replace_undefined_by=np.nan
    )
    with pytest.warns(UndefinedMetricWarning, match="undefined for every query"):
        interval = confidence_interval(nothing)["mrr"]
    assert np.isnan([interval.estimate, interval.low, interval.high]).all()
    assert (interval.n_queries, interval.n_undefined) == (0, 2)
    counted = confidence_interval(score_queries([0, 0, 0, 0], [2, 1, 2, 1], **data))
    assert (counted["mrr"].estimate, counted["mrr"].low) == (0, 0)
    assert (counted["mrr"].n_queries, counted["mrr"].n_undefined) == (2, 2)


@pytest.mark.parametrize("share", [0.05, 0.2, 0.5])
def test_a_printed_mean_stands_in_its_interval_with_undefined_queries(share):
    rng = np.random.RandomState(0)
    qid, y_true = np.repeat(np.arange(200), 5), np.tile([1, 0, 0, 0, 0], 200)
    y_true[: int(1000 * share)] = 0
    scores = score_queries(y_true, y_true + rng.rand(1000), "mrr", qid=qid)
    interval = confidence_interval(scores)["mrr"]
    assert interval.estimate == scores.summary()["mrr"] == 1 - share
    assert interval.low < 1 - share < interval.high < 1
    assert interval.n_undefined == 200 * share


def test_one_query_has_an_infinite_interval_and_a_warning():
    with pytest.warns(UserWarning, match="at least two queries"):
        interval = mean_interval([1.3])
    assert (interval.low, interval.high) == (-np.inf, np.inf)


def scores_of_ranks(ranks, name):
    """Return the scores of queries of ten documents, with the relevant one so far."""
    y_true = np.zeros((len(ranks), 10))
    y_true[np.arange(len(ranks)), np.array(ranks) - 1] = 1
    return score_queries(y_true, np.tile(-np.arange(10.0), (len(ranks), 1)), name)


def test_the_interval_of_a_reciprocal_is_unbounded_if_the_mean_may_be_0():
    # The mean rank 4 and the mean reciprocal rank 0.57 are known to +-38 and +-5.
    ranks = [1, 7]
    with pytest.warns(UserWarning, match="1 over a mean that may be 0"):
        inverse = confidence_interval(
            scores_of_ranks(ranks, "inverse_mean_rank"), method="t"
        )["inverse_mean_rank"]
    assert inverse.estimate == 1 / 4
    radius = t.ppf(0.975, 1) * 3
    # No rank is above 1, and so is no inverse of a mean rank.
    assert (inverse.low, inverse.high) == (pytest.approx(1 / (4 + radius)), 1)
    with pytest.warns(UserWarning, match="1 over a mean that may be 0"):
        harmonic = confidence_interval(
            scores_of_ranks(ranks, "neg_harmonic_mean_rank"), method="t"
        )["neg_harmonic_mean_rank"]
    mean, radius = (1 + 1 / 7) / 2, t.ppf(0.975, 1) * (1 - 1 / 7) / 2
    assert harmonic.estimate == pytest.approx(-1 / mean)
    assert -1 / (mean + radius) > -1
    assert (harmonic.low, harmonic.high) == (-np.inf, -1)


@pytest.mark.parametrize("name", ["num_rel", "median_rank", "inverse_median_rank"])
def test_summaries_that_are_no_means_are_refused_by_name(name):
    with pytest.raises(ValueError, match=f"no formula for.*{name}"):
        confidence_interval(drawn_scores(["mrr", name]))


def test_clusters_are_the_units():
    values = np.random.RandomState(0).rand(40)
    clusters = np.arange(40) // 8
    interval = mean_interval(values, clusters=clusters)
    of_clusters = values.reshape(5, 8).mean(axis=1)
    error = of_clusters.std(ddof=1) / np.sqrt(5)
    assert interval.method == "t"
    assert interval.n_queries == 40
    assert interval.standard_error == pytest.approx(error)
    assert interval.high == pytest.approx(values.mean() + t.ppf(0.975, 4) * error)


def test_ten_first_ranks_of_1_do_not_have_the_interval_of_a_proportion():
    scores = scores_of_ranks([1] * 10, ["neg_mean_rank", "neg_geometric_mean_rank"])
    with pytest.warns(UserWarning, match="below 3 for 'neg_mean_rank'"):
        intervals = confidence_interval(scores)
    for interval in intervals.values():
        assert interval.method == "hall"
        # A mean rank below 1 does not exist.
        assert interval.low <= interval.estimate == interval.high == -1


def test_the_interval_of_a_mean_rank_ends_at_1():
    ranks = [1, 1, 1, 1, 1, 1, 1, 2]
    interval = confidence_interval(scores_of_ranks(ranks, "neg_mean_rank"), method="t")
    assert interval["neg_mean_rank"].high == -1
    assert interval["neg_mean_rank"].low < -9 / 8


def test_the_interval_of_a_metric_ends_at_the_limits_of_the_metric():
    frame = {"qid": [1, 2], "ndcg": [0.3, 0.5], "latency": [1.3, 1.5]}
    found = confidence_interval(QueryScores.from_frame(frame), method="t")
    assert (found["ndcg"].low, found["ndcg"].high) == (0, 1)
    radius = t.ppf(0.975, 1) * 0.1
    assert found["latency"].low == pytest.approx(1.4 - radius)


def test_values_outside_of_the_limits_of_a_metric_are_not_cut():
    y_true, y_score = np.array([[1, 2], [2, 1]]), np.array([[2, 1], [2, 1]])
    scores = score_queries(y_true, y_score, "dcg", gain=lambda grade: -grade)
    interval = confidence_interval(scores, method="t")["dcg"]
    assert interval.low < interval.estimate < interval.high < 0


@pytest.mark.parametrize("weighted", [False, True])
def test_hits_of_users_have_an_interval_though_all_are_hits(weighted):
    # 40 hits of 40 by 20 users know as much as 20 hits of 20: 1 / (1 + t^2 / 20).
    users = {"sample_weight": np.full(40, 2.0)} if weighted else {}
    interval = mean_interval(np.ones(40), clusters=np.arange(40) // 2, **users)
    quantile = t.ppf(0.975, 19)
    assert interval.method == "wilson"
    assert interval.high == 1
    assert interval.low == pytest.approx(1 / (1 + quantile**2 / 20))


def test_weighted_hits_have_the_interval_of_an_effective_number_of_queries():
    hits, weight = np.tile([1.0, 1, 1, 0], 10), np.tile([1.0, 2], 20)
    interval = mean_interval(hits, sample_weight=weight)
    p = np.average(hits, weights=weight)
    n = p * (1 - p) / interval.standard_error**2
    quantile = t.ppf(0.975, weight.sum() ** 2 / (weight**2).sum() - 1)
    middle = (p + quantile**2 / (2 * n)) / (1 + quantile**2 / n)
    assert interval.low + interval.high == pytest.approx(2 * middle)


def test_few_values_that_decide_are_warned_of():
    values = np.repeat([1.0, 0.99, 0], [45, 4, 1])
    with pytest.warns(UserWarning, match="interval may be too narrow, because few"):
        mean_interval(2 * values)
    # (sum d^2)^2 / sum d^4 of a uniform variable is 5 / 9 of the number of values.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mean_interval(values)  # between 0 and 1, as those that nobody saw
        mean_interval(np.arange(1, 40) / 4)
        mean_interval(np.repeat([1.0, 0.0], [45, 1]))


def test_few_users_with_most_of_the_queries_are_warned_of():
    values = np.random.RandomState(0).rand(100)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mean_interval(values, clusters=np.arange(100) // 5)
    users = np.r_[np.zeros(60, int), np.arange(40)]
    # 60 + 1 queries of one user, and one of each of 39 others: 100^2 / (61^2 + 39).
    with pytest.warns(UserWarning, match="effective number of units"):
        mean_interval(values, clusters=users)


@pytest.mark.parametrize(("n_users", "is_few"), [(10, True), (11, False)])
def test_fewer_than_ten_effective_users_are_few(n_users, is_few):
    """One has two queries: 11^2 / 13 = 9.3 of 10 users, 12^2 / 14 = 10.3 of 11."""
    users = np.r_[np.arange(n_users), 0]
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", ".*effective number of units")
        mean_interval(np.linspace(0, 1, n_users + 1), clusters=users)
    assert len(caught) == is_few


def test_clusters_can_be_named_by_a_key_column():
    rng = np.random.RandomState(0)
    qid, user = np.repeat(np.arange(30), 4), np.repeat(np.arange(30) // 5, 4)
    y_true = rng.randint(2, size=120)
    scores = score_queries(y_true, rng.rand(120), "ndcg", qid=qid, by={"user": user})
    by_name = confidence_interval(scores, clusters="user")
    by_array = confidence_interval(scores, clusters=np.arange(30) // 5)
    assert by_name == by_array
    assert (
        by_name["ndcg"].standard_error
        != confidence_interval(scores)["ndcg"]["standard_error"]
    )


def test_a_query_that_comes_with_several_seeds_is_one_unit():
    values = np.random.RandomState(0).rand(20)
    frame = {"qid": np.tile(np.arange(20), 3), "seed": np.repeat(np.arange(3), 20)}
    scores = QueryScores.from_frame(frame | {"v": np.tile(values, 3)}, by="seed")
    interval = confidence_interval(scores)["v"]
    error = values.std(ddof=1) / np.sqrt(20)
    assert interval.standard_error == pytest.approx(error)


def test_weights_make_the_estimate_a_ratio():
    rng = np.random.RandomState(0)
    values, weight = rng.rand(80), rng.uniform(1, 3, size=80)
    interval = mean_interval(values, sample_weight=weight)
    mean = np.average(values, weights=weight)
    without = np.array(
        [
            np.average(np.delete(values, i), weights=np.delete(weight, i))
            for i in range(80)
        ]
    )
    error = np.sqrt(79 / 80 * ((without - without.mean()) ** 2).sum())
    df = weight.sum() ** 2 / (weight**2).sum() - 1
    assert interval.estimate == pytest.approx(mean)
    assert interval.high == pytest.approx(mean + t.ppf(0.975, df) * error)
    frame = {"qid": np.arange(80), "v": values, "w": weight}
    scores = QueryScores.from_frame(frame, sample_weight="w")
    assert confidence_interval(scores)["v"].low == pytest.approx(interval.low)


def test_equal_weights_change_nothing():
    values = 1 + np.random.RandomState(0).rand(30)
    weighted = mean_interval(values, sample_weight=np.full(30, 0.7))
    plain = mean_interval(values)
    assert weighted.method == "hall"
    assert weighted.low == pytest.approx(plain.low)


@pytest.mark.parametrize("method", ["auto", "t"])
def test_nothing_depends_on_the_order_or_the_names_of_queries(method):
    values = np.random.RandomState(0).lognormal(size=50)
    shuffled = np.random.RandomState(1).permutation(values)
    one, other = (mean_interval(v, method=method) for v in (values, shuffled))
    assert one == other


def test_the_sign_of_a_negated_metric_swaps_the_ends():
    scores = drawn_scores(["neg_mean_rank", mean_rank], n_rankers=1)
    both = confidence_interval(scores)["a"]
    minus, plus = both["neg_mean_rank"], both["mean_rank"]
    assert (-minus.low, -minus.high) == (plus.high, plus.low)
    assert minus.standard_error == plus.standard_error


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence_level": 1.0}, "must be a float in the range"),
        ({"method": "hall"}, r"'method' parameter .* among \{'auto', 't'\}\. Got"),
        ({"clusters": "user"}, "name a key column, among"),
        ({"clusters": [0, 1]}, "4"),
        ({"sample_weight": [1, 1, 1, -1]}, "Negative values"),
    ],
)
def test_mean_interval_refuses_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        mean_interval([0.1, 0.2, 0.5, 0.4], **options)


@pytest.mark.parametrize("values", [[], [[0.1, 0.2]], [0.1, np.inf]])
def test_values_that_are_no_list_of_numbers_are_refused(values):
    with pytest.raises(ValueError, match="'values' parameter of mean_interval must be"):
        mean_interval(values)


@pytest.mark.parametrize("values", [[0.1, 0.2], {"a": [0.1, 0.2]}])
def test_values_that_are_no_scores_are_refused_with_the_function_for_them(values):
    with pytest.raises(TypeError, match="mean_interval takes an array of them"):
        confidence_interval(values)


def test_a_query_without_weight_is_no_observation():
    y_score = np.random.RandomState(0).rand(10, 4)
    y_true = np.tile([1, 0, 0, 0], (10, 1))
    weight = np.arange(10) % 2
    scores = score_queries(y_true, y_score, "mrr", sample_weight=weight)
    interval = confidence_interval(scores)["mrr"]
    assert (interval.n_queries, interval.n_undefined) == (5, 0)
    y_true[:3] = 0  # two of the three have no weight
    scores = score_queries(y_true, y_score, "mrr", sample_weight=weight)
    interval = confidence_interval(scores)["mrr"]
    assert (interval.n_queries, interval.n_undefined) == (5, 1)
    assert interval.estimate == scores.summary()["mrr"]


def test_an_undefined_query_of_an_inverse_counts_as_its_inverse_rank():
    y_true, y_score = np.eye(4)[[0, 1, 2, 0]], np.tile(-np.arange(4.0), (4, 1))
    y_true[3] = 0
    options = {"metrics": "inverse_mean_rank", "replace_undefined_by": 0.5}
    scores = score_queries(y_true, y_score, **options)
    interval = confidence_interval(scores, method="t")["inverse_mean_rank"]
    assert interval.estimate == scores.summary()["inverse_mean_rank"] == 1 / 2
    error = np.std([1, 2, 3, 2], ddof=1) / 2
    assert interval.low == pytest.approx(1 / (2 + t.ppf(0.975, 3) * error))


def test_the_standard_error_of_a_geometric_mean_is_stretched_by_its_slope():
    # The geometric mean is e^m, so its error is e^m times that of the mean log m.
    ranks = np.array([1, 2, 4, 8, 3, 5])
    y_score = -np.arange(1.0, 10)
    y_true = (np.arange(1, 10) == ranks[:, None]).astype(int)
    scores = score_queries(y_true, np.tile(y_score, (6, 1)), "neg_geometric_mean_rank")
    interval = confidence_interval(scores)["neg_geometric_mean_rank"]
    log = np.log(ranks)
    expected = np.exp(log.mean()) * log.std(ddof=1) / np.sqrt(6)
    assert interval.standard_error == pytest.approx(expected, rel=1e-6)
