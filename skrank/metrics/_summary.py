"""From one value per query to the number that a metric returns."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import NamedTuple

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skrank._checks import warn_caller
from skrank.metrics._first_ranks import values_at_first
from skrank.metrics._rank_law import summed_variance


class Summary(NamedTuple):
    """How the values of the queries become a number.

    Attributes
    ----------
    replace_undefined_by : float
        The value of an undefined query; NaN leaves it out.
    average : {"macro", "weighted"} or None
        How the queries are averaged; None returns the value of each.
    adjusted : {False, True, "ratio", "z"}
        What the metric is compared with.
    """

    replace_undefined_by: float
    average: str | None
    adjusted: bool | str


class Baselines(NamedTuple):
    """What an adjusted metric is compared with.

    Attributes
    ----------
    expected, best : float or ndarray of shape (n_queries,)
        The metric's expectation under random orders, and its value for the ideal
        ranking.
    deviation : float or ndarray of shape (n_queries,) or None
        Its standard deviation under random orders, where that is asked for.
    """

    expected: float | np.ndarray
    best: float | np.ndarray
    deviation: float | np.ndarray | None = None


def summarize(metric, own, ranking, how, sample_weight):
    """Apply the definition of a metric and summarize its values over the queries.

    Parameters
    ----------
    metric : Metric
        The metric.
    own : dict
        The parameters of its definition.
    ranking : RankedQueries
        The ranked queries.
    how : Summary
        How the values are summarized.
    sample_weight : array-like or None
        Weights of the rows, or of the queries of a matrix.

    Returns
    -------
    score : float or ndarray of shape (n_queries,)
        The summary; an array in the order of ``ranking.ids`` if ``how.average`` is
        None.
    """
    queries = Queries(metric, own, ranking, how, sample_weight)
    score = queries.summary(ranking, queries.values)
    if how.adjusted:
        score = adjust(score, queries.baselines(), how.adjusted, metric)
    if how.average is None:
        return np.where(np.isnan(score), how.replace_undefined_by, score)
    if np.isnan(score):
        warn_caller(
            "The metric is undefined for every query, so its mean is NaN. Pass "
            "`replace_undefined_by` to give an undefined query a value.",
            UndefinedMetricWarning,
        )
    return float(score)


class Queries:
    """The values of all queries and how they are summarized."""

    def __init__(self, metric, own, ranking, how, sample_weight):
        self.metric, self.own, self.ranking, self.how = metric, own, ranking, how
        self.weight = _weights(ranking, how, sample_weight)
        self.values = self.values_in(ranking)
        self.undefined = np.isnan(self.values)

    def values_in(self, ranking):
        """Return the value of each query in a ranking."""
        if self.metric.reads_first_rank:
            return values_at_first(self.metric.definition, ranking, self.own)
        return self.metric.definition(ranking, **self.own)

    def summary(self, ranking, values):
        """Return the summary of values; themselves if there is no average."""
        inverse = self.metric.inverse
        if self.how.average is None:  # undefined ones are replaced at the end
            return 1 / values if inverse else values
        values = self.replaced(values)
        score = self.metric.pool(ranking, values, self.weight)
        return _reciprocal(score) if inverse else score

    def replaced(self, values):
        """Return values with the undefined ones replaced."""
        instead = self.how.replace_undefined_by
        if self.metric.inverse:  # a value of the inverse stands for a rank
            check_not_negative(np.array([instead]))
            instead = _reciprocal(instead)
        return np.where(self.undefined, instead, values)

    def baselines(self):
        """Return what the summary is compared with."""
        random, ideal = self.ranking.chance, self.ranking.ideal
        best = self.summary(ideal, self.values_in(ideal))
        if self.metric.moments is not None:
            expected, deviation = self.metric.moments(self, random)
            return Baselines(expected, best, deviation)
        expected = self.summary(random, self.values_in(random))
        deviation = None
        if self.how.adjusted == "z":
            variance = summed_variance(self, random)
            deviation = np.sqrt(variance)
        return Baselines(expected, best, deviation)

    @property
    def proportions(self):
        """Return the proportion of each query in the average; None without one."""
        if self.how.average is None:
            return None
        known = ~np.isnan(self.replaced(self.values))
        weight = known / 1.0 if self.weight is None else known * self.weight
        total = weight.sum()
        return weight / total if total > 0 else weight


def _weights(ranking, how, sample_weight):
    """Return the weight of each query, or None if all weigh the same."""
    weight = ranking._query_weights(sample_weight)
    if how.average != "weighted":
        return weight
    n_documents = ranking.n_documents.astype(np.float64)
    return n_documents if weight is None else weight * n_documents


def _reciprocal(value):
    with np.errstate(divide="ignore"):
        return float(np.divide(1, value))


def adjust(score, baselines, adjusted, metric):
    """Compare a score with its baselines.

    Returns
    -------
    adjusted : float or ndarray of shape (n_queries,)
        M / E for "ratio"; (M - E) / sqrt(V) for "z", with the sign that makes larger
        better; else (M - E) / (B - E). NaN where random orders cannot differ.
    """
    expected, best, deviation = baselines
    if adjusted == "ratio":
        return _ratio(score, expected)
    if adjusted == "z":
        sign = 1 if metric.greater_is_better else -1
        return sign * _ratio(score - expected, deviation) + 0.0  # never -0.0
    # Sums in another order differ in their last digits.
    rounding = 1e-12 * np.maximum(np.abs(best), 1)
    gain, span = np.subtract(score, expected), np.subtract(best, expected)
    gain = np.where(np.abs(gain) <= rounding, 0, gain)
    flat = np.abs(span) <= rounding
    return np.where(flat, np.nan, gain / np.where(flat, 1, span) + 0.0)


def _ratio(value, unit):
    """Return value / unit, NaN where the unit is 0 but for rounding."""
    is_zero = np.abs(unit) <= 1e-12
    return np.where(is_zero, np.nan, value / np.where(is_zero, 1, unit))


def check_not_negative(values):
    """Raise if what replaces an undefined value cannot be averaged as a rank."""
    if (values < 0).any():
        raise ValueError(
            "The 'replace_undefined_by' parameter must be NaN or >= 0: it is averaged "
            f"with ranks, and not as a sum. Got {np.nanmin(values)} instead."
        )


def mean_of_queries(ranking, values, weight):
    """Return the weighted mean of the values that are not NaN."""
    known = ~np.isnan(values)
    values = values[known]
    if weight is None:
        return float(values.mean()) if len(values) else float("nan")
    weight = weight[known]
    total = weight.sum()
    return float(np.dot(values, weight) / total) if total > 0 else float("nan")
