"""Sample sizes, and the difference that a comparison can detect."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from scipy.stats import nct, norm, t

from skrank.stats import compare_rankers, required_queries
from skrank.stats.sample_size import (
    noncentrality,
    power_of_t,
    queries_needed,
    range_of_deviation,
)
from tests.stats.pilot import drawn_scores, scores_of


def pilot_of(deviation, n=31):
    """Return differences with exactly this standard deviation."""
    values = np.linspace(-1, 1, n)
    return deviation * values / values.std(ddof=1)


@pytest.mark.parametrize(("effect", "n"), [(0.2, 199), (0.5, 34), (0.8, 15)])
def test_the_number_is_that_of_the_tables_of_paired_t_tests(effect, n):
    assert required_queries(pilot_of(1.0), effect).n == n
    assert required_queries(pilot_of(0.1), -effect / 10).n == n


def test_the_interval_is_that_of_the_standard_deviation_of_the_pilot():
    # Quantiles of chi-square with 30 degrees of freedom: 16.791 and 46.979.
    required = required_queries(pilot_of(1.0), 0.3)
    low = required_queries(pilot_of(np.sqrt(30 / 46.979)), 0.3).n
    high = required_queries(pilot_of(np.sqrt(30 / 16.791)), 0.3).n
    assert (required.low, required.high) == (low, high)


def test_a_pilot_of_two_rankers_counts_by_their_differences():
    one, other = np.random.RandomState(0).rand(2, 40)
    scores = scores_of(a=one, b=other)
    assert required_queries(scores, 0.1) == required_queries(other - one, 0.1)


def test_undefined_queries_of_the_pilot_are_left_out():
    values = np.random.RandomState(0).randn(20)
    with_gaps = np.insert(values, [3, 7], np.nan)
    assert required_queries(with_gaps, 0.5) == required_queries(values, 0.5)


def test_as_many_queries_as_required_detect_the_effect():
    rng = np.random.RandomState(0)
    differences = rng.randn(100)
    (row,) = compare_rankers(scores_of(a=np.zeros(100), b=differences)).rows
    # A little more than the effect, for rounding.
    assert required_queries(differences, row.detectable * 1.0001).n == 100
    assert required_queries(differences, row.detectable * 0.9999).n == 101


def test_equal_differences_need_the_fewest_queries():
    assert required_queries(np.full(10, 0.1), 0.1).n == 2
    # The mean of thirty times 0.1 is not 0.1, by rounding.
    assert required_queries(np.full(30, 0.1), 0.1).n == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"effect": 0}, "'effect' parameter of required_queries must not be 0"),
        ({"effect": 1e-300}, "must be at least 1e-9 of the standard deviation"),
        ({"effect": 0.1, "power": 1.0}, "'power' parameter"),
        ({"effect": 0.1, "confidence_level": 1.0}, "'confidence_level' param"),
        ({"effect": 0.1, "power": 0.01}, "must be greater than 1 - conf"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        required_queries([0.1, 0.2, 0.4], **options)


@pytest.mark.parametrize("pilot", [[0.1], [np.nan, 0.1, np.nan]])
def test_one_query_is_no_pilot(pilot):
    with pytest.raises(ValueError, match=r"at least two queries.*Got 1"):
        required_queries(pilot, 0.1)


def test_a_pilot_has_two_rankers_and_one_metric():
    with pytest.raises(ValueError, match=r"two rankers and one metric\. Got 3 and 1"):
        required_queries(drawn_scores("mrr"), 0.1)
    with pytest.raises(ValueError, match="the mean over queries"):
        required_queries(drawn_scores("neg_median_rank", n_rankers=2), 0.1)
    with pytest.raises(ValueError, match="array of shape"):
        required_queries([[0.1, 0.2]], 0.1)


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
