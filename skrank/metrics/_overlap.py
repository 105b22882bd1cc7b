"""The overlap of the rankings by score and by grade, at every depth."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._ranking.blocks import gather, split_by_width


def sum_over_depths(ranking, weight, deepest):
    """Return the weighted sum over depths d = 1, ..., `deepest` of the overlap.

    For each query, the sum of weight(d) E[|S_d & L_d|], with the top d documents S_d by
    score and L_d by grade. Ties in both rankings are in independent random orders, so

        E[|S_d & L_d|] = sum over documents of P(in S_d) P(in L_d),
        P(in S_d) = clip((d - t) / n, 0, 1) in a tie group of n below t documents.
    """
    depth = np.minimum(ranking.n_documents, deepest)
    n_others = np.maximum(ranking.n_documents - ranking._n_found, 1)
    total = np.zeros(len(depth))
    for rows, overlap in _overlaps(ranking, depth):
        d = np.arange(1, overlap.shape[1] + 1)
        # For a non-relevant document P(in L_d) = clip((d - R) / (n - R), 0, 1). If that
        # is above 0, L_d holds all R relevant ones, and overlap of S_d are relevant.
        beyond = d - ranking._n_found[rows, np.newaxis]
        others = np.clip(beyond / n_others[rows, np.newaxis], 0, 1)
        overlap += others * (d - overlap)
        total[rows] = np.sum(
            overlap * weight(d), axis=1, where=d <= depth[rows, np.newaxis]
        )
    return total


def _overlaps(ranking, depth):
    """Yield queries, and the expected overlap of their relevant documents by depth.

    The product P(in S_d) P(in L_d) is 0 down to some depth, then quadratic in d, then
    linear, then 1. The changes of its coefficients are summed over the documents at the
    depths where they occur; cumulative sums give the coefficients at every depth.
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
    ideal, query = ranking.ideal, ranking._query_of_grade
    group = np.repeat(np.arange(len(ranking.size)), ranking.relevant)
    above, size = ranking.above[group], ranking.size[group].astype(np.float64)
    above_2, size_2 = (
        ideal.above[ranking._group_in_ideal],
        ideal.size[ranking._group_in_ideal],
    )
    end, end_2 = ranking.above[group] + ranking.size[group], above_2 + size_2
    begin, last = np.maximum(above, above_2), np.maximum(end, end_2)
    # (d - t)(d - t') / (n n') from `begin` to `middle`; from there to `last` one of the
    # probabilities is 1 and the other is (d - t) / n.
    middle = np.maximum(np.minimum(end, end_2), begin)
    above_later = np.where(end >= end_2, above, above_2)
    size_later = np.where(end >= end_2, size, size_2)

    zero = np.zeros(len(group))
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
        # bincount returns integers for empty weights.
        changes.append(change.astype(np.float64, copy=False))
    return changes
