"""Confidence intervals of one estimate, without resampling."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from scipy.stats import binom, t

from skrank._inference.units import ROUNDING, effective_units, grouped


def quantile_of_t(confidence_level, df):
    """Return the two-sided quantile of Student's t; infinite without freedom."""
    return t.ppf((1 + confidence_level) / 2, df) if df > 0 else np.inf


def wilson(p, n, quantile):
    r"""Return (low, high) of a proportion p of n queries [1]_.

    .. math:: \frac{p + z^2 / 2n \pm z \sqrt{p (1 - p) / n + z^2 / 4n^2}}{1 + z^2 / n}

    .. [1] E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical
       Inference", JASA 22 (1927).

    Parameters
    ----------
    p : float
        The proportion.
    n : float
        The number of queries, or an effective number of them.
    quantile : float
        The quantile z of the normal distribution, or of Student's t.
    """
    if not np.isfinite(quantile):
        return 0.0, 1.0
    z2 = quantile**2
    middle = p + z2 / (2 * n)
    radius = np.sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n * n)))
    # At the ends of the range the two terms are equal, but for rounding.
    low = 0.0 if p == 0 else (middle - radius) / (1 + z2 / n)
    high = 1.0 if p == 1 else (middle + radius) / (1 + z2 / n)
    return float(low), float(high)


def effective_hits(p, error, bottom, n_queries):
    r"""Return the number of independent queries that know a proportion as well.

    That of queries with the standard error of the proportion, :math:`p (1 - p) / se^2`
    [1]_, but at most their number. If all queries are hits, or none is, the standard
    error is 0, and it is the effective number of units.

    .. [1] E. L. Korn, B. I. Graubard, "Confidence Intervals for Proportions With Small
       Expected Number of Positive Counts Estimated From Survey Data", Survey
       Methodology 24 (1998).
    """
    if error > 0:
        return min(p * (1 - p) / error**2, n_queries)
    return float(effective_units(bottom))


def hall(values, confidence_level):
    r"""Return (low, high) of a mean, by the t interval corrected for skewness [1]_.

    With the studentized mean t and the skewness g,

    .. math:: t' = t + g t^2 / (3 \sqrt n) + g^2 t^3 / (27 n) + g / (6 \sqrt n)

    is closer to Student's t than t is. With :math:`q = g / (3 \sqrt n)` it is
    :math:`((1 + q t)^3 - 1) / 3q + q / 2`, which is inverted in closed form.

    .. [1] P. Hall,
       "On the Removal of Skewness by Transformation", JRSS B 54 (1992).
    """
    n, mean = len(values), values.mean()
    centred = values - mean
    variance = (centred**2).mean()
    standard_error = np.sqrt(variance / (n - 1)) if n > 1 else np.nan
    if variance == 0 or n < 2:
        return t_interval(mean, standard_error, n - 1, confidence_level)
    skewness = (centred**3).mean() / variance**1.5
    q = skewness / (3 * np.sqrt(n))
    ends = quantile_of_t(confidence_level, n - 1) * np.array([1, -1])
    if abs(q) > 1e-8:  # else the quadratic term is rounding error
        ends = (np.cbrt(1 + 3 * q * (ends - q / 2)) - 1) / q
    low, high = mean - standard_error * ends
    return float(low), float(high)


def t_interval(estimate, standard_error, df, confidence_level):
    """Return (low, high) by Student's t; infinite where there is one unit only."""
    if not df > 0:
        return -np.inf, np.inf
    radius = quantile_of_t(confidence_level, df) * standard_error
    return float(estimate - radius), float(estimate + radius)


def standard_error(top, bottom, groupings):
    r"""Return the standard error of a ratio of sums, and its degrees of freedom.

    By the jackknife over the units [1]_: with :math:`R_{(g)}` the ratio without the
    unit g of G,

    .. math:: se^2 = \frac{G - 1}{G} \sum_g (R_{(g)} - \bar R)^2,

    which is the usual standard error of a mean if all units count alike. The degrees
    of freedom are the effective number of units, :math:`(\sum b)^2 / \sum b^2`, less 1.
    Two groupings at a time, such as users and items, have :math:`V_1 + V_2 - V_{12}`
    [2]_, where :math:`V_{12}` groups by both, and Satterthwaite's degrees of freedom.

    .. [1] R. G. Miller,
       "The Jackknife - A Review", Biometrika 61 (1974).
    .. [2] C. Cameron, J. Gelbach, D. Miller, "Robust Inference With Multiway
       Clustering", Journal of Business & Economic Statistics 29 (2011).

    Parameters
    ----------
    top, bottom : ndarray of shape (n_queries,) or (n_queries, n_columns)
        The terms of the two sums; 0 where a query does not count.
    groupings : list of ndarray of shape (n_queries,)
        The group of each query, as codes, for none, one or two groupings.

    Returns
    -------
    standard_error, df : float or ndarray of shape (n_columns,)
        The standard error, NaN with one unit, and the degrees of freedom.
    """
    if len(groupings) < 2:
        variance, df = _variance(*grouped(top, bottom, *groupings or [None]))
        return np.sqrt(variance), df
    one, two = groupings
    both = one.astype(np.int64) * (two.max(initial=0) + 1) + two
    (v1, df1), (v2, df2), (v12, _) = (
        _variance(*grouped(top, bottom, groups))
        for groups in (one, two, np.unique(both, return_inverse=True)[1])
    )
    # By chance the difference can be less than one of the two, and even negative.
    variance = np.fmax(np.fmax(v1 + v2 - v12, v1), v2)
    with np.errstate(divide="ignore", invalid="ignore"):
        df = variance**2 / (v1**2 / df1 + v2**2 / df2)
    fewest = np.minimum(df1, df2)
    df = np.where(np.isnan(df), fewest, np.maximum(df, 1.0))
    return np.where(fewest > 0, np.sqrt(variance), np.nan), np.where(fewest > 0, df, 0)


def _variance(top, bottom):
    """Return the variance of ratios of sums over units, and its degrees of freedom."""
    there = bottom != 0
    n, whole = there.sum(axis=0), bottom.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = top.sum(axis=0) / whole
        deviation = top - ratio * bottom
        rounding = ROUNDING * np.maximum(np.abs(top), np.abs(ratio * bottom))
        deviation[np.abs(deviation) <= rounding] = 0
        # R_(g) - R = -(t_g - R b_g) / (sum b - b_g), where all is not rounding error.
        left = whole - bottom
        change = np.where(there, -deviation / left, 0)
        change = np.where(there, change - change.sum(axis=0) / n, 0)
        variance = (n - 1) / n * (change**2).sum(axis=0)
        alone = n < 2
        alone |= (np.abs(left) <= ROUNDING * np.abs(whole)).any(axis=0)
        df = np.where(alone, 0.0, effective_units(bottom) - 1)
    return np.where(alone, np.nan, variance), df


def order_statistics(values, confidence_level):
    """Return (low, high) of a median: the values between which it lies.

    The number of values below the median of the population is binomial with
    probability 1/2, so that x_(k) and x_(n+1-k) hold it with the probability
    1 - 2 P(B < k).
    """
    n = len(values)
    k = int(binom.ppf((1 - confidence_level) / 2, n, 0.5))
    if k < 1:
        return -np.inf, np.inf
    values = np.sort(values)
    return float(values[k - 1]), float(values[n - k])
