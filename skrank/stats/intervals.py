"""Confidence intervals of metrics over queries."""

# SPDX-License-Identifier: BSD-3-Clause

import warnings
from collections.abc import Callable
from numbers import Integral
from typing import NamedTuple

import numpy as np
from scipy.stats import norm
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils import Bunch, check_scalar

from skrank._checks import (
    check_choice,
    check_number,
    check_weights,
    numeric_array,
    shown,
    warn_caller,
)
from skrank._ranking.ids import encode_qid
from skrank.metrics import QueryScores
from skrank.metrics.average_precision import log_of_gm_map, mean_of_gm_map
from skrank.metrics.summary import (
    mean_of_queries,
    pooled_geometric_mean,
    pooled_harmonic_mean,
    pooled_median,
    reciprocal,
)
from skrank.stats.inference import (
    FEWEST_EFFECTIVE,
    ROUNDING,
    by_value,
    difference,
    effective_hits,
    effective_units,
    grouped,
    hall,
    order_statistics,
    quantile_of_t,
    seed_of,
    standard_error,
    studentized,
    t_interval,
    wilson,
)


def confidence_interval(
    scores,
    *,
    confidence_level=0.95,
    method="auto",
    groups=None,
    sample_weight=None,
    n_resamples=9999,
    random_state=0,
):
    r"""Confidence interval of the mean of a metric over queries.

    The queries are a sample; the interval covers the mean over all queries that they
    were drawn from. The estimate is the `summary` of the scores: a query where a metric
    is undefined counts as `replace_undefined_by`, or not at all if that is NaN.

    Parameters
    ----------
    scores : QueryScores or array-like of shape (n_queries,)
        The values of the queries. NaN in an array is left out, with a warning.
    confidence_level : float, default=0.95
        The level, between 0 and 1.
    method : {"auto", "wilson", "hall", "t", "bootstrap"}, default="auto"
        How the interval is computed:

        - "wilson": Wilson's score interval [1]_, for values that are 0 or 1 of a
          metric between 0 and 1. An array of zeros and ones is taken for hits. With
          groups or weights, the interval is that of an effective number of queries;
        - "hall": Student's t, corrected for the skewness of the values [2]_;
        - "t": Student's t, with the jackknife's standard error for groups and weights;
        - "bootstrap": the studentized bootstrap (bootstrap-t) [2]_;
        - "auto": "wilson" where it is possible, else "t" with groups or weights, else
          "hall". The median of ranks has order statistics.
    groups : str, array-like of shape (n_queries,) or list of two of them, default=None
        What was drawn independently, if not the queries: users with several queries,
        or entities. The name of a key column of `scores`, or one entry per query in
        the order of `scores.keys`. Two groupings, such as ``["qid", "seed"]``, count
        together. If None, a query id that comes several times, as with several seeds,
        is one group.
    sample_weight : array-like of shape (n_queries,), default=None
        The weights of an array of values. A QueryScores has its own.
    n_resamples : int, default=9999
        The number of samples of the bootstrap.
    random_state : int, RandomState instance or None, default=0
        Draws the samples of the bootstrap.

    Returns
    -------
    interval : Bunch, dict of them, or dict of dicts
        Of an array one interval with the attributes `estimate`, `low`, `high`,
        `standard_error`, `n_queries`, `n_undefined` and `method`. Of a QueryScores one
        for each metric, or for each ranker and metric, as its `summary` has them. The
        ends are within the range of the metric. `n_queries` is the number of queries
        that count, and `n_undefined` that of queries where the metric is undefined.
        The range of an array is not known, unless it holds only zeros and ones.

    Raises
    ------
    ValueError
        If a parameter has an invalid value, or a metric is not a mean of the values of
        the queries, such as a variance of ranks.

    Warns
    -----
    UserWarning
        If there are too few queries for any finite interval, or few queries decide it,
        so that it may be too narrow: if the effective number of values,
        (sum d^2)^2 / sum d^4 of their deviations d from the mean, or of units,
        (sum b)^2 / sum b^2 of their weights b, is below 10. Also of NaN in an array.

    See Also
    --------
    compare_rankers : The difference of two rankers, which are better compared query by
        query than by two intervals.

    Notes
    -----
    With weights, or for a metric adjusted for chance, the estimate is a ratio of two
    sums :math:`R = \sum t_i / \sum b_i` over the units, which are queries or groups of
    them. Its standard error is that of the jackknife, with
    :math:`(\sum b_i)^2 / \sum b_i^2 - 1` degrees of freedom. Wilson's interval then has
    the quantile of Student's t, and :math:`R (1 - R) / se^2` queries, at most as many
    as there are. On samples of 20 real
    queries Hall's interval covers the mean in 92 to 98 of 100 cases, and Student's t in
    84 to 95.

    References
    ----------
    .. [1] E. B. Wilson, "Probable Inference, the Law of Succession, and Statistical
       Inference", JASA 22 (1927).
    .. [2] P. Hall,
       "The Bootstrap and Edgeworth Expansion" (1992).

    Examples
    --------
    >>> from skrank.stats import confidence_interval
    >>> hits = confidence_interval([1, 1, 1, 0, 1, 1, 0, 1])
    >>> hits.estimate, round(hits.low, 3), round(hits.high, 3), hits.method
    (0.75, 0.409, 0.929, 'wilson')

    Of a QueryScores:

    >>> import numpy as np
    >>> from skrank.metrics import score_queries
    >>> rng = np.random.RandomState(0)
    >>> qid = np.repeat(np.arange(60), 10)
    >>> y_true = rng.randint(2, size=600)
    >>> scores = score_queries(y_true, y_true + rng.randn(600), "ndcg", qid=qid)
    >>> ndcg = confidence_interval(scores)["ndcg"]
    >>> print(f"{ndcg.estimate:.3f} [{ndcg.low:.3f}, {ndcg.high:.3f}]")
    0.913 [0.877, 0.937]
    """
    check_level(confidence_level, "confidence_level", "confidence_interval")
    check_choice(method, METHODS, "method", "confidence_interval")
    check_scalar(n_resamples, "n_resamples", Integral, min_val=1)
    options = {
        "confidence_level": confidence_level,
        "n_resamples": n_resamples,
        "random_state": random_state,
    }
    if not isinstance(scores, QueryScores):
        return _of_array(scores, sample_weight, method, groups, options)
    if sample_weight is not None:
        raise ValueError(
            "The 'sample_weight' parameter of confidence_interval must be None for a "
            "QueryScores. Pass the weights to score_queries."
        )
    rows = interval_table(scores, method=method, groups=groups, **options)
    without = [
        name for j, name in enumerate(scores.metrics) if any(r[j] is None for r in rows)
    ]
    if without:
        others = [name for name in scores.metrics if name not in without]
        raise ValueError(
            "confidence_interval has no formula for metrics that are not means over "
            f"queries, nor for medians with groups or weights. Got {without}: select "
            f"other metrics, such as scores[{others or ['mrr']}]."
        )
    named = [dict(zip(scores.metrics, row, strict=True)) for row in rows]
    if scores.rankers == (None,):
        return named[0]
    return dict(zip(scores.rankers, named, strict=True))


