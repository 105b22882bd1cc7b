"""The documents of every query, as lists."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse

from skrank._checks import check_weights
from skrank._ranking.neighbours import count_keys, encode_levels, lengths_of
from skrank._ranking.packed import are_exact, codes_of


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


# Grades of up to so many levels are counted level by level.
FEW_LEVELS = 16


# Lists are counted by flags if they have so many documents each: a list costs as much.
SHORT = 32


class Missing(NamedTuple):
    """Judged documents that the system did not return.

    The query and the grade of each relevant one, and how many others each query has.
    """

    query: np.ndarray
    grade: np.ndarray
    n_others: np.ndarray


@dataclass
class Lists:
    """Documents by query: list i has the places ``starts[i]`` to ``+ lengths[i]``.

    The row at a place is ``order.rows[place]``, or the place itself without `order`.

    Attributes
    ----------
    y_score : ndarray of shape (n_samples,)
        The score of every row of the input.

    relevant : ndarray of bool of shape (n_samples,)
        Which rows are relevant.

    grades : ndarray
        Grades as they came: of every row, or of the rows `graded` alone.

    starts, lengths : ndarray of shape (n_lists,)
        Where the lists stand, one after the other.

    query : ndarray of shape (n_lists,)
        The place of each list in the output, which is sorted by id.

    ids : ndarray of shape (n_queries,)
        The query ids in the order of the output.

    order : Order or None
        The row at each place, in input order within a list; None if all rows stand
        as they came.

    excluded : ndarray of bool of shape (n_samples,) or None
        Rows that take no part.

    graded : ndarray or None
        The ascending rows that a sparse `y_true` lists.

    judged : ndarray of bool of shape (n_samples,) or None
        Rows with a grade; None if all have one.

    missing : Missing or None
        Judged documents that were not returned: they have no rank.

    row_query : ndarray of shape (n_samples,) or None
        The place in `ids` of each row; None if the lists tell.

    is_matrix : bool
        Whether each list was a row of a matrix, so that weights come per query.

    keys : ndarray of shape (n_places,) or None
        The key at each place, where the places were found by sorting keys by query.
    """

    y_score: np.ndarray
    relevant: np.ndarray
    grades: np.ndarray
    starts: np.ndarray
    lengths: np.ndarray
    query: np.ndarray
    ids: np.ndarray
    order: Order | None = None
    excluded: np.ndarray | None = None
    graded: np.ndarray | None = None
    judged: np.ndarray | None = None
    missing: Missing | None = None
    row_query: np.ndarray | None = None
    is_matrix: bool = False
    keys: np.ndarray | None = None

    def in_lists(self, values):
        """Return values of the rows, or None, in the order of the places."""
        if values is None or self.order is None:
            return values
        return values[self.order.rows]

    @cached_property
    def scores(self):
        """Return the score at each place."""
        return self.in_lists(self.y_score)

    @cached_property
    def is_relevant(self):
        """Return which places hold a relevant document."""
        return self.in_lists(self.relevant) if self.keys is None else self.codes != 0

    @cached_property
    def is_excluded(self):
        """Return which places hold an excluded document; None if there is none."""
        return self.in_lists(self.excluded)

    @cached_property
    def keys_are_exact(self):
        """Tell whether tied keys are always tied scores."""
        return are_exact(self.y_score)

    def carry(self, keys, levels):
        """Take over keys that came with the rows, and so their codes."""
        self.keys, self._coded = keys, (codes_of(keys), levels)

    @property
    def codes(self):
        """Return a byte for each place: 0 if it is not relevant, else its grade's.

        The code is a position in `levels`. None if there are too many grades, or if
        scores are infinite, beside which there is no room for a code.
        """
        return self._coded[0]

    @property
    def levels(self):
        """Return the grade of each code."""
        return self._coded[1]

    @cached_property
    def _coded(self):
        if not np.isfinite(self.scores).all():
            return None, None
        if self._grades_are_bytes:
            codes = self.in_lists(self.grades).astype(np.uint8)
            codes *= self.is_relevant.view(np.uint8)
            if np.count_nonzero(codes) == np.count_nonzero(self.is_relevant):
                return codes, np.arange(256.0)
        grades = self.grade_at(self.places)
        levels = np.unique(grades)
        if len(levels) > 255:
            return None, None
        codes = np.zeros(len(self.scores), dtype=np.uint8)
        codes[self.places] = np.searchsorted(levels, grades) + 1
        return codes, np.concatenate([[-np.inf], levels])

    @cached_property
    def places(self):
        """Return the places of the relevant documents."""
        if self.graded is not None and self.order is None:
            return self.graded[self.relevant[self.graded]]
        return np.flatnonzero(self.is_relevant)

    @cached_property
    def _one_by_one(self):
        """Tell whether to count the relevant documents one by one, not by flags."""
        return self.graded is not None or len(self.relevant) < SHORT * len(self.starts)

    @cached_property
    def _query_of_places(self):
        """Return the query of each relevant document."""
        return self.query[np.searchsorted(self.starts, self.places, side="right") - 1]

    @cached_property
    def _grades_are_bytes(self):
        """Tell whether the grades are integers of at most 255, and so their codes."""
        if self.graded is not None or self.grades.dtype.kind not in "biu":
            return False
        # Read without its sign, a negative integer is a large one, of int8 above 127.
        dtype = self.grades.dtype
        unsigned = self.grades.view(f"{dtype.byteorder}u{dtype.itemsize}")
        return int(unsigned.max(initial=0)) < (128 if dtype == np.int8 else 256)

    @cached_property
    def n_ranked(self):
        """Return how many documents of each list are not excluded."""
        if self.excluded is None:
            return self.lengths
        return self.lengths - self.count(self.is_excluded)

    def grade_at(self, places):
        """Return the grades of relevant documents."""
        if self.keys is not None:
            return self.levels[self.codes[places]]
        rows = places if self.order is None else self.order.rows[places]
        if self.graded is not None:
            rows = np.searchsorted(self.graded, rows)
        return self.grades[rows].astype(np.float64)

    def lowest_grade(self):
        """Return the lowest grade of the input, or 0 if none is negative."""
        return 0 if self._grades_are_bytes else self.grades.min(initial=0)

    def highest_grade(self):
        """Return the highest grade of a relevant document, or 0 if there is none."""
        if self.codes is None:
            return self.grade_at(self.places).max(initial=0.0)
        return max(self.levels[self.codes.max(initial=0)], 0.0)

    def n_documents(self):
        """Return the number of documents of each query, in the order of `ids`."""
        return self._by_query(self.n_ranked)

    def n_relevant(self):
        """Return the number of relevant documents of each query, likewise."""
        if self._one_by_one:
            return np.bincount(self._query_of_places, minlength=len(self.ids))
        return self._by_query(self.count(self.is_relevant))

    def count(self, flags):
        """Return how many places of each list have a flag."""
        return np.add.reduceat(
            flags.view(np.uint8), self.starts, dtype=self._count_type
        )

    @cached_property
    def _count_type(self):
        """Return the smallest type that holds the length of a list.

        That of flags themselves, mostly, so that nothing is converted to be counted.
        """
        return np.min_scalar_type(self.lengths.max(initial=0))

    def _by_query(self, counts):
        """Return counts of the lists in the order of `ids`; 0 where there is none."""
        by_query = np.zeros((len(self.ids), *counts.shape[1:]), dtype=np.intp)
        by_query[self.query] = counts
        return by_query

    def count_grades(self):
        """Count the relevant documents of each query by grade.

        Returns
        -------
        query, grade, count : ndarray
            In the order of `ids`, the highest grade of a query first.
        """
        top = 0
        if not self._one_by_one and self.codes is not None:
            top = int(self.codes.max(initial=0))
        if 0 < top <= FEW_LEVELS:
            levels = range(top, 0, -1)
            counts = [self.count(self.codes == level) for level in levels]
            counts = self._by_query(np.stack(counts, axis=1))
            query, column = np.nonzero(counts)
            return query, self.levels[top - column], counts[query, column]
        return count_by_grade(self._query_of_places, self.grade_at(self.places))

    def relabelled(self, relevant, **others):
        """Return the lists with other documents relevant."""
        return replace(self, relevant=relevant, keys=None, **others)

    def select(self, keep):
        """Return the lists of the rows in the mask `keep` alone."""
        keep = self.in_lists(keep)
        return self.select_places(np.flatnonzero(keep))

    def select_places(self, places):
        """Return the lists of the ascending `places` alone."""
        lengths = lengths_of(np.searchsorted(places, self.starts), len(places))
        listed = lengths > 0
        rows = places if self.order is None else self.order.rows[places]
        return replace(
            self,
            order=Order(lambda: rows),
            starts=(np.cumsum(lengths) - lengths)[listed],
            lengths=lengths[listed],
            query=self.query[listed],
            keys=None,
        )


def count_by_grade(query, grade):
    """Count documents by query and grade, as :meth:`Lists.count_grades` does."""
    levels, level = encode_levels(grade)
    top = len(levels) - 1
    n_keys = len(levels) * (int(query.max(initial=0)) + 1)
    keys, count = count_keys(query * len(levels) + top - level, n_keys)
    query, level = np.divmod(keys, len(levels))
    return query, levels[top - level], count


class OneTarget:
    """Queries of which each has exactly one right candidate.

    Attributes
    ----------
    ids : ndarray of shape (n_queries,)
        The positions of the queries.
    """

    is_matrix = True
    judged = None
    missing = None

    def lowest_grade(self):
        """Return 0, the grade of the candidates that are not right."""
        return 0

    def highest_grade(self):
        """Return 1, the grade of those that are right."""
        return 1.0

    def n_relevant(self):
        """Return 1 for each query."""
        return np.ones(len(self.ids), dtype=np.intp)

    def count_grades(self):
        """Return (query, grade, count): each query has one document, of grade 1."""
        return self.ids, np.ones(len(self.ids)), self.n_relevant()


@dataclass
class Candidates(OneTarget):
    """One row of candidates per query, of which exactly one is right."""

    y_score: np.ndarray
    target: np.ndarray
    exclude: object
    ids: np.ndarray

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
