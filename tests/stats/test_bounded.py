"""Intervals of values in known limits, against brute force and hand work."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from scipy.stats import beta

from skrank.metrics import QueryScores
from skrank.stats import confidence_interval, mean_interval
from skrank.stats.inference import gaffke, in_limits


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
    found = gaffke(values, tail)
    # What the saddlepoint says of the end is at most the share of `tail` too large.
    below = beta.cdf(found, hits, n - hits + 0.5)
    few = n == 1 or tail < 0.001
    assert (0.85 if few else 0.95) * tail < below <= 1.001 * tail


def test_the_end_is_never_above_the_mean_of_the_random_weights():
    # Twenty weights of 1, and one of 1/2 for the lower limit; the median is higher.
    assert gaffke(np.full(20, 0.5), 0.49) == pytest.approx(0.5 * 20 / 20.5, rel=1e-3)


@pytest.mark.parametrize("n", [3, 12, 60])
def test_the_end_is_a_quantile_of_random_weights(n):
    rng = np.random.default_rng(n)
    values = rng.beta(0.7, 0.4, size=n)
    weights = rng.standard_gamma(np.r_[np.ones(n), 0.5], size=(200_000, n + 1))
    means = weights @ np.append(values, 0.0) / weights.sum(axis=1)
    found = gaffke(values, 0.025)
    # Two standard errors of the sampled share are .0007.
    assert 0.0225 < np.mean(means <= found) < 0.0257


def test_the_interval_is_of_the_values_within_the_limits_of_the_metric():
    values = np.random.default_rng(0).beta(2, 3, size=40)
    found = confidence_interval(ndcg(values))["ndcg"]
    low = gaffke(values, 0.025)
    high = 1 - gaffke(1 - values, 0.025)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-12)
    assert found.method == "bounded"
    # -1 to 1 has the same interval, stretched.
    scores = named("spearman", only=2 * values - 1)
    stretched = confidence_interval(scores)["only"]["spearman"]
    assert (stretched.low, stretched.high) == pytest.approx((2 * low - 1, 2 * high - 1))


def test_the_order_of_the_queries_does_not_count():
    rng = np.random.default_rng(1)
    values = rng.choice([1, 0.5, 1 / 3, 0], size=30)
    ends = set()
    for _ in range(60):
        found = confidence_interval(ndcg(rng.permutation(values)))["ndcg"]
        ends.add((found.low, found.high))
    assert len(ends) == 1


def test_one_value_near_the_others_does_not_narrow_the_interval():
    low, _ = in_limits(np.ones(20), (0, 1), 0.025)
    almost = confidence_interval(ndcg(np.r_[np.ones(19), 0.99]))["ndcg"]
    assert almost.low == pytest.approx(low, abs=0.005)
    assert almost.high > 0.999


def test_more_than_2000_queries_and_values_beyond_1_have_halls_interval():
    values = np.random.default_rng(2).beta(2, 3, size=2001)
    assert confidence_interval(ndcg(values))["ndcg"].method == "hall"
    assert confidence_interval(ndcg(values[1:]))["ndcg"].method == "bounded"
    assert mean_interval(values[1:]).method == "bounded"
    assert mean_interval(1 + values[1:]).method == "hall"
