"""A column of X, or a level of an index, by name: query ids, times and items."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from numbers import Integral

import numpy as np
import scipy.sparse
from sklearn.utils import _safe_indexing

QID = "qid"


def find_qid(qid=None, *, X=None, y=None, groups=None):
    """Return the query ids of the rows, or None if there are none.

    They are the argument `qid` or its scikit-learn synonym `groups`, else the column
    of `X` named ``"qid"``, else the index (or a level of it) of `y`, else of `X`, that
    is named ``"qid"``.
    """
    if qid is not None:
        return qid
    if groups is not None:
        return groups
    return find_named(QID, X=X, y=y)


def require_qid(qid, caller, *, takes_groups=False):
    """Return `qid`, or raise the error that names the places of query ids.

    Parameters
    ----------
    qid : array-like or None
        What was found.

    caller : str
        The name that the error begins with.

    takes_groups : bool, default=False
        Whether the caller reads `groups`, as splitters do.
    """
    if qid is not None:
        return qid
    groups = "" if takes_groups else "`groups` reaches the splitter only. "
    cure = ": y = pd.Series(y, index=pd.Index(qid, name='qid'))"
    raise ValueError(
        f"{caller} needs to know which rows belong to one query. Pass the query ids as "
        f"{_places(QID, QID)}{cure}. Tools that make arrays of X and y, such as RFECV, "
        f"lose columns and indices: pass `qid` there. {groups}Got no query ids."
    )


def find_named(name, *, X=None, y=None):
    """Return the values of a column of `X` or of an index of `y` or `X` by name.

    The column comes before the index of `y`, and that before the index of `X`. None
    if there is no such name.
    """
    for found in (find_column(X, name), find_level(y, name), find_level(X, name)):
        if found is not None:
            return found
    return None


def require_named(values, name, *, argument, caller):
    """Return `values`, or raise the error that names the places where they may be.

    Parameters
    ----------
    values : array-like or None
        What was found.

    name : str
        The name that was looked for.

    argument : str
        The argument that takes the values, and the word for them in the error.

    caller : str
        The class that has a parameter of the same name as the argument.
    """
    if values is not None:
        return values
    raise ValueError(
        f"{caller} needs to know the {argument} of each row. Pass it as "
        f"{_places(argument, name)}, or as an array to {caller}({argument}=...). "
        f"Got no {argument}."
    )


def find_column(X, column):
    """Return the values of a column of `X`, or None if no column has that name.

    A name is looked for in tables of pandas, polars and pyarrow. A position is one of
    an array, a sparse matrix or a table, and must exist.
    """
    if isinstance(column, str):
        return X[column] if column in _column_names(X) else None
    X = _indexable(X)
    position = _position(X, column)
    if scipy.sparse.issparse(X):
        ids = X[:, [position]].toarray().ravel()
    elif hasattr(X, "column_names"):
        ids = np.asarray(X.column(position))
    else:
        ids = _safe_indexing(X, position, axis=1)
    return _check_exact(ids)


def find_level(data, name):
    """Return the level of the index of `data` with that name, or None."""
    index = getattr(data, "index", None)
    if name in list(getattr(index, "names", None) or []):
        return index.get_level_values(name)
    return None


def drop_column(X, column, n_columns=None):
    """Return `X` without a column, of the same type.

    Parameters
    ----------
    X : {array-like, sparse matrix, dataframe}
        The data. If no column has that name, it is returned as it is.

    column : str or int
        The name or the position.

    n_columns : int, default=None
        The number of columns that data with the column have. A position is dropped
        from these only: data of another width came without query ids.
    """
    if isinstance(column, str):
        if column not in _column_names(X):
            return X
        if hasattr(X, "column_names"):  # pyarrow
            return X.select(
                [i for i, name in enumerate(X.column_names) if name != column]
            )
        # pandas needs to know that the label is a column; polars has only columns.
        return X.drop(columns=column) if hasattr(X, "loc") else X.drop(column)
    X = _indexable(X)
    if n_columns is not None and _shape(X)[1:] != (n_columns,):
        return X
    kept = np.delete(np.arange(_shape(X)[1]), _position(X, column))
    if hasattr(X, "column_names"):
        return X.select(kept.tolist())
    return _safe_indexing(X, kept, axis=1)


def check_qid_column(column, caller):
    """Return the parameter `qid_column`; raise if it cannot identify a column."""
    if isinstance(column, str):
        return column
    if isinstance(column, Integral) and not isinstance(column, bool):
        return int(column)
    raise TypeError(
        f"The 'qid_column' parameter of {caller} must be a str (the name of a column "
        "of a table) or an int (the position of a column of an array). Got "
        f"{column!r} instead. Pass the query ids themselves to fit."
    )


def _places(argument, name):
    """Return the three places in words."""
    return (
        f"`{argument}` (scikit-learn forwards it when metadata routing is enabled: "
        "sklearn.set_config(enable_metadata_routing=True)), or as a column named "
        f"{name!r} of a DataFrame X, or as an index of y named {name!r} (or of X)"
    )


def _column_names(X):
    # The `columns` of pyarrow are the values, those of pandas and polars the names.
    names = getattr(X, "column_names", None)
    return list(getattr(X, "columns", ()) if names is None else names)


def _indexable(X):
    if scipy.sparse.issparse(X):
        return X if X.format in ("csr", "csc") else X.tocsr()
    # A record batch of older versions of pyarrow has no shape.
    is_table = hasattr(X, "shape") or hasattr(X, "column_names")
    return X if is_table else np.asarray(X)


def _position(X, column):
    """Return the position counted from the left; raise if there is none."""
    shape = _shape(X)
    if len(shape) != 2 or not -shape[1] <= column < shape[1]:
        raise ValueError(
            "The 'qid_column' parameter must be the position of a column. Got column "
            f"{column} and an array of shape {shape} instead."
        )
    return column % shape[1]


def _shape(X):
    return tuple(X.shape) if hasattr(X, "shape") else (X.num_rows, X.num_columns)


def _check_exact(ids):
    """Return the ids, but raise where floats are too coarse to distinguish integers."""
    dtype = getattr(ids, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind == "f" and len(ids):
        largest = 2.0 ** (np.finfo(dtype).nmant + 1)
        if np.nanmax(np.abs(ids)) >= largest:
            raise ValueError(
                f"A column of {dtype} distinguishes query ids up to {largest:.0f} "
                "only, so different queries may have become one. Got larger ids: pass "
                "them as `qid` or in the index of y, or number the queries from 0."
            )
    return ids
