"""What is asked for: a metric, the table of all of them, and their parameters."""

# SPDX-License-Identifier: BSD-3-Clause

import copyreg
import operator
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from skrank._engine.summary import mean_of_queries
from skrank._input.checks import (
    AVERAGES,
    TIES,
    check_choice,
    check_k,
    check_number,
    check_threshold,
    shown,
)
from skrank._ranking.rank import DOC_ORDERS, UNJUDGED


@dataclass(frozen=True, eq=False)
class Metric:
    """One row of the table of metrics."""

    name: str  # the scorer name, without ``neg_`` and ``@k``
    # Maps a ranking and the metric's own parameters to one value per query; NaN means
    # undefined.
    definition: Callable
    function: Callable | None = None  # the public metric function, if there is one
    # Of all options, of which `evaluate` takes more than the metric function. `k` is
    # missing if it is required.
    defaults: dict = field(default_factory=lambda: dict(DEFAULTS), repr=False)
    cutoff: str = "optional"  # or "required" or "never": whether the name takes ``@k``
    greater_is_better: bool = True  # of values that are not adjusted
    limits: tuple = (0.0, 1.0)  # of values that are neither adjusted nor inverted
    # ``pool(values, weight)`` returns the summary of the values that are not
    # NaN; `weight` is None if all queries have the same weight.
    pool: Callable = mean_of_queries
    # Whether only the rank of the first relevant document is read. Such a metric also
    # accepts ``ties="realistic"``.
    reads_first_rank: bool = False
    # Whether ``ties="midrank"`` is accepted, which lets tied documents share their mean
    # rank. The definition gets `ties`.
    takes_midrank: bool = False
    # If given, the summary with ``normalize="total"`` or "self" is that of the values
    # divided by that of what ``best(ranking, **own)`` returns.
    best: Callable | None = None
    fixed: dict = field(default_factory=dict)  # parameters that the scorer name sets
    inverse: bool = False  # whether the summary is inverted
    own: Callable | None = None  # the user's function, for a metric of the user's own
    # The names of the columns that the definition reads. Tied documents are not ordered
    # by their grades then.
    columns: tuple = ()
    optional: tuple = ()  # those of them that need not be given
    # Whether `y_true` is read; it may be None otherwise. Or a function of the metric's
    # own parameters that says so.
    reads_grades: bool | Callable = True

    @cached_property
    def full_name(self):
        """Return the scorer name without ``@k``."""
        is_better = self.is_better_when_greater(self.adjusted)
        return self.name if is_better else f"neg_{self.name}"

    @property
    def adjusted(self):
        """Return what the scorer name sets `adjusted` to."""
        return self.fixed.get("adjusted", False)

    def is_better_when_greater(self, adjusted):
        """Return True if larger values are better, `adjusted` as the parameter is."""
        return self.greater_is_better or adjusted is True

    @cached_property
    def checks(self):
        """Return the check of each parameter that metrics share, by its name.

        ``check(value, name=..., caller=...)`` returns the value, or raises.
        """
        ties = TIES if self.reads_first_rank else TIES - {"realistic"}
        ties = {"expected", "first"} if self.columns else ties
        ties = ties | {"midrank"} if self.takes_midrank else ties
        every_grade = self.defaults.get("threshold") is None
        return {
            "k": check_k,
            "threshold": partial(check_threshold, or_none=every_grade),
            "ties": partial(check_choice, choices=ties),
            "unjudged": partial(check_choice, choices=UNJUDGED),
            "replace_undefined_by": partial(_number_as_given, nan=True),
            "average": partial(check_choice, choices=AVERAGES),
            "adjusted": _check_adjusted,
        } | _CHECKS_OF_EVALUATE


def _number_as_given(value, name, caller, nan=False, or_none=False):
    """Return a number, as it is, that errors and rules quote."""
    if value is not None or not or_none:
        check_number(value, name, caller, nan=nan)
    return value


def _check_adjusted(adjusted, name, caller):
    """Return a bool or "ratio", or raise."""
    is_str = isinstance(adjusted, str)
    if isinstance(adjusted, (bool, np.bool_)) or (is_str and adjusted == "ratio"):
        return adjusted
    raise (ValueError if is_str else TypeError)(
        f"The '{name}' parameter of {caller} must be a bool or 'ratio'. "
        f"Got {shown(adjusted)} instead."
    )


_CHECKS_OF_EVALUATE = {
    "doc_order": partial(check_choice, choices=(*DOC_ORDERS, None)),
    "score_dtype": partial(check_choice, choices=("float32", "float64", None)),
    "judged_from": partial(_number_as_given, or_none=True),
}

# Every metric by its scorer name, without ``neg_`` and ``@k``.
METRICS: dict[str, Metric] = {}


def enter(metric):
    """Add a metric to the table."""
    if metric.name in METRICS:
        raise ValueError(f"There are two metrics named {metric.name!r}.")
    METRICS[metric.name] = metric


def _metric_named(name):
    return METRICS[name]


def _pickled(metric):
    # Scorers are sent to worker processes, whose table lacks metrics that a user added.
    if METRICS.get(metric.name) is metric and metric.own is None:
        return _metric_named, (metric.name,)
    return object.__reduce_ex__(metric, 4)


copyreg.pickle(Metric, _pickled)


