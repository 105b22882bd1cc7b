"""Which rows make up each list, and in which order."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy import sparse

from skrank._ranking.blocks import STRETCH
from skrank._ranking.neighbours import lengths_of


class Order(Protocol):
    """How rows form lists: list i has the places ``starts[i]`` to ``+ lengths[i]``.

    Attributes
    ----------
    starts, lengths : ndarray of shape (n_lists,)
        Where the lists stand, one after the other.

    query : ndarray of shape (n_lists,)
        The query of each list, a position in the sorted ids.

    row_query : ndarray of shape (n_rows,)
        The query of each row.

    is_as_given : bool
        Whether each row is its own place.
    """

    starts: np.ndarray
    lengths: np.ndarray
    query: np.ndarray
    row_query: np.ndarray
    is_as_given: bool

    def take(self, values):
        """Return values of the rows, one for each place."""

    def sort(self, values):
        """Return what `take` does; faster if it is asked for one array alone."""

    def rows_at(self, places):
        """Return the rows at some places."""


@dataclass(frozen=True, eq=False)
class AsGiven:
    """The rows of each query stand together: each row is its own place."""

    starts: np.ndarray
    lengths: np.ndarray
    query: np.ndarray
    is_as_given = True

    @property
    def row_query(self):
        """Return the query of each row."""
        return np.repeat(self.query, self.lengths)

    def take(self, values):
        """Return the values as they are."""
        return values

    sort = rows_at = take


class ByCode:
    """Rows in any order, sorted by code when a value of them is first asked for.

    Rows of one code keep their order.

    Parameters
    ----------
    codes : ndarray of shape (n_rows,)
        The query of each row, from 0 to ``n_codes - 1``.
    n_codes : int
        The number of codes. Those that do not occur have no list.
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
        return self.sort(np.arange(len(self.row_query)))

    def take(self, values):
        """Return values of the rows, one for each place."""
        return values[self._rows]

    def sort(self, values):
        """Return what `take` does, by a counting sort of the values themselves.

        It saves the look-up where nothing else is to be taken in this order.
        """
        starts, values = _sort_by_code(self.row_query, self._n_codes, values)
        self._found_starts = starts
        return values

    def rows_at(self, places):
        """Return the rows at some places."""
        return self._rows[places]


def stretches(order, n_places=STRETCH):
    """Yield (first, last, places): lists that stand together and fill one stretch.

    What is made of a stretch stays in the cache while it is worked on.
    """
    stops = order.starts + order.lengths
    first = 0
    while first < len(stops):
        start = order.starts[first]
        last = np.searchsorted(stops, start + n_places, side="right")
        last = max(int(last), first + 1)
        yield first, last, slice(start, stops[last - 1])
        first = last


def _sort_by_code(codes, n_codes, values):
    """Return where each code starts, and the values sorted by their codes."""
    # A matrix of one row, with a value in the column of its code: to compress it by
    # column is a counting sort. Nothing is summed on the way.
    size = np.int32 if len(codes) < 2**31 - 1 else np.int64
    cells = (
        values,
        codes.astype(size, copy=False),
        np.array([0, len(codes)], dtype=size),
    )
    sorted_cells = sparse.csr_matrix(cells, shape=(1, n_codes)).tocsc()
    return sorted_cells.indptr[:-1].astype(np.intp), sorted_cells.data
