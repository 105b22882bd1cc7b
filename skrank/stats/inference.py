"""Values of queries, as units of inference or clusters of them; intervals of arrays.

A summary is a function of a ratio of two sums over the units, R = sum t / sum b, where
b are weights, or 1. Intervals and tests start from its terms t and b.
"""

# SPDX-License-Identifier: BSD-3-Clause

import warnings
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm, t
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils import check_random_state

from skrank._engine.names import is_metric
from skrank._engine.request import Request
from skrank._engine.summary import MEANS, mean_of_queries, reciprocal, weights_of
from skrank._engine.value_table import (
    ValueTable,
    check_alike,
    check_by,
    join_rankers,
    join_samples,
)
from skrank._input.callers import warn_caller
from skrank._input.checks import about, as_floats, check_listed, shape_of, shown
from skrank._input.frames import column_names, find_level, index_of, kind_of
from skrank._ranking.ids import encode_qid
from skrank.evaluation.query_scores import QueryScores

# Numbers that differ by less, relative to their size, are equal but for rounding.
ROUNDING = 1e-12
# A p-value that exceeds the level by less is equal to it: 1 - 0.8 < 0.2 in floats.
ROUNDING_OF_LEVEL = 1e-9
# The limits of a metric that is known by its values only.
UNLIMITED = (-np.inf, np.inf)
# The fourth powers of larger values, and their sums, are too large for a float.
TOO_LARGE = 1e75
# Fewer values, or differences, of equal size do not show what others may be.
FEWEST_VALUES = 3
# Fewer units of equal weight are too few for an interval that can be relied on.
FEWEST_UNITS = 10
# Units that weigh as much as a smaller fraction of equal ones are uneven.
MOST_UNEVEN = 0.5
# Fewer values without query ids are as few as folds.
FEWEST_WITHOUT_IDS = 20
# Warnings name this many of the results that few queries decide.
MOST_NAMED = 3

# The entries of the rows of results, which no column of segments may be called.
ENTRIES = {
    *("metric", "ranker", "baseline", "estimate", "estimate_baseline", "difference"),
    *("low", "high", "pvalue", "p_adjusted", "effect_size", "wins", "ties", "losses"),
    *("n_queries", "n_undefined", "detectable", "standard_error", "method", "test"),
    *("relative_difference", "relative_low", "relative_high"),
}


class Terms(NamedTuple):
    """The terms of a summary, query by query."""

    # The terms of the two sums; 0 where a query does not count.
    top: np.ndarray
    bottom: np.ndarray
    # Whether each query counts: with a weight above 0 and a value, which may be what
    # replaces an undefined one.
    known: np.ndarray
    values: np.ndarray  # of the queries that count
    n_undefined: int  # queries with a weight above 0 where the metric is undefined
    estimate: float  # the summary
    request: Request | None = None  # the metric; None for an array of values

    @property
    def is_mean(self):
        """Return True if all queries that count do so alike."""
        bottom = self.bottom[self.known]
        return bool(len(bottom)) and np.ptp(bottom) == 0

    @property
    def is_linear(self):
        """Return True if the summary is the ratio or minus the ratio."""
        if self.request is None:
            return True
        metric = self.request.metric
        return metric.pool is mean_of_queries and not metric.inverse

    @property
    def is_binary(self):
        """Return True if the values are 0 or 1, of a mean of values from 0 to 1."""
        is_fraction = self.limits_of_values == (0, 1)
        return is_fraction and bool(((self.values == 0) | (self.values == 1)).all())

    @property
    def limits(self):
        """Return the limits of the summary; none if a value is outside of its own."""
        if self.request is None or self.request.limits[0] == UNLIMITED:
            low, high = self.limits_of_values or UNLIMITED
            sign = 1 if self.request is None else self.request.sign
            return (low, high) if sign == 1 else (-high, -low)
        (low, high), of_summary = self.request.limits
        if self.request.divides_sums:  # the values are those of one of the sums
            return of_summary
        return of_summary if self._are_within(low, high) else UNLIMITED

    @property
    def limits_of_values(self):
        """Return the limits of the values of a mean, or None if they are not known.

        Those of a metric that is known by its values only are 0 and 1 if all of them
        are between.
        """
        request, limits = self.request, (0, 1)
        if request is not None:
            if not self.is_linear or request.options.adjusted or request.divides_sums:
                return None
            if request.limits[0] != UNLIMITED:
                limits, _ = request.limits
        is_known = np.isfinite(limits).all() and self._are_within(*limits)
        return limits if is_known else None

    def _are_within(self, low, high):
        inside = (self.values >= low - ROUNDING) & (self.values <= high + ROUNDING)
        return bool(inside.all())

    def summary(self, ratio):
        """Return the summary of a ratio of the sums."""
        if self.request is None:
            return float(ratio)
        metric = self.request.metric
        _, link = MEANS[metric.pool]
        value = np.divide(1, link(ratio)) if metric.inverse else link(ratio)
        return float(self.request.sign * value) + 0.0


