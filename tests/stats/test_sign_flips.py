"""The sums of flipped signs, and bounds, against full enumeration."""

# SPDX-License-Identifier: BSD-3-Clause

import functools
import itertools

import numpy as np
import pytest

from skrank.stats.sign_flips import accepted, flipped_sums, subset_means


def enumerate_all(x):
    """Return P(S* >= S) over all signs."""
    total, rounding = x.sum(), 1e-12 * np.abs(x).sum()
    return np.mean(all_signs(len(x)) @ x >= total - rounding)


@functools.cache
def all_signs(n):
    return np.array(list(itertools.product([1, -1], repeat=n)))


@pytest.mark.parametrize("n", [1, 7, 8, 9, 13])
def test_few_units_get_all_combinations_of_signs_once(n):
    sums = flipped_sums(2.0 ** np.arange(n)[:, None], 99, 0)
    expected = sorted(np.arange(2**n) * 2.0 - (2**n - 1))
    assert sorted(sums[0]) == expected
    assert sums[0, 0] == 2**n - 1


def test_random_flips_take_signs_that_are_the_same_in_all_columns():
    # The signs of 21 units can be read from the sums of powers of two.
    powers = 2.0 ** np.arange(21)
    x = np.column_stack([powers, np.random.RandomState(0).randn(21, 2)])
    sums = flipped_sums(x, 50, 0)
    flipped = ((powers.sum() - sums[0]) / 2).astype(int)
    signs = 1 - 2 * (flipped[:, None] >> np.arange(21) & 1)
    np.testing.assert_allclose(sums.T, signs @ x, atol=1e-9)
    assert (signs[0] == 1).all()  # the first flip flips nothing
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


def test_a_subset_without_units_is_beyond_all_bounds():
    means = np.array([[np.nan, 0.1, 0.2, 0.3, 0.4]])
    assert accepted(means.copy(), 0.3).tolist() == [[0.1], [0.4]]
    assert accepted(means.copy(), 0.1).tolist() == [[-np.inf], [np.inf]]


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
