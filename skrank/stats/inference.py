"""Units, intervals and families of tests, from arrays."""

# SPDX-License-Identifier: BSD-3-Clause

from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import nctdtr
from scipy.stats import binom, chi2, t
from sklearn.utils import check_random_state

# Numbers that differ by less, relative to their size, are equal but for rounding.
ROUNDING = 1e-12
# A sum of fewer equal terms is far from normal.
FEWEST_EFFECTIVE = 10


def difference(values, others):
    """Return the differences of two arrays, 0 where they differ by rounding alone."""
    found = values - others
    size = np.maximum(np.abs(values), np.abs(others))
    found[np.abs(found) <= ROUNDING * size] = 0
    return found


def grouped(top, bottom, groups):
    """Return the sums of the terms of each group that is there.

    The terms have the shape (n_queries,) or (n_queries, n_columns).
    """
    if groups is None:
        return top, bottom
    order = np.argsort(groups, kind="stable")
    first = np.flatnonzero(np.diff(groups[order], prepend=-1))
    return tuple(np.add.reduceat(x[order], first, axis=0) for x in (top, bottom))


def effective_units(bottom):
    """Return how many units of equal size weigh as these: (sum b)^2 / sum b^2.

    Kish's effective sample size (Survey Sampling, 1965).
    """
    squares = (bottom**2).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(squares > 0, bottom.sum(axis=0) ** 2 / squares, 0.0)


def by_value(top, bottom):
    """Return the order of the units by their terms, of shape (n_units, n_columns).

    Whatever is drawn at random or summed up in this order does not depend on the order
    of the rows or the names of the queries.
    """
    return np.lexsort(np.hstack([top, bottom]).T)


def distinct_columns(matrix):
    """Return the different columns of a matrix, and the place of each column."""
    first, places = {}, []
    for j, column in enumerate(np.ascontiguousarray(matrix.T)):
        kept = first.setdefault(column.tobytes(), (len(first), j))
        places.append(kept[0])
    return matrix[:, [j for _, j in first.values()]], np.array(places)


def seed_of(random_state):
    """Return a seed for NumPy's Generator, which is faster than a RandomState."""
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


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


# So many samples are counted at a time: their counts stay in the cache.
BLOCK = 16


def studentized(top, bottom, *, confidence_level, n_resamples, seed):
    r"""Return (low, high) of each ratio of sums by the bootstrap-t [1]_.

    Each sample draws n units with replacement. Its :math:`t^* = (R^* - R) / se^*`
    with :math:`se^{*2} = \sum u^{*2} / (\sum b^*)^2` are the quantiles of
    :math:`(R - \rho) / se`. Since :math:`\sum (t - R b)^2 = \sum t^2 - 2 R \sum t b
    + R^2 \sum b^2`, all that a sample needs are sums of columns weighted by how often
    each unit was drawn.

    .. [1] B. Efron, "Nonparametric Standard Errors and Confidence Intervals", Canadian
       Journal of Statistics 9 (1981); P. Hall, The Bootstrap and Edgeworth Expansion
       (1992).

    Parameters
    ----------
    top, bottom : ndarray of shape (n_units, n_columns)
        The terms of the sums; zeros where a unit has no value.
    confidence_level : float
        The level.
    n_resamples : int
        The number of samples.
    seed : int
        The seed of the samples.
    """
    n, n_columns = top.shape
    moments = [top, bottom, top * top, top * bottom, bottom * bottom]
    columns, places = distinct_columns(np.hstack(moments))
    drawn = np.empty((n_resamples, columns.shape[1]))
    rng = np.random.default_rng(seed)
    shift = n * np.arange(BLOCK)[:, None]
    for start in range(0, n_resamples, BLOCK):
        size = min(BLOCK, n_resamples - start)
        rows = rng.integers(n, size=(size, n))
        rows += shift[:size]
        counts = np.bincount(rows.ravel(), minlength=size * n).reshape(size, n)
        drawn[start : start + size] = counts @ columns
    whole = columns.sum(axis=0)
    ends = np.empty((2, n_columns))
    tail = (1 - confidence_level) / 2
    for j, place in enumerate(places.reshape(5, n_columns).T):
        if np.count_nonzero(bottom[:, j]) < 2:
            ends[:, j] = -np.inf, np.inf
            continue
        estimate, error = _estimate(whole[place], n)
        estimates, errors = _estimate(drawn[:, place].T, n)
        if error == 0:
            ends[:, j] = estimate
            continue
        # A sample without a spread has an infinite t, of the sign of its difference.
        with np.errstate(divide="ignore", invalid="ignore"):
            t = (estimates - estimate) / errors
        t = np.where(np.isnan(t), 0.0, t)
        low, high = np.quantile(t, [tail, 1 - tail], method="inverted_cdf")
        ends[:, j] = estimate - error * high, estimate - error * low
    return ends


