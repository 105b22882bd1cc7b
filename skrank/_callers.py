"""Who called: the line that a warning belongs to, and what scikit-learn is doing."""

# SPDX-License-Identifier: BSD-3-Clause

import inspect
import re
import sys
import warnings
from pathlib import Path
from typing import NamedTuple

_PACKAGE = str(Path(__file__).parent)
# What may stand between the line of a user and a warning.
_TOOLS = {"joblib", "skrank", "sklearn"}


# Warnings that were shown while scikit-learn ran, by their text, category and line.
_SHOWN = set()


def callers():
    """Yield the frames of the functions that called the package, the nearest first."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    while frame is not None:
        yield frame
        frame = frame.f_back


def sklearn_callers():
    """Yield the frames of scikit-learn among the callers, the nearest first."""
    for frame in callers():
        if frame.f_globals.get("__name__", "").startswith("sklearn."):
            yield frame


def warn_caller(message, category):
    """Warn at the line of the user: outside of skrank, scikit-learn and joblib.

    Python shows a text once for each line. It forgets what it has shown whenever
    filters change, as in each fit of a search, so that is remembered here.
    """
    frame = None
    for frame in callers():
        module = frame.f_globals.get("__name__", "")
        if module.partition(".")[0] not in _TOOLS:
            break
    if frame is None:  # in a thread that skrank started
        warnings.warn(message, category, stacklevel=1)
        return
    line = frame.f_code.co_filename, frame.f_lineno
    if next(sklearn_callers(), None) is not None:
        actions = (
            action
            for action, text, kind, *_ in warnings.filters
            if text is None and issubclass(category, kind)
        )
        is_once = next(actions, "default") in ("default", "module", "once")
        if is_once and (message, category, line) in _SHOWN:
            return
        _SHOWN.add((message, category, line))
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    warnings.warn_explicit(message, category, *line, module, registry)


class Call(NamedTuple):
    """A function of scikit-learn, or the `fit` of a ranker around it, that runs."""

    name: str
    with_qid: str | None  # the call with query ids, if it takes any
    metadata: set  # the names of what was passed for rows
    data: list  # tables among the arguments
    is_ranker: bool


def calls_of_sklearn():
    """Return the calls of scikit-learn that run, the innermost first.

    They are calls of its public names. Among them are those of the `fit` of rankers
    whose estimators made them.
    """
    calls = []
    for frame in callers():
        is_sklearn = frame.f_globals.get("__name__", "").startswith("sklearn.")
        code, values = frame.f_code, frame.f_locals
        is_ranker = code.co_name == "fit" and hasattr(values.get("self"), "qid_column")
        if is_sklearn and code.co_name in ("wrapper", "inner_f") and calls:
            # They hold what the call before was given.
            calls[-1].data.extend([*values["args"], *values["kwargs"].values()])
        elif is_sklearn or is_ranker:
            given = {"groups": values.get("groups")}
            for name in ("params", "fit_params"):
                if isinstance(values.get(name), dict):
                    given |= values[name]
            metadata = {name for name, value in given.items() if value is not None}
            data = [values.get("X"), values.get("y")]
            calls.append(Call(*_signature(frame), metadata, data, is_ranker))
    return [one for one in calls if not re.search(r"\b_", one.name)]


def _signature(frame):
    """Return the name of a running function, and how it is called with query ids."""
    code, owner = frame.f_code, frame.f_locals.get("self")
    name = code.co_name if owner is None else f"{type(owner).__name__}.{code.co_name}"
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    if "params" in names:
        return name, f"{name}(estimator, X, y, params={{'qid': qid}})"
    takes_any = code.co_flags & inspect.CO_VARKEYWORDS
    return name, f"{name}(X, y, qid=qid)" if takes_any else None
