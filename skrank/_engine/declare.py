"""`@ranking_metric`, which makes a metric function of a definition."""

# SPDX-License-Identifier: BSD-3-Clause

import functools
import inspect
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from skrank._engine.answer import answer, read_arrays
from skrank._engine.columns import no_grades
from skrank._engine.request import (
    DEFAULTS,
    INPUT,
    Metric,
    Options,
    Request,
    as_implied,
    enter,
)
from skrank._input.checks import check_options, says_what_was_meant
from skrank._text.docs import RETURNS, complete, describe


def _public_signature(definition, facts, shared):
    """Return the signature of a metric function, from that of its definition.

    The columns come after `qid`, the parameters of the definition after them, and the
    `shared` ones, by name with their defaults, last.
    """
    columns, optional = facts.get("columns", ()), facts.get("optional", ())
    _, *own = inspect.signature(definition).parameters.values()
    by_name = inspect.Parameter.KEYWORD_ONLY
    parameters = [
        inspect.Parameter("y_true", inspect.Parameter.POSITIONAL_OR_KEYWORD),
        inspect.Parameter("y_score", inspect.Parameter.POSITIONAL_OR_KEYWORD),
        inspect.Parameter("qid", by_name, default=None),
    ]
    for name in columns:
        default = None if name in optional else inspect.Parameter.empty
        parameters.append(inspect.Parameter(name, by_name, default=default))
    parameters += [parameter for parameter in own if parameter.name not in shared]
    for name, default in shared.items():
        parameters.append(inspect.Parameter(name, by_name, default=default))
    return inspect.Signature(parameters)


def _not_a_scorer(metric):
    """Return the error of a metric function that was passed as `scoring`."""
    function = metric.function.__name__
    name = metric.full_name + ("@10" if metric.cutoff == "required" else "")
    return TypeError(f"{function} is a metric, not a scorer: pass scoring={name!r}.")


def _refusing(signature, name, required):
    """Return a function that raises Python's error of a wrong call, by a name."""

    def take(y_true, y_score, **keywords):  # where Python itself refuses positions
        if unknown := keywords.keys() - signature.parameters.keys():
            wrong = f"got an unexpected keyword argument {min(unknown)!r}"
            raise TypeError(f"{name}() {wrong}")
        missing = min(required - keywords.keys() - {"y_true", "y_score"})
        wrong = f"missing 1 required keyword-only argument: {missing!r}"
        raise TypeError(f"{name}() {wrong}")

    take.__name__ = take.__qualname__ = name
    take.__signature__ = signature
    return says_what_was_meant(take)


def _enter_all(metric, variants, inverse_name):
    """Enter a metric, and those of its other names, in the table of metrics."""
    enter(metric)
    of_ranks = metric.defaults | {"replace_undefined_by": np.nan}
    for variant, fixed in variants.items():
        instead = {"defaults": of_ranks} if "adjusted" in fixed else {}
        enter(replace(metric, name=variant, fixed=fixed, **instead))
    if inverse_name is not None:
        of_ranks.pop("adjusted", None)
        changed = {"greater_is_better": True, "inverse": True}
        enter(replace(metric, name=inverse_name, defaults=of_ranks, **changed))


def ranking_metric(
    name,
    *,
    threshold=0.0,
    replace_undefined_by=None,
    adjustable=False,
    without=(),
    masks=(),
    variants=(),
    inverse_name=None,
    **facts,
) -> Callable[[Callable[..., np.ndarray]], Callable]:
    """Make a definition a metric function, and enter it in the table of metrics.

    The decorated function, the definition, maps a RankedQueries and the metric's own
    parameters to one value per query; NaN means undefined. The decorator makes the
    function that users call: it takes `y_true`, `y_score`, `qid`, the columns that the
    metric reads, its own parameters and those that metrics share, checks them, ranks,
    measures and summarizes. The docstring is completed with the descriptions of the
    parameters and the errors. Other definitions call ``function.definition``.

    `name` and the other `facts` are attributes of a :class:`Metric`. `threshold` and
    `replace_undefined_by` are the defaults of these parameters, `adjustable` metrics
    have the parameter `adjusted`, `without` are shared parameters that the metric has
    not, and `masks` those that the function takes since the formula reads them: all
    others belong to `evaluate`. `variants` are further scorer names, each with the
    parameters that it fixes, and `inverse_name` is that of one over the metric.
    """
    if replace_undefined_by is None:  # 0 would be better than any other value
        is_best_at_0 = not facts.get("greater_is_better", True)
        replace_undefined_by = np.nan if is_best_at_0 else 0.0
    left_out = {*without}
    if facts.get("columns"):
        left_out.add("unjudged")
        left_out |= set() if facts.get("reads_grades", True) else {"threshold"}
    varied = {"threshold": threshold, "replace_undefined_by": replace_undefined_by}
    varied |= {"adjusted": False} if adjustable else {}
    options = {
        name: default
        for name, default in (DEFAULTS | varied).items()
        if name not in left_out
    }

    def decorate(definition):
        key = definition.__name__
        shared = options | dict.fromkeys(("sample_weight", *masks))
        shared.pop("unjudged", None)  # of `evaluate`, as the mask is
        signature = _public_signature(definition, facts, shared)
        _, *own = inspect.signature(definition).parameters.values()
        defaults = {
            one.name: one.default for one in own if one.default is not one.empty
        }
        defaults |= options
        by_default = Options().changed(as_implied(defaults))

        accepted, named = {*signature.parameters}, signature.parameters.values()
        required = {one.name for one in named if one.default is one.empty}
        refuse = _refusing(signature, key, required)

        @functools.wraps(definition)
        def call(*args, **kwargs):
            values = dict(zip(("y_true", "y_score"), args, strict=False)) | kwargs
            is_whole = len(values) == len(args) + len(kwargs)
            if not is_whole or required.difference(values) or values.keys() - accepted:
                if args and hasattr(args[0], "fit"):  # called as a scorer
                    raise _not_a_scorer(metric)
                refuse(*args, **kwargs)
            columns = {name: values.pop(name, None) for name in metric.columns}
            for name in metric.optional:
                if columns[name] is None:
                    del columns[name]
            data = {"columns": columns}
            for part in INPUT:
                if part in values:
                    data[part] = values.pop(part)
            options = by_default
            if values:
                values = check_options(values, metric.checks, key)
                options = options.changed(values)
            request = Request(key, metric, 1, options)
            if data["y_true"] is None:
                data["y_true"] = no_grades(data["y_score"], [request], key)
            return answer(request, read_arrays(**data))

        # It has other parameters than the definition, for whoever unwraps functions.
        del call.__wrapped__
        call.__signature__ = signature
        call.definition = definition
        metric = Metric(name, definition, call, defaults, **facts)
        call.__doc__ = complete(
            definition.__doc__,
            signature,
            functools.partial(describe, metric=metric),
            returns=RETURNS.get((*metric.limits, metric.greater_is_better), ""),
        )
        _enter_all(metric, dict(variants), inverse_name)
        return call

    return decorate
