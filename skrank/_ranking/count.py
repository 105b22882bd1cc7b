"""Counting instead of sorting: the first relevant document, or the one target."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._checks import scores_as_floats
from skrank._ranking.arrays import STRETCH
from skrank._ranking.lists import stretches
from skrank._ranking.tie_groups import TieGroups

# A block of rows fits the cache, and is long enough to hide the cost of a call.
MAX_BYTES = 2_097_152

# From here on a row is work enough for a call of its own: all rows at once are counted
# in integers, which is slower.
WIDE = 1024


def count_candidates(lists, ties):
    """Return (above, size): the candidates above each target, and its tie group.

    Nothing is sorted, and the scores are read once, block by block, so that they may
    be a memory map that is larger than the memory. With ``ties="first"``, tied
    candidates in earlier columns count as above the target, the others not at all.
    """
    n_queries, n_candidates = lists.y_score.shape
    above = np.empty(n_queries, dtype=np.intp)
    size = np.empty(n_queries, dtype=np.intp)
    height = max(1, MAX_BYTES // (lists.y_score.itemsize * n_candidates))
    for start in range(0, n_queries, height):
        rows = slice(start, min(start + height, n_queries))
        above[rows], size[rows] = _count_block(lists, rows, ties)
    return above, size


def _count_block(lists, rows, ties):
    scores, target = lists.y_score[rows], lists.target[rows]
    out = _left_out(lists.exclude, rows)
    try:
        scores = scores_as_floats(scores)
    except ValueError:  # NaN, which may be excluded
        scores = scores_as_floats(_without_excluded_nan(scores, target, *out))
    above, tied, _ = count_around_target(scores, target, *out)
    if ties == "first":
        before = np.arange(scores.shape[1]) < target[:, np.newaxis]
        _, tied, _ = count_around_target(scores, target, *out, before)
        return above + tied, np.ones_like(above)
    return above, tied + 1


def _without_excluded_nan(scores, target, row, column):
    """Return scores that are 0 where excluded candidates have none."""
    lost = np.isnan(scores[row, column]) & (column != target[row])
    if lost.any():
        scores = scores.copy()
        scores[row[lost], column[lost]] = 0
    return scores


def _left_out(exclude, rows):
    """Return the cells of a block that are excluded."""
    if exclude is None:
        return NONE, NONE
    starts = exclude.indptr[rows.start : rows.stop + 1]
    cells = slice(starts[0], starts[-1])
    row = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    out = exclude.data[cells]
    return row[out], exclude.indices[cells][out]


NONE = np.zeros(0, dtype=np.intp)


def count_around_target(scores, target, out_row, out_column, allowed=None):
    """Count the candidates above the target of each row, and those tied with it.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, n_entities)
        The scores of all entities.
    target : ndarray of shape (n_rows,)
        The column of the target, which is always a candidate.
    out_row, out_column : ndarray of shape (n_out,)
        Cells that are no candidates; those of targets are ignored.
    allowed : ndarray of bool of shape (n_entities,) or (n_rows, n_entities)
        The entities that may be candidates; None means all.

    Returns
    -------
    above, tied, n_candidates : ndarray of shape (n_rows,)
        The candidates above the target, the others tied with it, and all.
    """
    n_rows, n_entities = scores.shape
    own = scores[np.arange(n_rows), target][:, np.newaxis]
    others = np.full(n_rows, n_entities - 1)
    has_target = 1
    if allowed is not None:
        allowed = np.broadcast_to(allowed, scores.shape)
        has_target = allowed[np.arange(n_rows), target]
        others = np.count_nonzero(allowed, axis=1) - has_target
    found = np.greater(scores, own)
    above = _count_rows(found, allowed)
    np.equal(scores, own, out=found)
    # Each target equals itself. Most scores have no ties: look first for any.
    any_tied = np.count_nonzero(found) > n_rows
    tied = (
        _count_rows(found, allowed) - has_target if any_tied else np.zeros_like(above)
    )
    out = out_column != target[out_row]
    if allowed is not None:
        out &= allowed[out_row, out_column]
    row = out_row[out]
    score, own = scores[row, out_column[out]], own[row, 0]
    above -= np.bincount(row[score > own], minlength=n_rows)
    tied -= np.bincount(row[score == own], minlength=n_rows)
    others -= np.bincount(row, minlength=n_rows)
    return above, tied, others + 1


def _count_rows(found, allowed):
    """Return how many cells of each row are found, of those that are allowed."""
    if allowed is not None:
        found &= allowed
    if found.shape[1] < WIDE:
        return np.count_nonzero(found, axis=1)
    return np.fromiter(map(np.count_nonzero, found), np.intp, len(found))


def find_first_groups(lists):
    """Return the first tie group of each list alone, by counting: nothing is sorted."""
    parts = [_count_around_best(lists, *span) for span in stretches(lists.order)]
    if len(parts) == 1:
        ((counts, tied),) = parts
    else:
        none = np.zeros((3, 0), dtype=np.intp), np.zeros(0, dtype=np.intp)
        of_counts, of_places = zip(none, *parts, strict=True)
        counts = np.concatenate(of_counts, axis=1)
        tied = np.concatenate(of_places)
    query, listed = lists.order.query, counts[2] > 0
    if not listed.all():
        query, counts = query[listed], counts[:, listed]
    above, size, relevant = counts
    return TieGroups(query, above, size, relevant, lists.grade_at(tied))


def _count_around_best(lists, first, last, places):
    """Count the documents above the best relevant ones of some lists, and these.

    Returns
    -------
    counts : ndarray of shape (3, n_lists)
        The documents above, all that are tied with the best, and the relevant ones.
    tied : ndarray
        The places of the relevant ones.
    """
    if last - first == 1:
        return _count_in_one(lists, places)
    scores, relevant = lists.scores[places], lists.is_relevant[places]
    starts = lists.order.starts[first:last] - places.start
    lowest = scores.dtype.type(-np.inf)
    best = np.maximum.reduceat(np.where(relevant, scores, lowest), starts)
    best = np.repeat(best, lists.order.lengths[first:last])
    flags = _flags_around(best, lists, places)
    counts = np.empty((3, len(starts)), dtype=np.intp)
    for count, flag in zip(counts, flags, strict=True):
        count[:] = np.add.reduceat(flag.view(np.uint8), starts, dtype=lists.count_type)
    return counts, flags[2].nonzero()[0] + places.start


def _count_in_one(lists, places):
    """Do so for one list, however long it is, stretch by stretch."""
    parts = [
        slice(start, min(start + STRETCH, places.stop))
        for start in range(places.start, places.stop, STRETCH)
    ]
    best = -np.inf
    for part in parts:
        found = lists.scores[part][lists.is_relevant[part]]
        best = max(best, found.max(initial=-np.inf))
    counts, tied = np.zeros((3, 1), dtype=np.intp), []
    for part in parts:
        flags = _flags_around(best, lists, part)
        counts[:, 0] += list(map(np.count_nonzero, flags))
        tied.append(flags[2].nonzero()[0] + part.start)
    return counts, np.concatenate(tied)


def _flags_around(best, lists, places):
    """Return which documents are above the best, tied with it, and relevant as well."""
    scores = lists.scores[places]
    higher, tied = scores > best, scores == best
    if lists.excluded is not None:
        higher &= ~lists.is_excluded[places]
        tied &= ~lists.is_excluded[places]
    return higher, tied, tied & lists.is_relevant[places]
