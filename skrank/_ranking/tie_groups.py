"""The tie groups that hold relevant documents, and how ties are resolved."""

# SPDX-License-Identifier: BSD-3-Clause

from typing import NamedTuple

import numpy as np


class TieGroups(NamedTuple):
    """The tie groups that hold a relevant document, in the order of rank.

    Those of one query stand together. `query`, `above` (the number of documents ranked
    above the group), `size` and `relevant` (how many are in it, and how many of them
    are relevant) have one entry per group; `grade` has one per relevant document,
    group after group.
    """

    query: np.ndarray
    above: np.ndarray
    size: np.ndarray
    relevant: np.ndarray
    grade: np.ndarray


def resolve_ties(groups, ties):
    """Return each relevant document as a group of its own, if the policy orders ties.

    With "expected", and with "first", whose groups hold one document each already,
    the groups are returned as they are.
    """
    if ties in ("expected", "first") or not np.any(groups.size > 1):
        return groups
    group = np.repeat(np.arange(len(groups.query)), groups.relevant)
    best_first = groups.grade if ties == "pessimistic" else -groups.grade
    grade = groups.grade[np.lexsort((best_first, group))]
    # The j-th of r relevant documents among n tied ones stands between place j, with
    # the n - r others behind it, and place n - r + j, with the others before it.
    first = np.cumsum(groups.relevant) - groups.relevant
    above = groups.above[group] + np.arange(len(group)) - first[group]
    others = (groups.size - groups.relevant)[group]
    above = above + {"optimistic": 0, "pessimistic": 1, "realistic": 0.5}[ties] * others
    one = np.ones(len(group), dtype=np.intp)
    return TieGroups(groups.query[group], above, one, one, grade)
