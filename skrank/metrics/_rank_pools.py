"""Averages of first relevant ranks other than the arithmetic mean."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from scipy.stats import norm

from skrank.metrics._first_ranks import has_one_rank, ranks_of_all, weighted_median
from skrank.metrics._summary import check_not_negative, mean_of_queries, scaled

# 1.4826: a normal distribution's standard deviation over its median absolute deviation.
NORMAL = float(1 / norm.ppf(0.75))


def ranks_with_weights(ranking, instead, values, weight):
    """Return (rank, mass): the ranks of all queries whose values are not NaN.

    A query whose rank is certain has the rank `instead`, unless that is NaN.
    """
    known = ~np.isnan(values)
    weight = known / 1.0 if weight is None else known * scaled(weight)
    instead = np.where(has_one_rank(ranking) & known, instead, np.nan)
    return ranks_of_all(ranking, weight, instead)


def pooled_median(ranking, values, weight):
    """Return the median of the possible ranks of the first relevant documents."""
    rank, mass = ranks_with_weights(ranking, values, values, weight)
    return _median(ranking, rank, mass)


def _median(ranking, value, mass):
    # The probabilities of tied ranks are rounded.
    is_exact = bool(has_one_rank(ranking).all())
    one = np.zeros(len(value), dtype=np.intp)
    return float(weighted_median(one, value, mass, 1, is_exact)[0])


def pooled_geometric_mean(ranking, values, weight):
    """Return the geometric mean over the queries."""
    check_not_negative(values)
    with np.errstate(divide="ignore"):
        return float(np.exp(mean_of_queries(ranking, np.log(values), weight)))


def pooled_harmonic_mean(ranking, values, weight):
    """Return the harmonic mean over the queries."""
    check_not_negative(values)
    with np.errstate(divide="ignore"):
        return float(np.divide(1, mean_of_queries(ranking, 1 / values, weight)))


def ranks_of(ranking, values, weight):
    """Return the ranks of all queries, and their weights."""
    # The spread of a query with one possible rank is 0; another value is the rank that
    # replaces an undefined query.
    is_own = has_one_rank(ranking) & (ranking._n_found > 0) & (values == 0)
    instead = np.where(is_own, np.nan, values)
    return ranks_with_weights(ranking, instead, values, weight)


def pooled_variance(ranking, values, weight):
    """Return the variance of the possible ranks of the first relevant documents."""
    rank, mass = ranks_of(ranking, values, weight)
    total = mass.sum()
    if not total > 0:
        return np.nan
    mean = (mass * rank).sum() / total
    return float((mass * (rank - mean) ** 2).sum() / total)


def pooled_deviation(ranking, values, weight):
    """Return the standard deviation of the ranks."""
    return float(np.sqrt(pooled_variance(ranking, values, weight)))


def pooled_median_deviation(ranking, values, weight):
    """Return the scaled median absolute deviation of the ranks."""
    rank, mass = ranks_of(ranking, values, weight)
    median = _median(ranking, rank, mass)
    return NORMAL * _median(ranking, np.abs(rank - median), mass)
