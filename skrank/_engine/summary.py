"""From the values of queries to one number: means, a median, weights, chance."""

# SPDX-License-Identifier: BSD-3-Clause

import bisect
import math
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

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


def scaled(weight):
    """Return weights times a power of 2 that no sum of them overflows."""
    # No digit is lost, unless the weights are more than 300 powers of 10 apart.
    return np.ldexp(weight, -int(np.frexp(weight.max(initial=0))[1]))


def reciprocal(value):
    """Return 1 over a value, infinity for 0."""
    with np.errstate(divide="ignore"):
        return float(np.divide(1, value))


def check_not_negative(values):
    """Raise if a replacement for undefined values cannot be averaged with ranks."""
    if (values < 0).any():
        raise ValueError(
            "The 'replace_undefined_by' parameter must be NaN or >= 0: it is "
            "averaged with ranks by a mean that accepts no negative numbers. "
            f"Got {np.nanmin(values)} instead."
        )


# Outside of these bounds weights are scaled before they are summed.
SMALLEST_WEIGHT, LARGEST_WEIGHT = 2.0**-500, 2.0**500

# A sum of rounded weights that is so near to one half of all of them is one half.
HALF_WITHIN = 1e-15


def mean_of_queries(values, weight):
    """Return the weighted mean of the values that are not NaN.

    Each of the two sums is rounded once, whatever the order of the queries.
    """
    known = ~np.isnan(values)
    values, total = values[known], float(np.count_nonzero(known))
    terms = exact_terms if len(values) > FEW_VALUES else np.ndarray.tolist
    if weight is not None:
        weight = weight[known]
        if len(weight) and not SMALLEST_WEIGHT < weight.max() < LARGEST_WEIGHT:
            weight = scaled(weight)
        values, total = values * weight, math.fsum(terms(weight))
    return math.fsum(terms(values)) / total if total > 0 else float("nan")


# How many values at most `math.fsum` sums up alone, and how many in a block.
FEW_VALUES, SUMMED_AT_ONCE = 300, 2**15


def exact_terms(values):
    """Return a few floats that have the same sum as the values.

    Nothing is rounded, so that the sum of the terms, rounded once by `math.fsum`, does
    not depend on the order of the values, nor on the parts whose terms are joined. The
    leading bits of all values are summed first, then the next ones: they are multiples
    of one power of 2, small enough for their sum to be exact [1]_::

                        sigma     2^-52 sigma
        a value of x    | 1011010110 | 1001101100 | 1010
        another one     |    1100101 | 0010111011 | 0111
                          summed       the next ones, ...
                          exactly

    .. [1] S. M. Rump, T. Ogita, S. Oishi, "Accurate Floating-Point Summation, Part I",
       SIAM Journal on Scientific Computing 31 (2008).
    """
    terms = []
    for start in range(0, len(values), SUMMED_AT_ONCE):
        rest = values[start : start + SUMMED_AT_ONCE]
        largest = max(np.maximum.reduce(rest), -np.minimum.reduce(rest))
        if not largest < 2.0**960:  # infinite, or nearly so
            terms.append(float(rest.sum()))
            continue
        # With sigma = 2^m max|x| and n + 2 <= 2^m, (sigma + x) - sigma is a multiple of
        # 2^-52 sigma, and the sum of all n of them is below sigma.
        m = (len(rest) + 1).bit_length()
        sigma = math.ldexp(1.0, math.frexp(largest)[1] + m)
        while True:
            leading = rest + sigma
            leading -= sigma
            terms.append(float(np.add.reduce(leading)))
            rest = rest - leading
            if not rest.any():
                break
            sigma = math.ldexp(sigma, m - 52)
    return terms


def pooled_median(values, weight):
    """Return the weighted median of the values that are not NaN.

    The smallest value m with F(m) >= 1/2, where F(m) is the fraction of the weight at
    values up to m; if F(m) = 1/2, the mean of m and the next value.
    """
    weight = np.ones(len(values)) if weight is None else scaled(weight)
    known = ~np.isnan(values) & (weight > 0)
    if not known.any():
        return float("nan")
    order = np.argsort(values[known], kind="stable")
    values, weight = values[known][order], weight[known][order]
    up_to = np.cumsum(weight, dtype=np.longdouble)
    excess, total = (2 * up_to / up_to[-1] - 1).astype(np.float64), up_to[-1]
    low = np.searchsorted(excess, -HALF_WITHIN)
    high = np.searchsorted(excess, HALF_WITHIN, side="right")
    # Weights that are smaller than the rounding decide, or lie between such sums.
    is_small = high - low > 1 or (high > low and weight.min() <= HALF_WITHIN * total)
    if is_small and values[low] != values[high]:

        def exact(place):  # the sign of a sum by fsum is that of the exact sum
            return math.fsum([*weight[: place + 1], *-weight[place + 1 :]])

        places = range(low, high)
        high = low + bisect.bisect_right(places, 0, key=exact)
        low += bisect.bisect_left(places, 0, key=exact)
    return float((values[low] + values[high]) / 2)


def pooled_geometric_mean(values, weight):
    """Return the geometric mean over the queries."""
    check_not_negative(values)
    with np.errstate(divide="ignore"):
        return float(np.exp(mean_of_queries(np.log(values), weight)))


def pooled_harmonic_mean(values, weight):
    """Return the harmonic mean over the queries."""
    check_not_negative(values)
    with np.errstate(divide="ignore"):
        return float(np.divide(1, mean_of_queries(1 / values, weight)))


def mean_of_gm_map(values, weight):
    """Return the geometric mean of the values, or of 1e-5 where they are smaller."""
    return pooled_geometric_mean(np.maximum(values, LEAST_OF_GM_MAP), weight)


LEAST_OF_GM_MAP = 1e-5  # MIN_GEO_MEAN of trec_eval


# Summaries g(mean of f(values)), as (f, g).
MEANS = {
    mean_of_queries: (np.array, float),
    pooled_geometric_mean: (np.log, np.exp),
    pooled_harmonic_mean: (np.reciprocal, np.reciprocal),
    mean_of_gm_map: (lambda x: np.log(np.maximum(x, LEAST_OF_GM_MAP)), np.exp),
}
