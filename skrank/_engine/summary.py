"""From the values of queries to one number: averages, weights, chance."""

# SPDX-License-Identifier: BSD-3-Clause

from typing import NamedTuple

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skrank._engine.first_ranks import values_at_first
from skrank._engine.means import (
    MEANS,
    check_not_negative,
    reciprocal,
    scaled,
)
from skrank._engine.request import Metric
from skrank._input.callers import warn_caller
from skrank._ranking.rank import FILLED

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


def measure(request, ranking, known, alike=None):
    """Return the :class:`Measured` of a requested metric.

    `known` holds what was measured of the same rankings, to compute nothing twice:
    several metrics have one definition, such as those that are adjusted. `alike` is
    that of the same queries with other scores, to share what does not depend on them.
    """
    metric, options = request.metric, request.options
    own, definition = options.own, metric.definition
    if metric.takes_midrank:
        own = own | {"ties": options.ties}
    if options.unjudged == "inferred":
        definition = metric.inferred
    if options.unjudged in FILLED:
        return Measured(_bound(request, ranking.fillings))

    found = {}
    for part in _compared(request) if alike is None else ["values"]:
        one = ranking if part == "values" else getattr(ranking, part)
        done = known.setdefault((definition, id(one)), [])
        values = next((values for others, values, _ in done if others == own), None)
        if values is None:
            if metric.reads_first_rank:
                values = values_at_first(definition, one, own)
            else:
                values = definition(one, **own)
            done.append((own, values, one))  # kept, or another could get its id
        found[part] = values
    if alike is not None:
        found |= {"chance": alike.chance, "ideal": alike.ideal}
    elif metric.best is not None and request.divides_sums:
        found["ideal"] = metric.best(ranking, **own)
    if options.average == "weighted":
        found["n_documents"] = ranking.n_candidates
    return Measured(**found)


def _bound(request, fillings):
    """Return the lowest or the highest value of each query over some rankings.

    Where only some of them leave a query undefined, its replacement is one of its
    values; NaN is none.
    """
    metric, options = request.metric, request.options
    if options.adjusted:
        raise ValueError(
            f"unjudged={options.unjudged!r} bounds the value of each query, and the "
            f"adjusted metric {request.key!r} is a ratio of means over queries. Pass "
            f"adjusted=False. Got {options.adjusted!r}."
        )
    plain = request.changed(unjudged="nonrelevant")
    if options.own.get("max_grade", 0) is None:
        plain = plain.changed(max_grade=fillings.highest)
    instead = options.replace_undefined_by
    if metric.inverse:
        instead = reciprocal(instead)
    is_negative = (request.sign < 0) != metric.inverse
    is_lowest = (options.unjudged == "lowest") != is_negative
    further = np.fmin if is_lowest else np.fmax
    bound, is_defined = np.nan, False

    def look(ranking):
        nonlocal bound, is_defined
        values = measure(plain, ranking, {}).values
        is_defined |= ~np.isnan(values)
        bound = further(bound, np.where(np.isnan(values), instead, values))
        return values

    # A threshold or a gain may also let the value fall as more documents are relevant.
    rises = metric.rises
    if options.threshold == "max" or any(map(callable, options.own.values())):
        rises = None
    if rises is None or options.threshold < 0:
        _check_size(request, fillings)
        for ranking in fillings:
            look(ranking)
    else:
        _search(fillings, is_lowest, rises, options.own.get("k"), look, lambda: bound)
    return np.where(is_defined, bound, np.nan)


def _check_size(request, fillings):
    """Raise if all rankings that may have a bound would take minutes."""
    n_documents, most = fillings.n_documents, int(fillings.most.max(initial=0))
    if 2 * most * n_documents > MOST_DOCUMENTS:
        raise ValueError(
            f"unjudged={request.options.unjudged!r} of {request.key!r} ranks all "
            "documents twice for each unjudged document of a query. Got "
            f"{n_documents} documents and up to {most} unjudged ones: "
            "return fewer documents, or pass another metric, such as 'map'."
        )


# How many documents are ranked at most for a bound that is not searched for.
MOST_DOCUMENTS = 10**9

# The rankings at which a search for a bound looks in any case.
GRID = 16


