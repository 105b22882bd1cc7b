"""The ranked queries that every metric reads."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from functools import cached_property

import numpy as np

from skrank._lists import group_rows, query_weights, read_lists
from skrank._panels import split_by_width
from skrank._runs import Runs, find_runs
from skrank._validation import check_scores


def rank_queries(
    y_true, y_score, *, qid=None, threshold=0.0, ties="expected", exclude=None
):
    """Rank the documents of every query.

    Parameters
    ----------
    y_true : array-like or sparse matrix
        The grades, in one of the three input shapes.

    y_score : array-like
        The predicted scores.

    qid : array-like of shape (n_samples,), default=None
        The query of each row; flat input only.

    threshold : float or "max", default=0.0
        Documents with a higher grade are relevant.

    ties : str, default="expected"
        The tie policy.

    exclude : array-like or sparse matrix of bool, default=None
        Documents to leave out; matrix and candidates input only.

    Returns
    -------
    ranking : RankedQueries
        Where the relevant documents of every query stand.
    """
    lists = read_lists(y_true, y_score, qid=qid, threshold=threshold, exclude=exclude)
    return RankedQueries(find_runs(lists, ties), lists.n_documents(), lists.ids, lists)


class RankedQueries:
    """Where the relevant documents of every query stand.

    A *run* is a tie class that holds at least one relevant document. Runs are in
    rank order within a query, and the runs of a query stand together. Any order of
    the documents of a tie class is equally likely, so what is known of a run is all
    that an exact expectation needs. Without ties a run is one relevant document, at
    rank ``above + 1``.

    Parameters
    ----------
    runs : Runs
        The runs of all queries.

    n_documents : ndarray of shape (n_queries,)
        The number of documents of each query.

    ids : ndarray of shape (n_queries,)
        The query ids.

    lists : Lists or Candidates, default=None
        The input, which tells how weights map to queries.

    Attributes
    ----------
    n_queries : int
        The number of queries.

    n_documents, n_relevant : ndarray of shape (n_queries,)
        How many documents, and how many relevant ones, each query has.

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
    """

    def __init__(self, runs, n_documents, ids, lists=None):
        self.query, self.above, self.size, self.relevant, self.grade = runs
        self.n_documents = n_documents
        self.n_queries = len(ids)
        self.ids = ids
        self._lists = lists

    @cached_property
    def n_relevant(self):
        """Return the number of relevant documents of each query."""
        return self.total(self.relevant).astype(np.intp)

    @cached_property
    def lowest_grade(self):
        """Return the lowest grade of the input, of documents relevant or not."""
        return self._lists.lowest_grade()

    @cached_property
    def first(self):
        """Return the position of the first run of each query that has one."""
        new = np.ones(len(self.query), dtype=bool)
        np.not_equal(self.query[1:], self.query[:-1], out=new[1:])
        return np.flatnonzero(new)

    @cached_property
    def relevant_above(self):
        """Return, for each run, how many relevant documents stand above it."""
        return self._above_in_query(self.relevant)

    @cached_property
    def others_below(self):
        """Return how many documents that are not relevant stand below each run.

        Those that are tied with it count half.
        """
        tied = self.size - self.relevant
        others = (self.n_documents - self.n_relevant)[self.query]
        return others - (self.above - self.relevant_above) - tied / 2

    @cached_property
    def query_of_grade(self):
        """Return the query of each relevant document."""
        return np.repeat(self.query, self.relevant)

    @cached_property
    def best(self):
        """Return the ranking by `y_true`: no order of the documents is better."""
        levels, level = np.unique(self.grade, return_inverse=True)
        n_levels = max(len(levels), 1)
        # One key per (query, grade), the higher grade first.
        key = self.query_of_grade * n_levels + (n_levels - 1 - level)
        keys, counts = _count_keys(key, self.n_queries * n_levels)
        query, level = np.divmod(keys, n_levels)
        grade = np.repeat(levels[n_levels - 1 - level], counts)
        runs = Runs(query, np.zeros_like(counts), counts, counts, grade)
        best = RankedQueries(runs, self.n_documents, self.ids, self._lists)
        best.above = best.relevant_above
        return best

    @cached_property
    def chance(self):
        """Return the ranking in which all documents of a query are tied."""
        query = self.query[self.first]
        runs = Runs(
            query,
            np.zeros(len(query), dtype=np.intp),
            self.n_documents[query],
            self.n_relevant[query],
            self.grade,
        )
        return RankedQueries(runs, self.n_documents, self.ids, self._lists)

    def total(self, values):
        """Return the sum over the runs of each query."""
        return np.bincount(self.query, weights=values, minlength=self.n_queries)

    def grade_total(self, values):
        """Return the sum over the relevant documents of each run."""
        if len(values) == len(self.query):
            return values
        return np.add.reduceat(values, np.cumsum(self.relevant) - self.relevant)

    def where_relevant(self, values):
        """Return `values`, undefined (NaN) for queries without relevant documents."""
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
        if alone.all():
            mean = weight(self.above + 1)
        else:
            mean = np.empty(len(self.query))
            mean[alone] = weight(self.above[alone] + 1)
            mean[~alone] = self._mean_of_tied(weight, ~alone, k)
        if k is None:
            return mean
        return np.where(alone & (self.above >= self._cutoff(k)), 0.0, mean)

    def expected_at_first(self, value, k=None):
        """Return the expected value at the rank of the first relevant document.

        Parameters
        ----------
        value : callable
            Maps ranks to values.

        k : int, default=None
            Ranks beyond `k` have the value 0.

        Returns
        -------
        expected : ndarray of shape (n_queries,)
            NaN for queries without a relevant document.
        """
        n_places = (self.size - self.relevant + 1)[self.first]
        if k is not None:
            n_places = np.minimum(n_places, np.maximum(k - self.above[self.first], 1))
        at_first = np.empty(len(self.first))
        for rows, width in split_by_width(n_places):
            run = self.first[rows]
            rank = self.above[run, np.newaxis] + np.arange(1, width + 1)
            values = value(rank) if k is None else np.where(rank <= k, value(rank), 0.0)
            chance = _chance_of_first(self.size[run], self.relevant[run], width)
            at_first[rows] = np.einsum("ij,ij->i", chance, values)
        expected = np.full(self.n_queries, np.nan)
        expected[self.query[self.first]] = at_first
        return expected

    def query_weights(self, sample_weight):
        """Return one weight per query, or None."""
        return query_weights(self._lists, sample_weight)

    def _above_in_query(self, values):
        """Return, for each run, the sum over the runs of its query above it."""
        before = np.cumsum(values) - values
        n_runs = np.diff(self.first, append=len(self.query))
        return before - np.repeat(before[self.first], n_runs)

    def _cutoff(self, k):
        return k[self.query] if isinstance(k, np.ndarray) else k

    def _mean_of_tied(self, weight, tied, k):
        """Return the mean weight over the places of the runs of several documents."""
        above, size = self.above[tied], self.size[tied]
        below = above + size
        if k is not None:
            cutoff = np.broadcast_to(self._cutoff(k), tied.shape)[tied]
            above, below = np.minimum(above, cutoff), np.minimum(below, cutoff)
        up_to = np.zeros(int(below.max()) + 1, dtype=np.longdouble)
        np.cumsum(weight(np.arange(1, len(up_to))), out=up_to[1:])
        return ((up_to[below] - up_to[above]) / size).astype(np.float64)


def rank_positions(y_score, qid=None):
    """Return the rank of each row within its query.

    Parameters
    ----------
    y_score : array-like of shape (n_samples,)
        The predicted scores.

    qid : array-like of shape (n_samples,), default=None
        The query of each row; None means one query.

    Returns
    -------
    rank : ndarray of int of shape (n_samples,)
        1 for the highest score of the query, then 2, 3, ...; tied documents keep
        their input order.
    """
    y_score = check_scores(y_score)
    qid = np.zeros(len(y_score), dtype=np.intp) if qid is None else qid
    _, _, starts, lengths, rows = group_rows(qid, len(y_score))
    rows = np.arange(len(y_score)) if rows is None else rows
    group = np.repeat(np.arange(len(starts)), lengths)
    order = rows[np.lexsort((-y_score[rows], group))]
    rank = np.empty(len(y_score), dtype=np.intp)
    rank[order] = np.arange(1, len(y_score) + 1) - np.repeat(starts, lengths)
    return rank


def _chance_of_first(size, relevant, width):
    """Return the law of the place of the first relevant document of a run.

    Of `size` documents in random order, `relevant` are relevant. The chance that
    the first of them stands at place j is p_1 = r / n and
    p_{j+1} = p_j (n - r - j + 1) / (n - j), the negative hypergeometric law.
    """
    size, relevant = size[:, np.newaxis], relevant[:, np.newaxis]
    place = np.arange(1, width)
    chance = np.empty((len(size), width))
    chance[:, :1] = relevant / size
    left = np.maximum(size - relevant - place + 1, 0)
    chance[:, 1:] = left / np.maximum(size - place, 1)
    return np.cumprod(chance, axis=1, out=chance)


def _count_keys(keys, n_keys):
    """Return the distinct keys in ascending order and how often each occurs."""
    if n_keys > 4 * len(keys) + 1024:
        return np.unique(keys, return_counts=True)
    counts = np.bincount(keys, minlength=n_keys)
    keys = np.flatnonzero(counts)
    return keys, counts[keys]
