"""How values of queries become one number: means, and a median of ranks."""

# SPDX-License-Identifier: BSD-3-Clause

import bisect
import math

import numpy as np


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


def log_of_gm_map(values):
    """Return the logarithms of the values, or of 1e-5 where they are smaller."""
    return np.log(np.maximum(values, 1e-5))  # MIN_GEO_MEAN of trec_eval


def mean_of_gm_map(values, weight):
    """Return the geometric mean of the values, or of 1e-5 where they are smaller."""
    return float(np.exp(mean_of_queries(log_of_gm_map(values), weight)))


# Summaries g(mean of f(values)), as (f, g).
MEANS = {
    mean_of_queries: (np.array, float),
    pooled_geometric_mean: (np.log, np.exp),
    pooled_harmonic_mean: (np.reciprocal, np.reciprocal),
    mean_of_gm_map: (log_of_gm_map, np.exp),
}
