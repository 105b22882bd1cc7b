"""Sorting positions: for any scores and grades, or with ties in input order."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._ranking.blocks import (
    block_of_flags,
    block_of_negated_scores,
    groups_of_sorted,
)
from skrank._ranking.doc_order import order_tied
from skrank._ranking.tie_groups import TieGroups


def sort_indices(lists, rows, width, ties):
    """Return the tie groups of lists; with ``ties="first"`` each document alone."""
    keys = block_of_negated_scores(lists, rows, width, excluded=np.nan)
    relevant = block_of_flags(lists, rows, width, lists.is_relevant)
    order = np.argsort(keys, axis=1, kind="stable" if ties == "first" else None)
    if ties == "first" and lists.doc_order is not None:
        order_tied(lists, rows, keys, order)
    place = np.flatnonzero(np.take_along_axis(relevant, order, axis=1))
    row = place // width
    grade = lists.grade_at(lists.order.starts[rows[row]] + order.ravel()[place])
    if ties == "first":
        one = np.ones(len(place), dtype=np.intp)
        return TieGroups(
            lists.order.query[rows[row]], place - row * width, one, one, grade
        )
    keys = np.take_along_axis(keys, order, axis=1)
    return groups_of_sorted(lists, rows, keys, place, row, grade)
