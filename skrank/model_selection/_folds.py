"""Folds of whole queries, stratified or repeated."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import warnings

import numpy as np
from sklearn.utils import assert_all_finite, check_random_state, column_or_1d

from skrank.model_selection._allocate import balanced_folds
from skrank.model_selection._query_splitter import (
    WholeQuerySplitter,
    check_count,
    check_enough,
    check_shuffle,
    parts_of_folds,
)
from skrank.model_selection._stratify import stratified_folds


class StratifiedQueryKFold(WholeQuerySplitter):
    """K-fold cross-validation over whole queries, stratified by relevance and length.

    Each query is in the test set of exactly one fold, with all its rows. The folds
    have nearly the same number of rows, nearly the same fraction of queries with
    relevant rows, and similar mixtures of short and long queries.

    Parameters
    ----------
    n_splits : int, default=5
        The number of folds, at least 2 and at most the number of queries.
    shuffle : bool, default=False
        Whether queries are assigned to folds at random. The folds stay balanced:
        queries change places with queries of similar size.
    random_state : int, RandomState instance or None, default=None
        The seed of the shuffling. Pass an int to get the same folds from each call.
        It must be None unless `shuffle` is True.

    See Also
    --------
    QueryKFold : Folds balanced in rows only; it does not read `y`.
    sklearn.model_selection.StratifiedGroupKFold : Balances the grades of the rows,
        not the fraction of queries that have a relevant row.

    Notes
    -----
    Most metrics are means over queries, in which a query without a relevant row
    (``y > 0``) is a constant. Folds with different fractions of such queries have
    different scores for that reason alone.

    The queries are assigned in rounds of similar size, the largest first. In each
    round the folds with the fewest rows receive the most queries, and folds that lack
    queries with relevant rows receive those. Then queries are swapped where that
    brings the fractions or the numbers of rows closer together. The numbers of rows
    have priority: a fold with one very long query has fewer queries than the others,
    most of them short, but as many rows.

    The query ids are found as described for :class:`QueryKFold`.

    Examples
    --------
    >>> from skrank.model_selection import StratifiedQueryKFold
    >>> cv = StratifiedQueryKFold(n_splits=2)
    >>> qid = ["a", "a", "b", "b", "c", "c", "d", "d"]
    >>> y = [1, 0, 0, 2, 0, 0, 0, 0]
    >>> for train, test in cv.split(y, y, qid=qid):
    ...     print(train, test)
    [2 3 6 7] [0 1 4 5]
    [0 1 4 5] [2 3 6 7]
    """

    def __init__(self, n_splits=5, *, shuffle=False, random_state=None):
        caller = "StratifiedQueryKFold"
        self.n_splits = check_count(n_splits, "n_splits", minimum=2)
        self.shuffle = check_shuffle(shuffle, random_state, caller)
        self.random_state = random_state

    def _iter_queries(self, queries, y):
        check_enough(queries, self.n_splits)
        relevant = np.zeros(len(queries.ids), dtype=bool)
        relevant[queries.codes[_is_relevant(y)]] = True
        if relevant.sum() < self.n_splits:
            warnings.warn(
                f"The number of queries with a relevant row (y > 0), {relevant.sum()}, "
                f"is less than n_splits={self.n_splits}: some folds have none.",
                UserWarning,
                stacklevel=3,
            )
        rng = check_random_state(self.random_state) if self.shuffle else None
        folds = stratified_folds(queries.sizes, relevant, self.n_splits, rng)
        return parts_of_folds(folds, self.n_splits)


class RepeatedQueryKFold(WholeQuerySplitter):
    """Repeated K-fold cross-validation over whole queries.

    Each repetition assigns the queries to folds as ``QueryKFold(shuffle=True)`` does,
    with another seed.

    Parameters
    ----------
    n_splits : int, default=5
        The number of folds of each repetition, at least 2 and at most the number of
        queries.
    n_repeats : int, default=10
        The number of repetitions, at least 1.
    random_state : int, RandomState instance or None, default=None
        The seed of the draws. Pass an int to get the same folds from each call.

    See Also
    --------
    QueryKFold : A single repetition.
    sklearn.model_selection.RepeatedKFold : Its folds split queries.

    Notes
    -----
    The query ids are found as described for :class:`QueryKFold`.

    Examples
    --------
    >>> from skrank.model_selection import RepeatedQueryKFold
    >>> cv = RepeatedQueryKFold(n_splits=2, n_repeats=2, random_state=1)
    >>> cv.get_n_splits()
    4
    >>> qid = ["a", "a", "b", "b", "c", "c", "d", "d"]
    >>> for train, test in cv.split(qid, qid=qid):
    ...     print(train, test)
    [0 1 4 5] [2 3 6 7]
    [2 3 6 7] [0 1 4 5]
    [0 1 6 7] [2 3 4 5]
    [2 3 4 5] [0 1 6 7]
    """

    def __init__(self, n_splits=5, n_repeats=10, *, random_state=None):
        self.n_splits = check_count(n_splits, "n_splits", minimum=2)
        self.n_repeats = check_count(n_repeats, "n_repeats", minimum=1)
        self.random_state = random_state

    def _count_splits(self):
        return self.n_splits * self.n_repeats

    def _iter_queries(self, queries, y):
        check_enough(queries, self.n_splits)
        rng = check_random_state(self.random_state)
        for _ in range(self.n_repeats):
            folds = balanced_folds(queries.sizes, self.n_splits, rng)
            yield from parts_of_folds(folds, self.n_splits)


def _is_relevant(y):
    """Return the mask of relevant rows."""
    if y is None:
        raise ValueError(
            "The 'y' parameter of StratifiedQueryKFold.split must be an array-like of "
            "shape (n_samples,), the relevance of each row. Got None instead."
        )
    y = column_or_1d(y, dtype="numeric")
    if y.dtype.kind not in "biuf":
        raise ValueError(
            "The 'y' parameter of StratifiedQueryKFold.split must hold real numbers, "
            f"the relevance of each row. Got an array of dtype {y.dtype} instead."
        )
    assert_all_finite(y, input_name="y")
    return y > 0
