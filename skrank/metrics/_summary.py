"""From the values of queries to one number: averages, weights, chance."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skrank._checks import warn_caller
from skrank.metrics._adjust import adjust
from skrank.metrics._first_ranks import values_at_first

if TYPE_CHECKING:
    from skrank.metrics._metric import Metric

# The parameters that definitions do not take.
NOT_OWN = {
    "threshold",
    "ties",
    "doc_order",
    "score_dtype",
    "judged_from",
    "replace_undefined_by",
    "average",
    "adjusted",
}

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
    """What determines the summary of a metric, whatever the other parameters are.

    Attributes
    ----------
    values : ndarray of shape (n_queries,)
        The value of each query, NaN if it is undefined.
    chance, ideal : ndarray of shape (n_queries,) or None
        The value in random orders and in the ideal ranking, if the metric is adjusted.
    ranks : RankedQueries or None
        The rank of the first relevant document of each query, if the summary needs
        more than the values.
    """

    values: np.ndarray
    chance: np.ndarray | None = None
    ideal: np.ndarray | None = None
    ranks: object = None


def own_options(request):
    """Return the parameters of the definition of the requested metric."""
    options = request.options
    own = {name: value for name, value in options.items() if name not in NOT_OWN}
    if request.metric.takes_midrank:
        own["ties"] = options["ties"]
    return own


def measure(request, ranking, known, alike=None):
    """Return the :class:`Measured` of a requested metric.

    Parameters
    ----------
    request : Request
        The request.
    ranking : RankedQueries
        The ranking.
    known : dict
        What was measured of the same rankings, to compute nothing twice: several
        metrics have one definition, such as those that are adjusted.
    alike : Measured, default=None
        That of a ranking of the same queries with other scores, to share what does not
        depend on the scores.
    """
    metric, adjusted = request.metric, request.options["adjusted"]
    own = own_options(request)

    def values_in(ranking):
        done = known.setdefault((metric.definition, id(ranking)), [])
        for options, values, _ in done:
            if options == own:
                return values
        if metric.reads_first_rank:
            values = values_at_first(metric.definition, ranking, own)
        else:
            values = metric.definition(ranking, **own)
        done.append((own, values, ranking))  # kept, or another could get its id
        return values

    values, chance, ideal = values_in(ranking), None, None
    if alike is not None:
        chance, ideal = alike.chance, alike.ideal
    elif adjusted:
        if metric.moments is None:
            chance = values_in(ranking.chance)
        if adjusted not in ("ratio", "z"):
            ideal = values_in(ranking.ideal)
    return Measured(values, chance, ideal, ranking if reads_ranks(request) else None)


def reads_ranks(request):
    """Return True if the summary of a requested metric needs more than values."""
    metric = request.metric
    if not metric.reads_first_rank:
        return False
    return metric.pool is not mean_of_queries or request.options["adjusted"] == "z"


def summarize(request, measured, n_documents, weight=None):
    """Return the value of a requested metric over all queries.

    Parameters
    ----------
    request : Request
        The request.
    measured : Measured
        What was measured.
    n_documents : ndarray of shape (n_queries,)
        The number of documents of each query.
    weight : ndarray of shape (n_queries,), default=None
        The weight of each query.

    Returns
    -------
    value : float or ndarray of shape (n_queries,)
        The value; that of each query if ``average=None``.
    """
    metric, options = request.metric, request.options
    instead, average = options["replace_undefined_by"], options["average"]
    if average == "weighted":
        n_documents = n_documents.astype(np.float64)
        if weight is not None and weight.max() > 2.0**960:
            weight = scaled(weight)  # no list is so long that the product overflows
        weight = n_documents if weight is None else weight * n_documents
    weight = None if average is None else weight
    # A probability may be too small for a float: 0 is as good.
    with np.errstate(under="ignore"):
        queries = Values(
            metric, measured, own_options(request), instead, average, weight
        )
        score, reason = queries.summary("values"), UNDEFINED
        if options["adjusted"]:
            if average is not None and not np.isnan(score):
                reason = FLAT[options["adjusted"] == "ratio"].format(instead)
            score = adjust(queries, score, options["adjusted"])
    if average is None:
        score = np.where(np.isnan(score), instead, score)
    elif np.isnan(score):
        warn_caller(reason, UndefinedMetricWarning)
        score = score if reason is UNDEFINED else instead
    # Adding 0.0 makes 0 of -0.0.
    return request.sign * (score if average is None else float(score)) + 0.0


def scaled(weight):
    """Return weights times a power of 2 that no sum of them overflows."""
    # No digit is lost, unless the weights are more than 300 powers of 10 apart.
    return np.ldexp(weight, -int(np.frexp(weight.max(initial=0))[1]))


class Values(NamedTuple):
    """The values of a metric and how they are summarized.

    Attributes
    ----------
    metric : Metric
        The metric.
    measured : Measured
        The values of the queries.
    own : dict
        The parameters of its definition.
    instead : float
        The value of an undefined query; NaN leaves it out.
    average : {"macro", "weighted"} or None
        How the queries are averaged; None returns the value of each.
    weight : ndarray of shape (n_queries,) or None
        The weight of each query; None if all weights are equal.
    """

    metric: "Metric"
    measured: Measured
    own: dict
    instead: float
    average: str | None
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
        ranks = self.measured.ranks
        if ranks is not None and which != "values":
            ranks = getattr(ranks, which)
        score = self.metric.pool(ranks, values, self.weight)
        return reciprocal(score) if inverse else score

    @property
    def replaced(self):
        """Return the values with the undefined ones replaced."""
        values = self.measured.values
        values = np.where(np.isnan(values), self.instead, values)
        if self.weight is not None:
            values[self.weight == 0] = np.nan
        return values

    @property
    def proportions(self):
        """Return the proportion of each query in the average; None without one."""
        if self.average is None:
            return None
        known = ~np.isnan(self.replaced)
        weight = known / 1.0 if self.weight is None else known * scaled(self.weight)
        total = weight.sum()
        return weight / total if total > 0 else weight


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


def mean_of_queries(ranking, values, weight):
    """Return the weighted mean of the values that are not NaN."""
    known = ~np.isnan(values)
    values = values[known]
    if weight is None:
        return float(values.mean()) if len(values) else float("nan")
    weight = scaled(weight[known])
    total = weight.sum()
    return float(np.dot(values, weight) / total) if total > 0 else float("nan")
