"""Lists too long to be sorted whole: their top alone, or piece by piece."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._ranking.blocks import STRETCH, gather, split_by_width
from skrank._ranking.lists import Lists
from skrank._ranking.order import ByCode, stretches

# Only the top of a list is kept if it has so many documents for each rank asked for.
MUCH_LONGER = 32

# The documents of a long list are partitioned by the maximum of so many each.
GROUP = 8

# Longer lists are sorted by pieces of like score, about so many documents each: they
# stay in the cache, and rows of that width are what NumPy sorts fastest.
LONGEST = 262_144
PIECE = 128
MOST_PIECES = 65_536
SAMPLE = 4096


def keep_top(lists, depth):
    """Return the lists without documents that are known to rank below `depth`.

    Documents that are tied with the last one kept are kept too.
    """
    is_long = lists.order.lengths >= MUCH_LONGER * depth
    if 2 * lists.order.lengths[is_long].sum() <= lists.order.lengths.sum():
        return lists
    lowest = np.full(len(lists.order.lengths), -np.inf, dtype=lists.scores.dtype)
    (long,) = np.nonzero(is_long)
    for rows, _ in split_by_width(lists.order.lengths[long]):
        lowest[long[rows]] = _lower_bounds(lists, long[rows], depth)
    kept = [_not_below(lists, lowest, *span) for span in stretches(lists.order)]
    return lists.select(np.concatenate(kept))


def _lower_bounds(lists, rows, depth):
    """Return a score for each list that its document at rank `depth` reaches.

    The depth-th highest of all scores is no lower than that of some of them, such as
    the highest of each group of documents.
    """
    shortest = lists.order.lengths[rows].min()
    block = gather(lists.scores, lists.order.starts[rows], shortest)
    if lists.excluded is not None:
        out = gather(lists.is_excluded, lists.order.starts[rows], shortest)
        block = np.where(out, block.dtype.type(-np.inf), block)
    n_groups = shortest // GROUP
    highest = block[:, :n_groups]
    for start in range(n_groups, GROUP * n_groups, n_groups):
        highest = np.maximum(highest, block[:, start : start + n_groups])
    return np.partition(highest, n_groups - depth, axis=1)[:, n_groups - depth]


def _not_below(lists, lowest, first, last, places):
    """Return the places of some lists whose score is not below the lowest allowed."""
    keep = lists.scores[places] >= np.repeat(
        lowest[first:last], lists.order.lengths[first:last]
    )
    if lists.excluded is not None:
        keep &= ~lists.is_excluded[places]
    return np.flatnonzero(keep) + places.start


def split_by_score(lists, i):
    """Split list i into pieces of like score, the highest scores first.

    Returns
    -------
    pieces : Lists or None
        Each piece is a query, each document a row, in order; tied documents are in one
        piece. None if the scores lie in too few places to separate many pieces.
    grade_of : callable
        Maps the grades in the pieces, which are codes, to those of the documents.
    """
    start, stop = lists.order.starts[i], lists.order.starts[i] + lists.order.lengths[i]
    places = slice(start, stop)
    scores = lists.scores[places]
    piece, n_pieces = _pieces(scores)
    if piece is None:
        return None, None
    if lists.coded is None:
        codes, grade_of = np.arange(start, stop), lists.grade_at
    else:
        codes, grade_of = lists.coded.codes[places], lists.coded.grades.__getitem__
    doc_order = lists.doc_order
    if doc_order is not None:
        doc_order = doc_order.at(lists.order.rows_at(np.arange(start, stop)))
    pieces = Lists(
        scores,
        lists.is_relevant[places],
        codes,
        ByCode(piece, n_pieces),
        np.arange(n_pieces),
        excluded=None if lists.excluded is None else lists.is_excluded[places],
        doc_order=doc_order,
    )
    return pieces, lambda grade: grade_of(grade.astype(np.intp))


def _pieces(scores):
    """Return the piece of each score, and the number of pieces; None if there is one.

    Between two scores near the ends of a sample all pieces are equally wide.
    """
    sample = np.sort(scores[:: len(scores) // SAMPLE + 1].astype(np.float64))
    low, high = sample[len(sample) // 1000], sample[-1 - len(sample) // 1000]
    n_pieces = min(len(scores) // PIECE, MOST_PIECES)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        scale = n_pieces / (high - low)
        if not 0 < scale < np.inf:
            return None, 1
        piece = np.empty(len(scores), dtype=np.int32)
        for start in range(0, len(scores), STRETCH):
            stretch = slice(start, start + STRETCH)
            place = (high - scores[stretch]) * scale  # falls as the score rises
            piece[stretch] = np.clip(place, 0, n_pieces - 1, out=place)
    return piece, n_pieces