def terms_of(table):
    """Return the :class:`Terms` of each metric, in a list for each ranker.

    None for summaries that are not functions of one mean, such as medians.
    """
    found = [
        [_terms_of_one(table, i, j) for j in range(len(table.requests))]
        for i in range(len(table.rankers))
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        # Now that their sizes are checked: sums of larger values are not floats.
        summaries = table.summaries()
    return [
        [one and one._replace(estimate=estimate) for one, estimate in pairs]
        for pairs in map(zip, found, summaries)
    ]


def _terms_of_one(table, ranker, metric):
    request, measured = table.requests[metric], table.measured[ranker][metric]
    definition, options = request.metric, request.options
    adjusted = options.adjusted
    if definition.pool not in MEANS:
        return None
    weight = weights_of(request, measured, table.weight)
    undefined, instead = np.isnan(measured.values), request.instead
    instead = reciprocal(instead) if definition.inverse else instead
    values = np.where(undefined, instead, measured.values)
    known, has_weight = ~np.isnan(values), np.ones(len(values), dtype=bool)
    if weight is not None:
        has_weight = weight > 0
        known &= has_weight
        weight = weight / weight.max(initial=1)  # a ratio of sums has no scale
    before, _ = MEANS[definition.pool]
    with np.errstate(divide="ignore", invalid="ignore"):
        top, bottom = before(np.where(known, values, 1.0)), np.ones(len(known))
    replaced = options.replace_undefined_by if undefined.any() else None
    check_sizes(top, values, request.key, replaced)
    if adjusted:  # (M - E) / (B - E) or M / E, each a sum over the queries
        bottom = np.where(undefined, instead, measured.chance)
        if adjusted is True:
            ideal = np.where(undefined, instead, measured.ideal)
            top, bottom = difference(top, bottom), difference(ideal, bottom)
    if definition.best is not None and request.divides_sums:
        bottom = np.where(undefined, instead, measured.ideal)
    if weight is not None:
        top, bottom = top * weight, bottom * weight
    top, bottom = (np.where(known, x, 0) for x in (top, bottom))
    if bottom.sum() < 0:  # of ranks the best value is below the expected one
        top, bottom = -top, -bottom
    n_undefined = int((undefined & has_weight).sum())
    return Terms(top, bottom, known, values[known], n_undefined, np.nan, request)


def check_sizes(top, values, name, instead=None):
    """Raise if the powers of the terms of some values would not be numbers."""
    bad = values[~(np.abs(top) <= TOO_LARGE)]
    if not len(bad):
        return
    replaced = "" if instead is None else f", with replace_undefined_by={instead}"
    raise ValueError(
        f"The values of {name!r} must be between -{TOO_LARGE:g} and {TOO_LARGE:g} to "
        "have an interval or to be compared, and ranks above 0. Got "
        f"{bad[0]:g}{replaced}. Divide all values by the same number."
    )


def read_clusters(clusters, keys):
    """Return the codes of the clusters of each query, None if each is its own.

    `clusters` are a key column by name, an array, or a dict or Series by query id.
    `keys` are the key columns. If None, a query id that comes several times is one
    cluster.
    """
    qid = keys["qid"]
    if clusters is None:
        if len(keys) == 1:  # all columns together are different for every query
            return None
        ids, codes = encode_qid(qid, len(qid))
        return codes if len(ids) < len(qid) else None
    if isinstance(clusters, str):
        if clusters not in keys:
            raise ValueError(
                "The 'clusters' parameter must be an array with one entry per "
                f"query, or name a key column, among {sorted(keys)}. Got "
                f"{shown(clusters)} instead. Pass the column as `by` of "
                "score_queries or score_runs to name it."
            )
        clusters = keys[clusters]
    elif isinstance(clusters, Mapping) or index_of(clusters) is not None:
        found, ids = dict(clusters.items()), qid.tolist()
        if len(found) == len(clusters) and {*ids} <= {*found}:  # else by position
            clusters = [found[one] for one in ids]
    return encode_qid(clusters, len(qid), name="clusters")[1]


def check_units(value, name, caller, metric, largest):
    """Raise if a number in units of a metric is as large as its range."""
    if value >= largest:
        error = ValueError(
            f"The '{name}' parameter of {caller} must be less than the range of "
            f"{metric!r}, {largest:g}. Got {value:g}: is it per cent? One per cent of "
            f"the range is {largest / 100:g}."
        )
        raise about(error, name)


def count_units(weight, n_queries, clusters):
    """Return the number of queries with a weight, or of clusters of them."""
    counts = np.ones(n_queries, bool) if weight is None else weight > 0
    units = counts if clusters is None else np.bincount(clusters[counts])
    return int(np.count_nonzero(units))


class Segment(NamedTuple):
    """Queries with the same values of some key columns, or all queries."""

    entries: dict  # the values by the names of the columns
    rows: np.ndarray | slice  # the positions of the queries
    table: ValueTable  # their values
    clusters: np.ndarray | None  # the codes of their clusters


def segments_of(table, by, clusters, caller):
    """Return the codes of the clusters of all queries, and the segments.

    Without `by` all queries are one segment. If `clusters` is None, each segment has
    the clusters of query ids that come several times in it.
    """
    codes = read_clusters(clusters, table.keys)
    if by is None:
        return codes, [Segment({}, slice(None), table, codes)]
    names, found = check_listed(by, "by", caller), []
    taken = [name for name in names if name in ENTRIES]
    if taken:
        raise ValueError(
            f"The 'by' parameter of {caller} must not be {taken[0]!r}, which is a "
            "column of the result. Rename it."
        )
    names = check_by(names, table.keys, caller)
    for label, rows in table.segments(by, caller).items():
        part = table.take(rows)
        of_part = read_clusters(None, part.keys) if clusters is None else codes[rows]
        label = label if isinstance(label, tuple) else (label,)
        found.append(Segment(dict(zip(names, label, strict=True)), rows, part, of_part))
    return codes, found


def difference(values, others):
    """Return the differences of two arrays, 0 where they differ by rounding alone."""
    found = values - others
    size = np.maximum(np.abs(values), np.abs(others))
    found[np.abs(found) <= ROUNDING * size] = 0
    return found


def total_of(terms):
    """Return the sum of terms, 0 where they cancel but for rounding: .1 + .2 - .3."""
    total = terms.sum(axis=0)
    is_rounding = np.abs(total) <= ROUNDING * np.abs(terms).sum(axis=0)
    return np.where(is_rounding, 0.0, total)


def sum_clusters(top, bottom, clusters):
    """Return the sums of the terms of each cluster that is there."""
    if clusters is None:
        return top, bottom
    order = np.argsort(clusters, kind="stable")
    first = np.flatnonzero(np.diff(clusters[order], prepend=-1))
    top, bottom = (x[order] for x in (top, bottom))
    sums, sizes, bottom = (
        np.add.reduceat(x, first, axis=0) for x in (top, np.abs(top), bottom)
    )
    sums[np.abs(sums) <= ROUNDING * sizes] = 0
    return sums, bottom


def effective_units(bottom):
    """Return (sum b)^2 / sum b^2, how many equal units weigh as these (Kish, 1965)."""
    squares = (bottom**2).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(squares > 0, bottom.sum(axis=0) ** 2 / squares, 0.0)


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


def standard_error(top, bottom, clusters):
    r"""Return the standard error of a ratio of sums, and its degrees of freedom.

    NaN and 0 with one unit. The terms have the shape (n_queries,) or (n_queries,
    n_columns), and `clusters` holds the codes of the clusters, or is None.

    By the jackknife over the units (R. G. Miller, Biometrika 61, 1974), which is the
    usual standard error of a mean if all units count alike. The degrees of freedom are
    the effective number of units less 1.
    """
    top, bottom = sum_clusters(top, bottom, clusters)
    there = bottom != 0
    n, whole = there.sum(axis=0), bottom.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = top.sum(axis=0) / whole
        deviation = top - ratio * bottom
        rounding = ROUNDING * np.maximum(np.abs(top), np.abs(ratio * bottom))
        deviation[np.abs(deviation) <= rounding] = 0
        # R_(g) = (sum t - t_g) / (sum b - b_g), so that with sum t = R sum b
        # R_(g) - R = -(t_g - R b_g) / (sum b - b_g), where all is not rounding error.
        left = whole - bottom
        change = np.where(there, -deviation / left, 0)
        # se^2 = (G - 1) / G sum (R_(g) - mean of R_(g))^2
        change = np.where(there, change - change.sum(axis=0) / n, 0)
        variance = (n - 1) / n * (change**2).sum(axis=0)
        alone = n < 2
        alone |= (np.abs(left) <= ROUNDING * np.abs(whole)).any(axis=0)
        df = np.where(alone, 0.0, effective_units(bottom) - 1)
    return np.sqrt(np.where(alone, np.nan, variance)), df


def welch(one, other, clusters):
    """Return the error of the difference of two independent means, and its df.

    Also the covariances of :func:`covariances`. The error is that of B. L. Welch
    (1947); a cluster that is in both samples adds its covariance. The degrees of
    freedom of a mean are its effective number of units less 1.
    """
    parts, variances, dfs = [], [], []
    for terms in (one, other):
        top, bottom = terms.top, terms.bottom
        deviation = difference(top, top.sum() / bottom.sum() * bottom) / bottom.sum()
        deviation, units = sum_clusters(deviation, bottom, clusters)
        n = np.count_nonzero(units)
        parts.append(deviation * np.sqrt(n / (n - 1) if n > 1 else np.nan))
        variances.append((parts[-1] ** 2).sum())
        dfs.append(effective_units(units) - 1)
    x = parts[0] - parts[1]
    spread = [(x**2).sum(), (x * parts[1]).sum(), variances[1]]
    variances, dfs = np.array(variances), np.array(dfs)
    df = 0.0
    if np.isfinite(variances).all():
        whole = variances.sum()
        df = whole**2 / (variances**2 / dfs).sum() if whole > 0 else dfs.sum()
    return np.nan_to_num(np.sqrt(spread[0])), float(df), np.array(spread)[:, None]


def covariances(tops, others, bottom, clusters):
    """Return the variances of two ratios of sums and, between them, their covariance.

    In the order variance, covariance, variance of the other. Of the linear terms of the
    ratios, t - R b, with the shape (n_queries, n_columns).
    """
    whole, deviations = bottom.sum(), []
    for top in (tops, others):
        of_mean = np.outer(bottom, top.sum(axis=0) / whole)
        deviations.append(sum_clusters(difference(top, of_mean), bottom, clusters)[0])
    x, y = deviations
    n = max(len(x) if clusters is not None else np.count_nonzero(bottom), 2)
    found = [(x * x).sum(axis=0), (x * y).sum(axis=0), (y * y).sum(axis=0)]
    return np.array(found) * n / (n - 1) / whole**2


def relative_ends(difference, low, high, baseline, covariances, confidence_level):
    r"""Return the ends of differences as a fraction of the mean of the baseline.

    The interval of E. C. Fieller (1954) holds the ratios r at which the mean of
    :math:`d - r b` is less than k standard errors from 0,

    .. math:: (D - r B)^2 \leq k^2 (S_{DD} - 2 r S_{DB} + r^2 S_{BB}).

    As many as the end of D is from D: so it excludes 0 exactly if the interval of D
    does, whatever the test and the correction.
    """
    sign = np.where(baseline < 0, -1, 1)
    of_d, both, of_b = covariances * [np.ones_like(sign), sign, np.ones_like(sign)]
    ends, z2 = [], norm.isf((1 - confidence_level) / 2) ** 2
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for end, side in ((low, -1), (high, 1)):
            k2 = np.where(of_d > 0, (difference - end) ** 2 / of_d, z2)
            # a r^2 - 2 h r + c = 0, with c = D^2 - (D - end)^2
            a = baseline**2 - k2 * of_b
            h = difference * np.abs(baseline) - k2 * np.where(of_d > 0, both, 0)
            c = end * (2 * difference - end)
            root = np.sqrt(h**2 - a * c)
            # Of the two forms of a root that which is not a difference of equal terms.
            is_sum = side * h > 0
            found = np.where(is_sum, (h + side * root) / a, c / (h - side * root))
            found = np.where(end == 0, 0.0, found)
            is_bounded = np.isfinite(end) & (a > 0) & np.isfinite(found)
            ends.append(np.where(is_bounded, found, side * np.inf))
        relative = difference / np.where(baseline == 0, np.nan, np.abs(baseline))
    return relative, np.minimum(ends[0], relative), np.maximum(ends[1], relative)


def quantile_of_t(confidence_level, df):
    """Return the two-sided quantile of Student's t; infinite without freedom."""
    return t.ppf((1 + confidence_level) / 2, df) if df > 0 else np.inf


def wilson(p, n, quantile):
    r"""Return (low, high) of a proportion p of n queries, of E. B. Wilson (1927).

    `quantile` is the z of the normal distribution, or of Student's t; n may be an
    effective number of queries.

    .. math:: \frac{p + z^2 / 2n \pm z \sqrt{p (1 - p) / n + z^2 / 4n^2}}{1 + z^2 / n}
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


# The weight of an observation at the limit.
WEIGHT = 0.5
# With a smaller tilt the probability is about that of the mean.
SMALLEST_TILT = 1e-4


def in_limits(values, limits, tail):
    """Return (low, high) of the mean, with the probability `tail` beyond each."""
    low, high = limits
    values = np.clip((np.asarray(values) - low) / (high - low), 0.0, 1.0)
    ends = gaffke(values, tail), 1 - gaffke(1 - values, tail)
    return tuple(float(low + (high - low) * end) for end in ends)


def gaffke(values, tail):
    r"""Return the lower end of the mean of values from 0 to 1, by N. Gaffke.

    A quantile of :math:`\sum_{i > 0} D_i x_i`, with random weights :math:`(D_0, ...,
    D_n)` of the Dirichlet distribution with the parameters 1/2, 1, ..., 1. For hits it
    is a quantile of the beta distribution, as that of Clopper and Pearson is with a
    whole observation at the limit. The probability `tail` that the mean is below has
    O. Barndorff-Nielsen's form of the saddlepoint approximation (Biometrika 73, 1986),
    which is 0 to 5 % of itself too large.
    """
    if not values.any():
        return 0.0
    different, counts = np.unique(values, return_counts=True)
    scale = different[-1]
    x, counts = np.append(different / scale, 0.0), np.append(counts, WEIGHT)

    # D = G / sum G with gamma variables G of shapes `counts`: sum D x < t exactly if
    # sum G (x - t) < 0. The cumulant function of the latter is
    # K(s) = -sum counts log(1 - s (x - t)), and K'(s) = 0 at the saddlepoint.
    def end(tilt):
        # The t that has this saddlepoint.
        weights = counts / (1 - tilt * x)
        return (weights * x).sum() / weights.sum()

    def excess(tilt):
        t = end(tilt)
        room = 1 - tilt * t
        # Of the sum of gamma variables times x - t: the cumulant function at its
        # saddlepoint tilt / room, and the second derivative.
        cumulant = counts.sum() * np.log(room) - (counts * np.log1p(-tilt * x)).sum()
        parts = (x - t) / (1 - tilt * x)
        root = -np.sqrt(max(-2 * cumulant, np.finfo(np.float64).tiny))
        slope = tilt * np.sqrt((counts * parts**2).sum())
        return norm.cdf(root + np.log(slope / root) / root) - tail

    near = far = -1.0
    while excess(near) < 0:
        near /= 4
        if near > -SMALLEST_TILT:
            return scale * end(near)
    while excess(far) > 0:
        far *= 4
    if near == far:
        return scale * end(near)
    return scale * end(brentq(excess, far, near))


def effective_hits(p, error, bottom, n_queries):
    r"""Return the number of independent queries that know a proportion as well.

    That of queries with the standard error of the proportion, :math:`p (1 - p) / se^2`
    (E. L. Korn, B. I. Graubard, Survey Methodology 24, 1998), but at most their number.
    If all queries are hits, or none is, it is the effective number of units.
    """
    if error > 0:
        return min(p * (1 - p) / error**2, n_queries)
    return float(effective_units(bottom))


def hall(estimate, standard_error, df, skewness, confidence_level):
    r"""Return (low, high) of an estimate with some skewness.

    A monotone cubic t' of the studentized mean t, whose coefficients depend on the
    skewness g of the values, is closer to Student's t than t is (P. Hall, JRSS B 54,
    1992). The skewness of the mean is :math:`g / \sqrt n`.
    """
    if standard_error == 0 or not df > 0:
        return t_interval(estimate, standard_error, df, confidence_level)
    # t' = t + g t^2 / (3 sqrt n) + g^2 t^3 / (27 n) + g / (6 sqrt n)
    #    = ((1 + q t)^3 - 1) / (3 q) + q / 2 with q = g / (3 sqrt n), inverted:
    # t = (cbrt(1 + 3 q (t' - q / 2)) - 1) / q, and mean - se t are the ends.
    q = skewness / 3
    ends = quantile_of_t(confidence_level, df) * np.array([1, -1])
    if abs(q) > 1e-8:  # else the quadratic term is rounding error
        ends = (np.cbrt(1 + 3 * q * (ends - q / 2)) - 1) / q
    low, high = estimate - standard_error * ends
    return float(low), float(high)


def t_interval(estimate, standard_error, df, confidence_level):
    """Return (low, high) by Student's t; infinite where there is one unit only."""
    if not df > 0:
        return -np.inf, np.inf
    radius = quantile_of_t(confidence_level, df) * standard_error
    return float(estimate - radius), float(estimate + radius)


