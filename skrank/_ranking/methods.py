"""Which method finds the tie groups: counting, or sorting scores or positions."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._ranking.blocks import split_by_width
from skrank._ranking.count import count_candidates, find_first_groups
from skrank._ranking.indices import sort_indices
from skrank._ranking.lists import Candidates
from skrank._ranking.long_lists import is_very_long, keep_top, split_by_score
from skrank._ranking.packed import sort_packed
from skrank._ranking.tie_groups import TieGroups, resolve_ties

NONE = np.zeros(0, dtype=np.intp)


_NO_GROUPS = TieGroups(NONE, NONE, NONE, NONE, np.zeros(0))


FIRST = "first"


def find_tie_groups(lists, ties, depth=None):
    """Return the runs of `lists`, cut as the tie policy says.

    Those that stand wholly below rank `depth`, or below the first of a query if it is
    ``"first"``, may be left out.
    """
    if isinstance(lists, Candidates):
        above, size = count_candidates(lists, ties)
        one = np.ones_like(size)
        runs = TieGroups(lists.ids, above, size, one, one.astype(np.float64))
    elif depth == FIRST and ties != "first":
        runs = find_first_groups(lists)
    else:
        runs = _sort_all(lists, ties, None if depth == FIRST else depth)
    return resolve_ties(runs, ties)


def _sort_all(lists, ties, depth, split=True):
    if depth is not None:
        lists = keep_top(lists, depth)
    parts, whole = [_NO_GROUPS], np.ones(len(lists.lengths), dtype=bool)
    for i in np.flatnonzero(is_very_long(lists)) if split else ():
        pieces = split_by_score(lists, i)
        if pieces is not None:
            whole[i] = False
            parts.append(_sort_by_pieces(lists, i, pieces, ties))
    whole = np.flatnonzero(whole)
    for rows, width in split_by_width(lists.lengths[whole]):
        rows = left = whole[rows]
        if ties != "first" and lists.codes is not None:
            runs, left = sort_packed(lists, rows, width, depth)
            parts.append(runs)
        if len(left):
            parts.append(sort_indices(lists, left, width, ties))
    return TieGroups(*map(np.concatenate, zip(*parts, strict=True)))


def _sort_by_pieces(lists, i, pieces, ties):
    """Rank the pieces of list i, which come in the order of rank."""
    runs = _sort_all(pieces, ties, depth=None, split=False)
    n_above = np.cumsum(pieces.n_ranked) - pieces.n_ranked
    above = runs.above + n_above[runs.query]
    order = np.argsort(runs.query.astype(np.uint16), kind="stable")
    relevant = runs.relevant[order]
    first = (np.cumsum(runs.relevant) - runs.relevant)[order]
    moved = np.repeat(first - (np.cumsum(relevant) - relevant), relevant)
    grade = runs.grade[moved + np.arange(len(moved))]
    query = np.full(len(order), lists.query[i])
    return TieGroups(query, above[order], runs.size[order], relevant, grade)
