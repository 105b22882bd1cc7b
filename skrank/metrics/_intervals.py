"""Confidence intervals of the metrics of a table of values."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.utils import Bunch

from skrank._checks import shown, warn_caller
from skrank._inference.bootstrap import studentized
from skrank._inference.intervals import (
    hall,
    order_statistics,
    standard_error,
    t_interval,
    wilson,
)
from skrank._inference.units import by_value, grouped, seed_of
from skrank._ranking.ids import encode_qid
from skrank.metrics._average_precision import log_of_gm_map, mean_of_gm_map
from skrank.metrics._rank_pools import (
    pooled_geometric_mean,
    pooled_harmonic_mean,
    pooled_median,
)
from skrank.metrics._summary import mean_of_queries

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
        The terms of the sums; 0 where the metric is undefined.
    known : ndarray of shape (n_queries,), dtype bool
        Where it is defined and has a weight above 0.
    link : callable
        The summary of the ratio, increasing or decreasing.
    is_linear : bool
        Whether the summary is the ratio or minus the ratio.
    is_reciprocal : bool
        Whether the summary is one over the ratio or minus that.
    """

    top: np.ndarray
    bottom: np.ndarray
    known: np.ndarray
    link: Callable = float
    is_linear: bool = True
    is_reciprocal: bool = False

    @property
    def is_mean(self):
        """Return True if all known queries count alike."""
        bottom = self.bottom[self.known]
        return bool(len(bottom)) and np.ptp(bottom) == 0


def terms_of(table, ranker, metric):
    """Return the :class:`Terms` of one ranker and metric at their positions, or None.

    None for summaries that are not functions of one mean, such as variances.
    """
    request, measured = table.requests[metric], table.measured[ranker][metric]
    definition, adjusted = request.metric, request.options["adjusted"]
    weight = table.weight
    if request.options["average"] == "weighted":
        n_documents = table.n_documents[ranker].astype(np.float64)
        weight = n_documents if weight is None else weight * n_documents
    known = ~np.isnan(measured.values)
    if weight is not None:
        known &= weight > 0
        weight = weight / weight.max(initial=1)  # a ratio of sums has no scale
    values, bottom = measured.values, np.ones(len(known))
    before, link = MEANS.get(definition.pool, (None, None))
    if before is None:
        return None
    if adjusted:
        if definition.moments is not None or adjusted == "z":
            return None
        bottom = measured.chance
        if adjusted is True:
            values, bottom = values - bottom, measured.ideal - bottom
    sign, inverse = request.sign, definition.inverse

    def summary(ratio):
        value = link(ratio)
        return float(sign * (np.divide(1, value) if inverse else value)) + 0.0

    with np.errstate(divide="ignore"):
        top = before(np.where(known, values, 1.0))
    if weight is not None:
        top, bottom = top * weight, bottom * weight
    is_mean = definition.pool is mean_of_queries
    is_reciprocal = (
        inverse if is_mean else definition.pool is pooled_harmonic_mean and not inverse
    )
    top, bottom = (np.where(known, x, 0) for x in (top, bottom))
    return Terms(top, bottom, known, summary, is_mean and not inverse, is_reciprocal)


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
    n_rankers, n_metrics = len(table.rankers), len(table.requests)
    ratios = {}
    for i, j in np.ndindex(n_rankers, n_metrics):
        terms = terms_of(table, i, j)
        if terms is not None:
            check_method(method, terms, groupings, repr(scores.metrics[j]))
            ratios[i, j] = terms
    resampled = {}
    if method == "bootstrap":
        columns = list(ratios.values())
        ends = bootstrap(
            columns, groupings, confidence_level, n_resamples, random_state
        )
        resampled = dict(zip(ratios, ends, strict=True))

    def at(i, j):
        if (i, j) in ratios:
            found = resampled.get((i, j))
            return interval(ratios[i, j], groupings, confidence_level, method, found)
        if table.requests[j].metric.pool is pooled_median:
            return _interval_of_median(table, i, j, groupings, confidence_level)
        return None

    return [[at(i, j) for j in range(n_metrics)] for i in range(n_rankers)]


