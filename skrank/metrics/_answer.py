"""One request for one metric, and the one function that answers it."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from skrank._checks import numeric_array, warn_caller
from skrank._ranking.rank import FIRST, rank_queries
from skrank._ranking.read import has_negative
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


class RankedBy(NamedTuple):
    """The parameters on which the ranking itself depends."""

    threshold: float | str | None
    ties: str
    doc_order: str | None = None
    score_dtype: str | None = None
    judged_from: float | None = None


class Request(NamedTuple):
    """A request for one metric: its key in the result and how to compute it.

    Attributes
    ----------
    key : str
        The name under which it was requested.
    metric : Metric
        The metric.
    sign : {1, -1}
        What its value is multiplied by.
    options : dict
        The checked values of all its parameters.
    """

    key: str
    metric: "Metric"
    sign: int
    options: dict

    @property
    def ranking(self):
        """Return the RankedBy of the ranking, and the depth to which it is read.

        The depth is "first" for a metric that reads only the first relevant document,
        `k` for a metric with a cutoff, and None for the whole ranking. A definition of
        the user's own may read below its `k`, so it gets the whole ranking.
        """
        options, depth = self.options, None
        if self.metric.reads_first_rank:
            depth = FIRST
        elif not self.metric.own:
            depth = options.get("k")
        by = RankedBy(
            options["threshold"],
            options["ties"],
            options.get("doc_order"),
            options.get("score_dtype"),
            options.get("judged_from"),
        )
        return by, depth


@dataclass(frozen=True)
class Arrays:
    """The arrays to evaluate, and the rankings made of them so far."""

    y_true: object
    y_score: object
    qid: object = None
    sample_weight: object = None
    exclude: object = None
    judged: object = None
    returned: object = None
    doc_id: object = None
    rankings: dict = field(default_factory=dict)

    def ranking(self, by, depth):
        """Return the ranking by some parameters; made once.

        Parameters
        ----------
        by : RankedBy
            The parameters.
        depth : int, "first" or None
            How far down the ranking is read.
        """
        if by.threshold is None:
            by = self.resolved(by)
        reached, ranking = self.rankings.get(by, (None, None))
        if ranking is None or not _covers(reached, depth):
            ranking = rank_queries(
                self.y_true,
                self.scores(by.score_dtype) if by.score_dtype else self.y_score,
                qid=self.qid,
                threshold=by.threshold,
                ties=by.ties,
                exclude=self.exclude,
                judged=self.judged,
                returned=self.returned,
                doc_id=self.doc_id,
                doc_order=by.doc_order,
                judged_from=by.judged_from,
                depth=depth,
            )
            self.rankings[by] = depth, ranking
        return ranking

    def resolved(self, by):
        """Return parameters that give the same ranking, shared with other metrics.

        Where no grade is negative, the threshold 0 leaves every grade as it is.
        """
        is_shared = by.threshold is None and by.ties != "midrank"
        if is_shared and not has_negative(self.y_true, self.judged):
            return by._replace(threshold=0.0)
        return by

    def scores(self, score_dtype):
        """Return `y_score` in the precision for comparing scores."""
        with np.errstate(over="ignore"):
            return numeric_array(self.y_score, "y_score").astype(score_dtype)


@dataclass(frozen=True)
class OwnRanks:
    """Queries that an estimator ranks itself, such as those of a link predictor.

    ``ranks.ranking(ties, sample_weight)`` returns their RankedQueries; errors name
    `caller`.
    """

    ranks: object
    caller: str
    sample_weight: np.ndarray | None = None
    rankings: dict = field(default_factory=dict)

    def ranking(self, by, depth):
        """Return the ranking under a tie policy; made once."""
        by = self.resolved(by)
        if by.ties == "midrank":
            raise ValueError(
                f"ties='midrank' reads the scores of all documents, and {self.caller} "
                "knows the ranks of the targets alone. Pass ties='expected'."
            )
        # These parameters apply to labels and scores, which only the estimator has.
        unread = RankedBy(0.0, by.ties)
        for name, default in unread._asdict().items():
            if getattr(by, name) != default:
                raise ValueError(
                    f"The '{name}' parameter of {self.caller} must be {default!r} "
                    "where the estimator computes the ranks itself. "
                    f"Got {getattr(by, name)!r} instead."
                )
        if by.ties not in self.rankings:
            ranking = self.ranks.ranking(by.ties, self.sample_weight)
            self.rankings[by.ties] = ranking
        return self.rankings[by.ties]

    def resolved(self, by):
        """Return parameters that give the same ranking: all grades are 0 or 1."""
        return by._replace(threshold=0.0) if by.threshold is None else by


def _covers(reached, depth):
    """Return True if a ranking down to one depth can be read down to another."""
    if reached is None or reached == depth:
        return True
    return isinstance(reached, int) and isinstance(depth, int) and reached >= depth


def answer_all(requests, source):
    """Return a dict of the values of requests, each ranking made once."""
    depths = {}
    for request in requests:
        by, depth = request.ranking
        depths.setdefault(source.resolved(by), set()).add(depth)
    for by, asked in depths.items():
        # Down to the first relevant document only if no request needs more.
        whole = None in asked or (len(asked) > 1 and FIRST in asked)
        source.ranking(by, None if whole else max(asked))
    return {request.key: answer(request, source) for request in requests}


def answer(request, source):
    """Return the value of a requested metric.

    Parameters
    ----------
    request : Request
        The request.
    source : object
        ``source.ranking(by, depth)`` returns the RankedQueries for a
        :class:`RankedBy`; ``source.sample_weight`` holds weights or None.
        :class:`Arrays`, or :class:`OwnRanks` if an estimator computes the ranks itself.

    Returns
    -------
    value : float or ndarray of shape (n_queries,)
        The value; an array in the order of the query ids if ``average=None``.
    """
    metric, options = request.metric, request.options
    # A probability may be too small for a float: 0 is as good.
    with np.errstate(under="ignore"):
        ranking = source.ranking(*request.ranking)
        own = dict(options)
        for name in NOT_OWN:
            own.pop(name, None)
        if metric.takes_midrank:
            own["ties"] = options["ties"]
        weight = None
        if source.sample_weight is not None:
            weight = ranking._query_weights(source.sample_weight)
        if options["average"] == "weighted":
            n_documents = ranking.n_documents.astype(np.float64)
            if weight is not None and weight.max() > 2.0**960:
                weight = scaled(weight)  # no list is so long that the product overflows
            weight = n_documents if weight is None else weight * n_documents
        instead, average = options["replace_undefined_by"], options["average"]
        weight = None if average is None else weight
        queries = Values(metric, own, ranking, None, instead, average, weight)
        values = queries.values_in(ranking)
        queries = queries._replace(values=values)
        score = queries.summary(ranking, values)
        reason = UNDEFINED
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
    own : dict
        The parameters of its definition.
    ranking : RankedQueries
        The ranked queries.
    values : ndarray of shape (n_queries,)
        The value of each query, NaN if it is undefined.
    instead : float
        The value of an undefined query; NaN leaves it out.
    average : {"macro", "weighted"} or None
        How the queries are averaged; None returns the value of each.
    weight : ndarray of shape (n_queries,) or None
        The weight of each query; None if all weights are equal.
    """

    metric: "Metric"
    own: dict
    ranking: object
    values: np.ndarray
    instead: float
    average: str | None
    weight: np.ndarray | None

    def values_in(self, ranking):
        """Return the value of each query in a ranking of the same queries."""
        if self.metric.reads_first_rank:
            return values_at_first(self.metric.definition, ranking, self.own)
        return self.metric.definition(ranking, **self.own)

    def summary(self, ranking, values):
        """Return the summary of values of a ranking of the same queries.

        Queries that are undefined in this ranking have their value replaced. Without an
        average the values are returned as they are, and replaced at the end.
        """
        inverse = self.metric.inverse
        if self.average is None:
            return 1 / values if inverse else values
        instead = self.instead
        if inverse:  # the replacement is an inverse rank, too
            check_not_negative(np.array([instead]))
            instead = _reciprocal(instead)
        values = np.where(np.isnan(self.values), instead, values)
        if self.weight is not None:
            values[self.weight == 0] = np.nan  # a query of weight 0 is left out
        score = self.metric.pool(ranking, values, self.weight)
        return _reciprocal(score) if inverse else score

    @property
    def replaced(self):
        """Return the values with the undefined ones replaced."""
        values = np.where(np.isnan(self.values), self.instead, self.values)
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


def _reciprocal(value):
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
