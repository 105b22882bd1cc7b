"""Counting the negatives above and beside the right one, and drawing them."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np


def count_negatives(scores, target, out_row, out_column, negatives):
    """Count the negatives of each row that score higher, and as, the right one.

    Parameters
    ----------
    scores, target, out_row, out_column
        As in :func:`skrank._candidates.count_beside`; the cells in ascending order.
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
