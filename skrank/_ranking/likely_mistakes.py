"""Input that is likely to be a mistake: what is mended, refused, or warned of."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from sklearn.exceptions import DataConversionWarning

from skrank._checks import warn_caller

# Without query ids, more rows than these are unlikely to be one query.
MANY_ROWS = 1000

# How many values are looked at, and the fewest that say anything.
_SAMPLE, _FEWEST = 200, 5


def flatten_column(values, name):
    """Return an array of shape (n_samples, 1) as one of shape (n_samples,)."""
    warn_caller(
        f"A column-vector {name} was passed when a 1d array was expected. Please "
        f"change the shape of {name} to (n_samples, ), for example using ravel().",
        DataConversionWarning,
    )
    return values.ravel()


def refuse_columns(y_true, y_score):
    """Raise if the scores have two columns beside grades and query ids of the rows."""
    if y_true.ndim == 1 and y_score.shape == (len(y_true), 2):
        raise ValueError(
            "y_score must hold one score per row beside y_true of shape "
            f"{y_true.shape} and query ids. Got y_score of shape {y_score.shape}: if "
            "its columns are those of predict_proba, pass predict_proba(X)[:, 1]."
        )


def warn_of_one_query(n_rows):
    """Warn that many rows without query ids are ranked as one query."""
    warn_caller(
        f"All {n_rows} rows are ranked as one query, since there are no query ids. "
        "Pass the ids as `qid`; if the rows are one query, pass np.zeros(len(y_true)).",
        UserWarning,
    )


def warn_if_swapped(y_true, y_score):
    """Warn if the grades look like scores, and the scores like grades."""
    grades, scores = y_true.ravel()[:_SAMPLE], y_score.ravel()[:_SAMPLE]
    if len(grades) < _FEWEST or 2 * np.count_nonzero(_whole(grades)) > len(grades):
        return
    most = min(10, len(scores) // 2)
    if not _whole(scores).all() or len(np.unique(scores)) > most:
        return
    if 2 * len(np.unique(grades)) <= len(grades):
        return
    warn_caller(
        "y_true and y_score look swapped: y_true holds continuous values, and y_score "
        "a few integers. Pass the grades first, then the scores.",
        UserWarning,
    )


def _whole(values):
    return values == np.floor(values)
