"""Rows in the order of queries, tie groups, grades, and blocks of lists."""

# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse

# A stretch of rows that stays in the cache while it is worked on.
STRETCH = 65_536


class TieGroups(NamedTuple):
    """The tie groups with a relevant document, query by query, in the order of rank."""

    query: np.ndarray
    above: np.ndarray  # how many documents rank above the group
    size: np.ndarray
    relevant: np.ndarray  # how many in it are relevant
    grade: np.ndarray  # of each relevant document, group after group


def starts_of(values):
    """Return where stretches of equal values start."""
    new = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return np.flatnonzero(new)


def lengths_of(starts, stop):
    """Return the lengths of stretches that stand one after the other, up to `stop`."""
    lengths = np.empty(len(starts), dtype=np.intp)
    np.subtract(starts[1:], starts[:-1], out=lengths[:-1])
    lengths[-1:] = stop - starts[-1:]
    return lengths


def spans(*keys):
    """Return where the stretch of equal keys of each element starts and stops."""
    length = len(keys[0])
    new = np.ones(length, dtype=bool)
    new[1:] = np.any([key[1:] != key[:-1] for key in keys], axis=0)
    start = np.flatnonzero(new)
    sizes = lengths_of(start, length)
    return np.repeat(start, sizes), np.repeat(start + sizes, sizes)


def sum_before(values, query):
    """Return, for each value, the sum of the values of its query that stand before."""
    before = np.cumsum(values) - values
    first = starts_of(query)
    return before - np.repeat(before[first], lengths_of(first, len(query)))


def accumulate_before(ufunc, values, query):
    """Return `ufunc` of all values of the same query that stand before each.

    Each query is accumulated by itself: what others hold costs no digits.
    """
    first = starts_of(query)
    lengths = lengths_of(first, len(query))
    before = np.empty(len(values))
    before[first] = ufunc.identity
    for rows, width in split_by_width(lengths - 1):
        column = np.arange(width)
        inside = column < lengths[rows, np.newaxis] - 1
        block = ufunc.accumulate(gather(values, first[rows], max(width, 1)), axis=1)
        place = first[rows, np.newaxis] + 1 + column
        before[place[inside]] = block[:, :width][inside]
    return before


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
    # Items that overlap: item s, for s = 0, ..., last, is the bytes of values[s : s +
    # width], and the next one starts one value later. So a whole row is copied as one
    # item, many times as fast as cell by cell.
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


@dataclass(frozen=True, eq=False)
class AsGiven:
    """How rows form lists, where the rows of each query stand together.

    List i has the places ``starts[i]`` to ``starts[i] + lengths[i]``; each row is its
    own place. `query` is the query of each list, a position in the sorted ids.
    """

    starts: np.ndarray
    lengths: np.ndarray
    query: np.ndarray
    is_as_given = True

    @property
    def row_query(self):
        """Return the query of each row."""
        return np.repeat(self.query, self.lengths)

    def take(self, values):
        """Return values of the rows, one for each place: as they are."""
        return values

    sorted = rows_at = take

    def of_lists(self, values):
        """Return values of the lists, one for each row."""
        return np.repeat(values, self.lengths)