def _of_array(values, sample_weight, method, groups, options):
    """Return the interval of an array of values."""
    values = numeric_array(values, "scores").astype(np.float64)
    if values.ndim != 1 or not len(values) or np.isinf(values).any():
        raise ValueError(
            "The 'scores' parameter must be a QueryScores, or an array of shape "
            "(n_queries,) of finite values or NaN, with at least one query. Got shape "
            f"{values.shape} instead."
        )
    n = len(values)
    weight = np.ones(n)
    if sample_weight is not None:
        weight = check_weights(sample_weight, n, "query")
    has_value = ~np.isnan(values)
    n_undefined = int((~has_value & (weight > 0)).sum())
    if n_undefined:
        warn_caller(
            f"{n_undefined:,} of {n:,} values are NaN. They are left out.", UserWarning
        )
    known = has_value & (weight > 0)
    bottom = np.where(known, weight, 0)
    top = np.where(known, values, 0) * bottom
    order = np.lexsort((top, bottom))  # the sum does not depend on that of the queries
    whole = bottom[order].sum()
    estimate = float(top[order].sum() / whole) if whole else np.nan
    terms = Terms(top, bottom, known, n_undefined, estimate)
    if is_binary(values[known]):
        terms = terms._replace(limits=(0, 1), is_binary=True)
    groupings = []
    if groups is not None:
        groupings = read_groups(groups, {"qid": np.arange(n)})
    named = [("these values", terms)]
    level, *resampling = options.values()
    (found,) = intervals_of(named, groupings, level, method, *resampling)
    return found


