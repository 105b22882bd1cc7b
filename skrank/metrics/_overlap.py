"""How many documents the tops of two orders have in common, at every depth."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._ranking.blocks import gather, split_by_width


def sum_over_depths(ranking, weight, deepest):
    """Sum the documents at the top by score and by grade alike, weighted by depth.

    Parameters
    ----------
    ranking : RankedQueries
        The ranked queries.
    weight : callable
        Maps depths 1, 2, ... to their weights.
    deepest : int
        The last depth that counts.

    Returns
    -------
    total : ndarray of shape (n_queries,)
        The sum over the depths d of the expected number of documents among the first
        d of both orders, times the weight of d.
    """
    depth = np.minimum(ranking.n_documents, deepest)
    n_others = np.maximum(ranking.n_documents - ranking._n_found, 1)
    total = np.zeros(len(depth))
    for rows, overlap in _overlaps(ranking, depth):
        d = np.arange(1, overlap.shape[1] + 1)
        # The first d by grade hold others only if they hold all the relevant ones.
        beyond = d - ranking._n_found[rows, np.newaxis]
        others = np.clip(beyond / n_others[rows, np.newaxis], 0, 1)
        overlap += others * (d - overlap)
        total[rows] = np.sum(
            overlap * weight(d), axis=1, where=d <= depth[rows, np.newaxis]
        )
    return total


def _overlaps(ranking, depth):
    """Yield queries, and how many relevant documents are at the top of both orders.

    A document of a class of n below t others is among the first d with the chance
    clip((d - t) / n, 0, 1). The product of its chances by score and by grade is 0 down
    to a depth, then quadratic in d, then linear, then 1. Of each coefficient only the
    changes are noted, at the depth where they happen, and summed over the documents:
    running sums give the coefficients at every depth.
    """
    cells = depth + 1
    starts = np.cumsum(cells) - cells
    changes = _changes(ranking, depth, starts, int(cells.sum()))
    for rows, width in split_by_width(depth):
        constant, linear, quadratic = (
            np.cumsum(gather(change, starts[rows], width + 1), axis=1)[:, 1:]
            for change in changes
        )
        d = np.arange(1, width + 1)
        yield rows, constant + d * (linear + d * quadratic)


def _changes(ranking, depth, starts, n_cells):
    """Return the change of each coefficient at each depth of each query."""
    best, query = ranking.ideal, ranking._query_of_grade
    run = np.repeat(np.arange(len(ranking.size)), ranking.relevant)
    above, size = ranking.above[run], ranking.size[run].astype(np.float64)
    above_2, size_2 = (
        best.above[ranking._group_in_ideal],
        best.size[ranking._group_in_ideal],
    )
    end, end_2 = ranking.above[run] + ranking.size[run], above_2 + size_2
    begin, last = np.maximum(above, above_2), np.maximum(end, end_2)
    # Between them one chance is 1 already and the other still grows.
    middle = np.maximum(np.minimum(end, end_2), begin)
    above_later = np.where(end >= end_2, above, above_2)
    size_later = np.where(end >= end_2, size, size_2)

    zero = np.zeros(len(run))
    both = size * size_2
    quadratic = above * above_2 / both, -(above + above_2) / both, 1 / both
    linear = -above_later / size_later, 1 / size_later, zero
    constant = zero + 1, zero, zero

    place = np.concatenate([begin, middle, last])
    query = np.tile(query, 3)
    reached = place <= depth[query]
    cell = (starts[query] + place)[reached]
    changes = []
    for of_both, of_one, of_none in zip(quadratic, linear, constant, strict=True):
        change = np.concatenate([of_both, of_one - of_both, of_none - of_one])
        change = np.bincount(cell, change[reached], minlength=n_cells)
        changes.append(change.astype(np.float64, copy=False))  # of none: integers
    return changes
