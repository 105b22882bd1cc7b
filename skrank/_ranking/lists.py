"""The documents of every query, as lists."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from skrank._checks import all_finite, check_weights
from skrank._ranking.blocks import STRETCH
from skrank._ranking.doc_order import DocOrder
from skrank._ranking.documents import Missing
from skrank._ranking.grades import (
    GradeCodes,
    code_grades,
    count_by_grade,
    count_by_level,
    grades_as_floats,
)
from skrank._ranking.neighbours import lengths_of
from skrank._ranking.order import AsGiven, Order, stretches

# Grades of up to so many levels are counted level by level.
FEW_LEVELS = 16

# Lists are counted by flags if they have so many documents each: a list costs as much.
SHORT = 32


@dataclass(frozen=True, eq=False)
class Lists:
    """Documents by query. A document is a row; `order` gives it a place in a list.

    Attributes
    ----------
    y_score : ndarray of shape (n_rows,)
        The score of every row.

    relevant : ndarray of bool of shape (n_rows,)
        Which rows are relevant.

    grades : ndarray
        Grades as they came: of every row, or of the rows `graded` alone.

    order : Order
        The lists that the rows form.

    ids : ndarray of shape (n_queries,)
        The query ids in the order of the output.

    is_finite : bool
        Whether no score is infinite.

    excluded : ndarray of bool of shape (n_rows,) or None
        Rows that take no part.

    graded : ndarray or None
        The ascending rows that a sparse `y_true` lists.

    judged : ndarray of bool of shape (n_rows,) or None
        Rows with a grade; None if all have one.

    missing : Missing or None
        Judged documents that were not returned: they have no rank.

    row_query : ndarray of shape (n_samples,) or None
        The position in `ids` of each row of the input, to which weights belong; None
        if these rows are those of the input as they stand.

    doc_order : DocOrder or None
        The order of tied documents by their ids; None is that of the input.

    is_matrix : bool
        Whether each list was a row of a matrix, so that weights come per query.
    """

    y_score: np.ndarray
    relevant: np.ndarray
    grades: np.ndarray
    order: Order
    ids: np.ndarray
    is_finite: bool = False
    excluded: np.ndarray | None = None
    graded: np.ndarray | None = None
    judged: np.ndarray | None = None
    missing: Missing | None = None
    row_query: np.ndarray | None = None
    doc_order: DocOrder | None = None
    is_matrix: bool = False

    @cached_property
    def scores(self):
        """Return the score at each place."""
        given = self.order.is_as_given
        return self.y_score if given else self.order.take(self.y_score)

    @cached_property
    def fill_the_last_byte(self):
        """Whether scores may differ in the last byte of a float64 alone."""
        scores = self.y_score
        if scores.dtype.itemsize < 8:
            return False
        return bool(np.bitwise_or.reduce(scores.view(np.uint64)) & np.uint64(0xFF))

    @cached_property
    def is_relevant(self):
        """Return which places hold a relevant document."""
        given = self.order.is_as_given
        return self.relevant if given else self.order.take(self.relevant)

    @cached_property
    def is_excluded(self):
        """Return which places hold an excluded document; None if there is none."""
        return None if self.excluded is None else self.order.take(self.excluded)

    @cached_property
    def relevant_places(self):
        """Return the places of the relevant documents."""
        if self.order.is_as_given:
            return self._relevant_rows
        return np.flatnonzero(self.is_relevant)

    @cached_property
    def _query_of_relevant(self):
        """Return the query of the document at each of the `relevant_places`."""
        place = np.searchsorted(self.order.starts, self.relevant_places, side="right")
        return self.order.query[place - 1]

    def grade_at(self, places):
        """Return the grades of relevant documents."""
        return self._grade_of(self.order.rows_at(places))

    @cached_property
    def _relevant_rows(self):
        if self.graded is not None:
            return self.graded[self.relevant[self.graded]]
        return np.flatnonzero(self.relevant)

    def _grade_of(self, rows):
        if self.graded is not None:
            rows = np.searchsorted(self.graded, rows)
        return grades_as_floats(self.grades[rows])

    @cached_property
    def row_codes(self):
        """Return the :class:`GradeCodes` of the rows; None if a byte is too small."""
        if self._have_bytes:  # which are the codes themselves, if no relevant one is 0
            codes = self.grades * self.relevant.view(np.uint8)
            if np.count_nonzero(codes) == np.count_nonzero(self.relevant):
                return GradeCodes(codes, np.arange(256.0))
        rows = self._relevant_rows
        return code_grades(self._grade_of(rows), rows, len(self.y_score))

    @cached_property
    def coded(self):
        """Return the :class:`GradeCodes` of the places, or None likewise."""
        if self.row_codes is None or self.order.is_as_given:
            return self.row_codes
        return GradeCodes(self.order.take(self.row_codes.codes), self.row_codes.grades)

    @property
    def _have_bytes(self):
        """Whether there are grades of all rows, as :func:`as_bytes` makes them."""
        return self.graded is None and self.grades.dtype == np.uint8

    @cached_property
    def n_ranked(self):
        """Return how many documents of each list are not excluded."""
        if self.excluded is None:
            return self.order.lengths
        return self.order.lengths - self.count(self.is_excluded)

    def n_documents(self):
        """Return the number of documents of each query, in the order of `ids`."""
        lengths = self.order.lengths if self.excluded is None else self.n_ranked
        return self._by_query(lengths)

    def n_relevant(self):
        """Return the number of relevant documents of each query, likewise."""
        if self._one_by_one:
            return np.bincount(self._query_of_relevant, minlength=len(self.ids))
        return self._by_query(self.count(self.is_relevant))

    @cached_property
    def _one_by_one(self):
        """Whether to count the relevant documents one by one, not by flags."""
        return self.graded is not None or len(self.relevant) < SHORT * len(
            self.order.starts
        )

    def count(self, flags):
        """Return how many places of each list have a flag."""
        flags = flags.view(np.uint8)
        return np.add.reduceat(flags, self.order.starts, dtype=self.count_type)

    @cached_property
    def count_type(self):
        """Return the smallest type that holds the length of a list.

        It is mostly that of the flags, so that nothing is converted to be counted.
        """
        return np.min_scalar_type(self.order.lengths.max(initial=0))

    def _by_query(self, counts):
        """Return counts of the lists in the order of `ids`; 0 where there is none."""
        by_query = np.zeros((len(self.ids), *counts.shape[1:]), dtype=np.intp)
        by_query[self.order.query] = counts
        return by_query

    def count_grades(self):
        """Return (query, grade, count) of the relevant documents, by falling grade."""
        # A sparse y_true lists few documents: they are counted without codes of all.
        if self.graded is not None or self.coded is None:
            grade = self.grade_at(self.relevant_places)
            return count_by_grade(self._query_of_relevant, grade)
        codes, grades = self.coded
        top = int(codes.max(initial=0))
        if 0 < top <= FEW_LEVELS and not self._one_by_one:
            counts = np.empty((len(self.order.starts), top), dtype=self.count_type)
            for first, last, places in stretches(self.order, 4 * STRETCH):
                starts, part = (
                    self.order.starts[first:last] - places.start,
                    codes[places],
                )
                for column in range(top):
                    flags = (part == top - column).view(np.uint8)
                    counts[first:last, column] = np.add.reduceat(
                        flags, starts, dtype=self.count_type
                    )
            counts = self._by_query(counts).ravel()
            (cell,) = counts.nonzero()
            query, column = np.divmod(cell, top)
            return query, grades[top - column], counts[cell]
        level = codes[self.relevant_places].astype(np.intp)
        return count_by_level(self._query_of_relevant, level, grades[: top + 1])

    def grade_range(self):
        """Return the lowest grade of the input and the highest relevant one."""
        lowest = 0 if self._have_bytes else self.grades.min(initial=0)
        if self.coded is None:
            return lowest, self.grade_at(self.relevant_places).max(initial=0.0)
        codes, grades = self.coded
        return lowest, max(grades[codes.max(initial=0)], 0.0)

    def judged_only(self):
        """Return the lists of the judged documents alone."""
        return self.select(np.flatnonzero(self.order.take(self.judged)))

    def returned_only(self):
        """Return the lists as if there were no documents but the returned ones."""
        return self.changed(missing=None)

    def by_judgement(self):
        """Return the lists with the judged documents as the relevant ones."""
        return self.changed(relevant=self.judged, missing=None)

    def changed(self, **changes):
        """Return other lists, with some of the attributes changed."""
        kept = {field.name: getattr(self, field.name) for field in fields(Lists)}
        return Lists(**(kept | changes))

    def select(self, places):
        """Return lists of the documents at the ascending `places`, as their only rows.

        Lists without a document are left out.
        """
        lengths = lengths_of(np.searchsorted(places, self.order.starts), len(places))
        listed = lengths > 0
        starts = (np.cumsum(lengths) - lengths)[listed]
        rows = self.order.rows_at(places)
        relevant = self.relevant[rows]
        if self.graded is None:
            grades, graded = self.grades[rows], None
        else:
            graded = np.flatnonzero(relevant)
            grades = self._grade_of(rows[graded])
        y_score = self.y_score[rows]
        return self.changed(
            y_score=y_score,
            is_finite=self.is_finite or all_finite(y_score),
            relevant=relevant,
            grades=grades,
            graded=graded,
            excluded=None if self.excluded is None else self.excluded[rows],
            judged=None if self.judged is None else self.judged[rows],
            doc_order=None if self.doc_order is None else self.doc_order.at(rows),
            order=AsGiven(starts, lengths[listed], self.order.query[listed]),
        )

    def query_weights(self, sample_weight):
        """Return one weight per query, in the order of `ids`."""
        if self.is_matrix:
            return check_weights(sample_weight, len(self.ids), "query")
        row_query = self.row_query
        if row_query is None:
            row_query = self.order.row_query
        weights = check_weights(sample_weight, len(row_query), "row")
        per_query = np.zeros(len(self.ids))
        per_query[row_query] = weights
        if not np.array_equal(weights, per_query[row_query]):
            raise ValueError(
                "The 'sample_weight' parameter must be constant within a query: it is "
                "the weight of the query. Got a query whose rows have different "
                "weights."
            )
        return per_query
