"""Counting the candidates above and beside the right one: nothing is sorted."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

# From here on a row is work enough for a call of its own, whose temporaries stay in
# the cache of the core.
WIDE = 1024


def count_candidates(scores, target, out_row, out_column, allowed=None):
    """Count the candidates of each row next to the right one.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, n_entities)
        The scores of all entities, larger is better.
    target : ndarray of shape (n_rows,)
        The column of the right one. It is always a candidate.
    out_row, out_column : ndarray of shape (n_out,)
        Cells that are no candidates; those of right ones are ignored.
    allowed : ndarray of bool of shape (n_entities,) or (n_rows, n_entities)
        The entities that may be candidates; None means all.

    Returns
    -------
    above, tied, n_candidates : ndarray of shape (n_rows,)
        How many candidates score higher than the right one, how many others score the
        same, and how many there are.
    """
    n_rows, n_entities = scores.shape
    own = scores[np.arange(n_rows), target]
    above = _count_rows(np.greater, scores, own, allowed)
    tied = _count_rows(np.equal, scores, own, allowed)
    others = np.full(n_rows, n_entities - 1)
    if allowed is None:
        tied -= 1
    else:
        allowed = np.broadcast_to(allowed, scores.shape)
        has_target = allowed[np.arange(n_rows), target]
        tied -= has_target
        others = np.count_nonzero(allowed, axis=1) - has_target
    out = out_column != target[out_row]
    if allowed is not None:
        out &= allowed[out_row, out_column]
    row = out_row[out]
    score, own = scores[row, out_column[out]], own[row]
    above -= np.bincount(row[score > own], minlength=n_rows)
    tied -= np.bincount(row[score == own], minlength=n_rows)
    others -= np.bincount(row, minlength=n_rows)
    return above, tied, others + 1


def _count_rows(compare, scores, own, allowed):
    """Return how many cells of each row compare so with the own score of the row."""
    if scores.shape[1] < WIDE:
        found = compare(scores, own[:, np.newaxis])
        if allowed is not None:
            found &= allowed
        return np.count_nonzero(found, axis=1)
    counts = np.empty(len(scores), dtype=np.intp)
    found = np.empty(scores.shape[1], dtype=bool)
    for i, row in enumerate(scores):
        compare(row, own[i], out=found)
        if allowed is not None:
            found &= allowed if allowed.ndim == 1 else allowed[i]
        counts[i] = np.count_nonzero(found)
    return counts


def count_negatives(scores, target, out_row, out_column, negatives):
    """Count the negatives of each row that score higher, and as, the right one.

    Parameters
    ----------
    scores, target, out_row, out_column
        As in :func:`count_candidates`; the cells in ascending order.
    negatives : ndarray of shape (n_rows, n_negatives)
        The columns of the negatives. Those that are no candidates are left out, a
        negative that occurs twice counts twice.

    Returns
    -------
    above, tied, n_candidates, n_negatives : ndarray of shape (n_rows,)
        The counts, the number of all candidates, and that of the negatives left.
    """
    n_rows, n_entities = scores.shape
    rows = np.arange(n_rows)[:, np.newaxis]
    own = scores[rows, target[:, np.newaxis]]
    drawn = scores[rows, negatives]
    valid = negatives != target[:, np.newaxis]
    other = out_column != target[out_row]
    out_row, out_column = out_row[other], out_column[other]
    if len(out_row):
        key = out_row * n_entities + out_column
        asked = rows * n_entities + negatives
        place = np.minimum(np.searchsorted(key, asked), len(key) - 1)
        valid &= key[place] != asked
    above = np.count_nonzero((drawn > own) & valid, axis=1)
    tied = np.count_nonzero((drawn == own) & valid, axis=1)
    n_candidates = n_entities - np.bincount(out_row, minlength=n_rows)
    return above, tied, n_candidates, np.count_nonzero(valid, axis=1)


def draw_negatives(rng, n_negatives, target, out_row, out_column, n_entities):
    """Draw candidates of each row, other than the right one, with replacement.

    Returns
    -------
    negatives : ndarray of shape (n_rows, n_negatives)
        Columns. A row without any other candidate holds the right one.
    """
    n_rows = len(target)
    other = out_column != target[out_row]
    row = np.concatenate([out_row[other], np.arange(n_rows)])
    column = np.concatenate([out_column[other], target])
    order = np.lexsort((column, row))
    row, column = row[order], column[order]
    n_out = np.bincount(row, minlength=n_rows)
    left = n_entities - n_out
    draw = rng.random_sample((n_rows, n_negatives)) * left[:, np.newaxis]
    draw = np.minimum(draw.astype(np.int64), np.maximum(left - 1, 0)[:, np.newaxis])
    # The u-th candidate is u plus the cells before it that are none: the j-th of
    # these, at column c, has c - j candidates before it.
    first = np.cumsum(n_out) - n_out
    before = column - (np.arange(len(column)) - first[row])
    rows = np.arange(n_rows)[:, np.newaxis]
    key = row * (n_entities + 1) + before
    asked = rows * (n_entities + 1) + draw
    passed = np.searchsorted(key, asked, side="right") - first[:, np.newaxis]
    return np.where(left[:, np.newaxis] > 0, draw + passed, target[:, np.newaxis])
