"""Lists side by side: what is known of their documents, a list in each row."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._keys import pack_in_place
from skrank._panels import gather


def block_of_keys(lists, rows, width):
    """Return the keys of lists side by side, and inf where there is no document."""
    if lists.keys is None:
        keys = _negated(lists, rows, width)
        pack_in_place(keys, gather(lists.codes, lists.starts[rows], width))
    else:
        keys = _own_block(lists.keys, lists.starts[rows], width)
    _fill_after_the_end(keys, np.inf, lists.lengths[rows])
    if lists.excluded is not None:
        keys[block_of_flags(lists, rows, width, lists.is_excluded)] = np.inf
    return keys


def block_of_negated_scores(lists, rows, width, excluded):
    """Return the negated scores of lists side by side, and inf after their end."""
    keys = _negated(lists, rows, width)
    _fill_after_the_end(keys, np.inf, lists.lengths[rows])
    if lists.excluded is not None:
        keys[block_of_flags(lists, rows, width, lists.is_excluded)] = excluded
    return keys


def _negated(lists, rows, width):
    """Return the negated scores of lists side by side."""
    scores = gather(lists.scores, lists.starts[rows], width)
    is_own = scores.dtype == np.float64 and not _is_view(scores, lists.scores)
    return np.subtract(0.0, scores, out=scores if is_own else None, dtype=np.float64)


def block_of_flags(lists, rows, width, flags):
    """Return flags of lists side by side, and False after their end."""
    block = _own_block(flags, lists.starts[rows], width)
    _fill_after_the_end(block, False, lists.lengths[rows])
    return block


def _own_block(values, starts, width):
    """Return values of lists side by side, in memory of their own."""
    block = gather(values, starts, width)
    return block.copy() if _is_view(block, values) else block


def _is_view(block, values):
    """Tell whether the block is a part of the values."""
    return np.may_share_memory(block, values)


def _fill_after_the_end(block, value, lengths):
    """Set the cells of lists side by side, in the order of length, that hold none."""
    if lengths[0] < block.shape[1]:  # columns before are full
        ragged = slice(lengths[0], block.shape[1])
        ended = np.arange(lengths[0], block.shape[1]) >= lengths[:, np.newaxis]
        np.copyto(block[:, ragged], value, where=ended)
