"""The documents of each query, as lists."""

# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass, fields
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from scipy import sparse

from skrank._checks import all_finite, check_weights
from skrank._ranking.arrays import (
    STRETCH,
    GradeCodes,
    code_grades,
    count_by_grade,
    count_by_level,
    grades_as_floats,
    lengths_of,
)
from skrank._ranking.ids import DocOrder


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


class Missing(NamedTuple):
    """Judged documents that the system did not return.

    The query and the grade of each relevant one, and the number of judged
    non-relevant ones of each query.
    """

    query: np.ndarray
    grade: np.ndarray
    n_others: np.ndarray


class Documents(Protocol):
    """What :class:`~skrank.metrics.RankedQueries` asks of the documents it ranks.

    Attributes
    ----------
    ids : ndarray of shape (n_queries,)
        The query ids. Arrays with one entry per query are in this order.

    judged : ndarray of bool or None
        Which documents have a grade; None if all have one.

    missing : Missing or None
        Judged documents that were not returned; None if there may be none.
    """

    ids: np.ndarray
    judged: np.ndarray | None
    missing: Missing | None

    def n_documents(self):
        """Return the number of documents of each query."""

    def n_relevant(self):
        """Return the number of relevant documents of each query."""

    def count_grades(self):
        """Count the relevant documents of each query by grade.

        Returns
        -------
        query, grade, count : ndarray
            In the order of `ids`, the highest grade of a query first.
        """

    def grade_range(self):
        """Return the lowest grade of the input and the highest relevant one.

        0 instead of the lowest if none is negative, and of the highest if there is no
        relevant document.
        """

    def judged_only(self):
        """Return the judged documents alone."""

    def returned_only(self):
        """Return the same documents, with none missing."""

    def by_judgement(self):
        """Return the same documents, the judged ones being the relevant ones."""

    def query_weights(self, sample_weight):
        """Return one weight per query."""


@dataclass(frozen=True, eq=False)
class OneTarget:
    """Queries that have one relevant document each, the target, of grade 1.

    All documents are judged, and none is missing.

    Attributes
    ----------
    ids : ndarray of shape (n_queries,)
        The positions of the queries.
    n_candidates : ndarray of shape (n_queries,)
        The number of documents of each query, the target included.
    """

    ids: np.ndarray
    n_candidates: np.ndarray
    judged = None
    missing = None

    def n_documents(self):
        """Return the number of documents of each query."""
        return self.n_candidates

    def n_relevant(self):
        """Return 1 for each query."""
        return np.ones(len(self.ids), dtype=np.intp)

    def count_grades(self):
        """Return (query, grade, count): one document of grade 1 for each query."""
        return self.ids, np.ones(len(self.ids)), self.n_relevant()

    def grade_range(self):
        """Return (0, 1), the grade of the targets and that of all others."""
        return 0, 1.0

    def judged_only(self):
        """Return the same documents."""
        return self

    returned_only = by_judgement = judged_only

    def query_weights(self, sample_weight):
        """Return one weight per query."""
        return check_weights(sample_weight, len(self.ids), "query")


@dataclass(frozen=True, eq=False)
class Candidates(OneTarget):
    """A row of candidates for each query, one of them the target.

    Attributes
    ----------
    y_score : ndarray of shape (n_queries, n_columns)
        The scores, not yet checked: they may be larger than the memory.
    target : ndarray of int of shape (n_queries,)
        The column of each target.
    exclude : csr_matrix of shape (n_queries, n_columns) or None
        The cells to leave out, unless they are targets.
    """

    y_score: np.ndarray
    target: np.ndarray
    exclude: object


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

    def with_scores(self, y_score, is_finite):
        """Return the lists with other scores, and all that is known of the grades."""
        lists = self.changed(y_score=y_score, is_finite=is_finite)
        known = vars(self).keys() & _OF_GRADES
        vars(lists).update({name: vars(self)[name] for name in known})
        return lists

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


# The cached properties that do not depend on the scores.
_OF_GRADES = frozenset(
    name for name, value in vars(Lists).items() if isinstance(value, cached_property)
) - {"scores", "fill_the_last_byte"}