def interval(terms, groupings, confidence_level, method, resampled=None):
    """Return the interval of one summary as a Bunch.

    `resampled` is the (low, high) of the ratio by the bootstrap, with that method.
    """
    known = terms.known
    order = by_value(terms.top[known, None], terms.bottom[known, None])
    top, bottom = terms.top[known][order], terms.bottom[known][order]
    groupings = [groups[known][order] for groups in groupings]
    n_queries = int(known.sum())
    if not bottom.any():
        return _undefined(known, method)
    ratio = top.sum() / bottom.sum()
    error, df = standard_error(top, bottom, groupings)
    if method == "auto":
        method = _default(terms, groupings)
    unit = bottom[0]
    if method == "wilson":
        ends = wilson(np.rint(top.sum() / unit), n_queries, confidence_level)
    elif method == "hall":
        ends = hall(top / unit, confidence_level)
    elif method == "t":
        ends = t_interval(ratio, error, df, confidence_level)
    else:
        ends = resampled
    found = _bunch(terms, ratio, ends, error, method)
    if np.isinf([found.low, found.high]).any():
        n_units = min([n_queries, *(len(np.unique(groups)) for groups in groupings)])
        warn_caller(
            "The confidence interval is infinite: it needs at least two queries, or "
            "groups of them. The bootstrap, and 1 over a mean that may be 0, can need "
            f"more. Got {n_units} of them, and the method {method!r}.",
            UserWarning,
        )
    return found


def _default(terms, groupings):
    """Return the method for a ratio without a choice by the user."""
    if groupings or not terms.is_mean:
        return "t"
    return "wilson" if _is_binary(terms) else "hall"


def _is_binary(terms):
    values = terms.top[terms.known] / terms.bottom[terms.known]
    return bool(((values == 0) | (values == 1)).all())


def check_method(method, terms, groupings, name):
    """Raise if a method does not fit the values of a metric."""
    reason = None
    if method in ("wilson", "hall") and (groupings or not terms.is_mean):
        reason = "ungrouped and unweighted queries"
    elif method == "wilson" and not _is_binary(terms):
        reason = "values that are 0 or 1"
    if reason is not None:
        raise ValueError(
            f"The 'method' parameter of confidence_interval must not be {method!r} for "
            f"{name}: that needs {reason}. Pass method='auto'."
        )


def _bunch(terms, ratio, ends, error, method):
    """Return an interval of the summary from that of the ratio."""
    link = terms.link
    with np.errstate(all="ignore"):
        if terms.is_reciprocal:  # unbounded if the interval of the ratio reaches 0
            side = np.sign(ratio)
            ends = side * np.maximum(side * np.asarray(ends), 0)
        low, high = sorted(link(end) for end in ends)
        if not terms.is_linear:  # it stretches the standard error by its slope
            step = 1e-6 * max(abs(ratio), 1e-6)
            error *= abs(link(ratio + step) - link(ratio - step)) / (2 * step)
        return _as_bunch(link(ratio), low, high, error, terms.known, method)


def _as_bunch(estimate, low, high, error, known, method):
    n_queries = int(known.sum())
    return Bunch(
        estimate=estimate,
        low=low,
        high=high,
        standard_error=float(error),
        n_queries=n_queries,
        n_undefined=len(known) - n_queries,
        method=method,
    )


def _undefined(known, method):
    warn_caller(
        "The metric is undefined for every query, and so is its interval.",
        UndefinedMetricWarning,
    )
    return _as_bunch(np.nan, np.nan, np.nan, np.nan, known, method)


def _interval_of_median(table, i, j, groupings, confidence_level):
    """Return the interval of a median by order statistics; None with weights."""
    values = table.measured[i][j].values
    request = table.requests[j]
    known = ~np.isnan(values)
    is_plain = not groupings and table.weight is None
    if not is_plain or request.options["adjusted"]:
        return None
    if request.options["average"] == "weighted":
        return None
    n_queries, sign = int(known.sum()), request.sign
    if not n_queries:
        return _undefined(known, "order statistics")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimate = table.summaries(replace_undefined_by=np.nan)[i][j]
    ends = order_statistics(values[known], confidence_level)
    if request.metric.inverse:
        with np.errstate(divide="ignore"):
            ends = np.divide(1, np.maximum(ends, 0))
    low, high = sorted(float(sign * end) for end in ends)
    if np.isinf([low, high]).any():
        warn_caller(
            f"The confidence interval of the median is infinite: {n_queries} queries "
            f"are too few for the level {confidence_level}.",
            UserWarning,
        )
    return _as_bunch(estimate, low, high, np.nan, known, "order statistics")


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