class ByCode:
    """How rows form lists, where they stand in any order: by the code of their query.

    It has what :class:`AsGiven` has. Rows are sorted when a value of them is first
    asked for, and those of one code keep their order. `codes` are the queries of the
    rows, from 0 to ``n_codes - 1``; a code that does not occur has no list.
    """

    is_as_given = False

    def __init__(self, codes, n_codes):
        self.row_query = codes
        self._n_codes = n_codes
        self._found_starts = None

    @cached_property
    def _starts(self):
        """Return where each code starts: whatever was sorted before has shown it."""
        if self._found_starts is not None:
            return self._found_starts
        counts = np.bincount(self.row_query, minlength=self._n_codes)
        return np.cumsum(counts) - counts

    @cached_property
    def _lengths(self):
        return lengths_of(self._starts, len(self.row_query))

    @cached_property
    def query(self):
        """Return the query of each list."""
        return np.flatnonzero(self._lengths)

    @cached_property
    def starts(self):
        """Return the first place of each list."""
        return self._starts[self.query]

    @cached_property
    def lengths(self):
        """Return the number of rows of each list."""
        return self._lengths[self.query]

    @cached_property
    def _rows(self):
        return self.sorted(np.arange(len(self.row_query)))

    def take(self, values):
        """Return values of the rows, one for each place."""
        return values[self._rows]

    def sorted(self, values):
        """Return what `take` does, by a counting sort of the values themselves.

        It saves the look-up where nothing else is to be taken in this order.
        """
        # A matrix of one row, with a value in the column of its code: to compress it by
        # column is a counting sort. Nothing is summed on the way.
        codes = self.row_query
        size = np.int32 if len(codes) < 2**31 - 1 else np.int64
        ends = np.array([0, len(codes)], dtype=size)
        cells = values, codes.astype(size, copy=False), ends
        cells = sparse.csr_matrix(cells, shape=(1, self._n_codes)).tocsc()
        self._found_starts = cells.indptr[:-1].astype(np.intp)
        return cells.data

    def rows_at(self, places):
        """Return the rows at some places."""
        return self._rows[places]

    def of_lists(self, values):
        """Return values of the lists, one for each row; all codes have one."""
        return values[self.row_query]


def stretches(order, n_places=STRETCH):
    """Yield (first, last, places): lists that stand together and fill one stretch."""
    stops = order.starts + order.lengths
    first = 0
    while first < len(stops):
        start = order.starts[first]
        last = np.searchsorted(stops, start + n_places, side="right")
        last = max(int(last), first + 1)
        yield first, last, slice(start, stops[last - 1])
        first = last


class GradeCodes(NamedTuple):
    """The grades of the relevant documents, a byte each."""

    codes: np.ndarray  # positions in `grades`; 0 for a row that is not relevant
    grades: np.ndarray  # in ascending order


def grades_as_floats(grades):
    """Return grades as floats; integers that no float holds exactly raise."""
    floats = grades.astype(np.float64)
    is_wide = grades.dtype.kind in "iu" and grades.dtype.itemsize == 8
    if is_wide and np.abs(floats).max(initial=0) >= 2**53:
        raise ValueError(
            "y_true must hold integers below 2 ** 53: a float does not hold larger "
            f"ones exactly. Got {grades.max()}; rescale the grades."
        )
    return floats


def code_grades(grades, rows, n_rows):
    """Return codes of the grades of relevant `rows`, None if a byte is too small."""
    levels = np.unique(grades)
    if len(levels) > 255:
        return None
    codes = np.zeros(n_rows, dtype=np.uint8)
    codes[rows] = np.searchsorted(levels, grades) + 1
    return GradeCodes(codes, np.concatenate([[-np.inf], levels]))


def count_by_level(query, level, levels):
    """Count documents by query and grade: (query, grade, count).

    `level` is the place of the grade of each in the ascending `levels`. Each query and
    grade occurs once, the highest grade of a query first.
    """
    top = len(levels) - 1
    keys = query * len(levels) + top - level
    n_keys = len(levels) * (int(query.max(initial=0)) + 1)
    if n_keys > 8 * len(keys) + 1024:
        keys, count = np.unique(keys, return_counts=True)
    else:
        counts = np.bincount(keys, minlength=n_keys)
        keys = np.flatnonzero(counts > 0)  # of flags they are found faster
        count = counts[keys]
    query = keys // len(levels)  # several times as fast as np.divmod
    return query, levels[top - keys + query * len(levels)], count


def encode_levels(grade):
    """Return grades in ascending order, at least one, and the place of each in them."""
    if len(grade) and grade.min() >= 0 and grade.max() < 256:
        level = grade.astype(np.intp)
        if np.array_equal(level, grade):  # small integers are their own places
            return np.arange(level.max() + 1.0), level
    levels, level = np.unique(grade, return_inverse=True)
    return (levels if len(levels) else np.zeros(1)), level
