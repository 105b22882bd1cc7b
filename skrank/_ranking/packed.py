"""Sort scores that carry the grade of their document in their last byte.

Such a key is the negated score, a float64, with the code of the grade in its low byte.
Sorting keys is twice as fast as sorting indices and needs no look-up afterwards.
"""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from skrank._ranking.blocks import (
    STRETCH,
    block_of_flags,
    block_of_negated_scores,
    fill_after_the_end,
    gather,
    groups_of_sorted,
    negated_scores,
    own_block,
)
from skrank._ranking.grades import GradeCodes
from skrank._ranking.lists import Lists
from skrank._ranking.tie_groups import TieGroups

# The low byte of a float64: the last 8 bits of its fraction.
_LOW = np.uint64(0xFF)
_LOW_BYTES = slice(0 if sys.byteorder == "little" else 7, None, 8)


def are_packable(lists):
    """Return True if the score and the grade of each document fit into a key.

    They do not if there are more grades than a byte can name, or if scores are
    infinite: these have no bits to spare.
    """
    if isinstance(lists, KeyedLists):
        return True
    return lists.is_finite and lists.row_codes is not None


def sort_keys(lists):
    """Return packable lists of scattered rows with their keys sorted by query."""
    codes, grades = lists.row_codes
    keys = lists.order.sort(_pack(lists.y_score, codes))
    given = {field.name: getattr(lists, field.name) for field in fields(Lists)}
    return KeyedLists(**given, keys=keys, grade_of_code=grades)


@dataclass(frozen=True, eq=False)
class KeyedLists(Lists):
    """Lists whose scores and codes were sorted by query as one number.

    So the rows need not be sorted.

    Attributes
    ----------
    keys : ndarray of float64 of shape (n_places,)
        The key at each place.
    grade_of_code : ndarray
        The grade of each code.
    """

    keys: np.ndarray | None = None
    grade_of_code: np.ndarray | None = None

    @cached_property
    def coded(self):
        """Return the codes that the keys carry."""
        return GradeCodes(_codes_of(self.keys), self.grade_of_code)

    @cached_property
    def is_relevant(self):
        """Return which places hold a relevant document."""
        return self.coded.codes != 0

    def grade_at(self, places):
        """Return the grades of relevant documents."""
        return self.grade_of_code[self.coded.codes[places]]


def _pack(scores, codes):
    """Return the keys of finite scores, with the codes in their low bytes.

    There a code decides nothing but the order within a tie group. Scores that differ
    in that byte alone look tied.
    """
    keys = np.empty(len(scores))
    for start in range(0, len(scores), STRETCH):
        stretch = slice(start, start + STRETCH)
        np.subtract(0.0, scores[stretch], out=keys[stretch])
        keys[stretch].view(np.uint8)[_LOW_BYTES] = codes[stretch]
    return keys


def _codes_of(keys):
    """Return the codes that keys carry."""
    return keys.view(np.uint64).astype(np.uint8)


def _without_codes(keys):
    """Return the keys with the code 0, alike for tied documents, in their own place."""
    bits = keys.view(np.uint64)
    bits &= ~_LOW
    return keys


def _block_of_keys(lists, rows, width):
    """Return the keys of lists side by side, and inf where there is no document."""
    starts = lists.order.starts[rows]
    if isinstance(lists, KeyedLists):
        keys = own_block(lists.keys, starts, width)
    else:
        keys = negated_scores(lists, rows, width)
        keys.view(np.uint8)[..., _LOW_BYTES] = gather(lists.coded.codes, starts, width)
    fill_after_the_end(keys, np.inf, lists.order.lengths[rows])
    if lists.excluded is not None:
        keys[block_of_flags(lists, rows, width, lists.is_excluded)] = np.inf
    return keys


def sort_packed(lists, rows, width, depth, ties):
    """Return the tie groups of some lists, down to a depth.

    Where the keys are not exact, a sort of the true scores shows whether tied keys
    are tied scores. They do not tell the input order of tied documents: with
    ``ties="first"`` lists in which a relevant document is tied are left.

    Returns
    -------
    groups : TieGroups
        Those of the lists that could be ranked this way.
    left : ndarray
        The other lists.
    """
    grades = lists.coded.grades
    keys = _block_of_keys(lists, rows, width)
    keys.sort(axis=1)
    if depth is not None:
        keys = _down_to(keys, depth)
    code, keys = _codes_of(keys), _without_codes(keys)
    (place,) = (code.ravel() != 0).nonzero()
    code = code.ravel()[place]
    row = place // keys.shape[1]
    column = place - row * keys.shape[1]
    one = np.ones(len(place), dtype=np.intp)
    query = lists.order.query[rows][row]
    tied = _are_tied(keys, place, column)
    if not tied.any():
        return TieGroups(query, column, one, one, grades[code]), rows[:0]
    if ties == "first":
        bad = np.zeros(len(rows), dtype=bool)
        bad[row[tied]] = True
        kept = ~bad[row]
        one = one[kept]
        groups = TieGroups(query[kept], column[kept], one, one, grades[code[kept]])
        return groups, rows[bad]
    left = rows[:0]
    if lists.fill_the_last_byte:
        scores = block_of_negated_scores(lists, rows, width, excluded=np.inf)
        scores = np.sort(scores, axis=1)[:, : keys.shape[1]]
        same = scores[:, 1:] == scores[:, :-1]
        close = keys[:, 1:] == keys[:, :-1]
        bad = (same != close).any(axis=1)
        left, kept = rows[bad], ~bad[row]
        place, code, row = place[kept], code[kept], row[kept]
    groups = groups_of_sorted(lists, rows, keys, place, row, grades[code])
    return groups, left


def _down_to(keys, depth):
    """Return the columns of sorted keys that hold the first `depth` documents.

    And those tied with one of them: no tie group is split.
    """
    width = keys.shape[1]
    while depth < width:
        edge = _without_codes(keys[:, depth - 1 : depth + 1].copy())
        tied = (edge[:, 0] == edge[:, 1]) & (edge[:, 0] < np.inf)
        if not tied.any():
            return keys[:, :depth].copy()
        depth *= 2
    return keys


def _are_tied(keys, place, column):
    """Return which documents at `place` have the key of a neighbour."""
    flat = keys.ravel()
    own = flat[place]
    tied = (flat[place - 1] == own) & (column > 0)
    after = np.minimum(place + 1, len(flat) - 1)
    tied |= (flat[after] == own) & (column < keys.shape[1] - 1)
    return tied