def is_at_most(pvalue, level):
    """Return True where a p-value is at most the level, but for rounding."""
    return pvalue <= level + ROUNDING_OF_LEVEL


def warn_of_few(claim, effective, what, fewest=FEWEST_VALUES):
    """Warn if the effective numbers of some results, by name, are small."""
    few = [name for name, n in effective.items() if n < fewest - ROUNDING]
    if few:
        few.sort(key=effective.get)
        names = "; ".join(few[:MOST_NAMED])
        if len(few) > MOST_NAMED:
            names += f"; and {len(few) - MOST_NAMED} more of {len(effective)}"
        warn_caller(
            f"{claim}, because few queries decide it: the effective number of {what} "
            f"is below {fewest} for {names}.",
            UserWarning,
        )


def two_or_more(scores, by, clusters, caller):
    """Return the scores of several rankers, of whatever the parameter `scores` is."""
    if not isinstance(scores, QueryScores):
        scores = scores_of(scores, by, clusters, caller)
    if len(scores.rankers) < 2:
        raise ValueError(
            f"The 'scores' parameter of {caller} must hold at least two rankers. "
            f"Got {list(scores.rankers)}. Pass a dict of the scores of each ranker to "
            "score_queries."
        )
    return scores


def samples_of(values):
    """Return the scores of rankers, each of which has queries of its own."""
    names = column_names(values)
    if names is None or isinstance(values, QueryScores):
        raise TypeError(
            "The 'scores' parameter of compare_rankers must be a dict with paired="
            "False: the values of each sample by its name, or its QueryScores. Got "
            f"{type(values).__name__} instead."
        )
    tables = [
        _table_of_ranker(values, name, {}, {}, "compare_rankers") for name in names
    ]
    return QueryScores(table=join_samples(tables, names))


