"""Reading the three input shapes."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import replace

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
        As in :func:`skrank._ranking.rank_queries`.
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
    qid = find_qid(qid, y=y_true)
    y_score = _without_unread(y_score, "y_score", returned, "returned")
    y_score = check_scores(y_score)
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
    ids, query, starts, lengths, rows, row_query = group_rows(
        qid, len(y_true), row_order
    )
    columns = [y_true, y_score, judged, returned]
    if rows is not None:
        columns = [None if column is None else column[rows] for column in columns]
    y_true, y_score, judged, returned = columns
    relevant = _is_relevant(y_true, threshold, starts, lengths)
    if judged is not None:
        relevant &= judged
    lists = Lists(
        y_score,
        relevant,
        y_true,
        starts,
        lengths,
        query,
        ids,
        judged=judged,
        row_query=row_query,
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


def group_rows(qid, n_rows, row_order=None):
    """Group rows by query.

    Parameters
    ----------
    qid : array-like of shape (n_rows,) or None
        The query of each row; None means one query.
    n_rows : int
        The number of rows.
    row_order : ndarray of shape (n_rows,), default=None
        The order that the rows of a query keep; None is the input order.

    Returns
    -------
    ids : ndarray of shape (n_queries,)
        The query ids, in the order of the output.
    query, starts, lengths : ndarray of shape (n_queries,)
        The place in `ids` of each list, and the rows that it takes.
    rows : ndarray of shape (n_rows,) or None
        The input row of each row of the lists; None if they stand together already.
    row_query : ndarray of shape (n_rows,) or None
        The place in `ids` of each input row; None likewise.
    """
    if qid is None:
        qid = np.zeros(n_rows, dtype=np.int8)
    ids, query, starts = encode_runs(qid, n_rows)
    lengths = np.diff(starts, append=n_rows)
    if row_order is None and len(query) == len(ids):
        return ids, query, starts, lengths, None, None
    codes = np.repeat(query, lengths)
    ordered = codes if row_order is None else codes[row_order]
    # Compressing rows by code is a counting sort, and keeps their order.
    cells = (np.ones(n_rows, dtype=bool), (ordered, np.arange(n_rows)))
    grouped = sparse.csr_matrix(cells, shape=(len(ids), n_rows))
    starts = grouped.indptr[:-1].astype(np.intp)
    lengths = np.diff(grouped.indptr).astype(np.intp)
    rows = grouped.indices if row_order is None else row_order[grouped.indices]
    return ids, np.arange(len(ids)), starts, lengths, rows, codes


def _is_relevant(y_true, threshold, starts, lengths):
    if threshold != "max":
        return y_true > threshold
    highest = np.repeat(np.maximum.reduceat(y_true, starts), lengths)
    return (y_true == highest) & (y_true > 0)


def _read_matrix(y_true, y_score, threshold, exclude):
    n_queries, n_documents = y_score.shape
    starts = np.arange(n_queries) * n_documents
    lengths = np.full(n_queries, n_documents)
    graded = None
    if sparse.issparse(y_true):
        if exclude is not None:
            y_true = y_true - y_true.multiply(exclude)
        relevant, graded, grades = _read_sparse_grades(y_true, threshold)
    else:
        grades = y_true.ravel()
        if exclude is not None:
            grades = np.where(exclude.ravel(), grades.dtype.type(0), grades)
        relevant = _is_relevant(grades, threshold, starts, lengths)
    if exclude is not None:
        exclude = exclude.ravel()
        relevant &= ~exclude
    return Lists(
        y_score.ravel(),
        relevant,
        grades,
        starts,
        lengths,
        np.arange(n_queries),
        np.arange(n_queries),
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
