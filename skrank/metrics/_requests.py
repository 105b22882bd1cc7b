"""One request for one metric, and the one function that answers it."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from skrank._checks import (
    AVERAGES,
    TIES,
    check_choice,
    check_k,
    check_number,
    check_threshold,
    numeric_array,
)
from skrank._ranking.methods import FIRST
from skrank._ranking.rank import DOC_ORDERS, rank_queries
from skrank.metrics._summary import Summary, mean_of_queries, summarize

# The parameters that every metric has, with their defaults.
DEFAULTS = {
    "threshold": 0.0,
    "ties": "expected",
    "replace_undefined_by": 0.0,
    "average": "macro",
    "adjusted": False,
}
# The parameters that `evaluate` adds to those of a metric.
OF_EVALUATE = {"doc_order": None, "score_dtype": None}


@dataclass(frozen=True, eq=False)
class Metric:
    """One row of the table of metrics.

    Attributes
    ----------
    name : str
        The scorer name, without ``neg_`` and ``@k``.
    definition : callable
        Maps a ranking, and the metric's own parameters, to one value per query; NaN
        means undefined.
    function : callable or None
        The public metric function; None for a metric that has none.
    defaults : dict
        The defaults of all parameters but the input; `k` is missing if it is required.
    cutoff : {"optional", "required", "never"}
        Whether the scorer name takes ``@k``.
    greater_is_better : bool
        Whether larger values are better, if they are not adjusted.
    pool : callable
        ``pool(ranking, values, weight)`` returns the summary of the values that are not
        NaN; `weight` is None where all queries weigh the same.
    reads_first_rank : bool
        Whether the definition reads nothing but the rank of the first relevant
        document. Such a metric also has a value at the realistic rank.
    value : callable or None
        The metric is the expectation of ``value(rank)`` at the first relevant rank, so
        that its variance under random orders is known.
    moments : callable or None
        ``moments(queries, random)`` returns the mean and the standard deviation of the
        summary under random orders, where it is no mean of values.
    fixed : dict
        Parameters that the row sets, so that its name does not take them.
    inverse : bool
        Whether the summary is inverted.
    own : callable or None
        The function that a user gave, for a metric of the user's own.
    """

    name: str
    definition: Callable
    function: Callable | None = None
    defaults: dict = field(default_factory=lambda: dict(DEFAULTS), repr=False)
    cutoff: str = "optional"
    greater_is_better: bool = True
    pool: Callable = mean_of_queries
    reads_first_rank: bool = False
    value: Callable | None = None
    moments: Callable | None = None
    fixed: dict = field(default_factory=dict)
    inverse: bool = False
    own: Callable | None = None

    @property
    def full_name(self):
        """Return the scorer name without ``@k``."""
        is_better = self.is_better_when_greater(self.fixed.get("adjusted", False))
        return self.name if is_better else f"neg_{self.name}"

    @property
    def knows_its_variance(self):
        """Return True if the variance of the metric under random orders is known."""
        return self.value is not None or self.moments is not None

    def is_better_when_greater(self, adjusted):
        """Return True if larger values are better, `adjusted` as the parameter is."""
        return self.greater_is_better or adjusted in (True, "z")

    def check_options(self, options, caller):
        """Return the checked values of parameters; raise where one is not accepted."""
        checked = dict(options)
        replaced = options["replace_undefined_by"]
        check_number(replaced, "replace_undefined_by", caller, nan=True)
        check_choice(options["average"], AVERAGES, "average", caller)
        self._check_adjusted(options["adjusted"], caller)
        ties = TIES if self.reads_first_rank else TIES - {"realistic"}
        check_choice(options["ties"], ties, "ties", caller)
        checked["threshold"] = check_threshold(options["threshold"], caller)
        if "k" in options:
            checked["k"] = check_k(options["k"])
        return checked

    def _check_adjusted(self, adjusted, caller):
        if isinstance(adjusted, (bool, np.bool_)):
            return
        choices = ["'ratio'"] if self.reads_first_rank else []
        if self.knows_its_variance:
            choices.append("'z'")
        if isinstance(adjusted, str) and f"'{adjusted}'" in choices:
            return
        accepted = "an instance of bool"
        if choices:
            accepted = f"a bool or a str among {{{', '.join(choices)}}}"
        error = ValueError if choices and isinstance(adjusted, str) else TypeError
        raise error(
            f"The 'adjusted' parameter of {caller} must be {accepted}. "
            f"Got {adjusted!r} instead."
        )


class Request(NamedTuple):
    """One metric that was asked for: its key in the result and how to compute it.

    Attributes
    ----------
    key : str
        The name under which it was asked for.
    metric : Metric
        The metric.
    sign : {1, -1}
        What its value is multiplied with.
    options : dict
        The checked values of all its parameters.
    """

    key: str
    metric: Metric
    sign: int
    options: dict


class RankedBy(NamedTuple):
    """The parameters on which the ranking itself depends."""

    threshold: float | str
    ties: str
    doc_order: str | None = None
    score_dtype: str | None = None


@dataclass(frozen=True)
class Arrays:
    """The arrays that are evaluated, and their rankings so far.

    `depths` says how far down each ranking is read; the others are whole.
    """

    y_true: object
    y_score: object
    qid: object = None
    exclude: object = None
    judged: object = None
    returned: object = None
    doc_id: object = None
    sample_weight: object = None
    depths: dict = field(default_factory=dict)
    rankings: dict = field(default_factory=dict)

    def ranking(self, by):
        """Return the ranking by some parameters, made once."""
        if by not in self.rankings:
            self.rankings[by] = self._rank(by)
        return self.rankings[by]

    def scores(self, score_dtype=None):
        """Return `y_score` in the precision in which it is compared."""
        if score_dtype is None:
            return self.y_score
        with np.errstate(over="ignore"):
            return numeric_array(self.y_score, "y_score").astype(score_dtype)

    def _rank(self, by):
        return rank_queries(
            self.y_true,
            self.scores(by.score_dtype),
            qid=self.qid,
            threshold=by.threshold,
            ties=by.ties,
            exclude=self.exclude,
            judged=self.judged,
            returned=self.returned,
            doc_id=self.doc_id,
            doc_order=by.doc_order,
            depth=self.depths.get(by),
        )


@dataclass(frozen=True)
class OwnRanks:
    """Queries that were ranked elsewhere, as those of a link predictor.

    ``ranks.ranking(ties)`` returns their RankedQueries; `caller` is named by errors.
    """

    ranks: object
    caller: str
    sample_weight: np.ndarray | None = None
    rankings: dict = field(default_factory=dict)

    def ranking(self, by):
        """Return the ranking under a tie policy, made once."""
        # What is said of labels and scores, which the estimator keeps for itself.
        for name, default in (DEFAULTS | OF_EVALUATE).items():
            value = getattr(by, name, default)
            if name != "ties" and value != default:
                raise ValueError(
                    f"The '{name}' parameter of {self.caller} must be {default!r} "
                    f"where the estimator ranks by itself. Got {value!r} instead."
                )
        if by.ties not in self.rankings:
            self.rankings[by.ties] = self.ranks.ranking(by.ties)
        return self.rankings[by.ties]


def answer(request, source):
    """Return the value of the metric that a request asks for.

    Parameters
    ----------
    request : Request
        What is asked for.
    source : object
        ``source.ranking(by)`` returns the RankedQueries for a :class:`RankedBy`;
        ``source.sample_weight`` holds weights or None. :class:`Arrays`, or what an
        estimator ranks by itself.

    Returns
    -------
    value : float or ndarray of shape (n_queries,)
        The value.
    """
    options = dict(request.options)
    by = RankedBy(*(options.pop(name, None) for name in RankedBy._fields))
    how = Summary(*(options.pop(name) for name in Summary._fields))
    ranking = source.ranking(by)
    value = summarize(request.metric, options, ranking, how, source.sample_weight)
    return request.sign * value


def depths_of(requests):
    """Return how far down the requests read each ranking, by how it is ranked.

    To the first relevant document, or to rank k: a definition that takes `k` reads no
    document that ranks below it. None is the whole ranking.
    """
    asked = {}
    for request in requests:
        options = request.options
        by = RankedBy(*(options.get(name) for name in RankedBy._fields))
        asked.setdefault(by, []).append(request)
    return {by: _depth_of(together) for by, together in asked.items()}


def _depth_of(requests):
    if all(request.metric.reads_first_rank for request in requests):
        return FIRST
    cutoffs = [
        # A user's function may look below its cutoff.
        None if request.metric.own is not None else request.options.get("k")
        for request in requests
    ]
    return None if None in cutoffs else max(cutoffs)


def check_order(options, caller):
    """Check the parameters that `evaluate` adds, and drop an order without effect."""
    check_choice(options["doc_order"], {*DOC_ORDERS, None}, "doc_order", caller)
    dtypes = {"float32", "float64", None}
    check_choice(options["score_dtype"], dtypes, "score_dtype", caller)
    if options["ties"] != "first":
        options["doc_order"] = None
    return options
