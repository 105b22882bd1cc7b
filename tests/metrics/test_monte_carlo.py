"""Longer lists, whose orders are too many to list: the mean over random ones."""

# SPDX-License-Identifier: BSD-3-Clause

import math

import numpy as np
import pytest

from tests.brute_force import NAMES, READS_ALL_GRADES, call

N_ORDERS = 4000

# Copies of a query are no more of the same: their sum is a different one.
NO_MEAN = {"num_rel", "num_rel_ret", "num_ret"}


def one_list(n=60, n_levels=4):
    rng = np.random.default_rng(0)
    y_true = rng.integers(1, 5, n) * (rng.random(n) < 0.15)
    return y_true, rng.integers(0, n_levels, n).astype(float)


def random_orders(y_score):
    """Return scores without ties, in random orders that these scores allow."""
    rng = np.random.default_rng(1)
    broken = rng.random((N_ORDERS, len(y_score))) + 2 * y_score
    return broken.argsort(axis=1).argsort(axis=1)


@pytest.mark.parametrize("name", sorted(set(NAMES) - NO_MEAN))
def test_the_expectation_is_the_mean_over_random_orders(name):
    y_true, y_score = one_list()
    own = {"max_grade": 5} if name.partition("@")[0] in READS_ALL_GRADES else {}
    expected = call(name, y_true, y_score, **own)
    orders = random_orders(y_score)
    grades = np.tile(y_true, (N_ORDERS, 1))
    values = call(name, grades, orders, average=None, **own)
    # Of one list the median is the expected rank.
    mean = call(name.replace("median", "mean"), grades, orders, **own)
    standard_error = values.std() / math.sqrt(N_ORDERS)
    assert abs(mean - expected) <= 5 * standard_error + 1e-12
    # The policies that choose an order lie as far apart as the best and the worst one.
    low, high = sorted(
        call(name, y_true, y_score, ties=ties, **own)
        for ties in ("pessimistic", "optimistic")
    )
    assert low - 1e-12 <= values.min()
    assert values.max() <= high + 1e-12
