"""From the values of queries to one number: averages, weights, chance."""

# SPDX-License-Identifier: BSD-3-Clause

from typing import NamedTuple

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skrank._engine.means import (
    MEANS,
    check_not_negative,
    reciprocal,
    scaled,
)
from skrank._engine.request import Metric
from skrank._input.callers import warn_caller

UNDEFINED = (
    "The metric is undefined for every query, so its mean is NaN. Pass "
    "`replace_undefined_by` to give an undefined query a value."
)
FLAT = (
    "The adjusted metric is undefined: no order of the documents changes the metric, "
    "so that its best value and its chance level coincide. The result is "
    "`replace_undefined_by`, {}.",
    "The adjusted metric is undefined: the chance level, which it is divided by, is 0. "
    "The result is `replace_undefined_by`, {}.",
)


class Measured(NamedTuple):
    """What determines the summary of a metric, whatever the other parameters are."""

    values: np.ndarray  # NaN for undefined queries
    chance: np.ndarray | None = None  # in random orders, if the metric is adjusted
    # In the ideal ranking, if it is adjusted; or the best, of a ratio of two sums.
    ideal: np.ndarray | None = None
    # The number of documents, if queries are weighted by it.
    n_documents: np.ndarray | None = None


def measure(request, ranking, known, alike=None):
    """Return the :class:`Measured` of a requested metric.

    `known` holds what was measured of the same rankings, to compute nothing twice:
    several metrics have one definition, such as those that are adjusted. `alike` is
    that of the same queries with other scores, to share what does not depend on them.
    """
    metric, options = request.metric, request.options
    own, definition = options.own, metric.definition
    if metric.takes_midrank:
        own = own | {"ties": options.ties}
    found = {}
    for part in _compared(request) if alike is None else ["values"]:
        one = ranking if part == "values" else getattr(ranking, part)
        done = known.setdefault((definition, id(one)), [])
        values = next((values for others, values, _ in done if others == own), None)
        if values is None:
            values = definition(one, **own)
            done.append((own, values, one))  # kept, or another could get its id
        found[part] = values
    if alike is not None:
        found |= {"chance": alike.chance, "ideal": alike.ideal}
    elif metric.best is not None and request.divides_sums:
        found["ideal"] = metric.best(ranking, **own)
    if options.average == "weighted":
        found["n_documents"] = ranking.n_candidates
    return Measured(**found)


def _compared(request):
    """Return which rankings the values of a requested metric are compared with."""
    adjusted = request.options.adjusted
    parts = ["values", "chance", "ideal"] if adjusted else ["values"]
    return parts[:2] if adjusted == "ratio" else parts


def parts_of(request):
    """Return which arrays of a :class:`Measured` a requested metric has, by name."""
    parts = _compared(request)
    if request.metric.best is not None and request.divides_sums:
        parts.append("ideal")
    return [*parts, "n_documents"] if request.options.average == "weighted" else parts


def summarize(request, measured, weight=None):
    """Return the summary of a requested metric, or its values if not averaged."""
    metric, options = request.metric, request.options
    instead, average = options.replace_undefined_by, options.average
    if average == "weighted":
        n_documents = measured.n_documents.astype(np.float64)
        if weight is not None and weight.max() > 2.0**960:
            weight = scaled(weight)  # no list is so long that the product overflows
        weight = n_documents if weight is None else weight * n_documents
    weight = None if average is None else weight
    # A probability may be too small for a float: 0 is as good.
    with np.errstate(under="ignore"):
        counts_as = instead if metric.best is None else request.instead
        given = metric, measured, options.own, counts_as
        queries = Values(*given, average, weight)
        score, reason = queries.summary("values"), UNDEFINED
        if options.adjusted:
            if average is not None and not np.isnan(score):
                reason = FLAT[options.adjusted == "ratio"].format(instead)
            score = adjust(queries, score, options.adjusted)
        if metric.best is not None and request.divides_sums:
            ratio = _in_units(score, queries.summary("ideal"))
            is_empty = np.isnan(ratio) & ~np.isnan(score)  # no query is defined
            score = np.where(is_empty, instead, ratio)
    if average is None:
        score = np.where(np.isnan(score), instead, score)
    elif np.isnan(score):
        warn_caller(reason, UndefinedMetricWarning)
        score = score if reason is UNDEFINED else instead
    # Adding 0.0 makes 0 of -0.0.
    return request.sign * (score if average is None else float(score)) + 0.0


class Values(NamedTuple):
    """The values of a metric and how they are summarized."""

    metric: "Metric"
    measured: Measured
    own: dict  # the parameters of its definition
    instead: float  # the value of an undefined query; NaN leaves it out
    average: str | None  # None returns the value of each query
    weight: np.ndarray | None

    def summary(self, which):
        """Return the summary of the "values", or of those of "chance" or "ideal".

        Queries that are undefined have their value replaced. Without an average the
        values are returned as they are, and replaced at the end.
        """
        inverse, values = self.metric.inverse, getattr(self.measured, which)
        if self.average is None:
            return 1 / values if inverse else values
        instead = self.instead
        if inverse:  # the replacement is an inverse rank, too
            check_not_negative(np.array([instead]))
            instead = reciprocal(instead)
        values = np.where(np.isnan(self.measured.values), instead, values)
        if self.weight is not None:
            values[self.weight == 0] = np.nan  # a query of weight 0 is left out
        score = self.metric.pool(values, self.weight)
        return reciprocal(score) if inverse else score


def adjust(queries, score, adjusted):
    """Compare a score M with its expectation E under random orders.

    Returns (M - E) / (B - E) with the value B of the ideal ranking for True; M / E for
    "ratio". NaN where all orderings have the same value.
    """
    expected = queries.summary("chance")
    if adjusted == "ratio":
        return _in_units(score, expected)
    best = queries.summary("ideal")
    # Sums in different orders differ by rounding errors.
    rounding = 1e-12 * np.maximum(np.abs(best), np.abs(expected))
    gain, span = np.subtract(score, expected), np.subtract(best, expected)
    gain = np.where(np.abs(gain) <= rounding, 0, gain)
    flat = np.abs(span) <= rounding
    return np.where(flat, np.nan, gain / np.where(flat, 1, span) + 0.0)


def _in_units(value, unit):
    """Return value / unit, NaN where the unit is 0."""
    is_zero = np.equal(unit, 0)
    return np.where(is_zero, np.nan, value / np.where(is_zero, 1, unit))


def is_of_means(request):
    """Return True if a summary is a function of one mean, or of three if adjusted."""
    return request.metric.pool in MEANS
