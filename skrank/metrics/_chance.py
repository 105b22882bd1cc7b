"""Scales that measure a summary of ranks by what random scores make of it."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._ranking.neighbours import starts_of
from skrank.metrics._first_ranks import FirstRanks, first_runs, values_at_first
from skrank.metrics._measure import adjust


def ratio(value, unit):
    """Return value / unit, NaN where the unit is 0 but for rounding."""
    is_zero = np.abs(unit) <= 1e-12
    return np.where(is_zero, np.nan, value / np.where(is_zero, 1, unit))


def to_adjusted(levels):
    """Scale to (M - E) / (B - E)."""
    return lambda value: adjust(value, levels.chance, levels.best)


def to_standardized(definition, square, sign=1):
    """Return the scale to (M - E) / sqrt(V), with the sign that makes larger better.

    Parameters
    ----------
    definition, square : callable
        The metric whose mean M is, and the expectation of its square.
    sign : {1, -1}, default=1
        -1 if less is better.

    Returns
    -------
    scale : callable
        As :func:`skrank.metrics._measure.scaled_by` takes it.
    """

    def scale(levels):
        mean = values_at_first(definition, levels.random, levels.own)
        mean_square = values_at_first(square, levels.random, levels.own)
        variance = mean_square - mean**2
        # Of the same value everywhere there is no variance but that of rounding.
        is_random = ~levels.undefined & (variance > 1e-12 * mean_square)
        variance = np.where(is_random, variance, 0)
        if levels.share is not None:
            # V[sum_i w_i x_i] = sum_i w_i^2 V[x_i] of independent x_i.
            variance = (levels.share**2 * variance).sum()
        deviation = np.sqrt(variance)
        return lambda value: sign * ratio(value - levels.chance, deviation) + 0.0

    return scale


def to_geometric_index(levels):
    """Scale a geometric mean rank to (M - E) / (B - E)."""
    mean, _ = _moments_of_geometric_mean(levels)
    return lambda value: adjust(value, mean, levels.best)


def to_standardized_geometric(levels):
    """Scale a geometric mean rank to (E - M) / sqrt(V)."""
    mean, deviation = _moments_of_geometric_mean(levels)
    return lambda value: ratio(mean - value, deviation)


def _moments_of_geometric_mean(levels):
    """Return the mean and the standard deviation of prod_i r_i^w_i."""
    power = np.ones(len(levels.values)) if levels.share is None else levels.share
    with np.errstate(divide="ignore", invalid="ignore"):
        log_value = power * np.log(levels.values)
        # E[prod r^w] = prod E[r^w], since the ranks are independent.
        logs = [
            np.where(levels.undefined, times * log_value, _log_mean_power(levels, p))
            for times, p in ((1, power), (2, 2 * power))
        ]
        if levels.share is not None:
            logs = [log[~np.isnan(levels.values)].sum() for log in logs]
        log_mean, log_square = logs
        mean = np.exp(log_mean)
        # E[x^2] - E[x]^2, without the difference of two numbers that are nearly equal.
        variance = np.expm1(np.maximum(log_square - 2 * log_mean, 0))
    return mean, mean * np.sqrt(variance)


def _log_mean_power(levels, power):
    """Return ln E[r_i^p_i] of each query under random scores."""
    runs = first_runs(levels.random)
    log_mean = np.empty(len(power))
    order = np.argsort(power, kind="stable")
    for rows in np.split(order, starts_of(power[order])[1:]):
        own = {"power": power[rows[0]]}
        part = FirstRanks(*runs[:, rows])
        log_mean[rows] = np.log(values_at_first(_mean_power, part, own))
    return log_mean


def _mean_power(ranking, *, power):
    return ranking.expected_at_first(lambda rank: rank**power, missing=np.nan)
