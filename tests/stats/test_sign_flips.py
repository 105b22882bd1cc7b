"""Sign-flip tests against full enumeration, SciPy and the binomial distribution."""

# SPDX-License-Identifier: BSD-3-Clause

import functools
import itertools

import numpy as np
import pytest
from scipy.stats import binom, permutation_test

from skrank.stats.sign_flips import (
    _by_halves,
    _on_lattice,
    accepted,
    agree,
    draw_signs,
    exact_probability,
    flipped_sums,
    subset_means,
)

KINDS = {
    "continuous": lambda rng, n: rng.randn(n),
    "tenths": lambda rng, n: rng.randint(-10, 11, size=n) / 10,
    "hits": lambda rng, n: rng.randint(-1, 2, size=n).astype(float),
    "reciprocal ranks": lambda rng, n: (
        1 / rng.randint(1, 6, n) - 1 / rng.randint(1, 6, n)
    ),
}


def enumerate_all(x):
    """Return P(S* >= S) over all signs."""
    total, rounding = x.sum(), 1e-12 * np.abs(x).sum()
    return np.mean(all_signs(len(x)) @ x >= total - rounding)


@functools.cache
@functools.cache
def all_signs(n):
    return np.array(list(itertools.product([1, -1], repeat=n)))


@pytest.mark.parametrize("kind", KINDS)
def test_the_probability_is_that_of_all_signs(kind):
    rng = np.random.RandomState(0)
    for n in range(1, 15):
        x = KINDS[kind](rng, n)
        assert exact_probability(x) == pytest.approx(enumerate_all(x), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["continuous", "tenths"])
def test_the_probability_is_that_of_scipy_for_16_differences(kind):
    x = KINDS[kind](np.random.RandomState(1), 16)
    theirs = permutation_test(
        (x,), np.sum, permutation_type="samples", alternative="greater",
        n_resamples=np.inf,
    )  # fmt: skip
    assert exact_probability(x) == pytest.approx(theirs.pvalue, abs=1e-12)


@pytest.mark.parametrize("kind", ["tenths", "hits", "reciprocal ranks"])
@pytest.mark.parametrize("n", [8, 14])
def test_the_lattice_gives_the_same_as_counting(kind, n):
    x = KINDS[kind](np.random.RandomState(n), n)
    x = x[x != 0]
    assert _on_lattice(x) == pytest.approx(enumerate_all(x), rel=1e-9)


def test_the_lattice_gives_the_same_as_the_halves_for_30_differences():
    x = np.random.RandomState(0).choice([-0.7, -0.3, 0.2, 0.6], size=30)
    assert _on_lattice(x) == pytest.approx(_by_halves(x), rel=1e-12)


@pytest.mark.parametrize(
    ("wins", "losses"), [(20, 15), (100, 80), (300, 20), (50, 90), (5000, 3000)]
)
def test_the_probability_of_hits_is_binomial(wins, losses):
    x = np.repeat([1.0, -1.0], [wins, losses])
    expected = binom.sf(wins - 1, wins + losses, 0.5)
    assert exact_probability(x) == pytest.approx(expected, rel=1e-10)


def test_differences_of_equal_sign_have_the_smallest_probability():
    assert exact_probability(np.full(40, 0.1)) == 2.0**-40
    assert exact_probability(np.full(20, 0.3)) == 2.0**-20


def test_no_probability_is_0():
    assert exact_probability(np.ones(5000)) > 0


def test_tenths_that_are_equal_but_for_rounding_count_as_equal():
    # The sums of all signs of 0.1, 0.2 and 0.3 are 0.6, 0.4, 0.2, 0 and their
    # negatives. 0.1 + 0.2 - 0.3 is 0, which two of the eight are: five reach it. In
    # floating point it is 5.6e-17, and -0.1 - 0.2 + 0.3 is less.
    assert exact_probability(np.array([0.1, 0.2, -0.3])) == 5 / 8
    assert exact_probability(np.array([-0.1, -0.2, 0.3])) == 5 / 8


def test_differences_without_a_common_unit_are_left_to_random_signs():
    assert exact_probability(np.random.RandomState(0).randn(31)) is None