def scores_of(values, by, clusters, caller):
    """Return values of queries, by ranker, as a QueryScores."""
    if column_names(values) is None:  # an array, whose rankers have numbers as names
        is_array = isinstance(values, (list, tuple, np.ndarray)) and shape_of(values)
        are_rows = is_array and all(len(shape_of(row)) == 1 for row in values)
        if not are_rows or not len(values):
            got = f"{type(values).__name__}{' of other shape' if is_array else ''}"
            raise (ValueError if is_array else TypeError)(
                f"The 'scores' parameter of {caller} must be a QueryScores, a dict or "
                "a data frame with the values of each ranker, or an array of shape "
                f"(n_rankers, n_queries). Got {got} instead. Scores of several rankers "
                "are a dict of them by name."
            )
        values = {str(place): row for place, row in enumerate(values)}
    names = column_names(values)
    if {"fit_time", "mean_fit_time"} & {*names}:
        raise ValueError(
            f"The 'scores' parameter of {caller} must hold values of queries. "
            "Got those of a search, or the folds of cross_validate: pass the result of "
            "cross_val_query_scores."
        )
    asked = {one for one in (clusters, *np.ravel(by)) if isinstance(one, str)}
    keys = [name for name in names if name in asked]
    weight = "sample_weight" if "sample_weight" in names else None
    options = {"by": keys, "sample_weight": weight}
    if "ranker" in names:
        return QueryScores.from_frame(values, ranker="ranker", **options)
    shared = {name: values[name] for name in names if name in ("qid", weight, *keys)}
    index = find_level(values, "qid")
    if index is not None:
        shared.setdefault("qid", np.asarray(index))
    rankers = [name for name in names if name not in shared]
    if not rankers:
        raise ValueError(
            f"The 'scores' parameter of {caller} must hold at least one ranker. Got "
            f"{names}."
        )
    tables = [
        _table_of_ranker(values, name, shared, options, caller) for name in rankers
    ]
    for table in tables[1:]:
        check_alike(tables[0], table)
    return QueryScores(table=join_rankers(tables, rankers))


