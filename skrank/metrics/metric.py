"""The decorator that makes a metric, and the table of all metrics."""

# SPDX-License-Identifier: BSD-3-Clause

import copyreg
import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import ParamSpec, TypeVar

import numpy as np

from skrank._checks import (
    AVERAGES,
    TIES,
    check_choice,
    check_k,
    check_number,
    check_threshold,
    shown,
)
from skrank._docs import complete, describe
from skrank._ranking.rank import DOC_ORDERS
from skrank.metrics.answer import Arrays, Request, answer
from skrank.metrics.summary import mean_of_queries

P = ParamSpec("P")
R = TypeVar("R")

# The parameters that every metric has, with their defaults.
DEFAULTS = {
    "threshold": 0.0,
    "ties": "expected",
    "replace_undefined_by": 0.0,
    "average": "macro",
    "adjusted": False,
}
# The parameters that `evaluate` adds to those of a metric.
OF_EVALUATE = {"doc_order": None, "score_dtype": None, "judged_from": None}


@dataclass(frozen=True, eq=False)
class Metric:
    """One row of the table of metrics.

    Attributes
    ----------
    name : str
        The scorer name, without ``neg_`` and ``@k``.
    definition : callable
        Maps a ranking and the metric's own parameters to one value per query; NaN means
        undefined.
    function : callable or None
        The public metric function; None for a metric that has none.
    defaults : dict
        The defaults of all parameters but the input; `k` is missing if it is required.
    cutoff : {"optional", "required", "never"}
        Whether the scorer name takes ``@k``.
    greater_is_better : bool
        Whether larger values are better, if they are not adjusted.
    limits : tuple of (float, float)
        The smallest and the largest value, if it is neither adjusted nor inverted.
    pool : callable
        ``pool(ranking, values, weight)`` returns the summary of the values that are not
        NaN; `weight` is None if all queries have the same weight.
    reads_first_rank : bool
        Whether the definition reads only the rank of the first relevant document. Such
        a metric also accepts ``ties="realistic"``.
    value : callable or None
        If given, the metric is the expectation of ``value(rank)`` at the first relevant
        rank, so its variance under random orders is known.
    moments : callable or None
        ``moments(queries, random)`` returns the mean and the standard deviation of the
        summary under random orders, for a summary that is not an arithmetic mean.
    fixed : dict
        Parameters that are set by the scorer name and cannot be changed.
    takes_midrank : bool
        Whether ``ties="midrank"`` is accepted, which lets tied documents share their
        mean rank. The definition gets `ties`.
    inverse : bool
        Whether the summary is inverted.
    own : callable or None
        The user's function, for a metric of the user's own.
    """

    name: str
    definition: Callable
    function: Callable | None = None
    defaults: dict = field(default_factory=lambda: dict(DEFAULTS), repr=False)
    cutoff: str = "optional"
    greater_is_better: bool = True
    limits: tuple = (0.0, 1.0)
    pool: Callable = mean_of_queries
    reads_first_rank: bool = False
    takes_midrank: bool = False
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

    def check(self, given, caller):
        """Return the checked values of given parameters; raise where one is wrong."""
        checked = dict(given)
        if "k" in given:
            checked["k"] = check_k(given["k"])
        if "threshold" in given:
            every = self.defaults["threshold"] is None  # None is accepted too
            checked["threshold"] = check_threshold(given["threshold"], caller, every)
        if "ties" in given:
            ties = TIES if self.reads_first_rank else TIES - {"realistic"}
            ties = ties | {"midrank"} if self.takes_midrank else ties
            check_choice(given["ties"], ties, "ties", caller)
        if "replace_undefined_by" in given:
            replaced = given["replace_undefined_by"]
            check_number(replaced, "replace_undefined_by", caller, nan=True)
        if "average" in given:
            check_choice(given["average"], AVERAGES, "average", caller)
        if "adjusted" in given:
            self._check_adjusted(given["adjusted"], caller)
        if given.get("doc_order") is not None:
            check_choice(given["doc_order"], DOC_ORDERS, "doc_order", caller)
        if given.get("score_dtype") is not None:
            dtypes = {"float32", "float64"}
            check_choice(given["score_dtype"], dtypes, "score_dtype", caller)
        if given.get("judged_from") is not None:
            check_number(given["judged_from"], "judged_from", caller)
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
            f"Got {shown(adjusted)} instead."
        )


# Every metric by its scorer name, without ``neg_`` and ``@k``.
METRICS: dict[str, Metric] = {}

# The parameters that hold the input; all others are options.
INPUT = ("y_true", "y_score", "qid", "sample_weight", "exclude", "judged", "returned")


def ranking_metric(
    name, definition, *, adjusted_names=(), inverse_name=None, **facts
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make the decorated function a metric, and enter it in the table of metrics.

    The decorated function consists of a signature and a docstring. The decorator adds
    the descriptions of the parameters and the errors to the docstring, enters the
    metric in `METRICS`, and computes the metric by `definition`.

    Parameters
    ----------
    name : str
        The scorer name, without ``neg_`` and ``@k``.
    definition : callable
        ``definition(ranking, **own)`` maps a RankedQueries and the metric's own
        parameters to an array of shape (n_queries,); NaN means undefined.
    adjusted_names : dict of str to {True, "ratio", "z"}, default=()
        Further scorer names of the metric, with this value of `adjusted`.
    inverse_name : str, default=None
        A further scorer name, of one over the metric.
    **facts : dict
        The other attributes of a :class:`Metric`, such as
        ``cutoff="never"`` and ``greater_is_better=False``.

    Returns
    -------
    decorate : callable
        The decorator. The function that it returns has the signature of the decorated
        function.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)
        names = list(signature.parameters)
        given = {
            parameter.name: parameter.default
            for parameter in signature.parameters.values()
            if parameter.default is not parameter.empty
        }

        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            function(*args, **kwargs)  # raises TypeError for unknown arguments
            values = dict(zip(names, args, strict=False)) | kwargs
            data = {}
            for name in INPUT:
                if name in values:
                    data[name] = values.pop(name)
            options = defaults | metric.check(values, function.__name__)
            request = Request(function.__name__, metric, 1, options)
            return answer(request, Arrays(**data))

        defaults = {key: value for key, value in given.items() if key not in INPUT}
        metric = Metric(name, definition, call, defaults, **facts)
        call.__doc__ = complete(
            function.__doc__, signature, functools.partial(describe, metric=metric)
        )
        _enter(metric)
        left_out = defaults | {"replace_undefined_by": np.nan}
        for variant, adjusted in dict(adjusted_names).items():
            fixed = {"adjusted": adjusted}
            _enter(replace(metric, name=variant, defaults=left_out, fixed=fixed))
        if inverse_name is not None:
            changed = {"greater_is_better": True, "inverse": True}
            # The variance is known of the metric, not of its inverse.
            changed |= {"value": None, "moments": None}
            _enter(replace(metric, name=inverse_name, defaults=left_out, **changed))
        return call

    return decorate


def _enter(metric):
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
    for metric in METRICS.values():
        if metric.function is function and not metric.fixed and not metric.inverse:
            return metric
    return None