def check_level(value, name, caller):
    """Raise unless a probability is between 0 and 1."""
    value = check_number(value, name, caller)
    if not 0 < value < 1:
        raise ValueError(
            f"The '{name}' parameter of {caller} must be a float in the range "
            f"(0.0, 1.0). Got {value} instead."
        )


METHODS = ("auto", "wilson", "hall", "t", "bootstrap")

# Summaries g(mean of f(values)), as (f, g).
MEANS = {
    mean_of_queries: (np.array, float),
    pooled_geometric_mean: (np.log, np.exp),
    pooled_harmonic_mean: (np.reciprocal, np.reciprocal),
    mean_of_gm_map: (log_of_gm_map, np.exp),
}


class Terms(NamedTuple):
    """A summary as a function of a ratio of two sums over queries.

    Attributes
    ----------
    top, bottom : ndarray of shape (n_queries,)
        The terms of the sums; 0 where a query does not count.
    known : ndarray of shape (n_queries,), dtype bool
        Which queries count: those with a value, which may replace an undefined one, and
        a weight above 0.
    n_undefined : int
        The number of queries with a weight above 0 where the metric is undefined.
    estimate : float
        The summary.
    limits : tuple of (float, float)
        The smallest and the largest value that the summary can have.
    link : callable
        The summary of the ratio, increasing or decreasing.
    is_linear : bool
        Whether the summary is the ratio or minus the ratio.
    is_reciprocal : bool
        Whether the summary is one over the ratio or minus that.
    is_binary : bool
        Whether the values are 0 or 1, of a metric between 0 and 1.
    """

    top: np.ndarray
    bottom: np.ndarray
    known: np.ndarray
    n_undefined: int
    estimate: float
    limits: tuple = (-np.inf, np.inf)
    link: Callable = float
    is_linear: bool = True
    is_reciprocal: bool = False
    is_binary: bool = False

    @property
    def is_mean(self):
        """Return True if all queries that count do so alike."""
        bottom = self.bottom[self.known]
        return bool(len(bottom)) and np.ptp(bottom) == 0


