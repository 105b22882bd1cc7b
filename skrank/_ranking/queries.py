"""The ranked queries that every metric reads."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._ranking.arrays import (
    TieGroups,
    encode_levels,
    split_by_width,
    starts_of,
    sum_before,
)


class RankedQueries:
    """Where the relevant documents of every query stand: what metrics read.

    A tie group is a set of documents of one query with equal scores. The ranking holds
    the groups with at least one relevant document. Those of a query stand together and
    in the order of rank, but the queries follow one another in any order: `query` says
    whose group it is. Every order of the documents in a group is equally likely, so
    its size, place and grades are all that an exact expectation needs. A relevant
    document without ties is a group of size 1, at rank ``above + 1``. A metric of your
    own is a function that gets a ranking and returns an array of shape (n_queries,).

    Made by :func:`evaluate`, and by whatever else takes metrics.

    Parameters
    ----------
    groups, n_documents, lists, rank : object
        What the ranking is made of: tie groups, the number of returned documents of
        each query, the documents, and what ranks others.
    order : {"score", "ideal", "chance"}, default="score"
        What the documents are ranked by: by score, by grade or not at all.
    n_found : ndarray of shape (n_queries,), default=None
        The number of relevant documents that each query returned; None asks `lists`.
    alike : RankedQueries, default=None
        A ranking of the same documents by other scores, to share `ideal` and `chance`.
    columns : dict of str to Column, default=None
        What else is known of each document, by name; :meth:`documents` reads it.

    Attributes
    ----------
    n_queries : int
        The number of queries.
    ids : ndarray of shape (n_queries,)
        The query ids.
    query : ndarray of shape (n_groups,)
        The query of each tie group, a position in `ids`.
    above : ndarray of shape (n_groups,)
        The number of documents ranked above the group.
    size : ndarray of shape (n_groups,)
        The number of documents in the group, relevant or not.
    relevant : ndarray of shape (n_groups,)
        The number of relevant documents in the group.
    made, made_of_rows : dict
        What metrics made of the ranking, and of the documents whatever their scores
        are, to share it.

    See Also
    --------
    evaluate : Takes functions of a ranking as metrics.

    Notes
    -----
    The metrics of skrank use nothing but these attributes and the methods below.

    Examples
    --------
    The mean reciprocal rank, and the discounted cumulative gain:

    >>> import numpy as np
    >>> from skrank.metrics import evaluate
    >>> y_true, y_score, qid = [1, 0, 0, 1], [2, 1, 2, 1], [7, 7, 8, 8]
    >>> def reciprocal_rank(ranking):
    ...     return ranking.expected_at_first(lambda rank: 1 / rank)
    >>> def dcg(ranking):
    ...     discount = ranking.mean_over_places(lambda rank: 1 / np.log2(rank + 1))
    ...     return ranking.document_total(discount, ranking.grade)
    >>> evaluate(y_true, y_score, [reciprocal_rank, dcg], qid=qid)
    {'reciprocal_rank': 0.75, 'dcg': 0.8154648767857288}
    """

    def __init__(
        self,
        *,
        groups: Any,
        n_documents: NDArray[Any],
        lists: Any,
        rank: Any = None,
        order: Literal["score", "ideal", "chance"] = "score",
        n_found: NDArray[Any] | None = None,
        alike: RankedQueries | None = None,
        columns: dict[str, Any] | None = None,
    ) -> None:
        self.query, self.above, self.size, self.relevant, self._grades = groups
        self.n_documents, self.n_queries = n_documents, len(lists.ids)
        self.ids, self._lists = lists.ids, lists
        self._rank, self.order, self._alike = rank, order, alike
        if n_found is not None:
            self.n_found = n_found
        self.columns = columns or {}
        self.made: dict = {}
        self._top: dict[int | None, TopDocuments] = {}
        self._laws: dict = {}
        self.made_of_rows: dict = {} if alike is None else alike.made_of_rows

    def documents(self, k: int | None = None) -> TopDocuments:
        """Return the documents that may be among the first `k` of each query.

        Parameters
        ----------
        k : int, default=None
            Cutoff; None returns all documents.

        Returns
        -------
        documents : TopDocuments
            Relevant or not, query after query and in the order of rank. Tied documents
            stand in any order.
        """
        if k not in self._top:
            if self.order != "score" or not hasattr(self._lists, "by_row"):
                raise ValueError(
                    "The documents are known only of rows that are ranked by their "
                    "scores, y_true and y_score of one shape. Got other input, or the "
                    "ideal ranking, or that of chance."
                )
            self._top[k] = TopDocuments(
                self, self._rank(self._lists.by_row(), depth=k), k
            )
        return self._top[k]

    @cached_property
    def rows(self) -> Any:
        """Return all documents, returned or not, in the order of the input.

        They have a `query`, the `row`, a `grade`, and whether they are `relevant`.
        """
        if not hasattr(self._lists, "all_rows"):
            raise ValueError(
                "The documents are known only of rows, y_true and y_score of one "
                "shape. Got other input."
            )
        return self._lists.all_rows()

    @property
    def lists(self) -> Any:
        """Return the documents of each query, as they were read."""
        return self._lists

    @property
    def doc_order(self) -> Any:
        """Return how ids order tied documents of the input; None if they do not."""
        order = self._lists.doc_order
        return None if order is None else replace(order, rows=None)

    @property
    def grade(self) -> NDArray[Any]:
        """Return the grade of each relevant document, group after group."""
        return self._grades

    @property
    def n_candidates(self) -> NDArray[Any]:
        """Return the number of documents of each query, returned or not."""
        whole = self._lists.whole
        return self.n_documents if whole is None else whole.n_documents()

    @cached_property
    def n_found(self) -> NDArray[Any]:
        """Return the number of relevant documents that each query returned."""
        return self._lists.n_relevant()

    @cached_property
    def n_relevant(self) -> NDArray[Any]:
        """Return the number of relevant documents of each query, returned or not."""
        whole = self._lists.whole
        return self.n_found if whole is None else whole.n_relevant()

    @cached_property
    def n_nonrelevant(self) -> NDArray[Any]:
        """Return the number of judged non-relevant documents, returned or not."""
        whole = self._lists.whole
        if whole is None:
            return self.judged_only.n_documents - self.n_found
        judged = whole if whole.judged is None else whole.judged_only()
        return judged.n_documents() - self.n_relevant

    # A ranking that kept itself would outlive its last use.
    @property
    def judged_only(self) -> RankedQueries:
        """Return the ranking of the judged documents alone."""
        return self if self._lists.judged is None else self._judged_lists

    @cached_property
    def _judged_lists(self):
        return self._in_this_order(self._lists.judged_only())

    @property
    def with_missing(self) -> RankedQueries:
        """Return the ranking with what was not returned tied below, whatever `ties`."""
        return self if self._lists.whole is None else self._whole_lists

    @cached_property
    def _whole_lists(self):
        missing, whole = self._lists.missing(), self._lists.whole
        below = tied_together(missing, missing.n_documents())
        below = below._replace(above=self.n_documents[below.query])
        groups = self.query, self.above, self.size, self.relevant, self.grade
        groups = TieGroups(*map(np.concatenate, zip(groups, below, strict=True)))
        order = np.argsort(groups.query, kind="stable")
        query_of_grade = np.repeat(groups.query, groups.relevant)
        grade = groups.grade[np.argsort(query_of_grade, kind="stable")]
        groups = TieGroups(*(values[order] for values in groups[:-1]), grade)
        new = {"n_documents": whole.n_documents(), "lists": whole, "rank": None}
        return self._of_groups(groups, order=self.order, **new)

    @cached_property
    def by_judgement(self) -> RankedQueries:
        """Return the ranking in which the judged documents are the relevant ones.

        Those that were not relevant have one grade below all others.
        """
        lists = self._lists
        if lists.judged is not None or lists.whole is not None:
            return self._in_this_order(lists.by_judgement())
        query = np.flatnonzero(self.n_documents)
        size = self.n_documents[query]
        groups = TieGroups(query, np.zeros_like(size), size, size, np.ones(size.sum()))
        return self._of_groups(groups, n_found=self.n_documents)

    def _of_groups(self, groups, kind=None, **changed):
        """Return the same documents in other tie groups, such as an `IdealRanking`."""
        documents = {"n_documents": self.n_documents, "lists": self._lists}
        given = {"groups": groups, "rank": self._rank} | documents | changed
        return (kind or RankedQueries)(**given)

    def _in_this_order(self, lists):
        """Return other documents, ranked as these: by score, by grade or not at all."""
        ranking = self._rank(lists)
        return ranking if self.order == "score" else getattr(ranking, self.order)

    @cached_property
    def grade_range(self) -> tuple[Any, ...]:
        """Return the lowest grade, or 0 if none is negative, and the highest, or 0."""
        whole = self._lists.whole
        return (self._lists if whole is None else whole).grade_range()

    @cached_property
    def first(self) -> NDArray[Any]:
        """Return the position of the first tie group of each query that has one."""
        return starts_of(self.query)

    @cached_property
    def relevant_above(self) -> NDArray[Any]:
        """Return, for each tie group, how many relevant documents stand above it."""
        return sum_before(self.relevant, self.query)

    @cached_property
    def others_below(self) -> NDArray[Any]:
        """Return the others below each tie group; tied ones count half."""
        tied = self.size - self.relevant
        others = (self.n_documents - self.n_found)[self.query]
        return others - (self.above - self.relevant_above) - tied / 2

    @cached_property
    def query_of_grade(self) -> NDArray[Any]:
        """Return the query of each relevant document."""
        if len(self.grade) == len(self.query):
            return self.query
        return np.repeat(self.query, self.relevant)

    @cached_property
    def ideal(self) -> RankedQueries:
        """The ranking by `y_true`: no order of the documents is better."""
        if self._alike is not None:
            return self._alike.ideal
        whole = self._lists.whole
        query, grade, count = (self._lists if whole is None else whole).count_grades()
        # Those above are the relevant ones of higher grades.
        n_relevant = np.bincount(query, count, self.n_queries).astype(np.intp)
        n_before = np.cumsum(n_relevant) - n_relevant
        above = np.cumsum(count) - count - n_before[query]
        groups = TieGroups(query, above, count, count, grade)
        changed = {"order": "ideal", "n_found": n_relevant}
        if whole is not None:
            changed["n_documents"] = self.n_documents + n_relevant - self.n_found
        return self._of_groups(groups, IdealRanking, **changed)

    @cached_property
    def group_in_ideal(self) -> NDArray[Any]:
        """Return, for each relevant document, its group in the ideal ranking."""
        ideal = self.ideal
        n_groups = len(ideal.query)
        levels, level = encode_levels(np.concatenate([ideal._grades, self.grade]))
        query = np.concatenate([ideal.query, self.query_of_grade])
        key = (query + 1) * len(levels) - level  # rises as the grade falls
        return np.searchsorted(key[:n_groups], key[n_groups:])

    @cached_property
    def chance(self) -> RankedQueries:
        """The ranking in which all documents of a query are tied."""
        if self._alike is not None:
            return self._alike.chance
        groups = tied_together(self._lists, self.n_documents)
        return self._of_groups(groups, order="chance")

    def document_total(
        self,
        weight: NDArray[Any],
        value: Callable[..., Any] | NDArray[Any] | None = None,
    ) -> NDArray[Any]:
        """Return the sum over the relevant documents of each query.

        The terms of this sum are what :func:`~skrank.metrics.query_report` says that
        each document adds to a metric.

        Parameters
        ----------
        weight : ndarray of shape (n_groups,)
            The expected term of a relevant document of each tie group, or what its
            `value` is multiplied by.
        value : callable or ndarray of shape (n_relevant_documents,), default=None
            The value of each relevant document, as `grade_total` takes it. If None,
            all have the value 1.

        Returns
        -------
        total : ndarray of shape (n_queries,)
            0 for a query without relevant documents.
        """
        of_group = self.relevant if value is None else self.grade_total(value)
        totals = np.bincount(self.query, of_group * weight, self.n_queries)
        return totals.astype(np.float64, copy=False)  # of no groups: of integers

    def total(
        self, values: NDArray[Any], terms: Callable[..., Any] | None = None
    ) -> NDArray[Any]:
        """Return the sum over the tie groups of each query.

        Parameters
        ----------
        values : ndarray of shape (n_groups,)
            One value per group.
        terms : callable, default=None
            Returns an array of shape (n_relevant_documents,): what each relevant
            document adds to this sum, if that can be said. It is only called by
            :func:`~skrank.metrics.query_report`.

        Returns
        -------
        total : ndarray of shape (n_queries,)
            0 for a query without groups.
        """
        totals = np.bincount(self.query, weights=values, minlength=self.n_queries)
        return totals.astype(np.float64, copy=False)  # of no groups: of integers

    def grade_total(self, values: Callable[..., Any] | NDArray[Any]) -> NDArray[Any]:
        """Return the sum over the relevant documents of each tie group.

        Parameters
        ----------
        values : callable or ndarray of shape (n_relevant_documents,)
            A function that maps an array of grades to values, or one value per
            relevant document, group after group.

        Returns
        -------
        total : ndarray of shape (n_groups,)
            The sums.
        """
        by_document = values(self._grades) if callable(values) else values
        if len(by_document) == len(self.query):
            return by_document
        first = np.cumsum(self.relevant) - self.relevant
        return np.add.reduceat(by_document, first)

    def where_relevant(self, values: float | NDArray[Any]) -> NDArray[Any]:
        """Return values, undefined (NaN) for queries without relevant documents.

        Parameters
        ----------
        values : float or ndarray of shape (n_queries,)
            One value per query.

        Returns
        -------
        values : ndarray of shape (n_queries,)
            A copy with NaN.
        """
        return np.where(self.n_relevant > 0, values, np.nan)

    def mean_over_places(
        self, weight: Callable[..., Any], k: int | NDArray[Any] | None = None
    ) -> NDArray[Any]:
        """Return the mean weight of the ranks that each tie group occupies.

        Parameters
        ----------
        weight : callable
            Maps an array of ranks, 1 being the best, to weights.
        k : int or ndarray of shape (n_queries,), default=None
            Cutoff: ranks beyond `k` have the weight 0.

        Returns
        -------
        mean : ndarray of shape (n_groups,)
            The expected weight of a document of the group.
        """
        # Each of the places a + 1, ..., a + n of a group is as likely for a document:
        # E[w(rank)] = sum_{i=a+1}^{a+n} w(i) [i <= k] / n
        alone = self.size == 1
        cutoff = k[self.query] if isinstance(k, np.ndarray) else k
        counted = alone if k is None else alone & (self.above < cutoff)
        places = self.above if counted.all() else self.above[counted]
        last = places.max(initial=0)
        if places.dtype.kind == "f" or len(places) <= last:
            weights = weight(places + 1)
        else:  # most ranks occur many times
            weights = weight(np.arange(1, last + 2))[places]
        if len(places) == len(self.above):
            return weights
        mean = np.zeros(len(self.query))
        mean[counted] = weights
        (tied,) = (~alone).nonzero()
        above, size = self.above[tied], self.size[tied]
        cutoff = cutoff[tied] if isinstance(cutoff, np.ndarray) else cutoff
        mean[tied] = sum_over_places(weight, above, above + size, cutoff) / size
        return mean

    def expected_at_first(
        self, value: Callable[..., Any], k: int | None = None, missing: float = 0.0
    ) -> NDArray[Any]:
        """Return the expected value at the rank of the first relevant document.

        Parameters
        ----------
        value : callable
            Maps an array of ranks to values.
        k : int, default=None
            Cutoff: ranks beyond `k` have the value 0.
        missing : float, default=0.0
            The value of a query none of whose relevant documents was returned.

        Returns
        -------
        expected : ndarray of shape (n_queries,)
            NaN for queries without a relevant document.
        """
        query, groups, kind = self._first_groups
        if kind is None:
            values = expected_in_groups(value, *groups, k, self._laws)
        else:
            parts = starts_of(np.cumsum(groups[1] - groups[2] + 1) // MOST_PLACES)
            parts = np.split(groups, parts[1:], axis=1)
            values = [expected_in_groups(value, *part, k, {}) for part in parts]
            values = np.concatenate(values)[kind]
        expected = np.bincount(query, values, self.n_queries)
        return np.where(self.n_found > 0, expected, self.where_relevant(missing))

    @cached_property
    def _first_groups(self):
        """Return (query, groups, kind): the first tie groups of the queries.

        `groups` are their `above`, `size` and `relevant`. Where many documents are tied
        each combination of these is there once, and `kind` is the place of that of each
        query; else it is None.
        """
        # Where each group is the first of its query, nothing is copied.
        first = self.first if len(self.first) < len(self.query) else slice(None)
        groups = self.above[first], self.size[first], self.relevant[first]
        if (groups[1] - groups[2]).sum() <= MANY_TIED * self.n_queries:
            return self.query[first], groups, None
        order = np.lexsort(groups)
        groups = np.array(groups)[:, order]
        new = np.ones(len(order), dtype=bool)
        new[1:] = (groups[:, 1:] != groups[:, :-1]).any(axis=0)
        kind = np.empty(len(order), dtype=np.intp)
        kind[order] = np.cumsum(new) - 1
        return self.query[first], groups[:, new], kind


class DocumentTerms(RankedQueries):
    """A ranking of one query in which sums over documents are their terms instead.

    A definition that sums over the relevant documents returns an array of shape
    (n_relevant_documents, 1): what each of them adds to the value of the query, in the
    order of `grade`. Its other steps, such as a division by the value of the ideal
    ranking, broadcast. Definitions that are not such a sum raise NotImplementedError,
    or return another shape.
    """

    def __init__(self, ranking):
        groups = ranking.query, ranking.above, ranking.size, ranking.relevant
        super().__init__(
            groups=TieGroups(*groups, ranking.grade),
            n_documents=ranking.n_documents,
            lists=ranking._lists,
            rank=ranking._rank,
            order=ranking.order,
            n_found=ranking.n_found,
            alike=ranking,
            columns=ranking.columns,
        )

    @property
    def judged_only(self):
        """Return the terms in the ranking of the judged documents alone."""
        return self if self._lists.judged is None else DocumentTerms(self._judged_lists)

    @property
    def with_missing(self):
        """Return the terms with what was not returned tied below all others."""
        return self if self._lists.whole is None else DocumentTerms(self._whole_lists)

    def document_total(self, weight, value=None):
        """Return the term of each relevant document."""
        terms = np.repeat(weight, self.relevant)
        if value is not None:
            terms = terms * (value(self.grade) if callable(value) else value)
        return terms[:, np.newaxis]

    def total(self, values, terms=None):
        """Return the term of each relevant document, if it is known."""
        if terms is None:
            raise NotImplementedError
        return terms()[:, np.newaxis]

    def expected_at_first(self, value, k=None, missing=0.0):
        """Return what each relevant document adds by being the first, on average.

        Each of those in the first tie group is equally likely to be the first.
        """
        expected = super().expected_at_first(value, k, missing)
        terms = np.zeros((len(self.grade), 1))
        n_first = self.relevant[:1].sum()
        terms[:n_first] = expected / max(n_first, 1)
        return terms


class TopDocuments:
    """The documents that may be among the first `k` of each query.

    Made by :meth:`RankedQueries.documents`.

    :meth:`RankedQueries.documents` makes it. A document is in a tie group, and every
    order of the documents in a group is equally likely.

    Attributes
    ----------
    ranking : RankedQueries
        The ranking of the documents.
    k : int or None
        The cutoff.
    query : ndarray of shape (n_top_documents,)
        The query of each document, a position in the ids of the ranking.
    row : ndarray of shape (n_top_documents,)
        Its row in the input.
    above : ndarray of shape (n_top_documents,)
        The number of documents ranked above its tie group.
    size : ndarray of shape (n_top_documents,)
        The number of documents in its tie group.
    """

    def __init__(self, ranking, everything, k):
        # `everything` is the ranking with all documents relevant, and rows as grades.
        group, row = slice(None), everything.grade.astype(np.intp, copy=False)
        if len(row) != len(everything.query):
            group = np.repeat(np.arange(len(everything.query)), everything.relevant)
        if k is not None and everything.above.max(initial=0) >= k:
            kept = everything.above[group] < k
            group = kept.nonzero()[0] if isinstance(group, slice) else group[kept]
            row = row[kept]
        query = everything.query[group]
        if (query[1:] < query[:-1]).any():
            order = np.argsort(query, kind="stable")
            group = order if isinstance(group, slice) else group[order]
            row, query = row[order], query[order]
        self.ranking, self.k = ranking, k
        self._everything, self._group = everything, group
        self.query, self.row = query, row
        self.above, self.size = everything.above[group], everything.size[group]

    @cached_property
    def length(self):
        """Return the length of each list: `k`, or all documents of a shorter one."""
        n_documents = self.ranking.n_documents
        return n_documents if self.k is None else np.minimum(n_documents, self.k)

    @cached_property
    def place(self):
        """Return the position of each document in the `rows` of the ranking."""
        row = self.ranking.rows.row
        place = np.empty(row.max(initial=-1) + 1, dtype=np.intp)
        place[row] = np.arange(len(row))
        return place[self.row]

    @property
    def relevant(self):
        """Return whether each document is relevant."""
        return self.ranking.rows.relevant[self.place]

    @property
    def grade(self):
        """Return the grade of each document, 0 if it is not relevant."""
        return self.ranking.rows.grade[self.place]

    def column(self, name: str) -> NDArray[Any]:
        """Return the values of a column for these documents.

        Parameters
        ----------
        name : str
            The name of a column that the metric declares.

        Returns
        -------
        values : ndarray of shape (n_top_documents,) or (n_top_documents, n)
            The values.
        """
        return self.ranking.columns[name].take(self.row)

    def mean_over_places(self, weight: Callable[..., Any]) -> NDArray[np.float64]:
        """Return the expected weight of the rank of each document, 0 beyond `k`.

        Parameters
        ----------
        weight : callable
            Maps an array of ranks, 1 being the best, to weights.

        Returns
        -------
        mean : ndarray of shape (n_top_documents,)
            With ``np.ones_like``, the probability that the document is in the list.
        """
        return self._everything.mean_over_places(weight, self.k)[self._group]

    def total(self, values: ArrayLike) -> NDArray[Any]:
        """Return the sum over the documents of each query.

        Parameters
        ----------
        values : ndarray of shape (n_top_documents,)
            One value per document.

        Returns
        -------
        total : ndarray of shape (n_queries,)
            0 for a query without documents.
        """
        return np.bincount(self.query, values, minlength=self.ranking.n_queries)


class IdealRanking(RankedQueries):
    """The ranking by `y_true`. It is made of groups with one grade each."""

    @cached_property
    def grade(self):
        """Return the grade of each relevant document, group after group."""
        return np.repeat(self._grades, self.relevant)

    def grade_total(self, values):
        """Return the sums as for any ranking: the documents of a group are alike."""
        if callable(values):
            return values(self._grades) * self.relevant
        return values[np.cumsum(self.relevant) - self.relevant] * self.relevant

    @property
    def ideal(self):
        """The ranking itself."""
        return self

    @cached_property
    def _whole_lists(self):
        groups = self.query, self.above, self.size, self.relevant, self._grades
        whole = self._lists.whole
        new = {"n_documents": whole.n_documents(), "lists": whole, "rank": None}
        new |= {"order": "ideal", "n_found": self.n_found}
        return self._of_groups(groups, IdealRanking, **new)

    def ordered_by(self, values):
        """Return the ideal ranking by values of its groups, other than the grades.

        Documents that are not relevant have the value 0: those with a value below 0
        come after them.
        """
        order = np.lexsort((-values, self.query))
        below = values[order] < 0
        if (order[1:] > order[:-1]).all() and not below.any():
            return self
        size = self.size[order]
        above = sum_before(size, self.query)
        above += below * (self.n_documents - self.n_found)[self.query]
        groups = TieGroups(self.query, above, size, size, self._grades[order])
        changed = {"order": "ideal", "n_found": self.n_found}
        return self._of_groups(groups, IdealRanking, **changed)


def query_weights(ranking, sample_weight):
    """Return one weight for each query, from the weights as users pass them."""
    return ranking._lists.query_weights(sample_weight)


def tied_together(lists, n_documents):
    """Return the tie groups of lists if all documents of each query are tied."""
    query, grade, count = lists.count_grades()
    first = starts_of(query)
    query, size = query[first], n_documents[query[first]]
    relevant = np.add.reduceat(count, first)
    above, grade = np.zeros_like(size), np.repeat(grade, count)
    return TieGroups(query, above, size, relevant, grade)


# Above this mean number of tied non-relevant documents per query, values at the first
# relevant document are computed once for each different tie group.
MANY_TIED = 16

# The number of tied places to process together, which limits the memory.
MOST_PLACES = 2**18

# In a tie group with more non-relevant documents, sums over its places are differences.
LARGE = 64


def expected_in_groups(value, above, size, relevant, k, laws):
    """Return the expected value at the first relevant document of each tie group.

    `laws` keeps for each `k` what :func:`law_of_first` returned.
    """

    def values_at(rank):
        return value(rank) if k is None else np.where(rank <= k, value(rank), 0.0)

    if (size == relevant).all():  # as without ties
        return values_at(above + 1)
    alike = (size > LARGE + 1) & (relevant == 1)
    if k not in laws:
        laws[k] = law_of_first(above, np.where(alike, 1, size), relevant, k)
    # E[v(rank)] = sum_j P(rank = j) v(j) [j <= k]
    group, rank, probability = laws[k]
    expected = np.bincount(group, probability * values_at(rank), len(size))
    if alike.any():
        # (v(a + 1) + ... + v(a + n)) / n: one relevant document is anywhere.
        above, size = above[alike], size[alike]
        expected[alike] = sum_over_places(value, above, above + size, k) / size
    return expected


def probability_of_first(size, relevant, width):
    """Return the probabilities of the place of a tie group's first relevant document.

    Of the places 1, ..., `width` of each group of n documents, r of which are relevant.
    In a random order it stands at place j with probability

        P(j) = C(n - j, r - 1) / C(n, r)

    the negative hypergeometric distribution (Johnson, Kemp and Kotz, "Univariate
    Discrete Distributions", 3rd ed., Wiley, 2005, chapter 6).
    """
    size, relevant = size[:, np.newaxis], relevant[:, np.newaxis]
    place = np.arange(1, width)
    probability = np.empty((len(size), width))
    # P(1) = r / n,  P(j + 1) = P(j) (n - r - j + 1) / (n - j)
    probability[:, :1] = relevant / size
    left = np.maximum(size - relevant - place + 1, 0)
    probability[:, 1:] = left / np.maximum(size - place, 1)
    return np.cumprod(probability, axis=1, out=probability)


def law_of_first(above, size, relevant, k):
    """Return (group, rank, probability): the ranks of the first relevant documents.

    The groups have `size` documents each, `relevant` of them relevant, below `above`
    others. Ranks beyond `k` may be left out, if it is not None.
    """
    # P(rank = above + j) = C(n - j, r - 1) / C(n, r) for j = 1, ..., n - r + 1
    n_places = size - relevant + 1
    if k is not None:
        n_places = np.minimum(n_places, np.maximum(k - above, 1))
    if n_places.max(initial=0) == 1:  # as without ties
        return np.arange(len(size)), above + 1, relevant / size
    none = np.zeros(0, dtype=np.intp)
    parts = [(none, none, none)]
    for rows, width in split_by_width(n_places):
        rank = above[rows, np.newaxis] + np.arange(1, width + 1)
        probability = probability_of_first(size[rows], relevant[rows], width)
        possible = probability > 0
        group = np.broadcast_to(rows[:, np.newaxis], rank.shape)
        parts.append((group[possible], rank[possible], probability[possible]))
    return tuple(map(np.concatenate, zip(*parts, strict=True)))


def sum_over_places(weight, above, below, k=None):
    """Return the sum of the weights of the ranks above + 1, ..., below, 0 beyond k."""
    if k is not None:
        above, below = np.minimum(above, k), np.minimum(below, k)
    # sum_{i=a+1}^{b} w(i) = W(b) - W(a), with W(m) = w(1) + ... + w(m)
    up_to = np.zeros(int(below.max(initial=0)) + 1, dtype=np.longdouble)
    np.cumsum(weight(np.arange(1, len(up_to))), out=up_to[1:])
    return (up_to[below] - up_to[above]).astype(np.float64)
