"""The tests of paired differences, and adjusted p-values."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank.stats.paired_tests import benjamini_hochberg, holm, max_t


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
