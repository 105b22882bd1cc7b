"""Metrics adjusted for chance: their expectation and variance under random orders."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import math
from functools import partial

import numpy as np

from skrank.metrics._first_ranks import (
    FirstRanks,
    first_groups,
    means_at_first,
    values_at_first,
)

# Up to so many distinct powers, each is computed on its own.
FEW_POWERS = 4

# Above this exponent p ln r the series of e^(p ln r) has too many terms.
LARGEST_EXPONENT = 2.0


def adjust(queries, score, adjusted):
    """Compare a score with its expectation E under random orders.

    Parameters
    ----------
    queries : Values
        The values behind the score.
    score : float or ndarray of shape (n_queries,)
        The metric M.
    adjusted : {True, "ratio", "z"}
        What to return.

    Returns
    -------
    adjusted : float or ndarray of shape (n_queries,)
        (M - E) / (B - E) with the value B of the ideal ranking; M / E for "ratio";
        (M - E) / sqrt(V) for "z", with the sign that makes larger better. NaN where all
        orderings have the same value.
    """
    metric, deviation = queries.metric, None
    if metric.moments is not None:
        expected, deviation = metric.moments(queries, queries.measured.ranks.chance)
    else:
        expected = queries.summary("chance")
        if adjusted == "z":
            deviation = np.sqrt(summed_variance(queries))
    if adjusted == "ratio":
        return _ratio(score, expected)
    if adjusted == "z":
        sign = 1 if metric.greater_is_better else -1
        return sign * _ratio(score - expected, deviation) + 0.0  # never -0.0
    best = queries.summary("ideal")
    # Sums in different orders differ by rounding errors.
    rounding = 1e-12 * np.maximum(np.abs(best), np.abs(expected))
    gain, span = np.subtract(score, expected), np.subtract(best, expected)
    gain = np.where(np.abs(gain) <= rounding, 0, gain)
    flat = np.abs(span) <= rounding
    return np.where(flat, np.nan, gain / np.where(flat, 1, span) + 0.0)


def _ratio(value, unit):
    """Return value / unit, NaN where the unit is 0."""
    is_zero = np.equal(unit, 0)
    return np.where(is_zero, np.nan, value / np.where(is_zero, 1, unit))


def summed_variance(queries):
    """Return the variance of a mean over queries under random orders.

        V[sum_i w_i x_i] = sum_i w_i^2 V[x_i],  V[x] = E[x^2] - E[x]^2,

    since the values x_i of the queries are independent; without an average, the V[x_i].
    """
    value = queries.metric.value

    def squared(ranking, k=None):
        return ranking.expected_at_first(
            lambda rank: np.square(value(rank), dtype=np.float64), k
        )

    mean, random = queries.measured.chance, queries.measured.ranks.chance
    mean_square = values_at_first(squared, random, queries.own)
    variance = mean_square - mean**2
    # The variance of a value that is equal in all orders is rounding error.
    is_random = ~np.isnan(queries.measured.values) & (variance > 1e-12 * mean_square)
    variance = np.where(is_random, variance, 0)
    proportions = queries.proportions
    return variance if proportions is None else (proportions**2 * variance).sum()


def moments_of_geometric_mean(queries, random):
    """Return the mean and the standard deviation of prod_i r_i^w_i.

    The ranks r_i of the queries are independent under random orders, so that

        E[prod_i r_i^w_i] = prod_i E[r_i^w_i],  V = E[prod_i r_i^2w_i] - E[...]^2.
    """
    values, proportions = queries.replaced, queries.proportions
    power = np.ones(len(values)) if proportions is None else proportions
    with np.errstate(divide="ignore", invalid="ignore"):
        log_value = power * np.log(values)
    undefined = np.isnan(queries.measured.values)
    log_once, log_twice = _log_mean_powers(random, power)
    log_mean = np.where(undefined, log_value, log_once)
    # E[x^2] - E[x]^2, without the difference of two numbers that are nearly equal.
    spread = np.where(undefined, 0, log_twice - 2 * log_once)
    # A query that no order changes has no variance but that of rounding.
    spread = np.where(spread > 1e-12 * log_twice, spread, 0)
    if proportions is not None:
        used = ~np.isnan(values)
        log_mean, spread = log_mean[used].sum(), spread[used].sum()
    mean = np.exp(log_mean)
    with np.errstate(over="ignore"):
        return mean, mean * np.sqrt(np.expm1(spread))


def _log_mean_powers(random, power):
    """Return ln E[r_i^p_i] and ln E[r_i^2p_i] of each query under random orders."""
    powers, place = np.unique(power, return_inverse=True)
    if len(powers) <= FEW_POWERS:
        groups = first_groups(random)
        logs = np.empty((2, len(power)))
        for i, one in enumerate(powers):
            rows = place == i
            part = FirstRanks(*groups[:, rows])
            for log, times in zip(logs, (1, 2), strict=True):
                log[rows] = _log_mean_power(part, times * one)
        return logs
    return _by_moments(random, power)


def _log_mean_power(ranking, power):
    mean = values_at_first(_mean_less_1, ranking, {"power": power})
    return np.log1p(mean)


def _mean_less_1(ranking, *, power):
    # E[r^p] - 1 keeps the digits of small powers.
    return ranking.expected_at_first(
        lambda rank: np.expm1(power * np.log(rank)), missing=np.nan
    )


def _by_moments(random, power):
    """Return the same as `_log_mean_powers`, from moments that all queries share.

        E[r^p] = E[e^(p ln r)] = sum_m p^m E[(ln r)^m] / m!

    All terms are positive, and few where p ln r stays below LARGEST_EXPONENT. The
    proportions of queries sum to 1, so that few of them are larger.
    """
    groups = first_groups(random)
    unit = np.log(max(int((groups[0] + groups[1]).max(initial=1)), 2))
    exponent = 2 * power * unit
    large = exponent > LARGEST_EXPONENT
    top = exponent[~large].max(initial=0.0)
    n_terms = 1
    while top**n_terms > 1e-17 * math.factorial(n_terms) * top:
        n_terms += 1
    logs = np.zeros((2, len(power)))
    term = [np.ones(len(power)) for _ in logs]
    moments = means_at_first(
        [partial(_log_power, unit=unit, power=m) for m in range(1, n_terms + 1)], random
    )
    for m, moment in enumerate(moments, 1):
        for i, factor in enumerate((exponent / 2, exponent)):
            term[i] = term[i] * np.where(large, 0, factor) / m
            logs[i] += term[i] * moment
    logs = np.log1p(logs)
    for row in np.flatnonzero(large):
        part = FirstRanks(*groups[:, [row]])
        for log, times in zip(logs, (1, 2), strict=True):
            log[row] = _log_mean_power(part, times * power[row])[0]
    return logs


def _log_power(rank, *, unit, power):
    return (np.log(rank) / unit) ** power
