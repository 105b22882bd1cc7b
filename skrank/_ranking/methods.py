"""Which method finds the tie groups: counting, or sorting scores or positions."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._ranking.blocks import split_by_width
from skrank._ranking.count import count_candidates, find_first_groups
from skrank._ranking.documents import Candidates
from skrank._ranking.indices import sort_indices
from skrank._ranking.long_lists import is_very_long, keep_top, split_by_score
from skrank._ranking.packed import pack_lists, sort_packed
from skrank._ranking.tie_groups import TieGroups, resolve_ties

NONE = np.zeros(0, dtype=np.intp)


_NO_GROUPS = TieGroups(NONE, NONE, NONE, NONE, np.zeros(0))


FIRST = "first"


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
    # Before the lengths are asked for: to sort the keys of scattered rows shows them.
    packed = _pack(lists, ties)
    if depth is not None:
        top = keep_top(lists, depth)
        if top is not lists:
            lists, packed = top, _pack(top, ties)
    parts, whole = [_NO_GROUPS], np.ones(len(lists.lengths), dtype=bool)
    for i in np.flatnonzero(is_very_long(lists)):
        pieces, grade_of = split_by_score(lists, i)
        if pieces is not None:
            whole[i] = False
            parts.append(_sort_pieces(pieces, grade_of, lists.query[i], ties))
    return _concatenate(parts + _sort_whole(lists, packed, whole, ties, depth))


def _pack(lists, ties):
    """Return packed lists; None where the order of the input resolves ties."""
    return None if ties == "first" else pack_lists(lists)


def _sort_whole(lists, packed, which, ties, depth):
    """Return the tie groups of lists, of some at a time."""
    parts, which = [], np.flatnonzero(which)
    for rows, width in split_by_width(lists.lengths[which]):
        rows = left = which[rows]
        if packed is not None:
            groups, left = sort_packed(packed, rows, width, depth)
            parts.append(groups)
        if len(left):
            parts.append(sort_indices(lists, left, width, ties))
    return parts


def _sort_pieces(pieces, grade_of, query, ties):
    """Return the tie groups of one query, whose pieces come in the order of rank."""
    packed = _pack(pieces, ties)
    every = np.ones(len(pieces.lengths), dtype=bool)
    groups = _concatenate(_sort_whole(pieces, packed, every, ties, depth=None))
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
