"""Lists of like length side by side, in dense blocks that NumPy works on at once."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._ranking.tie_groups import TieGroups

# A stretch of rows that stays in the cache while it is worked on.
STRETCH = 65_536

# A block fits the cache of one core. It wastes at most a sixth of its cells, unless it
# is so small that the calls cost more than the cells.
MAX_CELLS = 131_072
WIDTH_RATIO = 1.2
CHEAP_CELLS = 32_768

# So few cells are gathered one by one: calls cost more.
FEW_CELLS = 512


def split_by_width(widths, max_cells=MAX_CELLS):
    """Yield (rows, width): rows of like width whose block has few cells, or one row.

    `widths` holds the number of cells that each row needs, and `width` is the largest
    of those that are yielded together. Every row is yielded once.
    """
    widest = int(widths.max(initial=0))
    # Numbers of 16 bits are sorted by counting.
    order = np.argsort(widths.astype(np.min_scalar_type(widest)), kind="stable")
    cheap_cells = min(CHEAP_CELLS, max_cells)
    if 0 < len(widths) * widest <= cheap_cells:
        yield order, widest
        return
    ordered = widths[order]
    start = 0
    while start < len(order):
        limit = int(ordered[start] * WIDTH_RATIO + 4)
        # In the type of the widths, or they would all be converted.
        widest = ordered.dtype.type(min(limit, ordered[-1]))
        stop = np.searchsorted(ordered, widest, side="right")
        stop = min(stop, start + max(1, int(max_cells // limit)))
        # Rows of any width share a block that costs less than the calls for two.
        ahead = ordered[start : start + cheap_cells // max(int(ordered[start]), 1)]
        n_cells = ahead * np.arange(1, len(ahead) + 1)
        stop = max(stop, start + np.searchsorted(n_cells, cheap_cells, side="right"))
        yield order[start:stop], int(ordered[stop - 1])
        start = stop


def gather(values, starts, width):
    """Return the block whose row i is ``values[starts[i] : starts[i] + width]``.

    The values stand together in memory.

    It is a view where the rows stand one after the other. A row that reaches beyond
    the end repeats the last value: the caller knows the true widths.
    """
    last, n_cells = len(values) - width, len(starts) * width
    is_dense = starts[-1] + width - starts[0] == n_cells and starts[-1] <= last
    if is_dense and np.all(np.diff(starts) == width):
        return values[starts[0] : starts[0] + n_cells].reshape(-1, width)
    if n_cells <= FEW_CELLS:
        cells = starts[:, np.newaxis] + np.arange(width)
        return values[np.minimum(cells, len(values) - 1, out=cells)]
    # Whole rows are copied as one item each: many times as fast as cell by cell.
    row = np.dtype((np.void, width * values.itemsize))
    items = np.ndarray(last + 1, row, values, strides=values.itemsize)
    late = starts > last
    is_late = late.any()
    block = items[np.minimum(starts, last) if is_late else starts]
    block = block.view(values.dtype).reshape(-1, width)
    if not is_late:
        return block
    cells = starts[late, np.newaxis] + np.arange(width)
    block[late] = values[np.minimum(cells, len(values) - 1)]
    return block


def block_of_negated_scores(lists, rows, width, excluded):
    """Return the negated scores of lists side by side, and inf after their end."""
    keys = negated_scores(lists, rows, width)
    fill_after_the_end(keys, np.inf, lists.order.lengths[rows])
    if lists.excluded is not None:
        keys[block_of_flags(lists, rows, width, lists.is_excluded)] = excluded
    return keys


def negated_scores(lists, rows, width):
    """Return the negated scores of lists side by side."""
    scores = gather(lists.scores, lists.order.starts[rows], width)
    is_own = not np.may_share_memory(scores, lists.scores)
    out = scores if is_own and scores.dtype == np.float64 else None
    return np.subtract(0.0, scores, out=out, dtype=np.float64)


def block_of_flags(lists, rows, width, flags):
    """Return flags of lists side by side, and False after their end."""
    block = own_block(flags, lists.order.starts[rows], width)
    fill_after_the_end(block, False, lists.order.lengths[rows])
    return block


def own_block(values, starts, width):
    """Return values of lists side by side, in memory of their own."""
    block = gather(values, starts, width)
    return block.copy() if np.may_share_memory(block, values) else block


def fill_after_the_end(block, value, lengths):
    """Set the cells of lists side by side, in the order of length, that hold none."""
    if lengths[0] < block.shape[1]:  # columns before are full
        ragged = slice(lengths[0], block.shape[1])
        ended = np.arange(lengths[0], block.shape[1]) >= lengths[:, np.newaxis]
        np.copyto(block[:, ragged], value, where=ended)


def groups_of_sorted(lists, rows, keys, place, row, grade):
    """Return the tie groups of sorted keys that hold the documents at `place`.

    Row i of `keys` belongs to the list ``rows[i]``. `place` holds the ascending cells
    of relevant documents, `row` and `grade` their rows of `keys` and their grades.
    """
    new = np.ones(keys.shape, dtype=bool)
    np.not_equal(keys[:, 1:], keys[:, :-1], out=new[:, 1:])
    start = np.flatnonzero(new)
    group = (np.cumsum(new) - 1)[place]
    (first,) = np.diff(group, prepend=-1).nonzero()
    row, group = row[first], group[first]
    above = start[group] - row * keys.shape[1]
    size = np.subtract(np.append(start[1:], new.size), start)[group]
    # What fills the end of a row is no document, though it may look tied.
    size = np.minimum(size, lists.n_ranked[rows[row]] - above)
    relevant = np.subtract(np.append(first[1:], len(place)), first)
    return TieGroups(lists.order.query[rows[row]], above, size, relevant, grade)
