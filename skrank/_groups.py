"""Bringing the rows of each query together."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from functools import cached_property

import numpy as np
from scipy import sparse

from skrank._qid import encode_runs


def encode_rows(qid, n_rows):
    """Return ids, codes and starts as `encode_runs` does; None is one query."""
    if qid is None:
        one = np.zeros(1, dtype=np.intp)
        return one, one, one
    return encode_runs(qid, n_rows)


def sort_by_code(codes, n_codes, values):
    """Sort values by their codes; those of one code keep their order.

    Parameters
    ----------
    codes : ndarray of shape (n_values,)
        Integers from 0 to ``n_codes - 1``.
    n_codes : int
        The number of codes.
    values : ndarray of shape (n_values,)
        Numbers.

    Returns
    -------
    starts : ndarray of shape (n_codes,)
        Where each code starts.
    values : ndarray of shape (n_values,)
        The values of the first code, then those of the next.
    """
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


class Order:
    """The row at each place, found when it is first asked for.

    Parameters
    ----------
    find : callable
        Returns the rows.
    """

    def __init__(self, find):
        self._find = find

    @cached_property
    def rows(self):
        """Return the rows."""
        return self._find()
