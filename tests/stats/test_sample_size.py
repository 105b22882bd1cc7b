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
    required = required_queries(pilot_of(1.0), 0.3)
    # By hand, see the test of the range of a deviation.
    low, high = (required_queries(pilot_of(s), 0.3).n for s in (0.862465, 1.237722))
    assert (required.low, required.high) == (low, high)


def test_several_effects_have_the_numbers_of_each():
    pilot = np.random.RandomState(0).standard_t(4, size=40)
    effects = [0.5, 0.1, -0.3]
    required = required_queries(pilot, effects)
    alone = [required_queries(pilot, effect) for effect in effects]
    for name, found in required.items():
        assert found.tolist() == [one[name] for one in alone]


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


@pytest.mark.parametrize("n", [10, 30])  # the mean of 30 times 0.1 is not 0.1
def test_equal_differences_need_the_fewest_queries_and_warn(n):
    with pytest.warns(UserWarning, match="is a guess: a pilot of two"):
        required = required_queries(np.full(n, 0.1), 0.1)
    assert required == {"n": 2, "low": 2, "high": 2}


def test_two_differences_have_the_interval_of_normal_variables_and_warn():
    with pytest.warns(UserWarning, match="is a guess: a pilot of two"):
        required = required_queries([0, 0.1], 0.05)
    # The variance .005 divided by the quantiles of chi-squared with one degree of
    # freedom, 5.0239 and 0.00098207.
    ends = [0.1 / np.sqrt(2 * quantile) for quantile in (5.0239, 0.00098207)]
    low, high = (queries_needed(0.05, s, 0.05) for s in ends)
    assert required.low == low
    assert required.high == pytest.approx(high, rel=1e-4)
    assert required.high < 20_000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"effect": 0}, "a finite number other than 0, .* Got 0 instead"),
        ({"effect": 1e-200}, "a finite number other than 0, .* Got 1e-200 instead"),
        ({"effect": [0.1, 0.0]}, "'effect' parameter of required_queries must be"),
        ({"effect": np.nan}, "'effect' parameter of required_queries must be"),
        ({"effect": [[0.1]]}, "or an array of them"),
        ({"effect": 0.1, "confidence_level": 1.0}, "'confidence_level' param"),
    ],
)
def test_a_sample_size_refuses_bad_options(options, message):
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
    assert queries_needed(effect, 1.0, 0.05) == n


def test_the_power_is_that_of_the_noncentral_t_distribution():
    quantile = t.ppf(0.975, 19)
    expected = nct.sf(quantile, 19, 2.5) + nct.cdf(-quantile, 19, 2.5)
    assert power_of_t(2.5, 19, 0.05) == pytest.approx(expected, rel=1e-6)
    assert power_of_t(2.5, 1e6, 0.05) == pytest.approx(norm.sf(1.959964 - 2.5), 1e-5)


def test_the_noncentrality_has_the_power_that_was_asked_for():
    for df in (1, 5, 50, 5000):
        assert power_of_t(noncentrality(df, 0.05), df, 0.05) == pytest.approx(0.8)


def test_the_power_of_a_simulated_test_is_the_computed_one():
    rng = np.random.RandomState(0)
    samples = rng.normal(0.5, 1, size=(4000, 34))
    statistic = samples.mean(axis=1) / samples.std(axis=1, ddof=1) * np.sqrt(34)
    found = np.mean(np.abs(statistic) > t.ppf(0.975, 33))
    assert found == pytest.approx(power_of_t(0.5 * np.sqrt(34), 33, 0.05), abs=0.02)


def test_the_range_of_a_deviation_is_that_of_bonett():
    # Of -15, ..., 15: sum x^2 = 2480, sum x^4 = 356624, and the trimmed mean is 0. So
    # g = 31 * 356624 / 2480^2 = 1.79750, c = 31 / (31 - 1.959964) = 1.067492,
    # se = c sqrt((g - 28/31) / 30) = 0.184306, and the ends of the variance are
    # exp(0.065312 -+ 1.959964 * 0.184306) = 0.743846 and 1.531955.
    low, high = range_of_deviation(pilot_of(1.0), 0.95)
    assert low == pytest.approx(0.862465, rel=1e-5)
    assert high == pytest.approx(1.237722, rel=1e-5)


def test_heavy_tails_widen_the_range_of_a_deviation():
    normal = norm.ppf((np.arange(100) + 0.5) / 100)
    heavy = t.ppf((np.arange(100) + 0.5) / 100, 3)
    ratios = [np.divide(*range_of_deviation(x, 0.95)[::-1]) for x in (normal, heavy)]
    assert np.log(ratios[1]) > 1.5 * np.log(ratios[0])
    # Of a normal variable it is about that of chi-square with 99 degrees of freedom,
    # sqrt(128.42 / 73.36) = 1.323.
    assert ratios[0] == pytest.approx(1.323, rel=0.05)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_a_tiny_pilot_says_little(n):
    low, high = range_of_deviation(np.arange(n) - 0.3, 0.95)
    deviation = (np.arange(n) - 0.3).std(ddof=1)
    assert 0 < low < deviation < high < np.inf


def test_a_pilot_of_two_queries_says_next_to_nothing():
    with pytest.warns(UserWarning, match="is a guess"):
        needed = required_queries([-0.3, 0.1], 1e-5)
    assert needed.low < needed.n < 2**40 < needed.high
