"""The order by score and the order by grade as wholes: Spearman and RBO."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from skrank.metrics import rbo_score, spearman_score


@pytest.mark.parametrize("grades", [3, 50])
def test_spearman_is_that_of_scipy_without_tied_scores(grades):
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, grades, (20, 30)), rng.random((20, 30))
    expected = [
        stats.spearmanr(*pair).statistic for pair in zip(y_true, y_score, strict=True)
    ]
    got = spearman_score(y_true, y_score, average=None)
    np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_spearman_of_tied_scores_is_the_mean_over_their_orders_not_that_of_scipy():
    y_true, y_score = [2, 0, 1, 1], [1, 1, 1, 0]
    orders = [
        stats.spearmanr(y_true, [*order, 0]).statistic
        for order in itertools.permutations([1, 2, 3])
    ]
    got = spearman_score(y_true, y_score)
    assert got == pytest.approx(sum(orders) / len(orders), abs=1e-15)
    # Rank sums of squares: 5 for strict scores, 3 for tied ones.
    y_true = [3, 1, 2, 0]
    shared = stats.spearmanr(y_true, y_score).statistic
    assert spearman_score(y_true, y_score) == pytest.approx(shared * math.sqrt(3 / 5))


def test_spearman_worked_by_hand():
    # 1 - 6 sum d ** 2 / (n (n ** 2 - 1)).
    value = spearman_score([3, 2, 1, 0], [4, 3, 1, 2])
    assert value == pytest.approx(1 - 6 * 2 / (4 * 15))
    assert spearman_score([2, 1, 0], [1, 2, 3]) == pytest.approx(-1)
    # A graded pair: the mean ranks 1, 2.5, 2.5 against 1, 2, 3.
    value = spearman_score([1, 0, 0], [3, 2, 1])
    assert value == pytest.approx(1.5 / math.sqrt(1.5 * 2))


def expected_overlap(y_true, y_score, p):
    """Add up the chances of each document at each depth."""

    def chances(keys, depth):
        for key in keys:
            above, size = sum(k > key for k in keys), sum(k == key for k in keys)
            yield min(max((depth - above) / size, 0), 1)

    n = len(y_true)
    value = p**n
    for depth in range(1, n + 1):
        both = zip(chances(y_score, depth), chances(y_true, depth), strict=True)
        value += (1 - p) * p ** (depth - 1) * sum(a * b for a, b in both) / depth
    return value


@pytest.mark.slow_rows
@pytest.mark.parametrize("p", [1e-6, 0.5, 0.9, 0.999, 1 - 1e-9])
@pytest.mark.parametrize("n_levels", [2, 6, 1000])
def test_rbo_is_the_sum_over_all_depths(n_levels, p):
    rng = np.random.default_rng(1)
    y_true = rng.integers(0, 5, 60) * rng.integers(0, 2, 60)
    y_score = rng.integers(0, n_levels, 60)
    expected = expected_overlap(y_true.tolist(), y_score.tolist(), p)
    assert rbo_score(y_true, y_score, p=p) == pytest.approx(expected, rel=1e-12)


def test_rbo_worked_by_hand():
    # The overlaps of 213 and 123 are 0, 1, 1.
    value = rbo_score([3, 2, 1], [2, 3, 1], p=0.8)
    assert value == pytest.approx(0.2 * (0 + 0.8 + 0.8**2) + 0.8**3)
    # Of two equal grades the first is at the top of either order every other time.
    value = rbo_score([1, 1, 0], [3, 2, 1], p=0.8)
    assert value == pytest.approx(0.2 * (1 / 2 + 0.8 + 0.8**2) + 0.8**3)


def test_rbo_of_equal_orders_without_ties_is_one_however_long():
    for n in (2, 100, 20_000):
        order = np.random.default_rng(0).permutation(n)
        for p in (0.01, 0.9, 0.9999):
            assert rbo_score([order], [order], p=p) == pytest.approx(1, abs=1e-12)


def test_rbo_of_a_long_list_is_that_of_its_top():
    rng = np.random.default_rng(2)
    y_true, y_score = rng.permutation(3000), rng.permutation(3000)
    y_true[:40] = y_score[:40] = np.arange(10_000, 10_040)
    overlap = math.fsum(0.5 * 0.5**d for d in range(40))
    value = rbo_score([y_true], [y_score], p=0.5)
    assert value == pytest.approx(overlap, abs=0.5**39)


def test_documents_that_are_not_relevant_share_the_lowest_grade():
    y_score = [4, 3, 2, 1]
    for score in (spearman_score, rbo_score):
        low = score([1, 3, 2, 1], y_score, threshold=1)
        assert low == score([0, 3, 2, 0], y_score)
        assert low != score([1, 3, 2, 0], y_score)


@pytest.mark.parametrize("p", [0, 1, -0.5, np.nan])
def test_the_persistence_is_a_chance_that_is_never_sure(p):
    with pytest.raises(ValueError, match="'p' parameter of rbo_score must be a float"):
        rbo_score([0, 1], [1, 2], p=p)
