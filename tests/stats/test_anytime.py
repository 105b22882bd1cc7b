"""Intervals and tests at every look."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import norm
from scipy.stats import t as student

from skrank.metrics import score_queries
from skrank.stats import compare_rankers, confidence_interval
from skrank.stats.anytime import RHO2, pvalue, strict_level


def quantile(n, level):
    """Return r of the paper's formula, in standard errors, of one side."""
    time = n * (-2 * np.log(0.05) + np.log(1 - 2 * np.log(0.05))) / 200
    return np.sqrt(2 * (1 + 1 / time) * np.log(1 + np.sqrt(1 + time) / (2 * level)))


@pytest.mark.parametrize("n", [10, 50, 200, 1000, 100_000])
@pytest.mark.parametrize("level", [0.05, 0.005])
def test_the_boundary_is_that_of_a_supermartingale(n, level):
    """A sum S_n of normal variables of variance 1 crosses it with that probability.

    Averaged over a half-normal slope x, exp(x S_n - n x^2 / 2) is a martingale that
    starts at 1. By Ville's inequality it reaches 1 / level with a probability of at
    most the level, and at the boundary it is at least that.
    """
    total = quantile(n, level) * np.sqrt(n)
    peak = total / (n + 1 / RHO2)

    def slope(x):
        return 2 * norm.pdf(x, scale=np.sqrt(RHO2)) * np.exp(x * total - n * x * x / 2)

    width = 1 / np.sqrt(n + 1 / RHO2)
    low, high = max(0, peak - 12 * width), peak + 12 * width
    reached, _ = quad(slope, low, high, epsabs=0, epsrel=1e-10, limit=200)
    assert 1 / level <= reached <= 1.1 / level


def test_a_level_is_that_of_a_stricter_t_test_and_the_p_value_its_inverse():
    for n in (5, 50, 1000):
        for level in (0.2, 0.025, 1e-4):
            strict = strict_level(level, n)
            assert strict == pytest.approx(norm.sf(quantile(n, level)), rel=1e-9)
            assert pvalue(strict, n) == pytest.approx(level, rel=1e-9)
            found = brentq(lambda one, n=n: strict_level(one, n) - 1e-6, 1e-9, 10)
            assert pvalue(1e-6, n) == pytest.approx(min(found, 1), rel=1e-6)
    assert pvalue(0.7, 50) == 1
    assert pvalue(0.0, 50) == 0


def test_values_without_known_limits_have_halls_interval_at_the_stricter_level():
    values = np.random.default_rng(0).beta(2, 3, size=80)
    found = confidence_interval(values, method="anytime")
    strict = 1 - 2 * norm.sf(quantile(80, 0.025))
    of_hall = confidence_interval(values, method="hall", confidence_level=strict)
    assert (found.low, found.high) == pytest.approx((of_hall.low, of_hall.high))
    assert found.method == "anytime"
    ordinary = confidence_interval(values, method="t")
    assert 1.6 < (found.high - found.low) / (ordinary.high - ordinary.low) < 1.75


@pytest.mark.parametrize("n_hits", [0, 3, 50])
def test_hits_of_clusters_have_wilsons_interval_at_the_stricter_level(n_hits):
    hits = np.repeat([1] * n_hits + [0] * (50 - n_hits), 2)
    clusters = np.repeat(np.arange(50), 2)
    found = confidence_interval(hits, method="anytime", clusters=clusters)
    p, strict = n_hits / 50, norm.sf(quantile(50, 0.025))
    r = student.isf(strict, 49)
    n = 49 if 0 < p < 1 else 50  # p (1 - p) / se^2
    # The ends are the proportions q with |p - q| = r sqrt(q (1 - q) / n).
    for q in {found.low, found.high} - {0.0, 1.0}:
        assert abs(p - q) == pytest.approx(r * np.sqrt(q * (1 - q) / n), rel=1e-6)
    assert found.low < found.high


def test_weights_and_clusters_count_by_their_effective_number():
    rng = np.random.default_rng(1)
    values, user = rng.random(60), np.repeat(np.arange(30), 2)
    by_user = confidence_interval(values, method="anytime", clusters=user)
    means = values.reshape(-1, 2).mean(axis=1)
    strict = 1 - 2 * norm.sf(quantile(30, 0.025))
    of_means = confidence_interval(means, method="t", confidence_level=strict)
    assert (by_user.low, by_user.high) == pytest.approx((of_means.low, of_means.high))
    twice = confidence_interval(values, method="anytime", sample_weight=np.full(60, 2))
    plain = confidence_interval(values, method="anytime")
    assert (twice.low, twice.high) == pytest.approx((plain.low, plain.high))


def pair(rng, n, shift=0.0):
    return {"old": rng.random(n), "new": rng.random(n) + shift}


@pytest.mark.slow
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("margin", [0.0, 0.1])
def test_the_interval_agrees_with_the_p_value(alternative, margin):
    rng, n_rejected = np.random.default_rng(0), 0
    for _ in range(30):
        values = pair(rng, int(rng.choice([80, 300, 2000])), rng.normal(scale=0.2))
        options = {"alternative": alternative, "margin": margin, "test": "anytime"}
        (row,) = compare_rankers(values, **options).rows
        lows = {"less": True}.get(alternative, row.low > -margin)
        highs = {"greater": True}.get(alternative, row.high < margin)
        excludes = lows and highs
        if alternative == "two-sided" and not margin:
            excludes = row.low > 0 or row.high < 0
        assert (row.pvalue <= 0.05) == excludes
        n_rejected += excludes
    assert 3 < n_rejected < 27


def test_a_pair_without_known_limits_has_students_interval_at_the_stricter_level():
    values = pair(np.random.default_rng(3), 70, 0.1)
    (row,) = compare_rankers(values, test="anytime").rows
    difference = values["new"] - values["old"]
    error = difference.std(ddof=1) / np.sqrt(70)
    r = student.isf(norm.sf(quantile(70, 0.025)), 69)
    ends = difference.mean() - r * error, difference.mean() + r * error
    assert (row.low, row.high) == pytest.approx(ends)
    # Found at this look with a probability of 80 %: about r + 0.84 standard errors.
    assert row.detectable == pytest.approx((r + 0.84) * error, rel=0.02)


def test_holm_adjusts_several_comparisons_and_max_t_is_refused():
    rng = np.random.default_rng(0)
    values = pair(rng, 80, 0.3) | {"third": rng.random(80)}
    with pytest.raises(ValueError, match=r"'holm', 'bh' or None.*Got 3 comparisons"):
        compare_rankers(values, test="anytime")
    comparison = compare_rankers(values, test="anytime", correction="holm")
    p = np.array([row.pvalue for row in comparison.rows])
    steps = np.sort(p) * [3, 2, 1]
    expected = np.minimum(np.maximum.accumulate(steps), 1)[np.argsort(np.argsort(p))]
    assert [row.p_adjusted for row in comparison.rows] == pytest.approx(expected)
    assert "anytime-valid test, Holm" in str(comparison)


def test_a_median_has_no_interval_for_all_looks():
    medians = score_queries(
        [1, 0, 1, 0], [1, 2, 3, 1], "neg_median_rank", qid=[1, 1, 2, 2]
    )
    with pytest.raises(ValueError, match="method='anytime'"):
        confidence_interval(medians, method="anytime")
