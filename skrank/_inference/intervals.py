"""Confidence intervals of one estimate, without resampling."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from scipy.stats import binom, norm, t

from skrank._inference.units import grouped

# With fewer units, the jackknife's standard error of a ratio is closer to nominal than
# the linearized one.
FEW_UNITS = 50


def quantile_of_t(confidence_level, df):
    """Return the two-sided quantile of Student's t; infinite without freedom."""
    return t.ppf((1 + confidence_level) / 2, df) if df > 0 else np.inf


def wilson(n_ones, n, confidence_level):
    r"""Return (low, high) of a proportion [1]_.

    .. math:: \frac{p + z^2 / 2n \pm z \sqrt{p (1 - p) / n + z^2 / 4n^2}}{1 + z^2 / n}

    .. [1] E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical
       Inference", JASA 22 (1927).
    """
    z2 = norm.ppf((1 + confidence_level) / 2) ** 2
    p = n_ones / n
    middle = p + z2 / (2 * n)
    radius = np.sqrt(z2 * (p * (1 - p) / n + z2 / (4 * n * n)))
    # At the ends of the range the two terms are equal, but for rounding.
    low = 0.0 if n_ones == 0 else (middle - radius) / (1 + z2 / n)
    high = 1.0 if n_ones == n else (middle + radius) / (1 + z2 / n)
    return float(low), float(high)


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

    With the deviations :math:`u_i = t_i - R b_i` and G groups,

    .. math:: se^2 = \frac{G}{G - 1}
        \frac{\sum_g (\sum_{i \in g} u_i)^2}{(\sum_i b_i)^2},

    or the jackknife with few groups. Two groupings at a time, such as users and items,
    have :math:`V_1 + V_2 - V_{12}` [1]_, where :math:`V_{12}` groups by both, and
    Satterthwaite's degrees of freedom.

    .. [1] C. Cameron, J. Gelbach, D. Miller, "Robust Inference With Multiway
       Clustering", Journal of Business & Economic Statistics 29 (2011).

    Parameters
    ----------
    top, bottom : ndarray of shape (n_queries,)
        The terms of the two sums.
    groupings : list of ndarray of shape (n_queries,)
        The group of each query, as codes, for none, one or two groupings.

    Returns
    -------
    standard_error : float
        The standard error, NaN with one group.
    df : float
        The degrees of freedom.
    """
    if len(groupings) < 2:
        variance, n = _variance(top, bottom, *groupings)
        return float(np.sqrt(variance)), n - 1
    one, two = groupings
    both = one.astype(np.int64) * (two.max(initial=0) + 1) + two
    (v1, n1), (v2, n2) = _variance(top, bottom, one), _variance(top, bottom, two)
    v12, _ = _variance(top, bottom, np.unique(both, return_inverse=True)[1])
    if min(n1, n2) < 2:
        return np.nan, 0
    # By chance the difference can be less than one of the two, and even negative.
    variance = max(v1 + v2 - v12, v1, v2)
    spread = v1**2 / (n1 - 1) + v2**2 / (n2 - 1)
    df = variance**2 / spread if spread > 0 else min(n1, n2) - 1
    return float(np.sqrt(variance)), float(max(df, 1.0))


def _variance(top, bottom, groups=None):
    """Return the variance of a ratio by one grouping, and the number of groups."""
    top, bottom = grouped(top, bottom, groups)
    n, whole = len(top), bottom.sum()
    if n < 2:
        return np.nan, n
    if n < FEW_UNITS and np.ptp(bottom) > 0 and (bottom < whole).all():
        without = (top.sum() - top) / (whole - bottom)
        return (n - 1) / n * ((without - without.mean()) ** 2).sum(), n
    # A constant is written once: its deviations from a rounded mean are not 0.
    if np.ptp(bottom) == 0 and np.ptp(top) == 0:
        return 0.0, n
    deviation = top - top.sum() / whole * bottom
    return n / (n - 1) * (deviation**2).sum() / whole**2, n


def order_statistics(values, confidence_level):
    """Return (low, high) of a median: the values between which it lies.

    The number of values below the median of the population is binomial with
    probability 1/2, so that x_(k) and x_(n+1-k) hold it with the probability
    1 - 2 P(B < k).
    """
    n = len(values)
    k = int(binom.ppf((1 - confidence_level) / 2, n, 0.5))
    if 2 * binom.cdf(k - 1, n, 0.5) > 1 - confidence_level:
        k -= 1
    if k < 1:
        return -np.inf, np.inf
    values = np.sort(values)
    return float(values[k - 1]), float(values[n - k])
