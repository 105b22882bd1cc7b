"""The documents of each query, as lists, and how they are read."""

# SPDX-License-Identifier: BSD-3-Clause

import math
from dataclasses import dataclass, fields
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.exceptions import DataConversionWarning

from skrank._input.callers import warn_caller
from skrank._input.checks import (
    SWAPPED,
    all_finite,
    check_one_query,
    check_weights,
    look_swapped,
    not_finite,
    numeric_array,
    scores_as_floats,
    shape_of,
    wrong_lengths,
)
from skrank._input.query_ids import find_qid
from skrank._ranking.arrays import (
    STRETCH,
    AsGiven,
    ByCode,
    GradeCodes,
    code_grades,
    count_by_level,
    encode_levels,
    grades_as_floats,
    lengths_of,
    starts_of,
    stretches,
)
from skrank._ranking.ids import DocOrder, Heads, encode_heads


class AllRows(NamedTuple):
    """All documents of the queries, returned or not, one entry for each."""

    query: np.ndarray
    row: np.ndarray  # that of the input
    relevant: np.ndarray
    grade: np.ndarray  # 0 where a document is not relevant


# Grades of at most this many levels are counted level by level.
FEW_LEVELS = 16

# Lists of at least this many documents are counted by flags: a list costs as much.
SHORT = 32


