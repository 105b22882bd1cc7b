"""The three input shapes, read as ragged lists of documents."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from skrank._validation import check_weights


class Missing(NamedTuple):
    """Judged documents that the system did not return.

    The query and the grade of each relevant one, and how many others each query has.
    """

    query: np.ndarray
    grade: np.ndarray
    n_others: np.ndarray


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
        Grades as they came: of every input row, or of the rows `graded` alone.

    starts, lengths : ndarray of shape (n_queries,)
        Where the lists stand.

    query : ndarray of shape (n_queries,)
        The place of each list in the output, which is sorted by id.

    ids : ndarray of shape (n_queries,)
        The query ids in the order of the output.

    excluded : ndarray of bool of shape (n_rows,) or None
        Documents that take no part.

    graded : ndarray or None
        The ascending rows that a sparse `y_true` lists.

    judged : ndarray of bool of shape (n_rows,) or None
        Documents with a grade; None if all are.

    missing : Missing or None
        Judged documents that were not returned: they have no rank.

    rows : ndarray of shape (n_rows,) or None
        The input row of each row here; None if they are the same.

    row_query : ndarray of shape (n_samples,) or None
        The place in `ids` of each input row; None if rows stand as they came.

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
    judged: np.ndarray | None = None
    missing: Missing | None = None
    rows: np.ndarray | None = None
    row_query: np.ndarray | None = None
    is_matrix: bool = False

    @cached_property
    def code(self):
        """Return a byte for each row: 0 if it is not relevant, else its grade's.

        The code is a position in `levels`. None if there are too many grades for a
        byte, or scores are infinite.
        """
        extremes = self.y_score.min(initial=0), self.y_score.max(initial=0)
        if self.levels is None or not np.isfinite(extremes).all():
            return None
        if self._grades_are_small:
            code = self.grades.astype(np.uint8) + np.uint8(1)
            return (code if self.rows is None else code[self.rows]) * self.relevant
        rows = np.flatnonzero(self.relevant)
        code = np.zeros(len(self.relevant), dtype=np.uint8)
        code[rows] = np.searchsorted(self.levels, self.grade_at(rows))
        return code

    @cached_property
    def levels(self):
        """Return the grade of each code, or None if there are more than 255."""
        if self._grades_are_small:
            return np.arange(-1.0, 255.0)
        levels = np.unique(self.grade_at(np.flatnonzero(self.relevant)))
        if len(levels) > 255:
            return None
        return np.concatenate([[-np.inf], levels])

    @cached_property
    def _grades_are_small(self):
        """Tell whether the grades are small integers, and so codes less one."""
        return (
            self.graded is None
            and self.grades.dtype.kind in "biu"
            and self.grades.min(initial=0) >= 0
            and self.grades.max(initial=0) < 255
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
        elif self.rows is not None:
            rows = self.rows[rows]
        return self.grades[rows].astype(np.float64)

    def lowest_grade(self):
        """Return the lowest grade of the input."""
        return self.grades.min(initial=0)

    def n_documents(self):
        """Return the number of documents of each query, in the order of `ids`."""
        counts = np.zeros(len(self.ids), dtype=np.intp)
        counts[self.query] = self.n_ranked
        return counts

    def select(self, keep):
        """Return the lists of the rows in `keep` alone."""
        lengths = np.add.reduceat(keep, self.starts, dtype=np.intp)
        listed = lengths > 0
        return replace(
            self,
            y_score=self.y_score[keep],
            relevant=self.relevant[keep],
            rows=np.flatnonzero(keep) if self.rows is None else self.rows[keep],
            starts=(np.cumsum(lengths) - lengths)[listed],
            lengths=lengths[listed],
            query=self.query[listed],
            judged=None if self.judged is None else self.judged[keep],
        )


@dataclass
class Candidates:
    """One row of candidates per query, of which exactly one is right."""

    y_score: np.ndarray
    target: np.ndarray
    exclude: object
    ids: np.ndarray
    is_matrix = True
    judged = None
    missing = None

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


def query_weights(lists, sample_weight):
    """Return one weight per query, in the order of the output, or None."""
    if sample_weight is None:
        return None
    if lists.is_matrix:
        return check_weights(sample_weight, len(lists.ids), "query")
    row_query = lists.row_query
    if row_query is None:
        row_query = np.repeat(lists.query, lists.lengths)
    weights = check_weights(sample_weight, len(row_query), "row")
    per_query = np.zeros(len(lists.ids))
    per_query[row_query] = weights
    if not np.array_equal(weights, per_query[row_query]):
        raise ValueError(
            "The 'sample_weight' parameter must be constant within a query: it is "
            "the weight of the query. Got a query whose rows have different weights."
        )
    return per_query
