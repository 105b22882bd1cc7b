"""Confidence intervals of metrics over queries."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils import Bunch

from skrank._engine.summary import mean_of_queries, pooled_harmonic_mean
from skrank._input.callers import warn_caller
from skrank._input.checks import (
    check_choice,
    check_level,
    check_some_weight,
    check_weights,
    numeric_array,
    says_what_was_meant,
    shown,
)
from skrank._text.docs import Clusters
from skrank.evaluation.query_scores import QueryScores
from skrank.stats.inference import (
    FEWEST_UNITS,
    Terms,
    check_sizes,
    count_units,
    difference,
    effective_hits,
    hall,
    in_limits,
    quantile_of_t,
    read_clusters,
    segments_of,
    standard_error,
    sum_clusters,
    t_interval,
    terms_of,
    warn_of_few,
    wilson,
)
from skrank.stats.judged import ALONE, combined, matched, refuse
from skrank.stats.results import ConfidenceIntervals

Method = Literal["auto", "t"]
# With more values Hall's interval is the same as Gaffke's, and takes less time.
MOST_VALUES = 2000


@says_what_was_meant
def confidence_interval(
    scores: QueryScores,
    *,
    by: str | Sequence[str] | None = None,
    confidence_level: float = 0.95,
    method: Method = "auto",
    clusters: Clusters | None = None,
    judge: QueryScores | None = None,
) -> ConfidenceIntervals:
    r"""Confidence interval of the mean of a metric over queries.

    The queries are a sample; the interval covers the mean over all queries that they
    were drawn from (:doc:`/is_it_better`). The estimate is the `summary` of the scores.

    Parameters
    ----------
    scores : QueryScores
        The values of the queries, such as those of
        :func:`~skrank.metrics.score_queries`. `QueryScores.from_frame` reads those that
        were computed elsewhere.
    by : str or list of str, default=None
        The key columns of the scores, such as a country, whose values have intervals of
        their own: those of ``scores.where(country=...)``.
    confidence_level : float, default=0.95
        The level, between 0 and 1.
    method : {"auto", "t"}, default="auto"
        "t" is Student's t, with the standard error of the jackknife for clusters and
        weights. "auto" takes what fits the values, as the entry `method` says: "wilson"
        for 0 and 1 [1]_; "t" with clusters or weights; "bounded" for metrics with known
        limits and other values from 0 to 1, of at most 2,000 queries: Gaffke's interval
        with half an observation at the limit [4]_; and "hall" otherwise: Student's t,
        corrected for the skewness of the values [2]_.
    clusters : str or array-like of shape (n_queries,), default=None
        Queries that belong together, such as those of a user: the name of one key
        column of `scores`, or a label of each query in the order of `scores.keys`,
        which is what a list always holds. If None, a query id that comes several times,
        as with several seeds, is one cluster.
    judge : QueryScores, default=None
        Scores of the same rankers by the same metrics, with labels of a machine, for
        the queries of `scores`, which people judged, and many others, of which they
        must be a random sample (:doc:`/judges`). The interval covers the mean that
        people would find over all queries [3]_. It needs unweighted means, no `by`,
        `clusters` or `method`.

    Returns
    -------
    intervals : ConfidenceIntervals
        A table of intervals, by ranker and metric, and with `by` by segment.

    Raises
    ------
    ValueError
        If a parameter has an invalid value, or a metric is not a mean of the values of
        the queries, such as a sum.
    TypeError
        If `scores` is of another type.

    Warns
    -----
    UserWarning
        If there are too few queries for a finite interval, or few of them decide it,
        so that it may be too narrow.

    See Also
    --------
    mean_interval : The interval of the mean of an array of values.
    compare_rankers : The difference of two rankers, which are better compared query by
        query than by two intervals.

    References
    ----------
    .. [1] E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical
       Inference", JASA 22 (1927).
    .. [2] Hall, "The Bootstrap and Edgeworth Expansion", Springer (1992).
    .. [3] A. Angelopoulos, J. Duchi, T. Zrnic, "PPI++: Efficient Prediction-Powered
       Inference", arXiv:2311.01453 (2023).
    .. [4] N. Gaffke, "Three Test Statistics for a Nonparametric One-Sided Hypothesis on
       the Mean of a Nonnegative Variable", Mathematical Methods of Statistics 14
       (2005).

    Examples
    --------
    >>> import numpy as np
    >>> from skrank.metrics import score_queries
    >>> from skrank.stats import confidence_interval
    >>> rng = np.random.RandomState(0)
    >>> qid = np.repeat(np.arange(60), 10)
    >>> y_true = rng.randint(2, size=600)
    >>> scores = score_queries(y_true, y_true + rng.randn(600), "ndcg", qid=qid)
    >>> intervals = confidence_interval(scores)
    >>> print(intervals)
    60 queries, 95% intervals
    <BLANKLINE>
    metric  estimate          interval  method
    ndcg      0.9126  [0.8658, 0.9377]  bounded
    >>> round(intervals["ndcg"].low, 4)
    0.8658
    """
    check_level(confidence_level, "confidence_level", "confidence_interval")
    check_choice(method, get_args(Method), "method", "confidence_interval")
    if not isinstance(scores, QueryScores):
        raise TypeError(
            "The 'scores' parameter of confidence_interval must be a QueryScores. Got "
            f"{type(scores).__name__} instead. QueryScores.from_frame reads values by "
            "query from columns, and mean_interval takes an array of them; those of "
            "folds are not, which cross_val_query_scores replaces."
        )
    intervals, few = intervals_of(scores, by, confidence_level, method, clusters, judge)
    _warn_of_few(*few)
    return intervals


def intervals_of(scores, by, confidence_level, method, clusters, judge):
    """Return the intervals, and the effective numbers of values and of units."""
    table, few = scores.table, ({}, {})
    if judge is not None:
        asked = None if method == "auto" else method
        given = {"by": by, "clusters": clusters, "method": asked}
        refuse("confidence_interval", "with a judge", **given)
        codes = read_clusters(None, scores.keys)
        rows = _rows_of_judge(scores, judge, confidence_level)
    else:
        codes, segments, *few = intervals_by_segment(
            table, by, clusters, confidence_level=confidence_level, method=method
        )
        rows = _rows_of_table(scores, segments)
    intervals = ConfidenceIntervals(
        rows=tuple(rows),
        by=by,
        clusters=clusters,
        confidence_level=confidence_level,
        directions={one.key: one.direction for one in table.requests},
        n_units=count_units(table.weight, len(table.keys["qid"]), codes),
        kind=table.kind,
    )
    return intervals, few


@says_what_was_meant
def mean_interval(
    values: ArrayLike,
    *,
    confidence_level: float = 0.95,
    method: Method = "auto",
    clusters: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> ConfidenceIntervals:
    """Confidence interval of the mean of an array of values.

    That of :func:`confidence_interval` for values that were computed elsewhere.

    Parameters
    ----------
    values : array-like of shape (n_queries,)
        One value of each query. NaN is left out, with a warning.
    confidence_level : float, default=0.95
        The level, between 0 and 1.
    method : {"auto", "t"}, default="auto"
        As in :func:`confidence_interval`. The limits of the values are 0 and 1 if all
        of them are between.
    clusters : array-like of shape (n_queries,), default=None
        Queries that belong together, as in :func:`confidence_interval`.
    sample_weight : array-like of shape (n_queries,), default=None
        The weights of the queries.

    Returns
    -------
    interval : ConfidenceIntervals
        A single interval, whose entries are attributes.

    Raises
    ------
    ValueError
        If a parameter has an invalid value.

    Warns
    -----
    UserWarning
        If values are NaN, or as :func:`confidence_interval` warns.

    See Also
    --------
    confidence_interval : The intervals of a QueryScores.

    Examples
    --------
    >>> from skrank.stats import mean_interval
    >>> hits = mean_interval([1, 1, 1, 0, 1, 1, 0, 1])
    >>> hits.estimate, round(hits.low, 3), round(hits.high, 3), hits.method
    (0.75, 0.409, 0.929, 'wilson')
    """
    check_level(confidence_level, "confidence_level", "mean_interval")
    check_choice(method, get_args(Method), "method", "mean_interval")
    terms = _read_array(values, sample_weight)
    codes = read_clusters(clusters, {"qid": np.arange(len(terms.known))})
    interval, *few = interval_of(terms, codes, confidence_level, method)
    _warn_of_few(*({"these values": n} for n in few))
    return ConfidenceIntervals(
        rows=(interval,),
        by=None,
        clusters=clusters,
        confidence_level=confidence_level,
        directions={None: 1},
        n_units=count_units(terms.bottom, len(terms.bottom), codes),
    )


def _read_array(values, sample_weight):
    """Return the :class:`Terms` of an array of values."""
    values = numeric_array(values, "values").astype(np.float64)
    if values.ndim != 1 or not len(values) or np.isinf(values).any():
        raise ValueError(
            "The 'values' parameter of mean_interval must be an array of shape "
            "(n_queries,) of finite values or NaN, with at least one query. Got shape "
            f"{values.shape} instead."
        )
    n = len(values)
    weight = np.ones(n)
    if sample_weight is not None:
        weight = check_weights(sample_weight, n, "query")
        check_some_weight(weight)
    has_value = ~np.isnan(values)
    n_undefined = int((~has_value & (weight > 0)).sum())
    if n_undefined:
        warn_caller(
            f"{n_undefined:,} of {n:,} values are NaN. They are left out.", UserWarning
        )
    known = has_value & (weight > 0)
    check_sizes(values[known], values[known], "values")
    bottom = np.where(known, weight, 0)
    top = np.where(known, values, 0) * bottom
    order = np.lexsort((top, bottom))  # the sum does not depend on that of the queries
    whole = bottom[order].sum()
    estimate = float(top[order].sum() / whole) if whole else np.nan
    return Terms(top, bottom, known, values[known], n_undefined, estimate)


def _rows_of_table(scores, segments):
    """Return the rows of the intervals of each segment; raise if one has none."""
    missing = {
        j for _, found in segments for (_, j), one in found.items() if one is None
    }
    if missing:
        without = [scores.metrics[j] for j in sorted(missing)]
        others = [name for name in scores.metrics if name not in without]
        raise ValueError(
            "confidence_interval has no formula for metrics that are not means over "
            f"queries. Got {without}: select other metrics, such as "
            f"scores[{others or ['mrr']}]."
        )
    return [
        Bunch(**entries, metric=metric, ranker=ranker, **found[i, j])
        for entries, found in segments
        for j, metric in enumerate(scores.metrics)
        for i, ranker in enumerate(scores.rankers)
    ]


def intervals_by_segment(
    table, by=None, clusters=None, *, confidence_level, method="auto"
):
    """Return codes of clusters, and (entries of a segment, its intervals) for each.

    The intervals are by position of ranker and metric, None without a formula. Also
    return the effective numbers of values and of units, by the name of the interval.
    """
    codes, segments = segments_of(table, by, clusters, "confidence_interval")
    found, few_values, few_units = [], {}, {}
    for segment in segments:
        part, options = segment.table, (confidence_level, method)
        of_segment = "".join(
            f", {key}={shown(value)}" for key, value in segment.entries.items()
        )
        all_terms = terms_of(part)
        intervals = dict.fromkeys(np.ndindex(len(part.rankers), len(part.requests)))
        for i, j in intervals:
            if all_terms[i][j] is not None:
                ranker = part.rankers[i]
                of_ranker = "" if ranker is None else f" of {shown(ranker)}"
                name = f"{part.requests[j].key!r}{of_ranker}{of_segment}"
                intervals[i, j], few_values[name], few_units[name] = interval_of(
                    all_terms[i][j], segment.clusters, *options
                )
        found.append((segment.entries, intervals))
    return codes, found, few_values, few_units


def _warn_of_few(few_values, few_units):
    """Warn of intervals that few values or few units decide."""
    claim = "The interval may be too narrow"
    values = "values, (sum d^2)^2 / sum d^4 of their deviations d from the mean,"
    warn_of_few(claim, few_values, values)
    units = "units, (sum b)^2 / sum b^2 of their weights b,"
    warn_of_few(claim, few_units, units, FEWEST_UNITS)


class _Ratio(NamedTuple):
    """A ratio of two sums over the queries that count, and how much it varies."""

    value: float
    error: float  # its standard error
    df: float
    moments: tuple  # the sums of squares, cubes and fourth powers of t - R b
    is_plain: bool  # whether all queries count alike, each for itself
    units: np.ndarray  # the weights of the units
    n: int  # the number of queries


def interval_of(terms, clusters, confidence_level, method):
    """Return the interval of one summary as a Bunch, and two effective numbers.

    They are those of values and of units; infinite where the interval allows for them.
    """
    ratio = _ratio_of(terms, clusters)
    if ratio is None:
        warn_caller(
            "The metric is undefined for every query, and so is its interval.",
            UndefinedMetricWarning,
        )
        interval = _as_bunch(terms, np.nan, np.nan, np.nan, method)
        return interval, np.inf, np.inf
    if method == "auto":
        method = _fitting_method(terms, ratio)
    ends = METHODS[method](terms, ratio, confidence_level)
    low, high, error = _of_ratio(terms, ratio.value, ends, ratio.error)
    interval = _as_bunch(terms, low, high, error, method)
    if not np.isfinite([low, high]).all():
        n_units = count_units(terms.bottom, len(terms.bottom), clusters)
        warn_caller(
            "The confidence interval has no end but the limits of the metric: it needs "
            "at least two queries, or clusters of them. 1 over a mean that may be 0 "
            f"can need more. Got {n_units} of them, and the method {method!r}.",
            UserWarning,
        )
        return interval, np.inf, np.inf
    second, _, fourth = ratio.moments
    n_values = second**2 / fourth if fourth > 0 else 0.0
    if method in ("wilson", "bounded"):  # which allow for what is not seen
        n_values = np.inf
    return interval, n_values, np.inf if ratio.is_plain else ratio.df + 1


def _ratio_of(terms, clusters):
    """Return the :class:`_Ratio` of some terms, or None if no query counts."""
    known = terms.known
    # The sums do not depend on the order of the queries.
    order = np.lexsort((terms.top[known], terms.bottom[known]))
    top, bottom = terms.top[known][order], terms.bottom[known][order]
    clusters = None if clusters is None else clusters[known][order]
    n, is_plain = len(top), terms.is_mean and clusters is None
    if not bottom.any():
        return None
    if is_plain:
        top, bottom = top / bottom[0], np.ones(n)
    # R = sum t / sum b, and the powers of the deviations t - R b
    ratio = top.sum() / bottom.sum()
    deviation = difference(top, ratio * bottom)
    moments = tuple((deviation**power).sum() for power in (2, 3, 4))
    _, units = sum_clusters(bottom, bottom, clusters)
    if is_plain:
        error, df = np.sqrt(moments[0] / n / (n - 1)) if n > 1 else np.nan, n - 1
    else:
        error, df = standard_error(top, bottom, clusters)
    return _Ratio(ratio, float(error), float(df), moments, is_plain, units, n)


def _fitting_method(terms, ratio):
    """Return the method that fits the values of some terms."""
    if terms.is_binary:
        return "wilson"
    # Equal values do not show how far others are from them, however they count.
    is_small = ratio.is_plain and ratio.n <= MOST_VALUES
    if terms.limits_of_values is not None and (ratio.error == 0 or is_small):
        return "bounded"
    return "hall" if ratio.is_plain else "t"


def _by_wilson(terms, ratio, confidence_level):
    if ratio.is_plain:
        quantile = float(norm.ppf((1 + confidence_level) / 2))
        return wilson(ratio.value, ratio.n, quantile)
    hits = effective_hits(ratio.value, ratio.error, ratio.units, ratio.n)
    return wilson(ratio.value, hits, quantile_of_t(confidence_level, ratio.df))


def _by_limits(terms, ratio, confidence_level):
    values = terms.values
    if not ratio.is_plain:  # equal ones, as many as the units weigh
        values = np.full(max(round(ratio.df + 1), 1), ratio.value)
    return in_limits(values, terms.limits_of_values, (1 - confidence_level) / 2)


def _by_hall(terms, ratio, confidence_level):
    (second, third, _), n = ratio.moments, ratio.n
    variance, skewness = second / n, 0.0
    if variance > 0:
        skewness = third / n / variance**1.5 / np.sqrt(n)
    return hall(ratio.value, ratio.error, ratio.df, skewness, confidence_level)


def _by_t(terms, ratio, confidence_level):
    return t_interval(ratio.value, ratio.error, ratio.df, confidence_level)


# Functions of terms, their ratio and a level: the ends of its interval.
METHODS = {"wilson": _by_wilson, "bounded": _by_limits, "hall": _by_hall, "t": _by_t}


def _of_ratio(terms, ratio, ends, error):
    """Return (low, high, standard error) of the summary from those of the ratio."""
    link, is_reciprocal = terms.summary, False
    if terms.request is not None:
        metric = terms.request.metric
        pool = mean_of_queries if metric.inverse else pooled_harmonic_mean
        is_reciprocal = metric.pool is pool  # the summary is 1 or -1 over the ratio
    with np.errstate(all="ignore"):
        if is_reciprocal:  # unbounded if the interval of the ratio reaches 0
            side = np.sign(ratio)
            ends = side * np.maximum(side * np.asarray(ends), 0)
        low, high = sorted(link(end) for end in ends)
        if not terms.is_linear:  # it stretches the standard error by its slope
            step = 1e-6 * max(abs(ratio), 1e-6)
            error *= abs(link(ratio + step) - link(ratio - step)) / (2 * step)
    return low, high, error


def _as_bunch(terms, low, high, error, method):
    """Return an interval within the limits of the metric that holds its estimate."""
    least, most = terms.limits
    return Bunch(
        estimate=terms.estimate,
        low=min(max(low, least), terms.estimate),
        high=max(min(high, most), terms.estimate),
        standard_error=float(error),
        n_queries=int(terms.known.sum()),
        n_undefined=terms.n_undefined,
        method=method,
    )


def _rows_of_judge(scores, judge, confidence_level):
    """Return the rows of means, from values of people and of a machine."""
    values, judged, people = matched(scores, judge, "confidence_interval")
    all_terms, rows = terms_of(scores.table), []
    for j, metric in enumerate(scores.metrics):
        for i, ranker in enumerate(scores.rankers):
            found, terms = combined(values[i, j], judged[i, j], people), all_terms[i][j]
            entries = found.entries
            if found.is_of_few:
                interval, *_ = interval_of(terms, None, confidence_level, "auto")
                entries = entries | ALONE
            else:
                mean = found.estimate, found.error, found.df, found.skewness
                ends = hall(*mean, confidence_level)
                terms = terms._replace(estimate=found.estimate)
                interval = _as_bunch(terms, *sorted(ends), found.error, "judge")
            rows.append(Bunch(metric=metric, ranker=ranker, **interval, **entries))
    return rows
