"""K-fold and random splits of whole queries."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from sklearn.utils import check_random_state

from skrank.model_selection._allocate import balanced_folds, random_parts
from skrank.model_selection._query_splitter import (
    WholeQuerySplitter,
    check_count,
    check_enough,
    check_shuffle,
    parts_of_folds,
)
from skrank.model_selection._sizes import rows_wanted


class QueryKFold(WholeQuerySplitter):
    """K-fold cross-validation over whole queries.

    Each query is in the test set of exactly one fold, with all its rows. The folds
    have nearly the same number of rows, also if `shuffle` is True.

    Parameters
    ----------
    n_splits : int, default=5
        The number of folds, at least 2 and at most the number of queries.
    shuffle : bool, default=False
        Whether queries are assigned to folds at random. The folds stay balanced in
        rows: queries change places with queries of similar size.
    random_state : int, RandomState instance or None, default=None
        The seed of the shuffling. Pass an int to get the same folds from each call.
        It must be None unless `shuffle` is True.

    See Also
    --------
    StratifiedQueryKFold : Its folds also have similar fractions of queries with
        relevant rows.
    RepeatedQueryKFold : The shuffled folds, several times.
    QueryShuffleSplit : Random splits by a fraction of rows.
    query_train_test_split : One random split of arrays.
    sklearn.model_selection.GroupKFold : Its shuffled folds are balanced in the
        number of groups, not of rows.

    Notes
    -----
    The queries are assigned from the largest to the smallest, each to the fold with
    the fewest rows so far. A query with more than ``1 / n_splits`` of all rows makes
    its fold larger than the others, since queries are never split.

    The query ids are the argument `qid` of ``split``, or `groups`, or the column
    ``"qid"`` of a table `X`, or an index named ``"qid"`` of `y`, then of `X`. With
    metadata routing enabled, scikit-learn forwards `qid` and `groups`.

    Examples
    --------
    >>> from skrank.model_selection import QueryKFold
    >>> cv = QueryKFold(n_splits=2)
    >>> X = [[0], [1], [2], [3], [4], [5]]
    >>> qid = ["a", "a", "a", "b", "c", "c"]
    >>> for train, test in cv.split(X, qid=qid):
    ...     print(train, test)
    [3 4 5] [0 1 2]
    [0 1 2] [3 4 5]
    """

    def __init__(self, n_splits=5, *, shuffle=False, random_state=None):
        self.n_splits = check_count(n_splits, "n_splits", minimum=2)
        self.shuffle = check_shuffle(shuffle, random_state, "QueryKFold")
        self.random_state = random_state

    def _iter_queries(self, queries, y):
        check_enough(queries, self.n_splits)
        rng = check_random_state(self.random_state) if self.shuffle else None
        folds = balanced_folds(queries.sizes, self.n_splits, rng)
        return parts_of_folds(folds, self.n_splits)


class QueryShuffleSplit(WholeQuerySplitter):
    """Random splits of whole queries by a fraction of the rows.

    Each split draws queries for the test set until it has the wanted number of rows,
    as nearly as the queries drawn allow.

    Parameters
    ----------
    n_splits : int, default=10
        The number of splits, at least 1.
    test_size : float or int, default=None
        The size of the test set in rows: a float in (0, 1) is a fraction of the rows,
        an int a number of rows. None means all rows that are not in the training set;
        if `train_size` is None too, 0.1.
    train_size : float or int, default=None
        The size of the training set in rows, like `test_size`. None means all rows
        that are not in the test set.
    random_state : int, RandomState instance or None, default=None
        The seed of the draws. Pass an int to get the same splits from each call.

    See Also
    --------
    QueryKFold : Folds in which each query is tested once.
    query_train_test_split : One random split of arrays.
    sklearn.model_selection.GroupShuffleSplit : Its sizes count groups, so the
        fraction of rows varies with the sizes of the groups drawn.

    Notes
    -----
    The queries are taken in random order up to the one that would exceed the wanted
    number of rows. Either it stays out and later queries fill the gap, or it goes in
    and earlier ones are removed, whichever comes nearer. A query larger than the test
    set is therefore tested rarely or never; `QueryKFold` tests every query. Both sets
    have at least one query.

    The query ids are found as described for :class:`QueryKFold`.

    Examples
    --------
    >>> from skrank.model_selection import QueryShuffleSplit
    >>> cv = QueryShuffleSplit(n_splits=2, test_size=1 / 3, random_state=1)
    >>> X = [[0], [1], [2], [3], [4], [5]]
    >>> qid = ["a", "a", "b", "b", "c", "c"]
    >>> for train, test in cv.split(X, qid=qid):
    ...     print(train, test)
    [2 3 4 5] [0 1]
    [0 1 4 5] [2 3]
    """

    def __init__(
        self, n_splits=10, *, test_size=None, train_size=None, random_state=None
    ):
        self.n_splits = check_count(n_splits, "n_splits", minimum=1)
        self.test_size = test_size
        self.train_size = train_size
        self.random_state = random_state

    def _iter_queries(self, queries, y):
        n_train, n_test = rows_wanted(
            queries,
            self.test_size,
            self.train_size,
            default=0.1,
            caller="QueryShuffleSplit",
        )
        rng = check_random_state(self.random_state)
        for _ in range(self.n_splits):
            yield random_parts(queries.sizes, n_train, n_test, rng)
