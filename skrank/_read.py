"""Reading the three input shapes."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy import sparse

from skrank._lists import Candidates, Lists, Missing
from skrank._qid import encode_runs, find_qid
from skrank._validation import check_grades, check_scores, numeric_array


def read_lists(
    y_true,
    y_score,
    *,
    qid=None,
    threshold=0.0,
    exclude=None,
    judged=None,
    returned=None,
    row_order=None,
):
    """Validate the input, whatever its shape, and return it grouped by query.

    Parameters
    ----------
    y_true, y_score, qid, threshold, exclude, judged, returned
        As in :func:`skrank._rank.rank_queries`.
    row_order : ndarray of shape (n_samples,), default=None
        The order in which rows are read; None is the input order.

    Returns
    -------
    lists : Lists or Candidates
        The documents of every query.
    """
    if sparse.issparse(y_score):
        raise TypeError(
            "The 'y_score' parameter must be a dense array. Got a sparse matrix of "
            f"type {type(y_score).__name__} instead: documents that it leaves out "
            "have no score."
        )
    judged, returned = (
        mask if mask is None else np.asarray(mask) for mask in (judged, returned)
    )
    y_score = _without_unread(y_score, "y_score", returned, "returned")
    y_score = numeric_array(y_score, "y_score")
    if y_score.ndim == 1:
        qid = find_qid(qid, y=y_true)
    if sparse.issparse(y_true):
        y_true = _check_sparse_grades(y_true, threshold)
    else:
        y_true = _without_unread(y_true, "y_true", judged, "judged")
        y_true = check_grades(y_true)
    if y_score.size == 0 or 0 in y_true.shape:
        raise ValueError(
            "Found array with 0 sample(s) while a minimum of 1 is required: "
            f"y_true has shape {y_true.shape} and y_score has shape {y_score.shape}."
        )
    if y_score.ndim != 2 or y_true.ndim != 1:  # candidates are checked as they stream
        y_score = check_scores(y_score)
    if y_score.ndim == 1 and y_true.ndim == 1:
        _check_flat(y_true, y_score, exclude)
        return _read_flat(y_true, y_score, qid, threshold, judged, returned, row_order)
    if y_score.ndim != 2 or y_true.ndim > 2:
        raise ValueError(_SHAPES.format(y_true.shape, y_score.shape))
    rowwise = {"qid": qid, "judged": judged, "returned": returned, "doc_id": row_order}
    given = [name for name, value in rowwise.items() if value is not None]
    if given:
        raise ValueError(
            f"The '{given[0]}' parameter goes with y_true and y_score of shape "
            "(n_samples,): each row of a matrix is a query. Got y_score of shape "
            f"{y_score.shape}."
        )
    if exclude is not None:
        exclude = _check_exclude(exclude, y_score.shape)
    if y_true.ndim == 1:
        return _read_candidates(y_true, y_score, exclude)
    if y_true.shape != y_score.shape:
        raise ValueError(_SHAPES.format(y_true.shape, y_score.shape))
    if sparse.issparse(exclude):
        exclude = exclude.toarray()
    return _read_matrix(y_true, y_score, threshold, exclude)


def _without_unread(values, name, mask, mask_name):
    """Return `values` with 0 where the mask says that they are not read."""
    if mask is None:
        return values
    values = numeric_array(values, name)
    mask = _check_mask(mask, mask_name, len(values))
    return np.where(mask, values, values.dtype.type(0))


def _check_flat(y_true, y_score, exclude):
    if len(y_true) != len(y_score):
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"{[len(y_true), len(y_score)]}"
        )
    if exclude is not None:
        raise ValueError(
            "The 'exclude' parameter goes with y_score of shape (n_queries, "
            "n_documents). Got y_score of shape "
            f"{y_score.shape}: leave the rows out instead."
        )


_SHAPES = (
    "y_true and y_score must both have shape (n_samples,), or both shape (n_queries, "
    "n_documents), or y_true shape (n_queries,) and y_score shape (n_queries, "
    "n_candidates). Got y_true of shape {} and y_score of shape {}."
)


def _read_flat(y_true, y_score, qid, threshold, judged, returned, row_order):
    groups = group_rows(qid, y_score, row_order)
    relevant = _is_relevant(y_true, threshold, groups)
    rows = groups.rows
    if rows is not None:
        judged, returned = (
            mask if mask is None else mask[rows] for mask in (judged, returned)
        )
    if judged is not None:
        relevant &= judged
    lists = Lists(
        groups.values,
        relevant,
        y_true,
        groups.starts,
        groups.lengths,
        groups.query,
        groups.ids,
        judged=judged,
        rows=rows,
        row_query=groups.row_query,
    )
    return lists if returned is None else _without_missing(lists, returned)


def _without_missing(lists, returned):
    """Take out the documents that were not returned, and keep count of them."""
    list_query = np.repeat(lists.query, lists.lengths)
    row_query = list_query if lists.row_query is None else lists.row_query
    rows = np.flatnonzero(lists.relevant & ~returned)
    others = ~lists.relevant & ~returned
    if lists.judged is not None:
        others &= lists.judged
    lists = replace(
        lists,
        row_query=row_query,
        missing=Missing(
            list_query[rows],
            lists.grade_at(rows),
            np.bincount(list_query[others], minlength=len(lists.ids)),
        ),
    )
    return lists.select(returned)


class Groups(NamedTuple):
    """Rows grouped by query.

    The query ids, in the order of the output; the place in `ids` of each list, and
    the rows that it takes; the values, grouped; the input row of each of them, and the
    place in `ids` of each input row, None if rows stand together as they came.
    """

    ids: np.ndarray
    query: np.ndarray
    starts: np.ndarray
    lengths: np.ndarray
    values: np.ndarray
    rows: np.ndarray | None = None
    row_query: np.ndarray | None = None


def group_rows(qid, values, row_order=None):
    """Group rows by query.

    Parameters
    ----------
    qid : array-like of shape (n_rows,) or None
        The query of each row; None means one query.
    values : ndarray of float of shape (n_rows,)
        A value for each row.
    row_order : ndarray of shape (n_rows,), default=None
        The order that the rows of a query keep; None is the input order.

    Returns
    -------
    groups : Groups
        The lists of rows.
    """
    n_rows = len(values)
    if qid is None:
        qid = np.zeros(n_rows, dtype=np.int8)
    ids, query, starts = encode_runs(qid, n_rows)
    lengths = np.diff(starts, append=n_rows)
    if row_order is None and len(query) == len(ids):
        return Groups(ids, query, starts, lengths, values)
    codes = np.repeat(query, lengths)
    ordered, column = codes, values
    if row_order is not None:
        ordered, column = codes[row_order], values[row_order]
    # A matrix with one value a row, in the column of its query: to compress it by
    # column is a counting sort, which keeps the order of the rows.
    size = np.int32 if n_rows < 2**31 - 1 else np.int64
    cells = column, ordered.astype(size), np.arange(n_rows + 1, dtype=size)
    grouped = sparse.csr_matrix(cells, shape=(n_rows, len(ids))).tocsc()
    starts = grouped.indptr[:-1].astype(np.intp)
    lengths = np.diff(grouped.indptr).astype(np.intp)
    rows = grouped.indices if row_order is None else row_order[grouped.indices]
    query = np.arange(len(ids))
    return Groups(ids, query, starts, lengths, grouped.data, rows, codes)


def _is_relevant(y_true, threshold, groups):
    """Return which of the grouped rows are relevant."""
    if threshold != "max":
        relevant = y_true > threshold
        return relevant if groups.rows is None else relevant[groups.rows]
    grades = y_true if groups.rows is None else y_true[groups.rows]
    highest = np.maximum.reduceat(grades, groups.starts)
    return (grades == np.repeat(highest, groups.lengths)) & (grades > 0)


def _read_matrix(y_true, y_score, threshold, exclude):
    n_queries, n_documents = y_score.shape
    query = np.arange(n_queries)
    lengths = np.full(n_queries, n_documents)
    groups = Groups(query, query, query * n_documents, lengths, y_score.ravel())
    graded = None
    if sparse.issparse(y_true):
        if exclude is not None:
            y_true = y_true - y_true.multiply(exclude)
        relevant, graded, grades = _read_sparse_grades(y_true, threshold)
    else:
        grades = y_true.ravel()
        if exclude is not None:
            grades = np.where(exclude.ravel(), grades.dtype.type(0), grades)
        relevant = _is_relevant(grades, threshold, groups)
    if exclude is not None:
        exclude = exclude.ravel()
        relevant &= ~exclude
    return Lists(
        groups.values,
        relevant,
        grades,
        groups.starts,
        groups.lengths,
        groups.query,
        groups.ids,
        excluded=exclude,
        graded=graded,
        is_matrix=True,
    )


def _check_sparse_grades(y_true, threshold):
    if y_true.ndim != 2:
        raise ValueError(
            "A sparse y_true must have shape (n_queries, n_documents). "
            f"Got shape {y_true.shape}."
        )
    if threshold != "max" and threshold < 0:
        raise ValueError(
            "With a sparse y_true the 'threshold' parameter must be >= 0, or every "
            f"document that it leaves out would be relevant. Got {threshold!r}."
        )
    y_true = _own_csr(y_true)
    check_grades(y_true.data)
    return y_true


def _own_csr(matrix):
    """Return a CSR matrix without duplicates that shares nothing with the input."""
    matrix = sparse.csr_matrix(matrix, copy=True)
    matrix.sum_duplicates()
    return matrix


def _read_sparse_grades(y_true, threshold):
    """Return which cells are relevant, and the listed cells with their grades."""
    y_true = sparse.csr_matrix(y_true)
    n_rows, n_columns = y_true.shape
    rows = np.repeat(np.arange(n_rows), np.diff(y_true.indptr))
    cells, grades = rows * n_columns + y_true.indices, y_true.data
    if threshold == "max":
        highest = y_true.max(axis=1).toarray().ravel()
        listed = (grades == highest[rows]) & (grades > 0)
    else:
        listed = grades > threshold
    relevant = np.zeros(n_rows * n_columns, dtype=bool)
    relevant[cells[listed]] = True
    return relevant, cells, grades


def _check_exclude(exclude, shape):
    """Return `exclude` as a boolean array or sparse matrix of that shape."""
    if not sparse.issparse(exclude):
        exclude = np.asarray(exclude)
    if exclude.shape != shape or exclude.dtype.kind != "b":
        raise ValueError(
            "The 'exclude' parameter must be a boolean array or sparse matrix of "
            f"shape {shape}. Got dtype {exclude.dtype} and shape {exclude.shape}."
        )
    return exclude


def _check_mask(mask, name, n_rows):
    """Return a boolean mask of the rows."""
    mask = np.asarray(mask)
    if mask.shape != (n_rows,) or mask.dtype.kind != "b":
        raise ValueError(
            f"The '{name}' parameter must be a boolean array of shape ({n_rows},). "
            f"Got dtype {mask.dtype} and shape {mask.shape}."
        )
    return mask


def _read_candidates(y_true, y_score, exclude):
    if len(y_true) != len(y_score):
        raise ValueError(_SHAPES.format(y_true.shape, y_score.shape))
    if y_true.dtype.kind == "b" or (y_true != np.floor(y_true)).any():
        raise ValueError(
            "y_true of shape (n_queries,) beside y_score of shape (n_queries, "
            "n_candidates) must hold the column of the right candidate of each "
            f"query, an int. Got values of dtype {y_true.dtype}."
        )
    outside = (y_true < 0) | (y_true >= y_score.shape[1])
    if outside.any():
        raise ValueError(
            "y_true must hold columns of y_score, in the range "
            f"[0, {y_score.shape[1]}). Got {y_true[outside][0]}."
        )
    target = y_true.astype(np.intp)
    if exclude is not None:
        exclude = _own_csr(exclude)
    return Candidates(y_score, target, exclude, np.arange(len(target)))
