"""Mean and variance of rank metrics under random scores, in closed form."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

# Throughout, the ranks r_i are independent and uniform on 1, ..., n_i, and w_i are
# their weights, which sum to 1.


def moments_of_rank(n, k=None):
    """Return E[r] and Var[r] for each number of candidates."""
    return (n + 1) / 2, (n * n - 1.0) / 12


def moments_of_reciprocal(n, k=None):
    """Return E[1/r] = H(n) / n and Var[1/r] = H_2(n) / n - (H(n) / n)^2."""
    place = np.arange(1, n.max(initial=0) + 1)
    mean = np.cumsum(1 / place)[n - 1] / n
    square = np.cumsum(1 / place**2.0)[n - 1] / n
    return mean, np.maximum(square - mean**2, 0)


def moments_of_hit(n, k=None):
    """Return p = min(k / n, 1) and p (1 - p)."""
    chance = np.minimum(k / n, 1)
    return chance, chance * (1 - chance)


def moments_of_mean(moments, n, weight, k=None):
    """Return the mean and the variance of sum_i w_i x_i."""
    mean, variance = moments(n, k)
    return np.dot(weight, mean), np.dot(weight**2, variance)


def moments_of_geometric_mean(n, weight):
    """Return the mean and the variance of prod_i r_i^w_i."""
    # E[prod r^w] = prod E[r^w], and E[r^w] is the mean of j^w over j = 1, ..., n.
    log_mean = log_square = 0.0
    place = np.arange(1.0, n.max(initial=0) + 1)
    for power in np.unique(weight):
        of_power = n[weight == power]
        log_mean += np.log(np.cumsum(place**power)[of_power - 1] / of_power).sum()
        square = np.cumsum(place ** (2 * power))[of_power - 1]
        log_square += np.log(square / of_power).sum()
    mean = np.exp(log_mean)
    # E[x^2] - E[x]^2, without the difference of two numbers that are nearly equal.
    return mean, mean**2 * np.expm1(max(log_square - 2 * log_mean, 0.0))