def _search(fillings, is_lowest, rises, k, look, bound_so_far):
    """Look at those fillings that may have the lowest or the highest value.

    Let f(s) be the value of a query if s of its unjudged documents are relevant, and d
    a number, rising with s, so that f(s) d(s) never falls. If b is the lowest value so
    far, f(t) >= f(s) d(s) / d(t) is not below b for t > s up to d(t) = f(s) d(s) / b:
    the search goes on from there. The highest value is sought from the other end.
    """
    most, from_top = fillings.most, not is_lowest
    n_steps = min(GRID, int(most.max(initial=0)))
    for step in range(n_steps + 1):
        share = step / max(n_steps, 1)
        ranking = fillings.at(np.rint(most * share).astype(np.intp), from_top)
        values = look(ranking)
        if step == 0:  # of what is judged
            n_relevant = ranking.n_relevant
    if n_steps < GRID:
        return
    # d(s), from the first one on and up to the last one
    first = {"value": 1, "sum": n_relevant, "ideal": 0}[rises]
    last = {"value": 1, "sum": None, "ideal": k}[rises] or np.inf
    s = np.zeros_like(most) if is_lowest else most
    while ((s >= 0) & (s <= most)).any():
        s = np.clip(s, 0, most)
        values = look(fillings.at(s, from_top))
        total, bound = values * np.minimum(first + s, last), bound_so_far()
        with np.errstate(divide="ignore", invalid="ignore"):
            reached = np.where(bound > 0, total / bound, np.inf if is_lowest else 0)
        if is_lowest:
            further = np.where(reached >= last, np.inf, np.floor(reached - first) + 1)
            s = np.fmin(np.fmax(further, s + 1), most + 1).astype(np.intp)
        else:
            further = np.where(reached > last, np.inf, np.ceil(reached - first) - 1)
            s = np.fmax(np.fmin(further, s - 1), -1).astype(np.intp)


def _compared(request):
    """Return which rankings the values of a requested metric are compared with."""
    adjusted = request.options.adjusted
    parts = ["values", "chance", "ideal"] if adjusted else ["values"]
    return parts[:2] if adjusted == "ratio" else parts


def parts_of(request):
    """Return which arrays of a :class:`Measured` a requested metric has, by name."""
    parts = _compared(request)
    if request.metric.best is not None and request.divides_sums:
        parts.append("ideal")
    return [*parts, "n_documents"] if request.options.average == "weighted" else parts


def summarize(request, measured, weight=None):
    """Return the summary of a requested metric, or its values if not averaged."""
    metric, options = request.metric, request.options
    instead, average = options.replace_undefined_by, options.average
    if average == "weighted":
        n_documents = measured.n_documents.astype(np.float64)
        if weight is not None and weight.max() > 2.0**960:
            weight = scaled(weight)  # no list is so long that the product overflows
        weight = n_documents if weight is None else weight * n_documents
    weight = None if average is None else weight
    # A probability may be too small for a float: 0 is as good.
    with np.errstate(under="ignore"):
        counts_as = instead if metric.best is None else request.instead
        given = metric, measured, options.own, counts_as
        queries = Values(*given, average, weight)
        score, reason = queries.summary("values"), UNDEFINED
        if options.adjusted:
            if average is not None and not np.isnan(score):
                reason = FLAT[options.adjusted == "ratio"].format(instead)
            score = adjust(queries, score, options.adjusted)
        if metric.best is not None and request.divides_sums:
            ratio = _in_units(score, queries.summary("ideal"))
            is_empty = np.isnan(ratio) & ~np.isnan(score)  # no query is defined
            score = np.where(is_empty, instead, ratio)
    if average is None:
        score = np.where(np.isnan(score), instead, score)
    elif np.isnan(score):
        warn_caller(reason, UndefinedMetricWarning)
        score = score if reason is UNDEFINED else instead
    # Adding 0.0 makes 0 of -0.0.
    return request.sign * (score if average is None else float(score)) + 0.0


class Values(NamedTuple):
    """The values of a metric and how they are summarized."""

    metric: "Metric"
    measured: Measured
    own: dict  # the parameters of its definition
    instead: float  # the value of an undefined query; NaN leaves it out
    average: str | None  # None returns the value of each query
    weight: np.ndarray | None

    def summary(self, which):
        """Return the summary of the "values", or of those of "chance" or "ideal".

        Queries that are undefined have their value replaced. Without an average the
        values are returned as they are, and replaced at the end.
        """
        inverse, values = self.metric.inverse, getattr(self.measured, which)
        if self.average is None:
            return 1 / values if inverse else values
        instead = self.instead
        if inverse:  # the replacement is an inverse rank, too
            check_not_negative(np.array([instead]))
            instead = reciprocal(instead)
        values = np.where(np.isnan(self.measured.values), instead, values)
        if self.weight is not None:
            values[self.weight == 0] = np.nan  # a query of weight 0 is left out
        score = self.metric.pool(values, self.weight)
        return reciprocal(score) if inverse else score


def adjust(queries, score, adjusted):
    """Compare a score M with its expectation E under random orders.

    Returns (M - E) / (B - E) with the value B of the ideal ranking for True; M / E for
    "ratio". NaN where all orderings have the same value.
    """
    expected = queries.summary("chance")
    if adjusted == "ratio":
        return _in_units(score, expected)
    best = queries.summary("ideal")
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


def is_of_means(request):
    """Return True if a summary is a function of one mean, or of three if adjusted."""
    return request.metric.pool in MEANS