@pytest.mark.parametrize("n", [1, 7, 8, 9, 13])
def test_few_units_get_all_combinations_of_signs_once(n):
    sums = flipped_sums(2.0 ** np.arange(n)[:, None], 99, 0)
    expected = sorted(np.arange(2**n) * 2.0 - (2**n - 1))
    assert sorted(sums[0]) == expected
    assert sums[0, 0] == 2**n - 1


def test_the_sums_of_random_flips_are_those_of_a_loop():
    x = np.random.RandomState(0).randn(21, 3)
    n_flips, codes = draw_signs(21, 50, 0)
    assert n_flips == 51
    bits = np.unpackbits(np.array([*codes]).T, axis=1, bitorder="little")
    assert bits.shape == (51, 24)
    signs = 1.0 - 2.0 * bits[:, :21]
    signs[0] = 1  # the first flip flips nothing
    np.testing.assert_allclose(flipped_sums(x, 50, 0).T, signs @ x, atol=1e-13)
    assert signs[1:].mean() == pytest.approx(0, abs=0.1)
    assert len(np.unique(signs, axis=0)) == 51


def test_the_signs_of_flips_can_be_relative_to_those_of_the_units():
    x = np.random.RandomState(0).randn(21, 1)
    relative = flipped_sums(x, 50, 0, signs=np.sign(x[:, 0]))
    of_sizes = flipped_sums(np.abs(x), 50, 0)
    np.testing.assert_allclose(relative[0, 1:], of_sizes[0, 1:], atol=1e-13)
    assert relative[0, 0] == pytest.approx(x.sum())


@pytest.mark.slow
def test_the_bounds_are_the_extreme_differences_that_no_test_rejects():
    rng = np.random.RandomState(0)
    for n in (6, 7, 9):
        x, ones = rng.randn(n, 3), np.ones((n, 3))
        means = subset_means(
            x.sum(axis=0), ones.sum(axis=0), flipped_sums(x, 0, 0),
            flipped_sums(ones, 0, 0),
        )  # fmt: skip
        low, high = accepted(means.copy(), 0.025)
        # By brute force over the means of all subsets, the only places where the
        # p-value changes.
        for j in range(3):
            every = np.sort(means[j])
            left = [m for m in every if enumerate_all(x[:, j] - m) > 0.025]
            right = [m for m in every if enumerate_all(m - x[:, j]) > 0.025]
            assert low[j] == pytest.approx(min(left), abs=1e-12)
            assert high[j] == pytest.approx(max(right), abs=1e-12)


def test_the_bounds_agree_with_p_values_that_are_given():
    means = np.array([[np.nan, 0.1, 0.2, 0.3, 0.4]])
    assert accepted(means.copy(), 0.3).tolist() == [[0.1], [0.4]]
    assert accepted(means.copy(), 0.1).tolist() == [[-np.inf], [np.inf]]

    def end_of(end, sign, null, rejected):
        given = [np.array([x]) for x in (end, rejected, 0.25)]
        return agree(given[0], sign, null, given[1], means, given[2])[0]

    assert end_of(0.1, 1, 0.15, True) == 0.2
    assert end_of(0.1, 1, 0.05, False) == 0.05
    assert end_of(0.1, 1, 0.24, True) == 0.25
    assert end_of(0.4, -1, 0.35, True) == 0.3


@pytest.mark.slow
def test_the_sums_of_segments_are_those_of_each_column_alone():
    # Each unit counts in one of twenty columns, and the last ones in two.
    rng = np.random.RandomState(0)
    columns = np.zeros((200, 20))
    columns[np.arange(200), np.arange(200) // 10] = rng.randn(200)
    columns[195:, 0] = rng.randn(5)
    signs = np.where(rng.rand(200) < 0.5, -1.0, 1.0)
    whole = flipped_sums(columns, 99, 0, signs)
    for j, sums in enumerate(whole):
        alone = flipped_sums(columns[:, [j]], 99, 0, signs)
        assert sums == pytest.approx(alone[0], rel=1e-12, abs=1e-14)
