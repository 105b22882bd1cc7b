"""Which method finds the tie groups: counting, or sorting scores or positions."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._ranking.blocks import split_by_width
from skrank._ranking.count import count_candidates, find_first_groups
from skrank._ranking.documents import Candidates
from skrank._ranking.indices import sort_indices
from skrank._ranking.long_lists import is_very_long, keep_top, split_by_score
from skrank._ranking.packed import KeySort, are_packable, sort_keys
from skrank._ranking.tie_groups import TieGroups, resolve_ties

NONE = np.zeros(0, dtype=np.intp)


_NO_GROUPS = TieGroups(NONE, NONE, NONE, NONE, np.zeros(0))


FIRST = "first"


def prepare_lists(lists, ties, depth):
    """Return lists in the form from which their tie groups are found fastest."""
    if isinstance(lists, Candidates) or FIRST in (ties, depth):
        return lists
    return sort_keys(lists) if are_packable(lists) else lists


def find_tie_groups(lists, ties, depth=None):
    """Return the tie groups of `lists`, resolved as the tie policy says.

    Those that stand wholly below rank `depth`, or below the first one of a query if it
    is ``"first"``, may be left out.
    """
    if isinstance(lists, Candidates):
        above, size = count_candidates(lists, ties)
        one = np.ones_like(size)
        groups = TieGroups(lists.ids, above, size, one, one.astype(np.float64))
    elif depth == FIRST and ties != "first":
        groups = find_first_groups(lists)
    else:
        groups = _sort_lists(lists, ties, None if depth == FIRST else depth)
    return resolve_ties(groups, ties)


def _sort_lists(lists, ties, depth):
    if depth is not None:
        lists = keep_top(lists, depth)
    is_packable = ties != "first" and are_packable(lists)
    parts, whole = [_NO_GROUPS], np.ones(len(lists.lengths), dtype=bool)
    for i in np.flatnonzero(is_very_long(lists)):
        pieces, grade_of = split_by_score(lists, i)
        if pieces is not None:
            whole[i] = False
            pieces = sort_keys(pieces) if is_packable else pieces
            groups = _concatenate(_sort_whole(pieces, is_packable, ties))
            parts.append(_join_pieces(pieces, groups, grade_of, lists.query[i]))
    which = np.flatnonzero(whole)
    return _concatenate(parts + _sort_whole(lists, is_packable, ties, depth, which))


def _sort_whole(lists, is_packable, ties, depth=None, which=None):
    """Return the tie groups of lists, or of `which` of them, of some at a time."""
    parts = []
    by_key = KeySort(lists) if is_packable else None
    if which is None:
        which = np.arange(len(lists.lengths))
    for rows, width in split_by_width(lists.lengths[which]):
        rows = left = which[rows]
        if by_key is not None:
            groups, left = by_key.find_groups(rows, width, depth)
            parts.append(groups)
        if len(left):
            parts.append(sort_indices(lists, left, width, ties))
    return parts


def _join_pieces(pieces, groups, grade_of, query):
    """Return the tie groups of one query from those of its pieces, in rank order."""
    n_documents = pieces.n_documents()
    n_above = np.cumsum(n_documents) - n_documents
    above = groups.above + n_above[groups.query]
    order = np.argsort(groups.query.astype(np.uint16), kind="stable")
    relevant = groups.relevant[order]
    first = (np.cumsum(groups.relevant) - groups.relevant)[order]
    moved = np.repeat(first - (np.cumsum(relevant) - relevant), relevant)
    grade = grade_of(groups.grade[moved + np.arange(len(moved))])
    query = np.full(len(order), query)
    return TieGroups(query, above[order], groups.size[order], relevant, grade)


def _concatenate(parts):
    return TieGroups(*map(np.concatenate, zip(*parts, strict=True)))
