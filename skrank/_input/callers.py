"""What only stack frames say: what scikit-learn does with the rows.

It tells no estimator, scorer or splitter. So three questions are asked of the frames
that call, by the three public functions below, each with its reason. Where no frame
answers, as in another process, nothing is found, and nothing is warned of.

`warn_caller` asks none of them: it finds the line to which a warning belongs.
"""

# SPDX-License-Identifier: BSD-3-Clause

import sys
import warnings
from collections.abc import Mapping
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

# What may stand between the line of a user and a warning.
_TOOLS = {"joblib", "skrank", "sklearn"}

# Warnings that were shown while scikit-learn ran, by their text, category and line.
_SHOWN = set()


class Split(NamedTuple):
    """The variables of a loop of scikit-learn that fits on rows and scores others."""

    X: Any
    y: Any
    train: np.ndarray
    test: np.ndarray
    score_params: dict | None  # the metadata of all rows, for the scorer


def running_split(X: object) -> Split | None:
    """Return the split whose test rows are `X`, if scikit-learn scores them.

    Why: a scorer gets the rows of a test set only. Whether a query has other rows in
    the training set, and which grades all rows have, shows in both sets.
    """
    for frame in _frames_of_sklearn():
        if "X_test" not in frame.f_code.co_varnames:
            continue
        found = frame.f_locals  # no dict since Python 3.13
        if found.get("X_test") is X and {"X", "y", "train", "test"}.issubset(found):
            return Split(*map(found.get, Split._fields))
    return None


# The functions of scikit-learn that draw or shuffle rows; `fit` is that of a halving
# search.
_CHANGE_ROWS = {
    "sklearn.model_selection._search_successive_halving": {"fit"},
    "sklearn.model_selection._validation": {
        *("learning_curve", "permutation_test_score", "_permutation_test_score"),
    },
}


def running_draws() -> list[tuple[str, Mapping[str, Any]]]:
    """Return what draws or shuffles rows: names of functions, and their variables.

    The innermost is the first. Why: rows that were drawn, or grades that were shuffled,
    look like any others, and whoever draws them tells nobody.
    """
    return [
        (frame.f_code.co_name, frame.f_locals)
        for frame in _frames_of_sklearn()
        if frame.f_code.co_name in _CHANGE_ROWS.get(frame.f_globals["__name__"], ())
    ]


def is_fold_scored() -> bool:
    """Return True if the scorer of a metric function calls it, on the rows of a fold.

    Why: without query ids a metric takes all rows for one query, which a user who
    passes a few rows means, and one who calls `make_scorer` does not.
    """
    frame = sys._getframe(1)
    while frame is not None and _package_of(frame) == "skrank":
        frame = frame.f_back
    if frame is None:
        return False
    caller = frame.f_globals.get("__name__"), frame.f_code.co_name
    return caller == ("sklearn.metrics._scorer", "_score")


def warn_caller(message: str, category: type[Warning]) -> None:
    """Warn at the line of the user: outside of skrank, scikit-learn and joblib.

    Python shows a text once for each line. It forgets what it has shown whenever
    filters change, as in each fit of a search, so that is remembered here.
    """
    frame = sys._getframe(1)
    while frame.f_back is not None and _package_of(frame) in _TOOLS:
        frame = frame.f_back
    line = frame.f_code.co_filename, frame.f_lineno
    if _frames_of_sklearn():
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
    module = frame.f_globals.get("__name__", "")
    warnings.warn_explicit(message, category, *line, module, registry)


def _frames_of_sklearn() -> list[FrameType]:
    """Return the frames of scikit-learn that call, the innermost first."""
    frame, found = sys._getframe(1), []
    while frame is not None:
        if frame.f_globals.get("__name__", "").startswith("sklearn."):
            found.append(frame)
        frame = frame.f_back
    return found


def _package_of(frame: FrameType) -> str:
    return frame.f_globals.get("__name__", "").partition(".")[0]