def terms_of(table, ranker, metric):
    """Return the :class:`Terms` of one ranker and metric at their positions, or None.

    None for summaries that are not functions of one mean, such as variances.
    """
    request, measured = table.requests[metric], table.measured[ranker][metric]
    definition, options = request.metric, request.options
    adjusted, inverse = options.adjusted, definition.inverse
    before, link = MEANS.get(definition.pool, (None, None))
    if before is None:
        return None
    if adjusted and (definition.moments is not None or adjusted == "z"):
        return None
    weight = table.weight
    if options.average == "weighted":
        n_documents = table.n_documents[ranker].astype(np.float64)
        weight = n_documents if weight is None else weight * n_documents
    undefined, instead = np.isnan(measured.values), options.replace_undefined_by
    instead = reciprocal(instead) if inverse else instead

    def counted(values):
        return np.where(undefined, instead, values)

    values = counted(measured.values)
    known, has_weight = ~np.isnan(values), np.ones(len(values), dtype=bool)
    if weight is not None:
        has_weight = weight > 0
        known &= has_weight
        weight = weight / weight.max(initial=1)  # a ratio of sums has no scale
    with np.errstate(divide="ignore", invalid="ignore"):
        top, bottom = before(np.where(known, values, 1.0)), np.ones(len(known))
    if not np.isfinite(top).all():
        bad = values[known & ~np.isfinite(top)][0]
        raise ValueError(
            f"The values of {request.key!r} must be finite to have an interval or to "
            f"be compared, and its ranks above 0. Got {bad}, with "
            f"replace_undefined_by={options.replace_undefined_by}."
        )
    if adjusted:
        bottom = counted(measured.chance)
        if adjusted is True:
            ideal = counted(measured.ideal)
            top, bottom = difference(top, bottom), difference(ideal, bottom)
    if weight is not None:
        top, bottom = top * weight, bottom * weight
    top, bottom = (np.where(known, x, 0) for x in (top, bottom))
    sign = request.sign

    def summary(ratio):
        value = link(ratio)
        return float(sign * (np.divide(1, value) if inverse else value)) + 0.0

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        ((estimate,),) = table.select([ranker], [metric]).summaries()
    is_mean = definition.pool is mean_of_queries
    is_linear = is_mean and not inverse
    used = values[known]
    is_share = is_linear and not adjusted and definition.limits == (0, 1)
    return Terms(
        top,
        bottom,
        known,
        int((undefined & has_weight).sum()),
        estimate,
        _limits(request, used),
        summary,
        is_linear,
        inverse if is_mean else definition.pool is pooled_harmonic_mean and not inverse,
        is_share and is_binary(used),
    )


def _limits(request, values):
    """Return the limits of the summary; none if a value is outside of its own."""
    low, high = request.metric.limits
    inside = (values >= low - ROUNDING) & (values <= high + ROUNDING)
    return request.limits if inside.all() else (-np.inf, np.inf)


def is_binary(values):
    """Return True if all values are 0 or 1."""
    return bool(((values == 0) | (values == 1)).all())


def interval_table(
    scores,
    *,
    confidence_level=0.95,
    method="auto",
    groups=None,
    n_resamples=9999,
    random_state=0,
):
    """Return the intervals of a QueryScores, in a list for each ranker.

    The parameters are those of :func:`skrank.stats.confidence_interval`. A metric
    without a formula has None.
    """
    table = scores.table
    groupings = read_groups(groups, scores.keys)
    terms = {}
    for i, j in np.ndindex(len(table.rankers), len(table.requests)):
        if (found := terms_of(table, i, j)) is not None:
            name = repr(scores.metrics[j])
            if table.rankers[i] is not None:
                name += f" of {shown(table.rankers[i])}"
            terms[i, j] = name, found
    found = dict(
        zip(
            terms,
            intervals_of(
                terms.values(),
                groupings,
                confidence_level,
                method,
                n_resamples,
                random_state,
            ),
            strict=True,
        )
    )
    for i, j in np.ndindex(len(table.rankers), len(table.requests)):
        if table.requests[j].metric.pool is pooled_median:
            found[i, j] = _interval_of_median(table, i, j, groupings, confidence_level)
    return [
        [found.get((i, j)) for j in range(len(table.requests))]
        for i in range(len(table.rankers))
    ]


def intervals_of(named, groupings, confidence_level, method, n_resamples, random_state):
    """Return the intervals of (name, :class:`Terms`), and warn of what few decide."""
    named, resampled = list(named), {}
    for name, terms in named:
        check_method(method, terms, groupings, name)
    if method == "bootstrap":
        resampled = bootstrap(
            [terms for _, terms in named],
            groupings,
            confidence_level,
            n_resamples,
            random_state,
        )
    intervals, few_values, few_units = [], {}, {}
    for place, (name, terms) in enumerate(named):
        ends = resampled[place] if len(resampled) else None
        interval, n_values, n_units = interval_of(
            terms, groupings, confidence_level, method, ends
        )
        intervals.append(interval)
        few_values[name], few_units[name] = n_values, n_units
    warn_of_few(
        few_values,
        "values, (sum d^2)^2 / sum d^4 of their deviations d from the mean,",
        "interval",
    )
    warn_of_few(few_units, "units, (sum b)^2 / sum b^2 of their weights b,", "interval")
    return intervals


