"""The three input shapes, read as ragged lists of documents."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from skrank._qid import encode_qid, find_qid
from skrank._validation import check_grades, check_scores, check_weights


@dataclass
class Lists:
    """Documents by query: list i is rows ``starts[i] : starts[i] + lengths[i]``.

    Attributes
    ----------
    y_score : ndarray of shape (n_rows,)
        Scores, grouped by query and in input order within a query.

    relevant : ndarray of bool of shape (n_rows,)
        Which documents are relevant.

    grades : ndarray
        Grades; of every row, or of the rows `graded` alone.

    starts, lengths : ndarray of shape (n_queries,)
        Where the lists stand.

    query : ndarray of shape (n_queries,)
        The place of each list in the output, which is sorted by id.

    ids : ndarray of shape (n_queries,)
        The query ids in the order of the output.

    excluded : ndarray of bool of shape (n_rows,) or None
        Documents that take no part.

    graded : ndarray or None
        The ascending rows that a sparse `y_true` lists as relevant.

    row_order : ndarray of shape (n_rows,) or None
        The input row of each row here; None if they stand as they came.

    is_matrix : bool
        Whether each list was a row of a matrix, so that weights come per query.
    """

    y_score: np.ndarray
    relevant: np.ndarray
    grades: np.ndarray
    starts: np.ndarray
    lengths: np.ndarray
    query: np.ndarray
    ids: np.ndarray
    excluded: np.ndarray | None = None
    graded: np.ndarray | None = None
    row_order: np.ndarray | None = None
    is_matrix: bool = False

    @cached_property
    def code(self):
        """Return a byte for each row: 0 if it is not relevant, else its grade's.

        The code is a position in `levels`. None if there are too many grades for a
        byte, or scores are infinite.
        """
        if self.levels is None or not np.isfinite(self.y_score).all():
            return None
        if self._grades_are_codes:
            return self.grades.astype(np.uint8) * self.relevant
        rows = np.flatnonzero(self.relevant)
        code = np.zeros(len(self.relevant), dtype=np.uint8)
        code[rows] = np.searchsorted(self.levels, self.grade_at(rows))
        return code

    @cached_property
    def levels(self):
        """Return the grade of each code, or None if there are more than 255."""
        if self._grades_are_codes:
            return np.arange(256.0)
        levels = np.unique(self.grade_at(np.flatnonzero(self.relevant)))
        if len(levels) > 255:
            return None
        return np.concatenate([[-np.inf], levels])

    @cached_property
    def _grades_are_codes(self):
        """Tell whether the relevant grades are small integers, codes as they are."""
        return (
            self.graded is None
            and self.grades.dtype.kind in "biu"
            and 0 <= self.grades.min()
            and self.grades.max() <= 255
            and not (self.relevant & (self.grades == 0)).any()
        )

    @cached_property
    def n_ranked(self):
        """Return how many documents of each list are not excluded."""
        if self.excluded is None:
            return self.lengths
        left_out = np.add.reduceat(self.excluded, self.starts, dtype=np.intp)
        return self.lengths - left_out

    def grade_at(self, rows):
        """Return the grades of relevant rows."""
        if self.graded is not None:
            rows = np.searchsorted(self.graded, rows)
        return self.grades[rows].astype(np.float64)

    def lowest_grade(self):
        """Return the lowest grade of the input."""
        return self.grades.min(initial=0)

    def n_documents(self):
        """Return the number of documents of each query, in the order of `ids`."""
        counts = np.empty_like(self.n_ranked)
        counts[self.query] = self.n_ranked
        return counts


@dataclass
class Candidates:
    """One row of candidates per query, of which exactly one is right."""

    y_score: np.ndarray
    target: np.ndarray
    exclude: object
    ids: np.ndarray
    is_matrix: bool = True

    def lowest_grade(self):
        """Return 0, the grade of the candidates that are not right."""
        return 0

    def n_documents(self):
        """Return the number of candidates of each query that are not excluded."""
        counts = np.full(len(self.ids), self.y_score.shape[1])
        if self.exclude is None:
            return counts
        row = np.repeat(self.ids, np.diff(self.exclude.indptr))
        out = self.exclude.data & (self.exclude.indices != self.target[row])
        return counts - np.bincount(row[out], minlength=len(counts))


def read_lists(y_true, y_score, *, qid=None, threshold=0.0, exclude=None):
    """Validate the input, whatever its shape, and return it grouped by query."""
    if sparse.issparse(y_score):
        raise TypeError(
            "The 'y_score' parameter must be a dense array. Got a sparse matrix of "
            f"type {type(y_score).__name__} instead: documents that it leaves out "
            "have no score."
        )
    qid = find_qid(qid, y=y_true)
    y_score = check_scores(y_score)
    if sparse.issparse(y_true):
        y_true = _check_sparse_grades(y_true, threshold)
    else:
        y_true = check_grades(y_true)
    if y_score.size == 0 or 0 in y_true.shape:
        raise ValueError(
            "Found array with 0 sample(s) while a minimum of 1 is required: "
            f"y_true has shape {y_true.shape} and y_score has shape {y_score.shape}."
        )
    if y_score.ndim == 1 and y_true.ndim == 1:
        return _read_flat(y_true, y_score, qid, threshold, exclude)
    if y_score.ndim != 2:
        raise ValueError(_SHAPES.format(y_true.shape, y_score.shape))
    if qid is not None:
        raise ValueError(
            "The 'qid' parameter goes with y_true and y_score of shape (n_samples,): "
            f"each row of a matrix is a query. Got y_score of shape {y_score.shape}."
        )
    if y_true.ndim == 1:
        return _read_candidates(y_true, y_score, exclude)
    if y_true.shape != y_score.shape:
        raise ValueError(_SHAPES.format(y_true.shape, y_score.shape))
    return _read_matrix(y_true, y_score, threshold, exclude)


_SHAPES = (
    "y_true and y_score must both have shape (n_samples,), or both shape (n_queries, "
    "n_documents), or y_true shape (n_queries,) and y_score shape (n_queries, "
    "n_candidates). Got y_true of shape {} and y_score of shape {}."
)


def query_weights(lists, sample_weight):
    """Return one weight per query, in the order of the output, or None."""
    if sample_weight is None:
        return None
    if lists.is_matrix:
        return check_weights(sample_weight, len(lists.ids), "query")
    weights = check_weights(sample_weight, len(lists.relevant), "row")
    if lists.row_order is not None:
        weights = weights[lists.row_order]
    per_query = weights[lists.starts]
    if not np.array_equal(weights, np.repeat(per_query, lists.lengths)):
        raise ValueError(
            "The 'sample_weight' parameter must be constant within a query: it is "
            "the weight of the query. Got a query whose rows have different weights."
        )
    result = np.empty_like(per_query)
    result[lists.query] = per_query
    return result


def _read_flat(y_true, y_score, qid, threshold, exclude):
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
    n_rows = len(y_true)
    if qid is None:
        ids, query = np.zeros(1, dtype=np.intp), np.zeros(1, dtype=np.intp)
        starts, lengths, row_order = query, np.array([n_rows]), None
    else:
        ids, query, starts, lengths, row_order = group_rows(qid, n_rows)
    if row_order is not None:
        y_true, y_score = y_true[row_order], y_score[row_order]
    relevant = _is_relevant(y_true, threshold, starts, lengths)
    return Lists(
        y_score,
        relevant,
        y_true,
        starts,
        lengths,
        query,
        ids,
        row_order=row_order,
    )


def group_rows(qid, n_rows):
    """Return (ids, query, starts, lengths, row_order) of rows grouped by query.

    Rows that already stand together are left where they are: `row_order` is None.
    """
    ids, codes = encode_qid(qid, n_rows)
    ends = np.flatnonzero(codes[1:] != codes[:-1]) + 1
    if len(ends) + 1 == len(ids):
        starts = np.concatenate([[0], ends])
        lengths = np.diff(starts, append=n_rows)
        return ids, codes[starts], starts, lengths, None
    # Compressing rows by code is a counting sort, and keeps their input order.
    rows = np.arange(n_rows)
    cells = (np.ones(n_rows, dtype=bool), (codes, rows))
    grouped = sparse.csr_matrix(cells, shape=(len(ids), n_rows))
    starts = grouped.indptr[:-1].astype(np.intp)
    lengths = np.diff(grouped.indptr).astype(np.intp)
    return ids, np.arange(len(ids)), starts, lengths, grouped.indices


def _is_relevant(y_true, threshold, starts, lengths):
    if threshold != "max":
        return y_true > threshold
    highest = np.repeat(np.maximum.reduceat(y_true, starts), lengths)
    return (y_true == highest) & (y_true > 0)


def _read_matrix(y_true, y_score, threshold, exclude):
    n_queries, n_documents = y_score.shape
    starts = np.arange(n_queries) * n_documents
    lengths = np.full(n_queries, n_documents)
    if sparse.issparse(y_true):
        relevant, graded, grades = _read_sparse_grades(y_true, threshold)
    else:
        graded, grades = None, y_true.ravel()
        relevant = _is_relevant(grades, threshold, starts, lengths)
    if exclude is not None:
        exclude = _dense_mask(exclude, y_score.shape).ravel()
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
    y_true = sparse.csr_matrix(y_true)
    y_true.sum_duplicates()
    check_grades(y_true.data)
    return y_true


def _read_sparse_grades(y_true, threshold):
    grades = y_true.data
    floor = threshold
    if threshold == "max":
        highest = y_true.max(axis=1).toarray().ravel()
        floor = np.repeat(highest, np.diff(y_true.indptr))
    listed = (grades >= floor) & (grades > 0) if threshold == "max" else grades > floor
    rows = np.repeat(np.arange(y_true.shape[0]), np.diff(y_true.indptr))
    positions = (rows * y_true.shape[1] + y_true.indices)[listed]
    order = np.argsort(positions, kind="stable")
    positions, grades = positions[order], grades[listed][order]
    relevant = np.zeros(y_true.shape[0] * y_true.shape[1], dtype=bool)
    relevant[positions] = True
    return relevant, positions, grades


def _dense_mask(exclude, shape):
    if sparse.issparse(exclude):
        exclude = exclude.toarray()
    exclude = np.asarray(exclude)
    if exclude.shape != shape or exclude.dtype.kind != "b":
        raise ValueError(
            "The 'exclude' parameter must be a boolean array or sparse matrix of "
            f"shape {shape}. Got dtype {exclude.dtype} and shape {exclude.shape}."
        )
    return exclude


def _read_candidates(y_true, y_score, exclude):
    if len(y_true) != len(y_score):
        raise ValueError(_SHAPES.format(y_true.shape, y_score.shape))
    target = y_true.astype(np.intp)
    if y_true.dtype.kind == "b" or not np.array_equal(target, y_true):
        raise ValueError(
            "y_true of shape (n_queries,) beside y_score of shape (n_queries, "
            "n_candidates) must hold the column of the right candidate of each "
            f"query, an int. Got values of dtype {y_true.dtype}."
        )
    outside = (target < 0) | (target >= y_score.shape[1])
    if outside.any():
        raise ValueError(
            "y_true must hold columns of y_score, in the range "
            f"[0, {y_score.shape[1]}). Got {target[outside][0]}."
        )
    if exclude is not None and exclude.shape != y_score.shape:
        raise ValueError(
            "The 'exclude' parameter must be a boolean array or sparse matrix of "
            f"shape {y_score.shape}. Got shape {exclude.shape}."
        )
    if exclude is not None:
        exclude = sparse.csr_matrix(exclude, dtype=bool)
        exclude.sum_duplicates()
    return Candidates(y_score, target, exclude, np.arange(len(target)))
