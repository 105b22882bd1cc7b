"""Warnings and errors of input that is likely a mistake."""

# SPDX-License-Identifier: BSD-3-Clause

import numbers

import numpy as np

from skrank._input.callers import running_draws, running_split, warn_caller
from skrank._input.frames import reordered

# The fewest queries whose mean says something, and of how many they can be spared.
FEW_QUERIES, SPARED_OF = 10, 100


def warn_if_few_queries(n_held_out, n_queries, name, size):
    """Warn if few queries are held out: of many, or by a parameter that counts rows."""
    is_count = isinstance(size, numbers.Integral)
    if n_held_out < FEW_QUERIES and (is_count or n_queries >= SPARED_OF):
        unit = ": an int counts rows, not queries" if is_count else ""
        warn_caller(
            f"{n_held_out} of {n_queries} queries are held out, and their mean says "
            f"little. Hold out more, such as {name}=0.2{unit}.",
            UserWarning,
        )


# Without query ids, more rows than these are unlikely to be one query.
MANY_ROWS = 100

# More rows than these are unlikely to be one query each.
FEW_ROWS = 20

_IDS_OF_SCORER = (
    "Query ids reach a scorer of sklearn.metrics.make_scorer in the index of y, named "
    "'qid', or by metadata routing, after set_score_request(qid=True); a column of X "
    "does not. Shorter: a scorer name, such as scoring='ndcg@10'."
)

_IDS_OF_ROWS = (
    "Pass the id of each row as `qid`. If the rows are one list, pass [[...]], one row "
    "of a matrix, or qid=np.zeros(n_rows). A loop over queries passes [[...]], or all "
    "rows are passed in one call with `qid`."
)

# The functions of scikit-learn that draw rows of each fold, and what to do instead; the
# `fit` of halving searches if their resource is "n_samples".
_DRAWS_ROWS = {
    "fit": (
        "A halving search with resource='n_samples' draws rows of the folds, so that "
        "queries lose documents in training and test sets. Pass "
        "resource='max_queries' and max_resources=n_queries with a QueryRanker, which "
        "draws whole queries, or the name of another parameter, such as "
        "'n_estimators'."
    ),
    "learning_curve": (
        "learning_curve draws rows of the training data, so that queries lose "
        "documents. Pass param_name='max_queries' and param_range=[50, 100, ...] to "
        "validation_curve with a QueryRanker, which draws whole queries."
    ),
}

# How many values are looked at, and the fewest that say anything.
_SAMPLE, _FEWEST = 200, 5


def check_one_query(n_rows):
    """Raise if rows without ids are too many for one query; warn if they are a fold."""
    split = running_split()
    is_fold = split is not None and len(split.test) == n_rows
    if n_rows > MANY_ROWS:
        raise ValueError(
            "Without query ids all rows are ranked as one query, which at most "
            f"{MANY_ROWS} rows may be. Got {n_rows} rows and no query ids. "
            f"{_IDS_OF_SCORER if is_fold else _IDS_OF_ROWS}"
        )
    if is_fold:
        warn_caller(
            "All rows of a fold are ranked as one query, since there are no query ids. "
            f"{_IDS_OF_SCORER}",
            UserWarning,
        )


def warn_of_single_rows(n_queries):
    """Warn that every row is a query of its own."""
    warn_caller(
        f"Each of {n_queries:,} queries has one row: is `qid` the right column?",
        UserWarning,
    )


def warn_if_rows_are_drawn():
    """Warn in a halving search or a learning curve that draws rows of the folds."""
    for function, variables in running_draws():
        if function not in _DRAWS_ROWS:
            continue
        search = variables.get("self")
        estimator = variables.get("estimator", getattr(search, "estimator", None))
        # The rows of estimators that rank by themselves are queries, such as triples.
        is_ranked = hasattr(estimator, "__skrank_ranks__")
        if getattr(search, "resource", "n_samples") == "n_samples" and not is_ranked:
            warn_caller(_DRAWS_ROWS[function], UserWarning)
        return


def warn_if_out_of_order(arrays):
    """Warn of pandas objects with the same labels in different orders.

    Rows are paired by position, whatever their labels are. `arrays` holds what has one
    value per row, by the names of the arguments.
    """
    kinds = [type(values) for values in arrays.values() if values is not None]
    if len(kinds) - kinds.count(np.ndarray) < 2:  # arrays have no labels
        return
    for first, name, is_unique in reordered(arrays):
        if _is_y_shuffled():
            return
        cure = f"Pass {name}.loc[{first}.index] to pair them by label"
        if not is_unique:
            cure = f"Sort the rows of {name} like those of {first}"
        warn_caller(
            f"{first} and {name} have the same labels in different orders, but their "
            f"rows are paired by position. {cure}, or {name}.to_numpy() if the rows "
            "are in the same order already.",
            UserWarning,
        )


def _is_y_shuffled():
    """Return True while permutation_test_score shuffles y, whose labels go along.

    It first scores y as it is. Its other calls may run in other processes.
    """
    ys = [
        variables["y"]
        for function, variables in running_draws()
        if function.endswith("permutation_test_score")
    ]
    return len(ys) == 1 or (len(ys) == 2 and ys[0] is not ys[1])


SWAPPED = (
    "y_true and y_score look swapped: y_true holds continuous values, and y_score a "
    "few integers. Pass the grades first, then the scores."
)


def look_swapped(y_true, y_score):
    """Return True if the grades look like scores, and the scores like grades."""
    grades, scores = y_true.ravel()[:_SAMPLE], y_score.ravel()[:_SAMPLE]
    if len(grades) < _FEWEST or 2 * np.count_nonzero(_whole(grades)) > len(grades):
        return False
    most = min(10, len(scores) // 2)
    if not _whole(scores).all() or len(np.unique(scores)) > most:
        return False
    return 2 * len(np.unique(grades)) > len(grades)


def _whole(values):
    return values == np.floor(values)


def warn_if_labels(lists):
    """Warn if the scores look like the class labels that a classifier predicts.

    They have two values, which are grades, and tied documents differ in relevance.
    Rows are at least as many as say anything of several queries. A classifier predicts
    rows, so a matrix is left alone.
    """
    scores, n_queries = lists.y_score, len(lists.ids)
    if lists.is_matrix or n_queries < 2 or len(scores) < _FEWEST * n_queries:
        return
    if not float(scores[0]).is_integer() or len(np.unique(scores[:_SAMPLE])) > 2:
        return
    low, high = scores.min(), scores.max()
    is_high = scores == high
    if low == high or not (is_high | (scores == low)).all():
        return
    if not (lists.grades == low).any() or not (lists.grades == high).any():
        return
    group = 2 * lists.order.row_query + is_high
    n_relevant = np.bincount(group, weights=lists.relevant)
    if not ((n_relevant > 0) & (n_relevant < np.bincount(group))).any():
        return
    warn_caller(
        f"y_score has only two distinct values, {low:g} and {high:g}, like the class "
        "labels that a classifier predicts, so the metric depends on how ties are "
        "resolved. Pass scores instead, such as predict_proba(X)[:, 1] or "
        "decision_function(X). skrank.metrics.tie_report says how much ties matter.",
        UserWarning,
    )
