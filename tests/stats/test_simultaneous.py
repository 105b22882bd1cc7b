"""Intervals of several differences that agree with the adjusted p-values."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import t as student

from skrank.stats import compare_rankers
from tests.studies.families import contradictions, random_family

pytestmark = pytest.mark.filterwarnings("ignore:The p-value may be too small")


def values_of(n_rankers, n, seed=0):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n_rankers, n)) + 0.4 * np.arange(n_rankers)[:, None]
    return {f"r{i}": one for i, one in enumerate(values)}


def statistic(x):
    return x.sum() / np.sqrt((x**2).sum())


def by_enumeration(differences, level):
    """The critical value of |T| over all signs, around 0 or around the means."""
    signs = np.array(list(itertools.product([1, -1], repeat=len(differences))))
    found = []
    for x in differences, differences - differences.mean(axis=0):
        norm = np.sqrt((x**2).sum(axis=0))
        largest = np.sort((np.abs(signs @ x) / norm).max(axis=1))
        # The largest value that more than level * n of them reach.
        found.append(largest[len(largest) - 1 - int(level * len(largest))])
    return max(found)


@pytest.mark.parametrize("level", [0.05, 0.2])
def test_the_ends_are_the_last_differences_that_are_not_significant(level):
    values = values_of(3, 9)
    comparison = compare_rankers(values, confidence_level=1 - level)
    pairs = [(row.ranker, row.baseline) for row in comparison.rows]
    differences = np.column_stack([values[one] - values[two] for one, two in pairs])
    critical = by_enumeration(differences, level)
    assert comparison.rows
    for row, d in zip(comparison.rows, differences.T, strict=True):
        ends = [
            brentq(lambda x, d=d: abs(statistic(d - x)) - critical, *between)
            for between in [(d.mean() - 50, d.mean()), (d.mean(), d.mean() + 50)]
        ]
        assert [row.low, row.high] == pytest.approx(ends, abs=1e-9)


def test_they_are_wider_than_one_by_one_and_say_so():
    values = values_of(4, 60)
    together = compare_rankers(values)
    single = compare_rankers(values, correction=None)
    assert (together.are_simultaneous, single.are_simultaneous) == (True, False)
    assert together.rows
    for one, other in zip(together.rows, single.rows, strict=True):
        assert one.low < other.low < other.difference < other.high < one.high
        assert one.pvalue == other.pvalue
        assert one.detectable > other.detectable
    assert "simultaneous" in str(together)
    assert "one by one" in str(single)


def test_one_comparison_has_the_interval_of_its_test():
    values = values_of(2, 40)
    (one,) = compare_rankers(values).rows
    (other,) = compare_rankers(values, correction=None).rows
    assert one == other
    assert not compare_rankers(values).are_simultaneous


def test_intervals_of_t_tests_without_a_correction_are_those_of_student():
    values = values_of(3, 30)
    rows = compare_rankers(values, test="t", correction=None).rows
    assert rows
    for row in rows:
        d = values[row.ranker] - values[row.baseline]
        radius = student.ppf(0.975, 29) * d.std(ddof=1) / np.sqrt(30)
        expected = [d.mean() - radius, d.mean() + radius]
        assert [row.low, row.high] == pytest.approx(expected)


def test_so_few_queries_that_nothing_is_significant_have_no_ends():
    with pytest.warns(UserWarning, match="No sign-flip test of 4 queries can reject"):
        rows = compare_rankers(values_of(3, 4)).rows
    ends = [(row.low, row.high, row.detectable) for row in rows]
    assert ends == [(-np.inf, np.inf, np.inf)] * 3


@pytest.mark.slow
@pytest.mark.parametrize("correction", ["max-t", None])
def test_an_interval_excludes_0_exactly_if_the_p_value_is_small(correction):
    for seed in range(60):
        family = random_family(np.random.default_rng(seed))
        odd, rows = contradictions(*family, correction)
        assert not odd, (seed, odd[0])
        assert len(rows) > 1


@pytest.mark.parametrize("seed", range(4))
def test_each_end_has_the_critical_value_of_all(seed):
    rng = np.random.default_rng(seed)
    weight = rng.choice([0.5, 1, 3], size=60)
    values, found = values_of(5, 60, seed), []
    columns = {"sample_weight": weight} if seed % 2 else {}
    weight = weight if seed % 2 else np.ones(60)
    for row in compare_rankers(values | columns, test="permutation").rows:
        d = values[row.ranker] - values[row.baseline]
        for end in row.low, row.high:
            x = weight * (d - end)
            found.append(abs(x.sum()) / np.sqrt((x**2).sum()))
    assert len(found) == 20
    assert found == pytest.approx([found[0]] * 20, rel=1e-9)