def warn_of_few(effective, what, result):
    """Warn if the effective numbers of some results, by name, are small.

    `what` names the number and gives its formula, `result` what is too narrow or too
    small: an interval, or a p-value.
    """
    few = {name: n for name, n in effective.items() if n < FEWEST_EFFECTIVE - ROUNDING}
    if few:
        least = min(few, key=few.get)
        short = {"interval": "narrow", "p-value": "small"}[result]
        warn_caller(
            f"The {result} may be too {short}, because few queries decide it: the "
            f"effective number of {what} is below {FEWEST_EFFECTIVE} for {len(few)} of "
            f"{len(effective)} {result}s, and {few[least]:.1f} for {least}.",
            UserWarning,
        )


def interval_of(terms, groupings, confidence_level, method, resampled=None):
    """Return the interval of one summary as a Bunch, and two effective numbers.

    `resampled` is the (low, high) of the ratio by the bootstrap, with that method. The
    numbers are those of values and of units; infinite where the interval allows for
    them.
    """
    known = terms.known
    order = by_value(terms.top[known, None], terms.bottom[known, None])
    top, bottom = terms.top[known][order], terms.bottom[known][order]
    groupings = [groups[known][order] for groups in groupings]
    n_queries = int(known.sum())
    if not bottom.any():
        return _undefined(terms, method), np.inf, np.inf
    ratio = top.sum() / bottom.sum()
    error, df = map(float, standard_error(top, bottom, groupings))
    is_plain = terms.is_mean and not groupings
    if method == "auto":
        method = "wilson" if terms.is_binary else "hall" if is_plain else "t"
    if method == "wilson":
        n, quantile = n_queries, float(norm.ppf((1 + confidence_level) / 2))
        if is_plain:
            ratio = np.rint(top.sum() / bottom[0]) / n
        else:
            units = [grouped(top, bottom, groups)[1] for groups in groupings or [None]]
            n = effective_hits(ratio, error, min(units, key=effective_units), n)
            quantile = quantile_of_t(confidence_level, df)
        ends = wilson(ratio, n, quantile)
    elif method == "hall":
        ends = hall(top / bottom[0], confidence_level)
    elif method == "t":
        ends = t_interval(ratio, error, df, confidence_level)
    else:
        ends = resampled
    low, high, error = _of_ratio(terms, ratio, ends, error)
    interval = _as_bunch(terms, low, high, error, method)
    if not np.isfinite([low, high]).all():
        n_units = min([n_queries, *(len(np.unique(groups)) for groups in groupings)])
        warn_caller(
            "The confidence interval has no end but the limits of the metric: it needs "
            "at least two queries, or groups of them. The bootstrap, and 1 over a mean "
            f"that may be 0, can need more. Got {n_units} of them, and the method "
            f"{method!r}.",
            UserWarning,
        )
        return interval, np.inf, np.inf
    n_values = np.inf
    if method != "wilson":
        deviation = top - ratio * bottom
        squares = np.where(np.abs(deviation) > ROUNDING * np.abs(top), deviation**2, 0)
        n_values = float(effective_units(squares))  # 0 if all values are equal
    return interval, n_values, np.inf if is_plain else df + 1


def check_method(method, terms, groupings, name):
    """Raise if a method does not fit the values of a metric."""
    reason = None
    if method == "hall" and (groupings or not terms.is_mean):
        reason = "ungrouped and unweighted queries"
    elif method == "wilson" and not terms.is_binary:
        reason = "values that are 0 or 1, of a metric between 0 and 1"
    if reason is not None:
        raise ValueError(
            f"The 'method' parameter of confidence_interval must not be {method!r} for "
            f"{name}: that needs {reason}. Pass method='auto'."
        )


