"""Metrics adjusted for chance: their expectation and variance under random orders."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._ranking.neighbours import starts_of
from skrank.metrics._first_ranks import FirstRanks, first_groups, values_at_first


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
    metric, random = queries.metric, queries.ranking.chance
    deviation = None
    if metric.moments is not None:
        expected, deviation = metric.moments(queries, random)
    else:
        expected = _summary_of(queries, random)
        if adjusted == "z":
            deviation = np.sqrt(summed_variance(queries, random))
    if adjusted == "ratio":
        return _ratio(score, expected)
    if adjusted == "z":
        sign = 1 if metric.greater_is_better else -1
        return sign * _ratio(score - expected, deviation) + 0.0  # never -0.0
    best = _summary_of(queries, queries.ranking.ideal)
    # Sums in different orders differ by rounding errors.
    rounding = 1e-12 * np.maximum(np.abs(best), 1)
    gain, span = np.subtract(score, expected), np.subtract(best, expected)
    gain = np.where(np.abs(gain) <= rounding, 0, gain)
    flat = np.abs(span) <= rounding
    return np.where(flat, np.nan, gain / np.where(flat, 1, span) + 0.0)


def _summary_of(queries, ranking):
    """Return the summary of another ranking of the same queries."""
    return queries.summary(ranking, queries.values_in(ranking))


def _ratio(value, unit):
    """Return value / unit, NaN where the unit is 0 up to rounding."""
    is_zero = np.abs(unit) <= 1e-12
    return np.where(is_zero, np.nan, value / np.where(is_zero, 1, unit))


def summed_variance(queries, random):
    """Return the variance of a mean over queries under random orders.

    Parameters
    ----------
    queries : Values
        Their metric is the expectation of ``metric.value(rank)``.
    random : RankedQueries
        The ranking in which all documents of a query are tied.

    Returns
    -------
    variance : float or ndarray of shape (n_queries,)
        V[sum_i w_i x_i] = sum_i w_i^2 V[x_i], since the values x_i of the queries are
        independent, with V[x] = E[x^2] - E[x]^2. Without an average, the V[x_i].
    """
    value = queries.metric.value

    def squared(ranking, k=None):
        return ranking.expected_at_first(
            lambda rank: np.square(value(rank), dtype=np.float64), k
        )

    mean = queries.values_in(random)
    mean_square = values_at_first(squared, random, queries.own)
    variance = mean_square - mean**2
    # The variance of a value that is equal in all orders is rounding error.
    is_random = ~np.isnan(queries.values) & (variance > 1e-12 * mean_square)
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
        undefined = np.isnan(queries.values)
        logs = [
            np.where(
                undefined, times * log_value, _log_mean_power(random, times * power)
            )
            for times in (1, 2)
        ]
        if proportions is not None:
            logs = [log[~np.isnan(values)].sum() for log in logs]
        log_mean, log_square = logs
        mean = np.exp(log_mean)
        # V = E[x]^2 (E[x^2] / E[x]^2 - 1): E[x^2] - E[x]^2 without cancellation.
        variance = np.expm1(np.maximum(log_square - 2 * log_mean, 0))
    return mean, mean * np.sqrt(variance)


def _log_mean_power(random, power):
    """Return ln E[r_i^p_i] of each query under random orders."""
    groups = first_groups(random)
    log_mean = np.empty(len(power))
    order = np.argsort(power, kind="stable")
    for rows in np.split(order, starts_of(power[order])[1:]):
        own = {"power": power[rows[0]]}
        part = FirstRanks(*groups[:, rows])
        log_mean[rows] = np.log(values_at_first(_mean_power, part, own))
    return log_mean


def _mean_power(ranking, *, power):
    return ranking.expected_at_first(lambda rank: rank**power, missing=np.nan)
