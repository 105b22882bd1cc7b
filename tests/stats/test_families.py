"""Adjusted p-values and the power of tests."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from scipy.stats import nct, norm, t

from skrank.stats.inference import (
    benjamini_hochberg,
    holm,
    max_t,
    noncentrality,
    power_of_t,
    queries_needed,
    range_of_deviation,
)


def test_holm_multiplies_by_the_number_of_tests_that_are_left():
    # 4 * 0.01, 3 * 0.02, then 2 * 0.03 and 0.04, no smaller than those before.
    expected = [0.06, 0.04, 0.06, 0.06]
    np.testing.assert_allclose(holm(np.array([0.03, 0.01, 0.02, 0.04])), expected)
    assert holm(np.array([0.6, 0.9])).tolist() == [1, 1]


def test_benjamini_hochberg_divides_by_the_rank():
    # 4/2 * 0.02, the smallest of 4/3 * 0.03 and 4/4 * 0.04, and 4/1 * 0.005.
    expected = [0.04, 0.04, 0.04, 0.02]
    pvalues = np.array([0.03, 0.02, 0.04, 0.005])
    np.testing.assert_allclose(benjamini_hochberg(pvalues), expected)


def test_max_t_steps_down_as_a_loop_does():
    rng = np.random.RandomState(0)
    flipped = rng.rand(200, 5)
    flipped[0] = observed = np.array([0.9, 0.5, 0.99, 0.7, 0.2])
    left, expected, before = {0, 1, 2, 3, 4}, np.empty(5), 0
    for j in np.argsort(-observed):
        largest = flipped[:, sorted(left)].max(axis=1)
        before = expected[j] = max(before, np.mean(largest >= observed[j]))
        left.remove(j)
    for blocks in ([flipped], np.split(flipped, 4), np.array_split(flipped, 7)):
        found = max_t(observed, (block.T.copy() for block in blocks))
        np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize(
    ("effect", "n"), [(0.2, 199), (0.5, 34), (0.8, 15), (0.01, 78_491)]
)
def test_the_number_of_queries_is_that_of_the_tables(effect, n):
    # Cohen's d of paired samples at 80 % power and 5 %, two-sided; the last one is
    # ((1.959964 + 0.841621) / 0.01)^2 + 2.
    assert queries_needed(effect, 1.0, 0.05, 0.8) == n


def test_the_power_is_that_of_the_noncentral_t_distribution():
    quantile = t.ppf(0.975, 19)
    expected = nct.sf(quantile, 19, 2.5) + nct.cdf(-quantile, 19, 2.5)
    assert power_of_t(2.5, 19, 0.05) == pytest.approx(expected, rel=1e-6)
    assert power_of_t(2.5, 1e6, 0.05) == pytest.approx(norm.sf(1.959964 - 2.5), 1e-5)


def test_the_noncentrality_has_the_power_that_was_asked_for():
    for df in (1, 5, 50, 5000):
        assert power_of_t(noncentrality(df, 0.05, 0.8), df, 0.05) == pytest.approx(0.8)


def test_the_power_of_a_simulated_test_is_the_computed_one():
    rng = np.random.RandomState(0)
    samples = rng.normal(0.5, 1, size=(4000, 34))
    statistic = samples.mean(axis=1) / samples.std(axis=1, ddof=1) * np.sqrt(34)
    found = np.mean(np.abs(statistic) > t.ppf(0.975, 33))
    assert found == pytest.approx(power_of_t(0.5 * np.sqrt(34), 33, 0.05), abs=0.02)


def test_the_range_of_a_deviation_narrows_with_the_pilot():
    # chi-square quantiles of 9 degrees of freedom: 2.7004 and 19.0228.
    low, high = range_of_deviation(2.0, 9, 0.95)
    assert low == pytest.approx(2 * np.sqrt(9 / 19.0228), rel=1e-5)
    assert high == pytest.approx(2 * np.sqrt(9 / 2.7004), rel=1e-4)
