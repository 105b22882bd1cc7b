"""Intervals and bets of values in known limits, against brute force and hand work."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta

from skrank.metrics import QueryScores
from skrank.stats import compare_rankers, confidence_interval, gate
from skrank.stats.anytime import (
    MOST_DIFFERENT,
    Counted,
    bets,
    gaffke,
    in_limits,
    wealth,
)


def named(metric, **values):
    """Return scores of a metric whose limits are known."""
    rankers = [ranker for ranker, of_ranker in values.items() for _ in of_ranker]
    columns = np.concatenate([*values.values()])
    ids = np.concatenate([np.arange(len(of_ranker)) for of_ranker in values.values()])
    frame = {"qid": ids, "ranker": rankers, metric: columns}
    return QueryScores.from_frame(frame, ranker="ranker")


def ndcg(values):
    frame = {"qid": np.arange(len(values)), "ndcg": values}
    return QueryScores.from_frame(frame)


@pytest.mark.parametrize(
    ("hits", "n"), [(1, 20), (7, 20), (20, 20), (1, 1), (199, 200)]
)
@pytest.mark.parametrize("tail", [0.1, 0.025, 0.0005])
def test_the_end_of_hits_is_a_quantile_of_the_beta_distribution(hits, n, tail):
    values = np.arange(n) < hits
    found = gaffke(Counted.of(values, (0, 1)), tail)
    # What the saddlepoint says of the end is at most the share of `tail` too large.
    below = beta.cdf(found, hits, n - hits + 0.5)
    few = n == 1 or tail < 0.001
    assert (0.85 if few else 0.95) * tail < below <= 1.001 * tail


@pytest.mark.parametrize("n", [3, 12, 60])
def test_the_end_is_a_quantile_of_random_weights(n):
    rng = np.random.default_rng(n)
    values = rng.beta(0.7, 0.4, size=n)
    weights = rng.standard_gamma(np.r_[np.ones(n), 0.5], size=(200_000, n + 1))
    means = weights @ np.append(values, 0.0) / weights.sum(axis=1)
    found = gaffke(Counted.of(values, (0, 1)), 0.025)
    # Two standard errors of the sampled share are .0007.
    assert 0.0225 < np.mean(means <= found) < 0.0257


def test_the_interval_is_of_the_values_within_the_limits_of_the_metric():
    values = np.random.default_rng(0).beta(2, 3, size=40)
    found = confidence_interval(ndcg(values))["ndcg"]
    low = gaffke(Counted.of(values, (0, 1)), 0.025)
    high = 1 - gaffke(Counted.of(1 - values, (0, 1)), 0.025)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-12)
    assert found.method == "bounded"
    asked = confidence_interval(ndcg(values), method="bounded")["ndcg"]
    assert (asked.low, asked.high) == (found.low, found.high)
    # -1 to 1 has the same interval, stretched.
    scores = named("spearman", only=2 * values - 1)
    stretched = confidence_interval(scores)["only"]["spearman"]
    assert (stretched.low, stretched.high) == pytest.approx((2 * low - 1, 2 * high - 1))


@pytest.mark.slow
def test_the_order_of_the_queries_does_not_count():
    rng = np.random.default_rng(1)
    values = rng.choice([1, 0.5, 1 / 3, 0], size=30)
    ends = set()
    for _ in range(60):
        found = confidence_interval(ndcg(rng.permutation(values)))["ndcg"]
        ends.add((found.low, found.high))
    assert len(ends) == 1


def test_one_value_near_the_others_does_not_narrow_the_interval():
    ones = confidence_interval(ndcg(np.ones(20)), method="bounded")["ndcg"]
    almost = confidence_interval(ndcg(np.r_[np.ones(19), 0.99]))["ndcg"]
    assert almost.low == pytest.approx(ones.low, abs=0.005)
    assert almost.high > 0.999


def test_more_queries_than_2000_and_arrays_have_halls_interval():
    values = np.random.default_rng(2).beta(2, 3, size=2001)
    assert confidence_interval(ndcg(values))["ndcg"].method == "hall"
    assert confidence_interval(ndcg(values[1:]))["ndcg"].method == "bounded"
    assert confidence_interval(values[:50]).method == "hall"


def test_bounded_needs_known_limits_and_queries_that_count_alike():
    values = np.random.default_rng(3).random(30)
    with pytest.raises(ValueError, match=r"a metric whose limits are known.*'auto'"):
        confidence_interval(values, method="bounded")
    with pytest.raises(ValueError, match=r"unclustered and unweighted.*'auto'"):
        confidence_interval(ndcg(values), method="bounded", clusters=np.arange(30) // 2)


@pytest.mark.parametrize("mean", [0.1, 0.3, 0.7])
def test_the_wealth_is_the_mean_over_the_arcsine_distribution(mean):
    values = np.array([0.2, 0.9, 0.0, 1.0, 0.4, 0.4, 0.35])

    def bet(angle):  # u = sin^2 has the arcsine distribution
        u = np.sin(angle) ** 2
        return np.prod(1 - u + u * values / mean) * 2 / np.pi

    expected, _ = quad(bet, 0, np.pi / 2, epsabs=0, epsrel=1e-12)
    assert wealth(Counted.of(values, (0, 1)), mean) == pytest.approx(expected, rel=1e-9)


def test_a_single_hit_by_hand():
    # The wealth is the mean of 1 - u + u / m, (1 + 1 / m) / 2: 40 at m = 1 / 79.
    counted = Counted.of([1.0], (0, 1))
    assert wealth(counted, 1 / 79) == pytest.approx(40)
    assert bets(counted, 1 / 40) == pytest.approx(1 / 79)
    assert bets(Counted.of([0.0, 0.0], (0, 1)), 0.025) == 0
    assert wealth(Counted.of([0.0, 0.0], (0, 1)), 0) == 1
    assert wealth(counted, 0) == np.inf


def test_many_different_values_are_counted_on_a_grid_which_wins_nothing():
    values = np.random.default_rng(4).beta(1.2, 3, size=5000)
    counted = Counted.of(values, (0, 1))
    assert len(counted.values) <= MOST_DIFFERENT + 1
    assert counted.mean == pytest.approx(values.mean(), rel=1e-12)
    assert counted.counts.sum() == pytest.approx(5000)
    exact = Counted(np.sort(values), np.ones(5000))
    for mean in (0.26, 0.27, 0.28):
        ratio = wealth(counted, mean) / wealth(exact, mean)
        assert 0.995 < ratio <= 1 + 1e-9


def test_an_interval_for_all_looks_holds_the_means_that_the_bets_do_not_refute():
    values = np.random.default_rng(6).beta(2, 3, size=60)
    found = confidence_interval(ndcg(values), method="anytime")["ndcg"]
    counted = Counted.of(values, (0, 1))
    assert wealth(counted, found.low) == pytest.approx(40, rel=1e-6)
    assert wealth(counted.mirrored(), 1 - found.high) == pytest.approx(40, rel=1e-6)
    assert found.method == "anytime"


@pytest.mark.slow
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_the_bets_on_a_pair_agree_with_its_interval(alternative):
    rng, rejected = np.random.default_rng(7), []
    for _ in range(20):
        old = rng.beta(3, 2, size=80)
        new = np.clip(old + rng.normal(0.09, 0.15, size=80), 0, 1)
        options = {"test": "anytime", "alternative": alternative}
        (row,) = compare_rankers(named("ndcg", old=old, new=new), **options).rows
        counted = Counted.of(row_sign(row) * (new - old), (-1, 1))
        ends = in_limits((-1, 1), bets, counted, 0.05)
        if alternative == "two-sided":
            p = 2 / max(wealth(counted, 0.5), wealth(counted.mirrored(), 0.5), 2)
            excludes = row.low > 0 or row.high < 0
            ends = in_limits((-1, 1), bets, counted, 0.025)
            assert (row.low, row.high) == pytest.approx(ends, abs=1e-9)
        elif (alternative == "greater") == (row_sign(row) == 1):
            p, excludes = 1 / max(wealth(counted, 0.5), 1), row.low > 0
            excludes |= row.high < 0
        else:
            p = 1 / max(wealth(counted.mirrored(), 0.5), 1)
            excludes = row.low > 0 or row.high < 0
        assert row.pvalue == pytest.approx(p)
        assert (row.pvalue <= 0.05) == excludes
        rejected.append(excludes)
    assert alternative == "less" or 3 < sum(rejected) < 20


def row_sign(row):
    return 1 if row.ranker == "new" else -1


def test_equal_rankers_are_undecided_at_every_look():
    hits = np.arange(100) % 2.0
    (row,) = compare_rankers(named("hits@1", old=hits, new=hits), test="anytime").rows
    assert row.pvalue == 1
    # The wealth of 100 differences of 0 is the mean of (1 - u + u / 2 m)^100.
    counted = Counted(np.array([0.5]), np.array([100.0]))
    assert wealth(counted, (1 + row.low) / 2) == pytest.approx(40, rel=1e-6)
    assert row.high == pytest.approx(-row.low)
    assert 0 < row.detectable < 0.2


def test_the_gate_of_every_look_allows_for_losses_that_it_has_not_seen():
    values = np.random.default_rng(8).beta(4, 2, size=200)
    scores = named("ndcg", old=values, new=values)
    found = gate(scores, baseline="old", margin=0.02, test="anytime")
    (row,) = found.rows
    assert row.unseen is None
    counted = Counted(np.array([0.5]), np.array([200.0]))
    assert wealth(counted, (1 + row.low) / 2) == pytest.approx(20, rel=1e-6)
    assert found.decision == ("passed" if row.low > -0.02 else "undecided")
