"""From the values of queries to one number: averages, weights, chance."""

# SPDX-License-Identifier: BSD-3-Clause

from typing import NamedTuple

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skrank._engine.means import check_not_negative, reciprocal, scaled
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


def parts_of(request):
    """Return what is measured for a requested metric: names of :class:`Measured`."""
    adjusted, parts = request.options.adjusted, ["values"]
    if adjusted:
        parts.append("chance")
    if adjusted is True or request.divides_sums:
        parts.append("ideal")
    return [*parts, "n_documents"] if request.options.average == "weighted" else parts


def summarize(request, measured, weight=None):
    """Return the summary of a requested metric, or its values if not averaged."""
    options = request.options
    instead, average = options.replace_undefined_by, options.average
    if average != "macro":
        weight = weights_of(request, measured, weight)
    score, reason = _pooled(request, measured, "values", weight), UNDEFINED
    if options.adjusted:
        if average is not None and not np.isnan(score):
            reason = FLAT[options.adjusted == "ratio"].format(instead)
        score = _adjusted(request, measured, score, weight)
    if request.divides_sums:
        ratio = _in_units(score, _pooled(request, measured, "ideal", weight))
        is_empty = np.isnan(ratio) & ~np.isnan(score)  # no query is defined
        score = np.where(is_empty, instead, ratio)
    if average is None:
        score = np.where(np.isnan(score), instead, score)
    elif np.isnan(score):
        warn_caller(reason, UndefinedMetricWarning)
        score = score if reason is UNDEFINED else instead
    # Adding 0.0 makes 0 of -0.0.
    return request.sign * (score if average is None else float(score)) + 0.0


def weights_of(request, measured, weight):
    """Return the weights of the queries in a summary, from those of the user."""
    if request.options.average != "weighted":
        return weight if request.options.average else None
    n_documents = measured.n_documents.astype(np.float64)
    if weight is not None and weight.max() > 2.0**960:
        weight = scaled(weight)  # no list is so long that the product overflows
    return n_documents if weight is None else weight * n_documents


def _pooled(request, measured, which, weight):
    """Return the summary of the "values", or of those of "chance" or "ideal".

    Queries that are undefined have their value replaced. Without an average the values
    are returned as they are, and replaced at the end.
    """
    metric, instead = request.metric, request.instead
    values = getattr(measured, which)
    if request.options.average is None:
        return 1 / values if metric.inverse else values
    if metric.inverse:  # the replacement is an inverse rank, too
        check_not_negative(np.array([instead]))
        instead = reciprocal(instead)
    values = np.where(np.isnan(measured.values), instead, values)
    if weight is not None:
        values[weight == 0] = np.nan  # a query of weight 0 is left out
    score = metric.pool(values, weight)
    return reciprocal(score) if metric.inverse else score


def _adjusted(request, measured, score, weight):
    """Compare a score M with its expectation E under random orders.

    Returns (M - E) / (B - E) with the value B of the ideal ranking for True; M / E for
    "ratio". NaN where all orderings have the same value.
    """
    expected = _pooled(request, measured, "chance", weight)
    if request.options.adjusted == "ratio":
        return _in_units(score, expected)
    best = _pooled(request, measured, "ideal", weight)
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
