"""Means and variances of metrics of the first rank under random orders."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._ranking.neighbours import starts_of
from skrank.metrics._first_ranks import FirstRanks, first_groups, values_at_first


def summed_variance(queries, random):
    """Return the variance of a mean over queries under random orders.

    Parameters
    ----------
    queries : Queries
        Their metric is the expectation of ``metric.value(rank)``.
    random : RankedQueries
        The ranking in which all documents of a query are tied.

    Returns
    -------
    variance : float or ndarray of shape (n_queries,)
        V[sum_i w_i x_i] = sum_i w_i^2 V[x_i] of independent x_i, with V[x] =
        E[x^2] - E[x]^2; that of each query if nothing is averaged.
    """
    value = queries.metric.value

    def squared(ranking, k=None):
        return ranking.expected_at_first(
            lambda rank: np.square(value(rank), dtype=np.float64), k
        )

    mean = queries.values_in(random)
    mean_square = values_at_first(squared, random, queries.own)
    variance = mean_square - mean**2
    # A value that no order changes has no variance but that of rounding.
    is_random = ~queries.undefined & (variance > 1e-12 * mean_square)
    variance = np.where(is_random, variance, 0)
    proportions = queries.proportions
    return variance if proportions is None else (proportions**2 * variance).sum()


def moments_of_geometric_mean(queries, random):
    """Return the mean and the standard deviation of prod_i r_i^w_i.

    The ranks r_i of the queries are independent under random orders, so that

        E[prod_i r_i^w_i] = prod_i E[r_i^w_i],  V = E[prod_i r_i^2w_i] - E[...]^2.
    """
    values, proportions = queries.replaced(queries.values), queries.proportions
    power = np.ones(len(values)) if proportions is None else proportions
    with np.errstate(divide="ignore", invalid="ignore"):
        log_value = power * np.log(values)
        logs = [
            np.where(
                queries.undefined, times * log_value, _log_mean_power(random, exponent)
            )
            for times, exponent in ((1, power), (2, 2 * power))
        ]
        if proportions is not None:
            logs = [log[~np.isnan(values)].sum() for log in logs]
        log_mean, log_square = logs
        mean = np.exp(log_mean)
        # E[x^2] - E[x]^2, without the difference of two numbers that are nearly equal.
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
