"""A column of X that holds the query ids."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from numbers import Integral

import numpy as np
import scipy.sparse
from sklearn.utils import _safe_indexing


def check_column(column, caller):
    """Return the parameter `qid` of a ranker; raise if it names no column."""
    if isinstance(column, str):
        return column
    if isinstance(column, Integral) and not isinstance(column, bool):
        return int(column)
    raise TypeError(
        f"The 'qid' parameter of {caller} must be a str (the name of a column of a "
        "DataFrame) or an int (the position of a column of an array). Got "
        f"{column!r} instead. The query ids themselves are passed to fit."
    )


def ids_in_column(X, column):
    """Return the query ids that stand in a column of `X`, or None.

    A name is looked for in data frames only, and need not be there. A position is one
    of an array, sparse matrix or data frame, and must be there.
    """
    if isinstance(column, str):
        return X[column] if _has_name(X, column) else None
    X = _indexable(X)
    position = _position(X, column)
    if scipy.sparse.issparse(X):
        ids = X[:, [position]].toarray().ravel()
    else:
        ids = _safe_indexing(X, position, axis=1)
    return _told_apart(ids)


def without_column(X, column, n_columns=None):
    """Return `X` without a column, of the same type.

    Parameters
    ----------
    X : {array-like, sparse matrix, dataframe}
        The data. Without a column of that name it is returned as it is.

    column : str or int
        The name or the position.

    n_columns : int, default=None
        The number of columns that the data had in fit. A position is taken out of as
        many only: data of fewer columns come without ids.
    """
    if isinstance(column, str):
        if not _has_name(X, column):
            return X
        # pandas needs to be told that it is a column; polars has nothing else.
        return X.drop(columns=column) if hasattr(X, "loc") else X.drop(column)
    X = _indexable(X)
    if n_columns is not None and np.shape(X)[1:] != (n_columns,):
        return X
    kept = np.delete(np.arange(X.shape[1]), _position(X, column))
    return _safe_indexing(X, kept, axis=1)


def _has_name(X, name):
    columns = getattr(X, "columns", None)
    return columns is not None and name in list(columns)


def _indexable(X):
    if scipy.sparse.issparse(X):
        return X if X.format in ("csr", "csc") else X.tocsr()
    return X if hasattr(X, "shape") else np.asarray(X)


def _position(X, column):
    """Return the position counted from the left; raise if there is none."""
    if len(X.shape) != 2 or not -X.shape[1] <= column < X.shape[1]:
        raise ValueError(
            f"There is no column {column} of query ids, the 'qid' parameter, in an "
            f"array of shape {tuple(X.shape)}."
        )
    return column % X.shape[1]


def _told_apart(ids):
    """Return the ids, but raise where floats are too coarse to tell integers apart."""
    dtype = getattr(ids, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind == "f" and len(ids):
        largest = 2.0 ** (np.finfo(dtype).nmant + 1)
        if np.nanmax(np.abs(ids)) >= largest:
            raise ValueError(
                f"A column of {dtype} tells query ids apart up to {largest:.0f} only, "
                "so different queries may have become one. Got larger ids: pass them "
                "as `qid` or in the index of y, or number the queries from 0."
            )
    return ids