def _table_of_ranker(of_all, name, shared, options, caller):
    """Return the table of one of several rankers, of its scores or its values."""
    values = of_all[name]
    if not isinstance(name, str):
        raise TypeError(
            "The keys of 'scores' must be the names of rankers, of type str. "
            f"Got {shown(name)} instead."
        )
    if not isinstance(values, QueryScores):
        columns = _columns_of(values, name, shared)
        values = QueryScores.from_frame(columns, **options)
    if len(values.rankers) != 1:
        raise TypeError(
            f"The 'scores' parameter of {caller} must have one ranker in "
            f"each entry of a dict. Got {len(values.rankers)} for {shown(name)}."
        )
    return values.table._replace(rankers=(None,), kind=kind_of(of_all))


def _columns_of(values, name, shared):
    """Return the values of the queries of a ranker as columns.

    A dict, or a Series, has the ids of the queries; other values stand in one order for
    all rankers. A dict may hold a dict of metrics for each query, as pytrec_eval
    returns it.
    """
    columns = {"qid": None, **shared}
    if isinstance(values, Mapping):
        if shared:
            raise ValueError(
                "Values in a dict by query cannot be joined with columns. Got "
                f"{list(shared)} as well as a dict for {shown(name)}. Pass arrays, in "
                "the order of these columns."
            )
        columns["qid"], values = list(values), list(values.values())
        if columns["qid"] and all(map(is_metric, map(str, columns["qid"]))):
            raise ValueError(
                f"The values of {shown(name)} must be those of queries. Got the means "
                f"of {columns['qid']}: pass the QueryScores itself, not its summary."
            )
        if values and isinstance(values[0], Mapping):
            metrics = list(values[0])
            return columns | {
                metric: [of_query[metric] for of_query in values] for metric in metrics
            }
    elif columns["qid"] is None and index_of(values) is not None:
        columns["qid"] = np.asarray(index_of(values))
    values = as_floats(values, f"The values of {shown(name)}")
    if values.ndim != 1:
        raise ValueError(
            "The values of a ranker must be one number for each query, or a dict of "
            f"them by query. Got shape {values.shape} for {shown(name)}."
        )
    if np.isnan(values).any():
        raise ValueError(
            f"The values of {shown(name)} must not be NaN. Got {np.isnan(values).sum()}"
            " of them. Replace them by what an undefined query counts as, such as 0, "
            "or leave these queries out for all rankers."
        )
    if columns["qid"] is None:
        n = len(values)
        columns["qid"] = np.arange(n)
        if n < FEWEST_WITHOUT_IDS:
            warn_caller(
                f"{n} values without query ids are taken for {n} queries. If they are "
                "of folds, cross_val_query_scores has those of queries.",
                UserWarning,
            )
    if values.min(initial=0) < 0 and values.max(initial=0) > 1:
        warn_caller(
            f"The values of {shown(name)} are from {values.min():.3g} to "
            f"{values.max():.3g}: are they predictions? score_queries(y_true, "
            "predictions, metric, qid=qid) makes values of queries of them.",
            UserWarning,
        )
    return columns | {"value": values}