def _estimate(sums, n):
    """Return the ratio and its standard error from the five sums."""
    top, bottom, tops, both, bottoms = sums
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = top / bottom
        squares = tops - 2 * ratio * both + ratio**2 * bottoms
    # A sum of squares below the rounding error of its terms is 0.
    squares = np.where(squares > 1e-13 * tops, squares, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return ratio, np.sqrt(n / max(n - 1, 1) * squares) / np.abs(bottom)


def max_t(observed, blocks):
    """Return p-values adjusted by the step-down maximum of the statistics.

    The largest statistic is compared with the maximum over all tests of each flip, the
    next one with the maximum over the remaining tests, and so on. Since a flip changes
    the signs of a unit in all tests at once, the correlation of the tests counts (P.
    Westfall, S. Young, Resampling-Based Multiple Testing, 1993).

    Parameters
    ----------
    observed : ndarray of shape (n_tests,)
        The statistics, larger is more significant.
    blocks : iterable of ndarray of shape (n_tests, n_flips)
        Those of some flips at a time, one of which flips nothing. Overwritten.
    """
    order = np.argsort(observed, kind="stable")
    least = (observed - 1e-10 * np.abs(observed))[order, None]
    reached, n_flips = np.zeros(len(observed), dtype=np.intp), 0
    for block in blocks:
        largest = block[order]
        np.maximum.accumulate(largest, axis=0, out=largest)
        reached += np.count_nonzero(largest >= least, axis=1)
        n_flips += block.shape[1]
    adjusted = np.empty(len(observed))
    adjusted[order[::-1]] = np.maximum.accumulate(reached[::-1] / n_flips)
    return adjusted


def holm(pvalues):
    """Return the p-values of S. Holm, Scandinavian Journal of Statistics 6 (1979)."""
    order = np.argsort(pvalues, kind="stable")
    factors = np.arange(len(pvalues), 0, -1)
    adjusted = np.empty(len(pvalues))
    adjusted[order] = np.maximum.accumulate(factors * pvalues[order])
    return np.minimum(adjusted, 1)


def benjamini_hochberg(pvalues):
    """Return the p-values of Y. Benjamini, Y. Hochberg, JRSS B 57 (1995).

    They control the expected fraction of false findings, not the probability of one.
    """
    order = np.argsort(pvalues, kind="stable")[::-1]
    n = len(pvalues)
    adjusted = np.empty(n)
    scaled = pvalues[order] * n / np.arange(n, 0, -1)
    adjusted[order] = np.minimum.accumulate(scaled)
    return np.minimum(adjusted, 1)


def power_of_t(noncentrality, df, alpha):
    """Return the probability that a two-sided t test rejects."""
    quantile = t.ppf(1 - alpha / 2, df)
    noncentrality = min(noncentrality, 1e9)  # SciPy's probability is NaN from 1e12 on
    # SciPy's probabilities can be NaN where they are negligible.
    near, far = np.nan_to_num(nctdtr(df, noncentrality, [quantile, -quantile]))
    return 1 - near + far


@lru_cache(maxsize=256)
def noncentrality(df, alpha, power):
    """Return the noncentrality at which a two-sided t test has the given power."""
    if df < 1:
        return np.inf
    high = 4.0
    while power_of_t(high, df, alpha) < power:
        high *= 2
    return brentq(lambda x: power_of_t(x, df, alpha) - power, 0, high, xtol=1e-10)


def queries_needed(effect, deviation, alpha, power):
    """Return the smallest number of queries that finds an effect with some power."""
    if deviation == 0:
        return 2

    def is_enough(n):
        return power_of_t(effect * np.sqrt(n) / deviation, n - 1, alpha) >= power

    high = 2
    while not is_enough(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return int(high)


def range_of_deviation(deviation, df, confidence_level):
    """Return (low, high) of the standard deviation of normal differences."""
    tail = (1 - confidence_level) / 2
    return tuple(
        float(deviation * np.sqrt(df / chi2.ppf(q, df))) for q in (1 - tail, tail)
    )
