"""What only stack frames say: what scikit-learn does with the rows.

It tells no estimator, scorer or splitter. So two questions are asked of the frames that
call, by the two public functions below, each with its reason. What they find is warned
of, and no number depends on it. Where no frame answers, as in another process, nothing
is found.

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

# Warnings that were shown while scikit-learn ran, by their text, category and line; and
# under "filters" how they were shown.
_SHOWN: dict[Any, Any] = {}


class Split(NamedTuple):
    """The variables of a loop of scikit-learn that fits on rows and scores others."""

    X: Any
    y: Any
    train: np.ndarray
    test: np.ndarray
    score_params: dict | None  # the metadata of all rows, for the scorer


def running_split(X: object = None) -> Split | None:
    """Return the split whose test rows are `X`, or any, if scikit-learn scores them.

    Why: a scorer gets the rows of a test set only. Whether a query has other rows in
    the training set shows in both sets. A metric function gets no X: without query ids
    it takes all rows for one query, which a user who passes a few rows means, and one
    who calls `make_scorer` does not.
    """
    for frame in _frames_of_sklearn():
        if "X_test" not in frame.f_code.co_varnames:
            continue
        found = frame.f_locals  # no dict since Python 3.13
        is_asked = X is None or found.get("X_test") is X
        if is_asked and {"X", "y", "train", "test"}.issubset(found):
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
    """Return what draws or shuffles rows, the innermost first, with its variables.

    Why: rows that were drawn, or grades that were shuffled, look like any others.
    """
    return [
        (frame.f_code.co_name, frame.f_locals)
        for frame in _frames_of_sklearn()
        if frame.f_code.co_name in _CHANGE_ROWS.get(_name_of(frame), ())
    ]


def warn_caller(message: str, category: type[Warning]) -> None:
    """Warn at the line of the user: outside of skrank, scikit-learn and joblib.

    Python shows a text once for each line. It forgets what it has shown whenever
    filters change, as in each fit of a search, so that is remembered here until they
    are other filters, or what is shown goes elsewhere. So is what the filter "always"
    has shown: a learning curve would show it for each fit, a hundred times.
    """
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _name_of(frame).split(".")[0] in _TOOLS:
        frame, level = frame.f_back, level + 1
    shown = message, category, frame.f_code.co_filename, frame.f_lineno
    is_within = bool(_frames_of_sklearn())
    if is_within:
        show = getattr(warnings, "_showwarnmsg_impl", warnings.showwarning)
        filters = (*(one[:3] for one in warnings.filters), show)
        if _SHOWN.get("filters") != filters:
            _SHOWN.clear()
            _SHOWN["filters"] = filters
        if shown in _SHOWN:
            return
    warnings.warn(message, category, stacklevel=level)  # an error by some filters
    if is_within:
        _SHOWN[shown] = True


def _frames_of_sklearn() -> list[FrameType]:
    """Return the frames of scikit-learn that call, the innermost first."""
    frame: FrameType | None = sys._getframe(1)
    found = []
    while frame is not None:
        if _name_of(frame).startswith("sklearn."):
            found.append(frame)
        frame = frame.f_back
    return found


def _name_of(frame: FrameType) -> str:
    return frame.f_globals.get("__name__", "")
