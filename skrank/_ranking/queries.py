"""The ranked queries that every metric reads."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import replace
from functools import cached_property

import numpy as np

from skrank._ranking.expectation import law_of_first, sum_over_places, weights_at
from skrank._ranking.lists import count_by_grade, query_weights
from skrank._ranking.methods import find_tie_groups
from skrank._ranking.neighbours import encode_levels, starts_of, sum_before
from skrank._ranking.tie_groups import TieGroups


def rank_lists(lists, ties, depth=None):
    """Return lists of documents as ranked queries."""
    runs = find_tie_groups(lists, ties, depth)
    return RankedQueries(runs, lists.n_documents(), lists.ids, lists, ties)


class RankedQueries:
    """Where the relevant documents of every query stand.

    A *run* is a tie class that holds at least one relevant document. TieGroups are in
    rank order within a query, and the runs of a query stand together. Any order of
    the documents of a tie class is equally likely, so what is known of a run is all
    that an exact expectation needs. Without ties a run is one relevant document, at
    rank ``above + 1``.

    Parameters
    ----------
    runs : TieGroups
        The runs of all queries.
    n_documents : ndarray of shape (n_queries,)
        The number of documents of each query.
    ids : ndarray of shape (n_queries,)
        The query ids.
    lists : Lists or Candidates
        The input.
    ties : str
        The tie policy.
    order : {"ideal", "chance"}, default=None
        What the documents are ranked by; None is the score.

    Attributes
    ----------
    n_queries : int
        The number of queries.

    n_documents, n_relevant : ndarray of shape (n_queries,)
        How many returned documents, and how many relevant ones, returned or not,
        each query has.

    query : ndarray of shape (n_runs,)
        The query of each run, a position in `ids`.

    above : ndarray of shape (n_runs,)
        The number of documents ranked above the run.

    size : ndarray of shape (n_runs,)
        The number of documents in the run, relevant or not.

    relevant : ndarray of shape (n_runs,)
        The number of relevant documents in the run.

    grade : ndarray of shape (n_relevant_documents,)
        The grade of each relevant document, run after run.

    See Also
    --------
    evaluate : Takes functions of a ranking as metrics.

    Examples
    --------
    >>> from skrank.metrics import evaluate
    >>> def share_at_the_top(ranking):
    ...     return ranking.where_relevant(
    ...         ranking.total(ranking.relevant * (ranking.above == 0) / ranking.size)
    ...     )
    >>> evaluate([1, 0, 0, 1], [2, 1, 2, 1], share_at_the_top, qid=[7, 7, 8, 8])
    {'share_at_the_top': 0.5}
    """

    def __init__(self, runs, n_documents, ids, lists, ties, order=None):
        self.query, self.above, self.size, self.relevant, self.grade = runs
        self.n_documents = n_documents
        self.n_queries = len(ids)
        self.ids = ids
        self._lists = lists
        self._ties = ties
        self._order = order

    @cached_property
    def _n_found(self):
        """Return the number of relevant documents that each query returned."""
        return self._lists.n_relevant()

    @cached_property
    def n_relevant(self):
        """Return the number of relevant documents of each query."""
        missing = self._lists.missing
        if missing is None or self._order == "ideal":
            return self._n_found
        return self._n_found + np.bincount(missing.query, minlength=self.n_queries)

    @cached_property
    def _n_others(self):
        """Return the number of judged documents that are not relevant, likewise."""
        missing = self._lists.missing
        others = self._judged_only.n_documents - self._n_found
        return others if missing is None else others + missing.n_others

    # A ranking that kept itself would outlive its last use.

    @property
    def _judged_only(self):
        """Return the ranking of the judged documents alone."""
        return self if self._lists.judged is None else self._judged_lists

    @cached_property
    def _judged_lists(self):
        return self._in_this_order(self._lists.select(self._lists.judged))

    @property
    def _returned_only(self):
        """Return the ranking as if there were no documents but the returned ones."""
        return self if self._lists.missing is None else self._returned_lists

    @cached_property
    def _returned_lists(self):
        return self._in_this_order(replace(self._lists, missing=None))

    @cached_property
    def _by_judgement(self):
        """Return the ranking in which the judged documents are the relevant ones."""
        lists = self._lists
        if lists.judged is not None:
            lists = lists.relabelled(lists.judged, missing=None)
            return self._in_this_order(lists)
        query = np.flatnonzero(self.n_documents)
        size = self.n_documents[query]
        runs = TieGroups(query, np.zeros_like(size), size, size, np.ones(size.sum()))
        ranking = RankedQueries(runs, self.n_documents, self.ids, lists, self._ties)
        ranking._n_found = self.n_documents
        return ranking

    def _in_this_order(self, lists):
        """Return other lists, ranked by score, by `y_true` or not at all as these."""
        ranking = rank_lists(lists, self._ties)
        return ranking if self._order is None else getattr(ranking, self._order)

    @cached_property
    def _lowest_grade(self):
        """Return the lowest grade of the input, of documents relevant or not."""
        return self._lists.lowest_grade()

    @cached_property
    def _highest_grade(self):
        """Return the highest grade of a relevant document, returned or not, or 0."""
        highest = self._lists.highest_grade()
        missing = self._lists.missing
        return highest if missing is None else missing.grade.max(initial=highest)

    @cached_property
    def _first(self):
        """Return the position of the first run of each query that has one."""
        return starts_of(self.query)

    @cached_property
    def _relevant_above(self):
        """Return, for each run, how many relevant documents stand above it."""
        return sum_before(self.relevant, self.query)

    @cached_property
    def _others_below(self):
        """Return how many documents that are not relevant stand below each run.

        Those that are tied with it count half.
        """
        tied = self.size - self.relevant
        others = (self.n_documents - self._n_found)[self.query]
        return others - (self.above - self._relevant_above) - tied / 2

    @cached_property
    def _query_of_grade(self):
        """Return the query of each relevant document."""
        if len(self.grade) == len(self.query):
            return self.query
        return np.repeat(self.query, self.relevant)

    @cached_property
    def _grade_codes(self):
        """Return the grades that occur, ascending, and the place of each in them."""
        return encode_levels(self.grade)

    @property
    def ideal(self):
        """Return the ranking by `y_true`: no order of the documents is better."""
        return self if self._order == "ideal" else self._ideal

    @cached_property
    def _ideal(self):
        query, grade, count = self._lists.count_grades()
        missing = self._lists.missing
        if missing is not None:
            query = np.concatenate([np.repeat(query, count), missing.query])
            grade = np.concatenate([np.repeat(grade, count), missing.grade])
            query, grade, count = count_by_grade(query, grade)
        grades = np.repeat(grade, count)
        runs = TieGroups(query, sum_before(count, query), count, count, grades)
        n_documents = self.n_documents + self.n_relevant - self._n_found
        lists, ties = self._lists, self._ties
        best = RankedQueries(runs, n_documents, self.ids, lists, ties, "ideal")
        best._n_found = self.n_relevant
        return best

    @cached_property
    def _group_in_ideal(self):
        """Return, for each relevant document, its run in the ranking by `y_true`."""
        best = self.ideal
        grade_of_run = best.grade[np.cumsum(best.relevant) - 1]
        levels, level = encode_levels(np.concatenate([grade_of_run, self.grade]))
        query = np.concatenate([best.query, self._query_of_grade])
        key = (query + 1) * len(levels) - level  # rises as the grade falls
        return np.searchsorted(key[: len(best.query)], key[len(best.query) :])

    @cached_property
    def chance(self):
        """Return the ranking in which all documents of a query are tied."""
        grade_query, grade, count = self._lists.count_grades()
        query = grade_query[starts_of(grade_query)]
        n_documents, n_found = self.n_documents[query], self._n_found[query]
        above, grades = np.zeros_like(n_found), np.repeat(grade, count)
        runs = TieGroups(query, above, n_documents, n_found, grades)
        lists, ties = self._lists, self._ties
        return RankedQueries(runs, self.n_documents, self.ids, lists, ties, "chance")

    def total(self, values):
        """Return the sum over the runs of each query.

        Parameters
        ----------
        values : ndarray of shape (n_runs,)
            One value per run.

        Returns
        -------
        total : ndarray of shape (n_queries,)
            0 for a query without runs.
        """
        totals = np.bincount(self.query, weights=values, minlength=self.n_queries)
        return totals.astype(np.float64, copy=False)  # of no runs: of integers

    def grade_total(self, values):
        """Return the sum over the relevant documents of each run.

        Parameters
        ----------
        values : ndarray of shape (n_relevant_documents,)
            One value per relevant document, run after run.

        Returns
        -------
        total : ndarray of shape (n_runs,)
            The sums.
        """
        if len(values) == len(self.query):
            return values
        first = np.cumsum(self.relevant) - self.relevant
        if self._order == "ideal":  # one grade, and so one value, in each run
            return values[first] * self.relevant
        return np.add.reduceat(values, first)

    def where_relevant(self, values):
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

    def mean_over_places(self, weight, k=None):
        """Return the mean weight of the ranks that each run occupies.

        Parameters
        ----------
        weight : callable
            Maps ranks, 1 being the best, to weights.

        k : int or ndarray of shape (n_queries,), default=None
            Ranks beyond `k` weigh nothing.

        Returns
        -------
        mean : ndarray of shape (n_runs,)
            What a document of the run can expect.
        """
        alone = self.size == 1
        by_run = isinstance(k, np.ndarray)
        cutoff = k[self.query] if by_run else k
        counted = alone if k is None else alone & (self.above < cutoff)
        if counted.all():
            return weights_at(weight, self.above)
        mean = np.zeros(len(self.query))
        mean[counted] = weights_at(weight, self.above[counted])
        tied = np.flatnonzero(~alone)
        above, size = self.above[tied], self.size[tied]
        below = above + size
        if k is not None:
            cutoff = cutoff[tied] if by_run else cutoff
            above, below = np.minimum(above, cutoff), np.minimum(below, cutoff)
        mean[tied] = sum_over_places(weight, above, below) / size
        return mean

    def expected_at_first(self, value, k=None, missing=0.0):
        """Return the expected value at the rank of the first relevant document.

        Parameters
        ----------
        value : callable
            Maps ranks to values.

        k : int, default=None
            Ranks beyond `k` have the value 0.

        missing : float, default=0.0
            The value of a query none of whose relevant documents was returned.

        Returns
        -------
        expected : ndarray of shape (n_queries,)
            NaN for queries without a relevant document.
        """
        query, rank, chance = self.first_rank_law(k)
        values = value(rank) if k is None else np.where(rank <= k, value(rank), 0.0)
        expected = np.bincount(query, chance * values, minlength=self.n_queries)
        found = self._n_found > 0
        return np.where(found, expected, self.where_relevant(missing))

    def first_rank_law(self, k=None):
        """Return what rank the first relevant document of each query may have.

        Parameters
        ----------
        k : int, default=None
            Ranks beyond `k` may be left out.

        Returns
        -------
        query, rank, chance : ndarray of shape (n_ranks,)
            A query, a rank, and the chance that its first relevant document has it.
            Without ties every query that found one has a single rank, of chance 1.
        """
        above, size = self.above[self._first], self.size[self._first]
        relevant = self.relevant[self._first]
        run, rank, chance = law_of_first(above, size, relevant, k)
        return self.query[self._first[run]], rank, chance

    def _query_weights(self, sample_weight):
        """Return the weight of each query.

        Parameters
        ----------
        sample_weight : array-like or None
            Weights of the rows, or of the queries where each row is a query.

        Returns
        -------
        weight : ndarray of shape (n_queries,) or None
            None if no weights were given.
        """
        return query_weights(self._lists, sample_weight)
