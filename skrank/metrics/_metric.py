"""The decorator that makes a metric, and the table of all metrics."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import copyreg
import functools
import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import ParamSpec, TypeVar

import numpy as np

from skrank.metrics._requests import Arrays, Metric, Request, answer, depths_of
from skrank.metrics._words import complete

P = ParamSpec("P")
R = TypeVar("R")

# Every metric by its scorer name, without ``neg_`` and ``@k``.
METRICS: dict[str, Metric] = {}

# The parameters that hold the input; all others are options.
INPUT = ("y_true", "y_score", "qid", "sample_weight", "exclude", "judged", "returned")


def ranking_metric(
    name, definition, *, adjusted_names=(), inverse_name=None, **facts
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate the signature of a metric, whose values per query `definition` gives.

    The function that is decorated holds a signature and a docstring of its own words.
    The decorator adds the descriptions of the parameters and the errors, enters the
    metric in `METRICS`, and makes the call.

    Parameters
    ----------
    name : str
        The scorer name, without ``neg_`` and ``@k``.
    definition : callable
        ``definition(ranking, **own)`` maps a RankedQueries and the metric's own
        parameters to an array of shape (n_queries,); NaN means undefined.
    adjusted_names : dict of str to {True, "ratio", "z"}, default=()
        Further scorer names, for the metric with this value of `adjusted`.
    inverse_name : str, default=None
        A further scorer name, for one over the metric.
    **facts : dict
        The other attributes of a :class:`~skrank.metrics._requests.Metric`, such as
        ``cutoff="never"`` and ``greater_is_better=False``.

    Returns
    -------
    decorate : callable
        The decorator. The function that it returns has the signature of the one that
        it is given.
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
            function(*args, **kwargs)  # raises where Python refuses the arguments
            values = given | dict(zip(names, args, strict=False)) | kwargs
            data = {name: values.pop(name) for name in INPUT}
            options = metric.check_options(values, function.__name__)
            request = Request(function.__name__, metric, 1, options)
            return answer(request, Arrays(**data, depths=depths_of([request])))

        options = {key: value for key, value in given.items() if key not in INPUT}
        metric = Metric(name, definition, call, options, **facts)
        call.__doc__ = complete(function.__doc__, signature, metric)
        _enter(metric)
        left_out = options | {"replace_undefined_by": np.nan}
        for variant, adjusted in dict(adjusted_names).items():
            fixed = {"adjusted": adjusted}
            _enter(replace(metric, name=variant, defaults=left_out, fixed=fixed))
        if inverse_name is not None:
            changed = {"greater_is_better": True, "inverse": True}
            changed |= {"value": None, "moments": None}  # those of the metric itself
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
    # A scorer is sent to other processes, which have the table but for the metrics that
    # a user added.
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
