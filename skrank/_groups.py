"""Bringing the rows of each query together."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from scipy import sparse

from skrank._qid import encode_runs


def encode_rows(qid, n_rows):
    """Return ids, codes and starts as `encode_runs` does; None is one query."""
    if qid is None:
        one = np.zeros(1, dtype=np.intp)
        return one, one, one
    return encode_runs(qid, n_rows)


def sort_rows(codes, n_codes, values, row_order=None):
    """Sort rows by code; rows of one code keep their order.

    Parameters
    ----------
    codes : ndarray of shape (n_rows,)
        Integers from 0 to ``n_codes - 1``, each of which occurs.
    n_codes : int
        The number of codes.
    values : ndarray of float of shape (n_rows,)
        A value for each row.
    row_order : ndarray of shape (n_rows,), default=None
        The order that rows of one code keep; None is the input order.

    Returns
    -------
    rows : ndarray of shape (n_rows,)
        The rows, those of the first code first.
    starts : ndarray of shape (n_codes,)
        Where each code starts.
    values : ndarray of shape (n_rows,)
        The value of each of `rows`.
    """
    if row_order is not None:
        codes, values = codes[row_order], values[row_order]
    # A matrix with one value a row, in the column of its code: to compress it by
    # column is a counting sort.
    size = np.int32 if len(codes) < 2**31 - 1 else np.int64
    cells = values, codes.astype(size), np.arange(len(codes) + 1, dtype=size)
    grouped = sparse.csr_matrix(cells, shape=(len(codes), n_codes)).tocsc()
    rows = grouped.indices if row_order is None else row_order[grouped.indices]
    return rows, grouped.indptr[:-1].astype(np.intp), grouped.data