def _of_ratio(terms, ratio, ends, error):
    """Return (low, high, standard error) of the summary from those of the ratio."""
    link = terms.link
    with np.errstate(all="ignore"):
        if terms.is_reciprocal:  # unbounded if the interval of the ratio reaches 0
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


def _interval_of_median(table, i, j, groupings, confidence_level):
    """Return the interval of a median by order statistics; None with weights."""
    request, measured = table.requests[j], table.measured[i][j]
    options = request.options
    is_plain = not groupings and table.weight is None
    if not is_plain or options.adjusted or options.average == "weighted":
        return None
    undefined, instead = np.isnan(measured.values), options.replace_undefined_by
    instead = reciprocal(instead) if request.metric.inverse else instead
    values = np.where(undefined, instead, measured.values)
    known = ~np.isnan(values)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        ((estimate,),) = table.select([i], [j]).summaries()
    limits = _limits(request, values[known])
    terms = Terms(values, known, known, int(undefined.sum()), estimate, limits)
    method = "order statistics"
    if not known.any():
        return _undefined(terms, method)
    ends = order_statistics(values[known], confidence_level)
    if np.isinf(ends).any():
        warn_caller(
            "The confidence interval of the median has no end but the limits of the "
            f"metric: {known.sum()} queries are too few for the level "
            f"{confidence_level}.",
            UserWarning,
        )
    if request.metric.inverse:
        with np.errstate(divide="ignore"):
            ends = np.divide(1, np.maximum(ends, 0))
    low, high = sorted(float(request.sign * end) for end in ends)
    return _as_bunch(terms, low, high, np.nan, method)


def _undefined(terms, method):
    """Return an interval without ends, and warn of it."""
    warn_caller(
        "The metric is undefined for every query, and so is its interval.",
        UndefinedMetricWarning,
    )
    return _as_bunch(terms, np.nan, np.nan, np.nan, method)


def bootstrap(columns, groupings, confidence_level, n_resamples, random_state):
    """Return (low, high) of each ratio by the studentized bootstrap."""
    if not columns:
        return []
    if len(groupings) > 1:
        raise ValueError(
            "The 'groups' parameter of confidence_interval must be one grouping with "
            "method='bootstrap'. Got two."
        )
    sums = [grouped(terms.top, terms.bottom, *groupings or [None]) for terms in columns]
    top, bottom = (np.column_stack(column) for column in zip(*sums, strict=True))
    order = by_value(top, bottom)
    ends = studentized(
        top[order],
        bottom[order],
        confidence_level=confidence_level,
        n_resamples=n_resamples,
        seed=seed_of(random_state),
    )
    return ends.T


def read_groups(groups, keys):
    """Return the codes of the groups of each query, for each grouping.

    Parameters
    ----------
    groups : str, array-like of shape (n_queries,), list of two of them, or None
        Key columns by name, or arrays. If None, a query id that comes several times is
        one group.
    keys : dict of str to ndarray
        The key columns.
    """
    n_queries = len(keys["qid"])
    if groups is None:
        ids, codes = encode_qid(keys["qid"], n_queries)
        return [codes] if len(ids) < n_queries else []
    several = [groups]
    if isinstance(groups, (list, tuple)) and len(groups) == 2:
        one, two = groups
        is_pair = (
            isinstance(one, str) and isinstance(two, str) and {one, two} <= {*keys}
        )
        if is_pair or (np.ndim(one) == 1 and np.ndim(two) == 1):
            several = [one, two]
    codes = []
    for column in several:
        if isinstance(column, str):
            if column not in keys:
                raise ValueError(
                    "The 'groups' parameter must be an array with one entry per query, "
                    f"or name a key column, among {sorted(keys)}. Got {shown(column)} "
                    "instead. Pass the column as `by` of score_queries to name it."
                )
            column = keys[column]
        codes.append(encode_qid(column, n_queries, name="groups")[1])
    return codes