def metric_of(function):
    """Return the metric of a metric function, or None."""
    for metric in [*METRICS.values()] if function is not None else ():
        if metric.function is function and not metric.fixed and not metric.inverse:
            return metric
    return None


@dataclass(frozen=True)
class Options:
    """The checked parameters of a request."""

    threshold: float | str | None = 0.0
    ties: str = "expected"
    unjudged: str = "nonrelevant"
    replace_undefined_by: float = 0.0
    average: str | None = "macro"
    adjusted: bool | str = False
    doc_order: str | None = None
    score_dtype: str | None = None
    judged_from: float | None = None
    own: dict = field(default_factory=dict)  # those of a definition, such as `k`

    def changed(self, values):
        """Return options with some other values, by the names of the parameters."""
        shared, own = {}, dict(self.own)
        for name, value in values.items():
            (shared if name in SHARED else own)[name] = value
        return replace(self, own=own, **shared)

    def by_name(self):
        """Return the values of all parameters by name."""
        return self.own | {name: getattr(self, name) for name in SHARED}


*SHARED, _ = Options.__dataclass_fields__

# The parameters that `evaluate` adds to those of a metric, and those that every metric
# has, with their defaults.
OF_EVALUATE = dict.fromkeys(_CHECKS_OF_EVALUATE)
# Those of a metric function; MRR, Hits and the mean rank have `adjusted` as well.
DEFAULTS: dict = {
    name: getattr(Options, name)
    for name in SHARED
    if name not in OF_EVALUATE and name != "adjusted"
}


class Implied(str):
    """The default of a parameter that nobody has set, of which a metric may warn."""


def as_implied(defaults):
    """Return defaults in which that of `gain` shows that nobody has set it."""
    gain = defaults.get("gain")
    return defaults | {"gain": Implied(gain)} if gain == "exponential" else defaults


# The parameters on which the ranking itself depends, and what returns their values
# among the options of a request.
RANKED_BY = "threshold", "ties", "doc_order", "score_dtype", "judged_from", "unjudged"
of_ranking = operator.attrgetter(*RANKED_BY)


class Request(NamedTuple):
    """A request for one metric: its key in the result and how to compute it."""

    key: str
    metric: Metric
    sign: int  # 1 or -1, by which its value is multiplied
    options: Options

    def changed(self, **values):
        """Return the request with other values of some parameters."""
        return self._replace(options=self.options.changed(values))

    @property
    def direction(self):
        """Return 1 if larger values are better, -1 if lower ones are."""
        is_better = self.metric.is_better_when_greater(self.options.adjusted)
        return self.sign if is_better else -self.sign

    @property
    def masks(self):
        """Return the names of the masks that `unjudged` reads: whether each is needed.

        Grades may say as well which documents are judged.
        """
        is_read = self.options.unjudged == "condensed"
        return {"judged": self.options.judged_from is None} if is_read else {}

    @property
    def divides_sums(self):
        """Return True if the summary is a ratio of two, not the mean of ratios."""
        sums = ("total", "self")
        return self.metric.best is not None and self.options.own["normalize"] in sums

    @property
    def instead(self):
        """Return what an undefined query counts as, or NaN if it does not.

        It adds nothing to the sums of a ratio of two.
        """
        instead = self.options.replace_undefined_by
        return 0.0 * instead if self.divides_sums else instead

    @property
    def reads_grades(self):
        """Return True if `y_true` is read."""
        reads = self.metric.reads_grades
        return reads(self.options.own) if callable(reads) else reads

    @property
    def limits(self):
        """Return the limits of the values of queries, and those of the summary."""
        of_values = low, high = self.metric.limits
        normalize = self.options.own.get("normalize")
        if self.metric.best is not None and normalize not in ("query", "total"):
            of_values = low, high = 0.0, np.inf  # an estimate from clicks
        if self.metric.inverse:
            low, high = 1 / high, 1 / low
        adjusted = self.options.adjusted
        if adjusted:  # (M - E) / (B - E) is at most 1, and M / E at least 0
            low, high = (0.0, np.inf) if adjusted == "ratio" else (-np.inf, 1.0)
        return of_values, tuple(sorted((self.sign * low + 0.0, self.sign * high + 0.0)))


# The parameters that hold the input, with one value per row; all others are options.
BY_ROW = (
    *("y_true", "y_score", "qid", "sample_weight", "judged", "returned", "doc_id"),
)
INPUT = (*BY_ROW, "exclude")  # which has the shape of the scores
OPTIONAL = INPUT[3:]  # all but grades, scores and query ids


def compares_all_grades(request):
    """Return True if documents that are not relevant get the lowest grade of all."""
    options = request.options
    return options.threshold is None or options.ties == "midrank"


def reads_highest_grade(request):
    """Return True if a request depends on the highest grade of all queries."""
    return request.options.own.get("max_grade", 0) is None


def with_highest_grade(request, highest):
    """Return a request that says what it reads of the highest grade of all queries.

    `highest` is that of the judged documents; None or NaN without any.
    """
    if not reads_highest_grade(request):
        return request
    options = request.options
    threshold = 0.0 if options.threshold in (None, "max") else options.threshold
    least = -np.inf if options.judged_from is None else options.judged_from
    is_read = highest is not None and highest > max(threshold, 0.0)
    top = float(highest) if is_read and highest >= least else 1.0
    return request.changed(max_grade=top)
