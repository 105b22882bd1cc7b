"""Intervals of a table of values, and of arrays."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from scipy.stats import binomtest, t
from sklearn.exceptions import UndefinedMetricWarning
from stats.pilot import drawn_scores, scores_of

from skrank.metrics import QueryScores, evaluate, mean_rank, score_queries
from skrank.stats import confidence_interval

FIELDS = {
    *("estimate", "low", "high", "standard_error", "n_queries", "n_undefined"),
    "method",
}


def test_hits_on_all_of_20_queries_do_not_prove_that_none_fails():
    interval = confidence_interval(np.ones(20))
    assert interval.method == "wilson"
    assert (interval.low, interval.high) == (pytest.approx(0.8389, abs=1e-4), 1)
    assert {*interval} == FIELDS


def test_values_of_0_and_1_have_wilsons_interval_and_others_halls():
    assert confidence_interval([0, 1, 1, 0]).method == "wilson"
    assert confidence_interval([0, 1, 0.5, 0]).method == "hall"


def test_a_table_has_an_interval_for_each_ranker_and_metric_like_its_summary():
    scores = drawn_scores(["mrr", "ndcg@5"])
    intervals, summary = confidence_interval(scores), scores.summary()
    assert {k: [*v] for k, v in intervals.items()} == {
        k: [*v] for k, v in summary.items()
    }
    one = confidence_interval(scores["a"]["mrr"])["a"]["mrr"]
    assert one == intervals["a"]["mrr"]


def test_one_ranker_without_a_name_has_a_dict_by_metric():
    scores = score_queries([1, 0, 1, 0], [2, 1, 1, 2], "mrr", qid=[1, 1, 2, 2])
    assert confidence_interval(scores)["mrr"].estimate == 0.75


NAMES = ["mrr", "hits@1", "neg_mean_rank", "adjusted_mean_rank_index", "ndcg@3"]
NAMES += ["neg_geometric_mean_rank", "neg_harmonic_mean_rank", "inverse_mean_rank"]
NAMES += ["adjusted_hits@2", "neg_adjusted_mean_rank", "gm_map"]


@pytest.mark.parametrize("params", [{}, {"average": "weighted"}], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_the_estimate_is_the_summary_over_the_defined_queries(name, params):
    scores = drawn_scores(name, replace_undefined_by=np.nan, n_rankers=1, **params)
    interval = confidence_interval(scores)["a"][name]
    assert interval.estimate == pytest.approx(scores.summary()["a"][name], rel=1e-12)
    assert interval.low < interval.estimate < interval.high


def test_the_estimate_of_a_median_is_the_summary_over_the_defined_queries():
    scores = drawn_scores("neg_median_rank", replace_undefined_by=np.nan)
    for name, intervals in confidence_interval(scores).items():
        estimate = intervals["neg_median_rank"].estimate
        assert estimate == scores.summary()[name]["neg_median_rank"]


def test_queries_where_the_metric_is_undefined_are_left_out_and_counted():
    y_true = [1, 0, 0, 0, 0, 1]
    scores = score_queries(y_true, [2, 1, 2, 1, 2, 1], "mrr", qid=[1, 1, 2, 2, 3, 3])
    interval = confidence_interval(scores, method="t")["mrr"]
    assert (interval.n_queries, interval.n_undefined) == (2, 1)
    assert interval.estimate == (1 + 1 / 2) / 2
    array = confidence_interval([1, np.nan, 0.5], method="t")
    assert array == interval


def test_a_metric_that_is_undefined_everywhere_has_no_interval():
    scores = score_queries([0, 0, 0, 0], [2, 1, 2, 1], "mrr", qid=[1, 1, 2, 2])
    with pytest.warns(UndefinedMetricWarning, match="undefined for every query"):
        interval = confidence_interval(scores)["mrr"]
    assert np.isnan([interval.estimate, interval.low, interval.high]).all()
    assert (interval.n_queries, interval.n_undefined) == (0, 2)


def test_one_query_has_an_infinite_interval_and_a_warning():
    with pytest.warns(UserWarning, match="at least two queries"):
        interval = confidence_interval([0.3])
    assert (interval.low, interval.high) == (-np.inf, np.inf)


@pytest.mark.parametrize("values", [[0.3], [0.3, np.nan, np.nan]])
def test_one_query_cannot_be_resampled(values):
    with pytest.warns(UserWarning, match="Got 1 of them, and the method 'bootstrap'"):
        interval = confidence_interval(values, method="bootstrap")
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
    assert (inverse.low, inverse.high) == (pytest.approx(1 / (4 + radius)), np.inf)
    with pytest.warns(UserWarning, match="1 over a mean that may be 0"):
        harmonic = confidence_interval(
            scores_of_ranks(ranks, "neg_harmonic_mean_rank"), method="t"
        )["neg_harmonic_mean_rank"]
    mean, radius = (1 + 1 / 7) / 2, t.ppf(0.975, 1) * (1 - 1 / 7) / 2
    assert harmonic.estimate == pytest.approx(-1 / mean)
    assert (harmonic.low, harmonic.high) == (
        -np.inf,
        pytest.approx(-1 / (mean + radius)),
    )


def test_the_interval_of_an_inverse_median_is_that_of_the_median_inverted():
    # The median is outside the range of 8 values in 2 of 256 cases.
    ranks = [2, 2, 3, 4, 5, 6, 7, 8]
    name = "inverse_median_rank"
    interval = confidence_interval(scores_of_ranks(ranks, name))[name]
    assert interval.estimate == 1 / 4.5
    assert (interval.low, interval.high) == (1 / 8, 1 / 2)


def test_a_median_lies_between_order_statistics():
    scores = drawn_scores("neg_median_rank", n_queries=30, n_rankers=1)
    interval = confidence_interval(scores)["a"]["neg_median_rank"]
    ranks = np.sort(-scores.values[0, 0][~np.isnan(scores.values[0, 0])])
    n = len(ranks)
    k = next(k for k in range(n) if 2 * binomtest(k, n).pvalue > 0.1)
    while binomtest(k - 1, n).pvalue > 0.05:
        k -= 1
    assert interval.method == "order statistics"
    assert (-interval.high, -interval.low) == (ranks[k - 1], ranks[n - k])


@pytest.mark.parametrize("name", ["rank_variance", "z_mean_rank"])
def test_summaries_that_are_no_means_are_refused_by_name(name):
    name = name.replace("rank_variance", "neg_rank_variance")
    with pytest.raises(ValueError, match=f"no formula for.*{name}"):
        confidence_interval(drawn_scores(["mrr", name]))


def test_groups_are_the_units():
    values = np.random.RandomState(0).rand(40)
    groups = np.arange(40) // 8
    interval = confidence_interval(values, groups=groups)
    of_groups = values.reshape(5, 8).mean(axis=1)
    error = of_groups.std(ddof=1) / np.sqrt(5)
    assert interval.method == "t"
    assert interval.n_queries == 40
    assert interval.standard_error == pytest.approx(error)
    assert interval.high == pytest.approx(values.mean() + t.ppf(0.975, 4) * error)


def test_groups_can_be_named_by_a_key_column():
    rng = np.random.RandomState(0)
    qid, user = np.repeat(np.arange(30), 4), np.repeat(np.arange(30) // 5, 4)
    y_true = rng.randint(2, size=120)
    scores = score_queries(y_true, rng.rand(120), "ndcg", qid=qid, by={"user": user})
    by_name = confidence_interval(scores, groups="user")
    by_array = confidence_interval(scores, groups=np.arange(30) // 5)
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
    two = confidence_interval(scores, groups=["qid", "seed"])["v"]
    assert two.standard_error == pytest.approx(error)


def test_weights_make_the_estimate_a_ratio():
    rng = np.random.RandomState(0)
    values, weight = rng.rand(80), rng.uniform(1, 3, size=80)
    interval = confidence_interval(values, sample_weight=weight)
    mean = np.average(values, weights=weight)
    error = np.sqrt(80 / 79 * ((weight * (values - mean)) ** 2).sum()) / weight.sum()
    assert interval.estimate == pytest.approx(mean)
    assert interval.high == pytest.approx(mean + t.ppf(0.975, 79) * error)
    frame = {"qid": np.arange(80), "v": values, "w": weight}
    scores = QueryScores.from_frame(frame, sample_weight="w")
    assert confidence_interval(scores)["v"].low == pytest.approx(interval.low)


def test_equal_weights_change_nothing():
    values = np.random.RandomState(0).rand(30)
    weighted = confidence_interval(values, sample_weight=np.full(30, 0.7))
    plain = confidence_interval(values)
    assert weighted.method == "hall"
    assert weighted.low == pytest.approx(plain.low)


def test_the_bootstrap_is_close_to_t_for_normal_values_and_repeats_its_bits():
    values = np.random.RandomState(0).randn(400)
    resampled = confidence_interval(values, method="bootstrap")
    by_t = confidence_interval(values, method="t")
    assert resampled.low == pytest.approx(by_t.low, abs=0.02)
    assert resampled.high == pytest.approx(by_t.high, abs=0.02)
    assert confidence_interval(values, method="bootstrap") == resampled
    other = confidence_interval(values, method="bootstrap", random_state=1)
    assert other.low != resampled.low


@pytest.mark.parametrize("method", ["hall", "t", "bootstrap"])
def test_nothing_depends_on_the_order_or_the_names_of_queries(method):
    values = np.random.RandomState(0).lognormal(size=50)
    shuffled = np.random.RandomState(1).permutation(values)
    options = {"method": method, "n_resamples": 99}
    one, other = (confidence_interval(v, **options) for v in (values, shuffled))
    assert one == other


def test_the_sign_of_a_negated_metric_swaps_the_ends():
    scores = drawn_scores(["neg_mean_rank", mean_rank], n_rankers=1)
    both = confidence_interval(scores)["a"]
    minus, plus = both["neg_mean_rank"], both["mean_rank"]
    assert (-minus.low, -minus.high) == (plus.high, plus.low)
    assert minus.standard_error == plus.standard_error


def test_a_table_and_evaluate_agree():
    rng = np.random.RandomState(0)
    qid, y_true, y_score = (
        np.repeat(np.arange(40), 5),
        rng.randint(2, size=200),
        rng.rand(200),
    )
    scores = score_queries(y_true, y_score, "map", qid=qid)
    value = evaluate(y_true, y_score, "map", qid=qid, replace_undefined_by=np.nan)
    estimate = confidence_interval(scores)["map"].estimate
    assert estimate == pytest.approx(value["map"], rel=1e-13)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence_level": 1.0}, "must be a float in the range"),
        ({"method": "bca"}, "'method' parameter of confidence_interval must be a str"),
        ({"method": "wilson"}, "needs values that are 0 or 1"),
        ({"method": "hall", "groups": [0, 1, 2, 2]}, "needs ungrouped and unweighted"),
        ({"groups": "user"}, "name a key column, among"),
        ({"groups": [0, 1]}, "4"),
        ({"sample_weight": [1, 1, 1, -1]}, "Negative values"),
        ({"n_resamples": 0, "method": "bootstrap"}, "n_resamples == 0, must be >= 1"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        confidence_interval([0.1, 0.2, 0.5, 0.4], **options)


def test_two_groupings_cannot_be_resampled():
    groups = [np.arange(6) % 2, np.arange(6) // 2]
    with pytest.raises(ValueError, match="one grouping"):
        confidence_interval(np.arange(6.0), method="bootstrap", groups=groups)


@pytest.mark.parametrize("values", [[], [[0.1, 0.2]], [0.1, np.inf]])
def test_values_that_are_no_list_of_numbers_are_refused(values):
    with pytest.raises(ValueError, match="'scores' parameter must be a QueryScores"):
        confidence_interval(values)


def test_weights_beside_a_table_are_refused():
    with pytest.raises(ValueError, match="Pass the weights to score_queries"):
        confidence_interval(scores_of(a=[0.1, 0.2]), sample_weight=[1, 1])


def test_a_query_without_weight_is_no_observation():
    y_score = np.random.RandomState(0).rand(10, 4)
    y_true = np.tile([1, 0, 0, 0], (10, 1))
    weight = np.arange(10) % 2
    scores = score_queries(y_true, y_score, "mrr", sample_weight=weight)
    interval = confidence_interval(scores)["mrr"]
    assert (interval.n_queries, interval.n_undefined) == (5, 5)


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
