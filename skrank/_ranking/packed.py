"""Sort scores that carry the grade of their document."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import sys

import numpy as np

from skrank._ranking.blocks import (
    block_of_flags,
    block_of_negated_scores,
    fill_after_the_end,
    gather,
    negated_scores,
    own_block,
)
from skrank._ranking.tie_groups import TieGroups, groups_of_sorted

# A stretch of rows that stays in the cache while it is worked on.
STRETCH = 65_536


# The low byte of a float64: the last 8 bits of its fraction.
_LOW = np.uint64(0xFF)


def pack_keys(scores, codes):
    """Put the code of each document into the low byte of its negated score.

    There it decides nothing but the order within a tie class. Scores that differ in
    that byte alone look tied.

    Parameters
    ----------
    scores : ndarray of float of shape (n_documents,)
        The scores, finite.
    codes : ndarray of uint8 of shape (n_documents,)
        What the keys carry.

    Returns
    -------
    keys : ndarray of float64 of shape (n_documents,)
        The keys, smaller is better.
    """
    values = np.empty(len(scores))
    for start in range(0, len(scores), STRETCH):
        stretch = slice(start, start + STRETCH)
        np.subtract(0.0, scores[stretch], out=values[stretch])
        pack_in_place(values[stretch], codes[stretch])
    return values


def pack_in_place(keys, codes):
    """Put codes into the low byte of negated scores."""
    _low_bytes(keys)[...] = codes


def are_exact(scores):
    """Tell whether keys of these scores differ wherever the scores do."""
    return scores.dtype.itemsize < 8 or not (
        np.bitwise_or.reduce(scores.view(np.uint64)) & _LOW
    )


def codes_of(keys):
    """Return the codes that keys carry."""
    return keys.view(np.uint64).astype(np.uint8)


def without_codes(keys):
    """Return the keys with the code 0, alike for tied documents, in their own place."""
    bits = keys.view(np.uint64)
    bits &= ~_LOW
    return keys


def _low_bytes(keys):
    """Return a view of the low bytes of float64 numbers."""
    first = 0 if sys.byteorder == "little" else 7
    return keys.view(np.uint8)[..., first::8]


def block_of_keys(lists, rows, width):
    """Return the keys of lists side by side, and inf where there is no document."""
    if lists.keys is None:
        keys = negated_scores(lists, rows, width)
        pack_in_place(keys, gather(lists.codes, lists.starts[rows], width))
    else:
        keys = own_block(lists.keys, lists.starts[rows], width)
    fill_after_the_end(keys, np.inf, lists.lengths[rows])
    if lists.excluded is not None:
        keys[block_of_flags(lists, rows, width, lists.is_excluded)] = np.inf
    return keys


def sort_packed(lists, rows, width, depth):
    """Rank lists by sorting the keys, which carry the code of the grade themselves.

    Sorting values is twice as fast as sorting indices and needs no look-up. Where the
    keys are not exact, a sort of the true scores tells whether tied keys are tied
    scores.

    Returns
    -------
    runs : TieGroups
        Those of the lists that could be ranked this way.
    left : ndarray
        The other lists, with scores too close to each other.
    """
    keys = block_of_keys(lists, rows, width)
    keys.sort(axis=1)
    if depth is not None:
        keys = _down_to(keys, depth)
    code, keys = codes_of(keys), without_codes(keys)
    place = np.flatnonzero(code != 0)
    code = code.ravel()[place]
    row = place // keys.shape[1]
    column = place - row * keys.shape[1]
    if _stand_alone(keys, place, column):
        one = np.ones(len(place), dtype=np.intp)
        query = lists.query[rows][row]
        return TieGroups(query, column, one, one, lists.levels[code]), rows[:0]
    left = rows[:0]
    if not lists.keys_are_exact:
        scores = np.sort(
            block_of_negated_scores(lists, rows, width, excluded=np.inf), axis=1
        )
        scores = scores[:, : keys.shape[1]]
        same = scores[:, 1:] == scores[:, :-1]
        close = keys[:, 1:] == keys[:, :-1]
        bad = (same != close).any(axis=1)
        left, kept = rows[bad], ~bad[row]
        place, code, row = place[kept], code[kept], row[kept]
    runs = groups_of_sorted(lists, rows, keys, place, row, lists.levels[code])
    return runs, left


def _down_to(keys, depth):
    """Return the columns of sorted keys that hold the first `depth` documents.

    And those tied with one of them: no tie class is cut in two.
    """
    width = keys.shape[1]
    while depth < width:
        edge = without_codes(keys[:, depth - 1 : depth + 1].copy())
        tied = (edge[:, 0] == edge[:, 1]) & (edge[:, 0] < np.inf)
        if not tied.any():
            return keys[:, :depth].copy()
        depth *= 2
    return keys


def _stand_alone(keys, place, column):
    """Tell whether no document at `place` has the key of a neighbour."""
    flat = keys.ravel()
    own = flat[place]
    tied = (flat[place - 1] == own) & (column > 0)
    after = np.minimum(place + 1, len(flat) - 1)
    tied |= (flat[after] == own) & (column < keys.shape[1] - 1)
    return not tied.any()