@dataclass(frozen=True, eq=False)
class Lists:
    """Documents by query. A document is a row; `order` gives it a place in a list.

    An array has an entry for each row, unless its comment says otherwise.
    """

    y_score: np.ndarray
    relevant: np.ndarray
    grades: np.ndarray  # as they came: of every row, or of the rows `graded` alone
    order: AsGiven | ByCode
    ids: np.ndarray  # the query ids in the order of the output
    is_finite: bool = False  # whether no score is infinite
    excluded: np.ndarray | None = None  # rows that take no part
    graded: np.ndarray | None = None  # the ascending rows that a sparse `y_true` lists
    judged: np.ndarray | None = None  # rows with a grade; None if all have one
    # These documents and those that were not returned, which have no rank.
    whole: "Lists | None" = None
    # The place in `ids` of each row of the input, to which weights belong; None if the
    # rows are those of the input as they stand.
    row_query: np.ndarray | None = None
    doc_order: DocOrder | None = None  # of tied documents, by their ids
    is_matrix: bool = False  # whether a list was a row, so that weights come per query
    row: np.ndarray | None = None  # that of the input; None if these are all of them

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
        if self.order.is_as_given:
            return self.relevant
        return self.order.take(self.relevant)

    @cached_property
    def is_excluded(self):
        """Return which places hold an excluded document; None if there is none."""
        return None if self.excluded is None else self.order.take(self.excluded)

    @cached_property
    def relevant_rows(self):
        """Return the rows of the relevant documents."""
        if self.graded is not None:
            return self.graded[self.relevant[self.graded]]
        return np.flatnonzero(self.relevant)

    @cached_property
    def _query_of_relevant(self):
        """Return the query of each of the `relevant_rows`."""
        order, rows = self.order, self.relevant_rows
        if self.graded is not None:  # few of the cells of a matrix
            return order.query[np.searchsorted(order.starts, rows, side="right") - 1]
        if order.is_as_given:
            return np.repeat(order.query, order.lengths)[rows]
        return order.row_query[rows]

    def grade_at(self, places):
        """Return the grades of relevant documents."""
        return self.grade_of(self.order.rows_at(places))

    def grade_of(self, rows):
        """Return the grades of relevant rows."""
        if self.graded is not None:
            rows = np.searchsorted(self.graded, rows)
        return grades_as_floats(self.grades[rows])

    @cached_property
    def row_codes(self):
        """Return the :class:`GradeCodes` of the rows; None if a byte is too small."""
        if self.graded is None and self.grades.dtype == np.uint8:
            # Bytes are the codes themselves, if no relevant one is 0.
            codes = self.grades * self.relevant.view(np.uint8)
            if np.count_nonzero(codes) == np.count_nonzero(self.relevant):
                return GradeCodes(codes, np.arange(256.0))
        rows = self.relevant_rows
        return code_grades(self.grade_of(rows), rows, len(self.y_score))

    @cached_property
    def coded(self):
        """Return the :class:`GradeCodes` of the places, or None likewise."""
        if self.row_codes is None or self.order.is_as_given:
            return self.row_codes
        return GradeCodes(self.order.take(self.row_codes.codes), self.row_codes.grades)

    @property
    def is_packable(self):
        """Whether a key can hold a score, unless infinite, and its grade as a byte."""
        return self.is_finite and self.row_codes is not None

    @cached_property
    def n_ranked(self):
        """Return how many documents of each list are not excluded."""
        if self.excluded is None:
            return self.order.lengths
        return self.order.lengths - self.count(self.is_excluded)

    def n_documents(self):
        """Return the number of documents of each query, in the order of `ids`."""
        return self._by_query(self.n_ranked)

    def n_relevant(self):
        """Return the number of relevant documents of each query, likewise."""
        is_short = len(self.relevant) < SHORT * len(self.order.starts)
        # Count them one by one, or by flags, where these stand list by list.
        if self.graded is not None or is_short or not self.order.is_as_given:
            return np.bincount(self._query_of_relevant, minlength=len(self.ids))
        return self._by_query(self.count(self.relevant))

    def count(self, flags, starts=None):
        """Return how many places of each list have a flag, or of those at `starts`."""
        starts = self.order.starts if starts is None else starts
        if len(starts) == 1:  # many times as fast, but of one list at a time
            return np.array([np.count_nonzero(flags)])
        return np.add.reduceat(flags.view(np.uint8), starts, dtype=self.count_type)

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
            levels, level = encode_levels(self.grade_of(self.relevant_rows))
            return count_by_level(self._query_of_relevant, level, levels)
        codes, grades = self.coded
        top = int(codes.max(initial=0))
        is_short = len(self.relevant) < SHORT * len(self.order.starts)
        if 0 < top <= FEW_LEVELS and not is_short:
            counts = np.empty((len(self.order.starts), top), dtype=self.count_type)
            for first, last, places in stretches(self.order, 4 * STRETCH):
                starts = self.order.starts[first:last] - places.start
                for column in range(top):
                    flags = codes[places] == top - column
                    counts[first:last, column] = self.count(flags, starts)
            counts = self._by_query(counts).ravel()
            (cell,) = counts.nonzero()
            query, column = np.divmod(cell, top)
            return query, grades[top - column], counts[cell]
        level = self.row_codes.codes[self.relevant_rows].astype(np.intp)
        return count_by_level(self._query_of_relevant, level, grades[: top + 1])

    def grade_range(self):
        """Return the lowest grade of the input and the highest relevant one."""
        lowest = 0 if self.grades.dtype.kind == "u" else self.grades.min(initial=0)
        if self.coded is None:
            return lowest, self.grade_of(self.relevant_rows).max(initial=0.0)
        codes, grades = self.coded
        return lowest, max(grades[codes.max(initial=0)], 0.0)

    def judged_only(self):
        """Return the lists of the judged documents alone."""
        whole = None if self.whole is None else self.whole.judged_only()
        places = np.flatnonzero(self.order.take(self.judged))
        return self.select(places).changed(whole=whole)

    def condensed(self):
        """Return the lists as if there were no documents but the judged ones."""
        row_query = self.row_query
        row_query = self.order.row_query if row_query is None else row_query
        lists = self.judged_only()
        whole = lists.whole
        if whole is not None:
            whole = whole.changed(judged=None)
        return lists.changed(judged=None, row_query=row_query, whole=whole)

    def by_judgement(self):
        """Return the lists that :attr:`RankedQueries.by_judgement` ranks."""
        every = self if self.whole is None else self.whole
        below = 2 * float(every.grades[every.relevant].min(initial=0)) - 1
        judged = self.judged
        return self.changed(
            relevant=np.ones_like(self.relevant) if judged is None else judged,
            grades=np.where(self.relevant, self.grades, below),
            whole=None if self.whole is None else self.whole.by_judgement(),
        )

    def missing(self):
        """Return the lists of the documents of the whole that were not returned."""
        returned = np.zeros(len(self.row_query), dtype=bool)
        returned[self.row] = True
        row = self.whole.row
        returned = self.whole.order.take(returned if row is None else returned[row])
        return self.whole.select(np.flatnonzero(~returned))

    def by_row(self):
        """Return the lists with all documents relevant, and their rows as grades."""
        n_rows = len(self.y_score)
        lists = self
        if not self.order.is_as_given:
            lists = self.select(np.arange(n_rows))
        relevant = np.ones(n_rows, dtype=bool)
        if lists.excluded is not None:
            relevant &= ~lists.excluded
        changes = {"relevant": relevant, "grades": relevant, "graded": None}
        return RowLists(**lists.attributes | changes | {"whole": None})

    @property
    def attributes(self):
        """Return the values of the attributes of all lists, by name."""
        return {field.name: getattr(self, field.name) for field in fields(Lists)}

    def all_rows(self):
        """Return :class:`AllRows`, the rows of all documents, returned or not."""
        if self.whole is not None:
            return self.whole.all_rows()
        query, row = self.order.row_query, self.row
        row = np.arange(len(query)) if row is None else row
        found, grade = np.flatnonzero(self.relevant), np.zeros(len(query))
        grade[found] = self.grade_of(found)
        return AllRows(query, row, self.relevant, grade)

    def changed(self, **changes):
        """Return other lists, with some of the attributes changed."""
        return Lists(**(self.attributes | changes))

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
            grades = self.grade_of(rows[graded])
        y_score = self.y_score[rows]
        return self.changed(
            y_score=y_score,
            is_finite=self.is_finite or all_finite(y_score),
            relevant=relevant,
            grades=grades,
            graded=graded,
            excluded=None if self.excluded is None else self.excluded[rows],
            judged=None if self.judged is None else self.judged[rows],
            row=rows if self.row is None else self.row[rows],
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


def _of_alike(name):
    return property(lambda lists: getattr(lists.alike, name))


@dataclass(frozen=True, eq=False)
class RescoredLists(Lists):
    """Lists with other scores than `alike`, to share what does not depend on them."""

    alike: Lists | None = None

    is_relevant = _of_alike("is_relevant")
    is_excluded = _of_alike("is_excluded")
    relevant_rows = _of_alike("relevant_rows")
    _query_of_relevant = _of_alike("_query_of_relevant")
    row_codes = _of_alike("row_codes")
    coded = _of_alike("coded")
    n_ranked = _of_alike("n_ranked")
    count_type = _of_alike("count_type")


class RowLists(Lists):
    """Lists of documents that are all relevant, with their rows as grades.

    A byte has no room for a row, but for the place in a list that is not long.
    """

    @property
    def is_packable(self):
        """Whether the score and the place of each document fit into a key."""
        return self.is_finite and self.order.lengths.max(initial=0) < 256

    row_codes = None

    def decode(self, codes, which):
        """Return the rows of documents from their places, from 1, in some lists."""
        return self.grade_of(self.order.starts[which] + codes - 1)

    def grade_of(self, rows):
        return rows if self.row is None else self.row[rows]

    def changed(self, **changes):
        """Return other lists likewise."""
        return RowLists(**(self.attributes | changes))


def read_lists(
    y_true,
    y_score,
    *,
    qid=None,
    threshold=0.0,
    exclude=None,
    judged=None,
    returned=None,
    doc_order=None,
    judged_from=None,
    flatten=False,
):
    """Check the input, whatever its shape, and return it as Lists or Candidates.

    The parameters are those of :func:`skrank._ranking.rank_queries`; `doc_order` is a
    DocOrder or None. With `flatten` or ``threshold=None`` all documents are made
    relevant, those that are not with a grade below all others.
    """
    flatten = flatten or threshold is None
    y_score, returned = _read_scores(y_score, returned)
    columns = y_score.shape[1:]
    # Two columns with flat grades may be those of predict_proba.
    is_flat = columns in ((), (1,)) or (columns == (2,) and np.ndim(y_true) == 1)
    if qid is None and is_flat:
        qid = find_qid(y=y_true)
    if columns == (1,) and qid is not None:
        y_score = flatten_column(y_score, "y_score")
    if sparse.issparse(y_true):
        y_true = _own_csr(y_true)
        y_true = y_true.toarray() if flatten else _check_sparse(y_true, threshold)
    if not sparse.issparse(y_true):
        given = y_true, y_score, judged, exclude, columns == (1,)
        y_true, y_score, judged, exclude = _read_grades(*given)
    if judged_from is not None:
        y_true, judged = _judge(y_true, judged, judged_from)
    if y_score.size == 0 or 0 in y_true.shape:
        raise ValueError(
            "Found array with 0 sample(s) while a minimum of 1 is required: "
            f"y_true has shape {y_true.shape} and y_score has shape {y_score.shape}."
        )
    if y_score.ndim == y_true.ndim == 1:
        if judged is not None:
            judged = _check_mask(judged, y_true.shape, "judged")
        if returned is not None:
            returned = _check_mask(returned, y_score.shape, "returned")
        kept = None
        if exclude is not None:
            y_score, kept = _without_unread(y_score, exclude, "exclude")
        if returned is not None and judged is not None:
            # Documents that are neither are those of other systems.
            seen = returned | judged if kept is None else kept & (returned | judged)
            kept = None if seen.all() else seen
        lists = _read_flat(y_true, y_score, qid, threshold, flatten, judged, doc_order)
        return lists if kept is returned is None else _of_kept(lists, kept, returned)
    by_row = {"qid": qid, "judged": judged, "returned": returned, "doc_id": doc_order}
    _check_matrix(y_true, y_score, by_row)
    if exclude is not None:
        exclude = _check_mask(exclude, y_score.shape, "exclude")
    if y_true.ndim == 1:
        exclude = None if exclude is None else _own_csr(exclude)
        return read_candidates(y_true, y_score, exclude)
    if sparse.issparse(y_true):
        return _read_sparse(y_true, y_score, threshold, exclude)
    return _read_matrix(y_true, y_score, threshold, flatten, exclude)


def _read_scores(y_score, returned):
    """Return scores, 0 where they are not read, and the mask of those that are."""
    if sparse.issparse(y_score):
        raise TypeError(
            "The 'y_score' parameter must be a dense array. Got a sparse matrix of "
            f"type {type(y_score).__name__} instead: documents that it leaves out "
            "have no score."
        )
    y_score = numeric_array(y_score, "y_score")
    if returned is None:
        return y_score, None
    return _without_unread(y_score, returned, "returned")


def _read_grades(y_true, y_score, judged, exclude, is_column):
    """Return dense grades and the scores, in one shape, and both masks, checked."""
    y_true = numeric_array(y_true, "y_true")
    if judged is not None:
        grades = y_true
        y_true, judged = _without_unread(grades, judged, "judged")
        n_unread = np.count_nonzero(grades > y_true)
        if n_unread and y_true.ndim == 1:
            text = f"{n_unread} rows that are not `judged` have a grade above 0, "
            warn_caller(f"{text}which is not read.", UserWarning)
    if y_score.ndim == 1 and y_true.ndim == 2 and y_true.shape[1] == 1:
        y_true = flatten_column(y_true, "y_true")
    elif y_true.ndim == 1 and y_score.shape[1:] == (1,) and y_true.any():
        # Targets among one candidate would be 0.
        y_score = flatten_column(y_score, "y_score")
    elif is_column and are_rows(y_true, y_score, exclude):
        y_true = flatten_column(y_true, "y_true")
        y_score = flatten_column(y_score, "y_score")
    if exclude is not None and y_true.shape == y_score.shape:
        # Else it could be the highest grade of its query.
        exclude = _check_mask(exclude, y_true.shape, "exclude")
        out = exclude.toarray() if sparse.issparse(exclude) else exclude
        if y_true.size:
            _warn_if_inverted(out.mean(), out[y_true > 0])
        y_true = np.where(out, y_true.dtype.type(0), y_true)
    if not all_finite(y_true):
        raise not_finite("y_true")
    if y_true.dtype.kind == "f" and look_swapped(y_true, y_score):
        warn_caller(SWAPPED, UserWarning)
    return y_true, y_score, judged, exclude


def _warn_if_inverted(fraction, relevant_out):
    """Warn if most documents are excluded, and nearly all of ten or more relevant ones.

    A sample of the documents that is ranked on purpose has the relevant ones.
    """
    if 0.5 < fraction < 1 and len(relevant_out) > 9 and relevant_out.mean() > 0.9:
        text = f"`exclude` leaves out {fraction:.0%} of all documents, and "
        text += f"{relevant_out.mean():.0%} of the relevant ones. If it is True where "
        warn_caller(f"{text}one is ranked, pass ~exclude.", UserWarning)


def flatten_column(values, name):
    """Return an array of shape (n_samples, 1) as one of shape (n_samples,)."""
    warn_caller(
        f"A column-vector {name} was passed when a 1d array was expected. Please "
        f"change the shape of {name} to (n_samples, ), for example using ravel().",
        DataConversionWarning,
    )
    return values.ravel()


def _of_kept(lists, kept, returned):
    """Return the lists of rows that are kept and returned; None means all of them."""
    query = lists.order.row_query
    if kept is not None:
        found = lists.select(np.flatnonzero(lists.order.take(kept)))
        lists = found.changed(row_query=query)
        returned = None if returned is None else returned[lists.row]
    if returned is None:
        return lists
    found = lists.select(np.flatnonzero(lists.order.take(returned)))
    return found.changed(row_query=query, whole=lists)


def are_rows(y_true, y_score, exclude=None):
    """Return True if each entry is a document, and False if each row is a query."""
    if np.ndim(exclude) == 2:  # a mask of a matrix, which may have one column
        return False
    shape, of_grades = shape_of(y_score), shape_of(y_true)
    if shape[1:] != (1,):
        return len(shape) == 1
    if len(of_grades) == 1:
        return bool(np.any(y_true))
    return of_grades[1:] == (1,) and len(y_score) > 1 and not sparse.issparse(y_true)


def _read_flat(y_true, y_score, qid, threshold, flatten, judged, doc_order):
    """Return documents that are given as rows."""
    n_rows = len(y_score)
    if len(y_true) != n_rows:
        raise wrong_lengths({"y_true": len(y_true), "y_score": n_rows})
    y_score, is_finite = comparable(y_score)
    if qid is None:
        check_one_query(n_rows)
        one = np.zeros(1, dtype=np.intp)
        qid = Heads(one, one, one, n_rows)
    heads = encode_heads(qid, n_rows)
    if len(heads.codes) == len(heads.ids):
        starts = np.arange(n_rows) if heads.starts is None else heads.starts
        lengths = np.subtract(np.append(starts[1:], n_rows), starts)
        order = AsGiven(starts, lengths, heads.codes.astype(np.intp))
    else:
        order = ByCode(heads.of_rows(), len(heads.ids))
    grades = _as_bytes(y_true)
    relevant = _relevant(grades, threshold, order)
    if judged is not None:
        relevant &= judged
    if flatten:
        grades, relevant = _all_relevant(grades, relevant, threshold)
    rows = y_score, relevant, grades, order, heads.ids, is_finite
    return Lists(*rows, judged=judged, doc_order=doc_order)


def _read_matrix(y_true, y_score, threshold, flatten, exclude):
    """Return documents of which each query has a row."""
    y_score, order, is_finite, exclude = _rows_of_matrix(y_score, exclude)
    grades = _as_bytes(y_true.ravel())
    relevant = _relevant(grades, threshold, order)
    if flatten:
        grades, relevant = _all_relevant(grades, relevant, threshold)
    if exclude is not None:
        relevant &= ~exclude
    rows = y_score, relevant, grades, order, order.query, is_finite
    return Lists(*rows, excluded=exclude, is_matrix=True)


def _read_sparse(y_true, y_score, threshold, exclude):
    """Return documents of which each query has a row, and few have a grade."""
    y_score, order, is_finite, exclude = _rows_of_matrix(y_score, exclude)
    rows = np.repeat(order.query, np.diff(y_true.indptr))
    cells, grades = rows * y_true.shape[1] + y_true.indices, y_true.data
    if exclude is not None:
        kept = ~exclude[cells]
        _warn_if_inverted(exclude.mean(), ~kept)
        rows, cells, grades = rows[kept], cells[kept], grades[kept]
    relevant = np.zeros(len(y_score), dtype=bool)
    listed = starts_of(rows)
    listed = AsGiven(listed, lengths_of(listed, len(rows)), rows[listed])
    relevant[cells[_relevant(grades, threshold, listed)]] = True
    rows = y_score, relevant, grades, order, order.query, is_finite
    return Lists(*rows, excluded=exclude, graded=cells, is_matrix=True)


def _rows_of_matrix(y_score, exclude):
    """Return the scores of a matrix, row after row, their order, and what is excluded.

    A score of an excluded document may be NaN.
    """
    n_queries, n_documents = y_score.shape
    if exclude is not None:
        exclude = exclude.toarray() if sparse.issparse(exclude) else exclude
        if y_score.dtype.kind == "f" and np.isnan(y_score.min()):
            y_score = np.where(exclude, y_score.dtype.type(0), y_score)
        exclude = exclude.ravel()
    y_score, is_finite = comparable(y_score)
    query = np.arange(n_queries)
    order = AsGiven(query * n_documents, np.full(n_queries, n_documents), query)
    return y_score.ravel(), order, is_finite, exclude


def comparable(y_score):
    """Return scores as floats that can be sorted, and whether all are finite."""
    is_finite = all_finite(y_score)
    y_score = scores_as_floats(y_score, is_finite)
    # Rows are gathered, and scores packed, byte by byte.
    native = y_score.dtype.newbyteorder("=")
    return np.ascontiguousarray(y_score, dtype=native), is_finite


def has_negative(y_true, judged=None):
    """Return True if a grade that is read is negative."""
    if sparse.issparse(y_true):
        return y_true.nnz > 0 and y_true.data.min() < 0
    y_true = numeric_array(y_true, "y_true")
    if y_true.dtype.kind in "bu" or not y_true.size or y_true.min() >= 0:
        return False
    if judged is not None and np.shape(judged) == y_true.shape:
        y_true = y_true[np.asarray(judged, dtype=bool)]
    return bool((y_true < 0).any())


def _judge(y_true, judged, judged_from):
    """Return grades, and which are judged, where low grades stand for no judgement."""
    grades = y_true.data if sparse.issparse(y_true) else y_true
    is_low = grades < judged_from
    if not is_low.any():
        return y_true, judged
    if y_true.ndim != 1:
        raise ValueError(
            f"Grades below judged_from={judged_from} stand for documents that are not "
            "judged, which needs y_true and y_score of shape (n_samples,). Got y_true "
            f"of shape {y_true.shape}."
        )
    judged = ~is_low if judged is None else judged & ~is_low
    return np.where(is_low, y_true.dtype.type(0), y_true), judged


def _as_bytes(grades):
    """Return grades as bytes if all are integers from 0 to 255, else as they are."""
    kind, size = grades.dtype.kind, grades.dtype.itemsize
    if kind == "b":
        return grades.view(np.uint8)
    if kind == "u" and size == 1:
        return grades
    small = np.empty(len(grades), dtype=np.uint8)
    for start in range(0, len(grades), STRETCH):
        stretch = slice(start, start + STRETCH)
        part = grades[stretch]
        if kind == "f":
            is_small = part.min() >= 0 and part.max() <= 255
        else:
            # Read without its sign, a negative integer is a large one.
            unsigned = part.view(f"{part.dtype.byteorder}u{size}")
            is_small = unsigned.max() < (128 if size == 1 else 256)
        if not is_small:
            return grades
        np.copyto(small[stretch], part, casting="unsafe")
        if kind == "f" and (small[stretch] != part).any():
            return grades
    return small


def _relevant(grades, threshold, order):
    """Return which documents are relevant."""
    if threshold is None:
        return np.ones(len(grades), dtype=bool)
    if threshold == "max":  # the highest grade of the query, if that is above 0
        highest = order.of_lists(np.maximum.reduceat(order.take(grades), order.starts))
        return (grades == highest) & (grades > 0)
    if grades.dtype.kind in "iu" and abs(threshold) < 2**31:
        return grades > math.floor(threshold)  # else all grades are converted to floats
    # A number alone would be rounded to the precision of the grades.
    return grades > np.array([threshold], dtype=np.float64)


def _all_relevant(grades, relevant, threshold):
    """Return grades with those that are not relevant below them, and all relevant."""
    if relevant.all():
        return grades, relevant
    lowest = float(grades[relevant].min(initial=0))
    below = lowest if threshold is None else lowest - 1
    return np.where(relevant, grades, below), np.ones_like(relevant)


def _without_unread(values, mask, name):
    """Return values with 0 where they are not read, and a mask of those that are.

    The mask of the rows that is passed says the same, or with `name` "exclude" the
    reverse.
    """
    if values.ndim != 1:
        return values, mask  # an error says which shapes go together
    mask = _check_mask(mask, values.shape, name)
    mask = ~mask if name == "exclude" else mask
    return np.where(mask, values, values.dtype.type(0)), mask


def _check_mask(mask, shape, name):
    """Return a mask as a boolean array, or as a sparse matrix if it may be one."""
    may_be_sparse = name == "exclude" and len(shape) == 2
    if not (may_be_sparse and sparse.issparse(mask)):
        try:
            mask = np.asarray(mask)
        except ValueError:  # rows of different lengths
            mask = np.asarray(mask, dtype=object)
    if mask.shape != shape or mask.dtype.kind != "b":
        raise ValueError(
            f"The '{name}' parameter must be a boolean array"
            f"{' or sparse matrix' if may_be_sparse else ''} of shape {shape}. "
            f"Got dtype {mask.dtype} and shape {mask.shape}."
        )
    return mask


def _check_matrix(y_true, y_score, by_row):
    """Raise unless each row of y_score is a query, and nothing is given by row."""
    is_matrix = y_score.ndim == 2 and y_true.ndim <= 2
    is_of_rows = by_row["qid"] is not None and y_true.ndim == 1
    if is_of_rows and y_score.shape == (len(y_true), 2):
        raise ValueError(
            "y_score must hold one score per row with query ids. Got shape "
            f"{y_score.shape}: of predict_proba, pass predict_proba(X)[:, 1]."
        )
    given = [name for name, value in by_row.items() if value is not None]
    if is_matrix and given:
        raise ValueError(
            f"The '{given[0]}' parameter goes with y_true and y_score of shape "
            "(n_samples,): each row of a matrix is a query. Got y_score of shape "
            f"{y_score.shape}. The scores of several rankers are a dict by name."
        )
    expected = y_score.shape if y_true.ndim == 2 else y_score.shape[:1]
    if not is_matrix or y_true.shape != expected:
        raise ValueError(
            "y_true and y_score must both have shape (n_samples,), or both shape "
            "(n_queries, n_documents), or y_true shape (n_queries,) and y_score shape "
            f"(n_queries, n_candidates). Got y_true of shape {y_true.shape} and "
            f"y_score of shape {y_score.shape}."
        )


def _check_sparse(y_true, threshold):
    """Return grades, if a sparse matrix and the threshold can be read together."""
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
    if not all_finite(numeric_array(y_true.data, "y_true")):
        raise not_finite("y_true")
    return y_true


def _own_csr(matrix):
    """Return a CSR matrix without duplicates that shares nothing with the input."""
    matrix = sparse.csr_matrix(matrix, copy=True)
    matrix.sum_duplicates()
    return matrix


@dataclass(frozen=True, eq=False)
class OneTarget:
    """Queries that have one relevant document each, the target, of grade 1.

    It has all that :class:`~skrank.metrics.RankedQueries` asks of the documents that it
    ranks. `n_candidates` are the numbers of the documents, targets included.
    """

    ids: np.ndarray
    n_candidates: np.ndarray
    judged = None  # all have a grade
    whole = None  # all were returned

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
        """Return the lowest grade, or 0 if none is negative, and the highest one."""
        return 0, 1.0

    def query_weights(self, sample_weight):
        """Return one weight per query."""
        return check_weights(sample_weight, len(self.ids), "query")


@dataclass(frozen=True, eq=False)
class Candidates(OneTarget):
    """A row of candidates for each query, one of them the target.

    The scores are not yet checked: they may be larger than the memory.
    """

    y_score: np.ndarray
    target: np.ndarray  # the column of each target
    exclude: object  # a CSR matrix of the cells to leave out, unless targets; or None


def read_candidates(y_true, y_score, exclude):
    """Return queries whose target is the candidate in the column `y_true`."""
    if y_true.dtype.kind == "b" or (y_true != np.floor(y_true)).any():
        raise ValueError(
            "y_true of shape (n_queries,) with y_score of shape (n_queries, "
            "n_candidates) must hold the column of the target of each query, an int. "
            f"Got values of dtype {y_true.dtype}."
        )
    outside = (y_true < 0) | (y_true >= y_score.shape[1])
    if outside.any():
        raise ValueError(
            "y_true must hold columns of y_score, in the range "
            f"[0, {y_score.shape[1]}). Got {y_true[outside][0]}."
        )
    target = y_true.astype(np.intp)
    query = np.arange(len(target))
    n_candidates = np.full(len(target), y_score.shape[1])
    if exclude is not None:
        row = np.repeat(query, np.diff(exclude.indptr))
        out = exclude.data & (exclude.indices != target[row])
        n_candidates -= np.bincount(row[out], minlength=len(target))
        is_target = exclude.data & ~out
        targets_out = np.bincount(row[is_target], minlength=len(target)) > 0
        _warn_if_inverted(np.count_nonzero(exclude.data) / y_score.size, targets_out)
    return Candidates(query, n_candidates, y_score, target, exclude)
