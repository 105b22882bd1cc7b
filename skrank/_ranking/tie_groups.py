"""Tie groups that hold relevant documents, and how ties are resolved."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import NamedTuple

import numpy as np

from skrank._ranking.neighbours import lengths_of


class TieGroups(NamedTuple):
    """Tie classes that hold a relevant document, each query's in rank order.

    The runs of one query stand together. `query`, `above`, `size` and `relevant`
    have one entry a run; `grade` has one a relevant document, run after run.
    """

    query: np.ndarray
    above: np.ndarray
    size: np.ndarray
    relevant: np.ndarray
    grade: np.ndarray


def groups_of_sorted(lists, rows, keys, place, row, grade):
    """Return the tie classes of sorted keys that hold the documents at `place`."""
    new = np.ones(keys.shape, dtype=bool)
    np.not_equal(keys[:, 1:], keys[:, :-1], out=new[:, 1:])
    start = np.flatnonzero(new)
    tie_class = (np.cumsum(new) - 1)[place]
    first = np.flatnonzero(np.diff(tie_class, prepend=-1))
    row, tie_class = row[first], tie_class[first]
    above = start[tie_class] - row * keys.shape[1]
    size = lengths_of(start, new.size)[tie_class]
    # What fills the end of a row is no document, though it may look tied.
    size = np.minimum(size, lists.n_ranked[rows[row]] - above)
    relevant = lengths_of(first, len(place))
    return TieGroups(lists.query[rows[row]], above, size, relevant, grade)


def resolve_ties(runs, ties):
    """Cut tie classes into runs of one document, where the policy gives an order."""
    if ties in ("expected", "first") or not np.any(runs.size > 1):
        return runs
    run = np.repeat(np.arange(len(runs.query)), runs.relevant)
    best_first = runs.grade if ties == "pessimistic" else -runs.grade
    grade = runs.grade[np.lexsort((best_first, run))]
    # The j-th of the r relevant documents of a class of n stands between place j,
    # with every other document behind it, and place n - r + j.
    first = np.cumsum(runs.relevant) - runs.relevant
    above = runs.above[run] + np.arange(len(run)) - first[run]
    behind = (runs.size - runs.relevant)[run]
    above = above + {"optimistic": 0, "pessimistic": 1, "realistic": 0.5}[ties] * behind
    one = np.ones(len(run), dtype=np.intp)
    return TieGroups(runs.query[run], above, one, one, grade)
