"""Folds and random splits of whole queries, and how they are made alike."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import heapq
import warnings
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import (
    assert_all_finite,
    check_random_state,
    column_or_1d,
    indexable,
)

from skrank._input.checks import (
    check_count,
    count_rows,
    says_what_was_meant,
    warn_if_few_queries,
    warn_if_out_of_order,
)
from skrank._input.frames import find_column, find_level
from skrank._input.query_ids import QID, check_qid_column, no_query_ids
from skrank._input.sklearn import entries_of
from skrank._text.docs import Seed
from skrank.model_selection.query_splitter import (
    Queries,
    QuerySplitter,
    check_enough,
    check_shuffle,
    rows_wanted,
)


class QueryKFold(QuerySplitter):
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
    qid_column : str or int, default="qid"
        The column of `X` with the query ids, unless they are passed: the name of a
        column of a table, or the position of a column of an array, sparse matrix or
        table, counted from the end if negative.

    See Also
    --------
    StratifiedQueryKFold : Its folds also have similar fractions of queries with
        relevant rows.
    RepeatedQueryKFold : The shuffled folds, several times.
    query_train_test_split : One random split of arrays.
    sklearn.model_selection.GroupKFold : Its shuffled folds are balanced in the
        number of groups, not of rows.

    Notes
    -----
    The queries are assigned from the largest to the smallest, each to the fold with
    the fewest rows so far. A query with more than ``1 / n_splits`` of all rows makes
    its fold larger than the others, since queries are never split.

    The query ids are the argument `qid` of ``split``, or `groups`, or the column
    `qid_column` of `X`, or an index named ``"qid"`` of `y`, then of `X`. With
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

    def __init__(
        self,
        n_splits: int = 5,
        *,
        shuffle: bool = False,
        random_state: Seed | None = None,
        qid_column: str | int = "qid",
    ) -> None:
        caller = type(self).__name__
        self.n_splits = check_count(n_splits, "n_splits", least=2)
        self.shuffle = check_shuffle(shuffle, random_state, caller)
        self.random_state = random_state
        self.qid_column = check_qid_column(qid_column, caller)

    def _iter_queries(self, queries, y):
        check_enough(queries, self.n_splits)
        rng = check_random_state(self.random_state) if self.shuffle else None
        folds = balanced_folds(queries.sizes, self.n_splits, rng)
        return ((folds != fold, folds == fold) for fold in range(self.n_splits))


class StratifiedQueryKFold(QueryKFold):
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
    qid_column : str or int, default="qid"
        The column of `X` with the query ids, as for :class:`QueryKFold`.

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
        return ((folds != fold, folds == fold) for fold in range(self.n_splits))


class RepeatedQueryKFold(QuerySplitter):
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
    qid_column : str or int, default="qid"
        The column of `X` with the query ids, as for :class:`QueryKFold`.

    See Also
    --------
    QueryKFold : A single repetition.
    sklearn.model_selection.RepeatedKFold : Its folds split queries.

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

    def __init__(
        self,
        n_splits: int = 5,
        n_repeats: int = 10,
        *,
        random_state: Seed | None = None,
        qid_column: str | int = "qid",
    ) -> None:
        self.n_splits = check_count(n_splits, "n_splits", least=2)
        self.n_repeats = check_count(n_repeats, "n_repeats")
        self.random_state = random_state
        self.qid_column = check_qid_column(qid_column, "RepeatedQueryKFold")

    def _iter_queries(self, queries, y):
        check_enough(queries, self.n_splits)
        rng = check_random_state(self.random_state)
        for _ in range(self.n_repeats):
            folds = balanced_folds(queries.sizes, self.n_splits, rng)
            for fold in range(self.n_splits):
                yield folds != fold, folds == fold


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
    try:
        assert_all_finite(y, input_name="y")
    except ValueError as error:
        raise ValueError(
            f"{error} Leave out the rows without a grade, in X and qid as well."
        ) from None
    return y > 0


class QueryShuffleSplit(QuerySplitter):
    """Random splits of whole queries by a fraction of the rows.

    Each split draws queries for the test set until it has the wanted number of rows,
    as nearly as the queries drawn allow.

    Parameters
    ----------
    n_splits : int, default=10
        The number of splits, at least 1.
    test_size : float or int, default=None
        The size of the test set in rows: a float in (0, 1) is a fraction of the rows,
        an int a number of rows. A warning says if an int, or a fraction of at least 100
        queries, tests fewer than 10 queries. None means all rows that are not in the
        training set; if `train_size` is None too, 0.2.
    train_size : float or int, default=None
        The size of the training set in rows, like `test_size`. None means all rows
        that are not in the test set.
    random_state : int, RandomState instance or None, default=None
        The seed of the draws. Pass an int to get the same splits from each call.
    qid_column : str or int, default="qid"
        The column of `X` with the query ids, as for :class:`QueryKFold`.

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
        self,
        n_splits: int = 10,
        *,
        test_size: float | None = None,
        train_size: float | None = None,
        random_state: Seed | None = None,
        qid_column: str | int = "qid",
    ) -> None:
        self.n_splits = check_count(n_splits, "n_splits")
        self.test_size = test_size
        self.train_size = train_size
        self.random_state = random_state
        self.qid_column = check_qid_column(qid_column, "QueryShuffleSplit")

    def _iter_queries(self, queries, y):
        n_train, n_test = rows_wanted(
            queries,
            self.test_size,
            self.train_size,
            default=0.2,
            caller="QueryShuffleSplit",
        )
        rng = check_random_state(self.random_state)
        for _ in range(self.n_splits):
            parts = random_parts(queries.sizes, n_train, n_test, rng)
            n_queries = len(queries.ids)
            warn_if_few_queries(len(parts[1]), n_queries, "test_size", self.test_size)
            yield parts


_HINTS = {
    "stratify": " It keeps queries whole, and StratifiedQueryKFold stratifies them."
}


@partial(says_what_was_meant, hints=_HINTS)
def query_train_test_split(
    *arrays: ArrayLike,
    qid: ArrayLike | None = None,
    test_size: float | None = None,
    train_size: float | None = None,
    random_state: Seed | None = None,
    shuffle: bool = True,
    qid_column: str | int = "qid",
) -> list[Any]:
    """Split arrays into a training and a test part of whole queries.

    Parameters
    ----------
    *arrays : sequence of array-like of shape (n_samples,) or (n_samples, n_columns)
        The data to split: lists, arrays, tables or sparse matrices of equal length.
    qid : array-like of shape (n_samples,), default=None
        The query ids. Their parts are not returned; if you need them, pass the ids
        also as one of the `arrays`. If None, they are taken from the arrays: from the
        column `qid_column`, else from an index, or a level of it, named ``"qid"``.
    test_size : float or int, default=None
        The size of the test part in rows: a float in (0, 1) is a fraction of the
        rows, an int a number of rows. The actual size is as near as the queries drawn
        allow. A warning says if an int, or a fraction of at least 100 queries, tests
        fewer than 10 queries. None means all rows that are not in the training part;
        if `train_size` is None too, 0.25.
    train_size : float or int, default=None
        The size of the training part in rows, like `test_size`. None means all rows
        that are not in the test part.
    random_state : int, RandomState instance or None, default=None
        The seed of the draw. Pass an int to get the same split from each call.
    shuffle : bool, default=True
        Whether queries are drawn at random. If False, the queries stay in the order
        of their first rows: the first ones are for training, the last for testing.
    qid_column : str or int, default="qid"
        The column with the query ids, unless they are passed: the name of a column of
        any of the `arrays` that are tables, or the position of a column of the first
        array, counted from the end if negative.

    Returns
    -------
    splitting : list of length 2 * len(arrays)
        The training and the test part of each array, of the type of that array. The
        rows keep their order.

    See Also
    --------
    QueryShuffleSplit : The splits as indices, and several of them.
    sklearn.model_selection.train_test_split : The same for rows; it splits queries.

    Examples
    --------
    >>> from skrank.model_selection import query_train_test_split
    >>> X = [[0], [1], [2], [3], [4], [5]]
    >>> qid = ["a", "a", "b", "b", "c", "c"]
    >>> X_train, X_test, qid_train, qid_test = query_train_test_split(
    ...     X, qid, qid=qid, test_size=1 / 3, random_state=0
    ... )
    >>> X_test, qid_test
    ([[4], [5]], ['c', 'c'])
    """
    caller = "query_train_test_split"
    if not arrays:
        raise ValueError(f"{caller} needs at least one array to split. Got none.")
    check_shuffle(shuffle, None, caller)
    arrays = indexable(*arrays)
    check_qid_column(qid_column, caller)
    if qid is None:
        tables = arrays if isinstance(qid_column, str) else arrays[:1]
        columns = (find_column(table, qid_column) for table in tables)
        levels = (find_level(array, QID) for array in arrays)
        qid = next((ids for ids in chain(columns, levels) if ids is not None), None)
    if qid is None and len(arrays) > 2:
        raise ValueError(
            f"{caller} needs to know which rows belong to one query. Got no query ids, "
            f"but {len(arrays)} arrays: if the last one holds the query ids, pass it "
            f"by name as well, {caller}(X, y, qid, qid=qid)."
        )
    given = {f"arrays[{place}]": array for place, array in enumerate(arrays)}
    warn_if_out_of_order({**given, "qid": qid})
    if qid is None:
        places = {"X": arrays[0], "column": qid_column, "of_column": caller}
        raise no_query_ids(caller, f"{caller}(X, y, qid=qid)", **places)
    queries = Queries.of_rows(qid, caller, count_rows(arrays[0]))
    n_train, n_test = rows_wanted(
        queries, test_size, train_size, default=0.25, caller=caller
    )
    if shuffle:
        rng = check_random_state(random_state)
        parts = random_parts(queries.sizes, n_train, n_test, rng)
    else:
        _, first_rows = np.unique(queries.codes, return_index=True)
        parts = ordered_parts(queries.sizes, np.argsort(first_rows), n_train, n_test)
    n_queries = len(queries.ids)
    warn_if_few_queries(len(parts[1]), n_queries, "test_size", test_size)
    train, test = map(queries.rows, parts)
    return [entries_of(array, rows) for array in arrays for rows in (train, test)]


# A swap that evens out the classes may move at most the first fraction of the rows of
# a fold. Swaps that even out the rows stop when folds differ by less than the second.
LARGEST_SHIFT = 0.1
ROWS_ALIKE = 0.001


def stratified_folds(sizes, relevant, n_folds, rng=None):
    """Return a fold for each query, balanced in rows, classes and lengths.

    `sizes` holds the numbers of rows of the queries, at least `n_folds` of them, so
    that no fold stays empty. `relevant` is the class: whether the query has a relevant
    row. With the RandomState `rng`, queries of similar size change places; with None,
    queries of the same size keep the order of their ids.
    """
    if rng is None:
        order = np.argsort(-sizes, kind="stable")
    else:
        order = shuffled_by_size(sizes, n_folds, rng)
    sizes, relevant = sizes[order], relevant[order].astype(bool)
    assigned = _assign_rounds(sizes.tolist(), relevant.tolist(), n_folds)
    _even_classes(assigned, sizes, relevant, n_folds)
    _even_rows(assigned, sizes, relevant, n_folds)
    folds = np.empty_like(assigned)
    folds[order] = assigned
    return folds


def _assign_rounds(sizes, relevant, n_folds):
    """Assign queries in rounds of `n_folds` queries of similar size, the largest first.

    A round has three steps. Places: each fold gets as many as if every query went to
    the fold with the fewest rows. Classes: the folds with the fewest queries with
    relevant rows get the places of such queries. Queries: each goes to the fold with
    the fewest rows among the folds that have a place for its class. A round of the
    queries 30+, 28- and 27+, where + has relevant rows:

        fold  rows  places  number of +  places of +  queries   rows
        0      100       0            1            0             100
        1       60       2            1            2  30+, 27+   117
        2       75       1            3            0  28-        103
    """
    rows = [0] * n_folds
    with_relevant = [0] * n_folds
    assigned = []
    for start in range(0, len(sizes), n_folds):
        round_ = range(start, min(start + n_folds, len(sizes)))
        deal = _to_the_fewest_rows([sizes[query] for query in round_], rows)
        places = np.bincount(deal, minlength=n_folds).tolist()
        n_relevant = [0] * n_folds
        for _ in range(sum(relevant[query] for query in round_)):
            fold = min(
                (fold for fold in range(n_folds) if n_relevant[fold] < places[fold]),
                key=with_relevant.__getitem__,
            )
            n_relevant[fold] += 1
            with_relevant[fold] += 1
        left = ([p - n for p, n in zip(places, n_relevant, strict=True)], n_relevant)
        for query in round_:
            free = left[relevant[query]]
            fold = min(
                (fold for fold in range(n_folds) if free[fold]), key=rows.__getitem__
            )
            free[fold] -= 1
            rows[fold] += sizes[query]
            assigned.append(fold)
    return np.array(assigned, dtype=np.intp)


def _even_classes(assigned, sizes, relevant, n_folds):
    """Swap queries of different class until no swap brings the fractions closer.

    This matters if long queries have relevant rows more often than short ones: a fold
    with one very long query then gets too few queries with relevant rows.
    """
    surplus = np.bincount(
        assigned, weights=relevant - relevant.mean(), minlength=n_folds
    )
    rows = np.bincount(assigned, weights=sizes, minlength=n_folds)
    largest = LARGEST_SHIFT * rows.mean()
    while True:
        rich, poor = np.argmax(surplus), np.argmin(surplus)
        if surplus[rich] - surplus[poor] <= 1 + 1e-9:
            return
        given = np.flatnonzero((assigned == rich) & relevant)
        taken = np.flatnonzero((assigned == poor) & ~relevant)
        wanted = np.clip((rows[rich] - rows[poor]) / 2, -largest, largest)
        swap = _nearest_swap(sizes, given, taken, wanted)
        if swap is None:
            return
        shift = sizes[swap[0]] - sizes[swap[1]]
        if abs(shift) > largest:
            return
        assigned[swap] = poor, rich
        surplus[[rich, poor]] += -1, 1
        rows[[rich, poor]] += -shift, shift


def _even_rows(assigned, sizes, relevant, n_folds):
    """Swap queries of one class until all folds have similar numbers of rows."""
    rows = np.bincount(assigned, weights=sizes, minlength=n_folds)
    while True:
        large, small = np.argmax(rows), np.argmin(rows)
        gap = rows[large] - rows[small]
        if gap <= ROWS_ALIKE * rows.mean():
            return
        swaps = [
            _nearest_swap(
                sizes,
                np.flatnonzero((assigned == large) & (relevant == kind)),
                np.flatnonzero((assigned == small) & (relevant == kind)),
                gap / 2,
            )
            for kind in (False, True)
        ]
        shift, swap = min(
            ((sizes[swap[0]] - sizes[swap[1]], swap) for swap in swaps if swap),
            key=lambda found: abs(found[0] - gap / 2),
            default=(0, None),
        )
        if not 0 < shift < gap:
            return
        assigned[swap] = small, large
        rows[[large, small]] += -shift, shift


def _nearest_swap(sizes, given, taken, wanted):
    """Return the two queries whose sizes differ most nearly by `wanted`, if any."""
    if len(given) == 0 or len(taken) == 0:
        return None
    taken = taken[np.argsort(sizes[taken], kind="stable")]
    offered = sizes[taken]
    place = np.searchsorted(offered, sizes[given] - wanted)
    below = np.maximum(place - 1, 0)
    above = np.minimum(place, len(taken) - 1)
    best = None
    for partner in (below, above):
        miss = np.abs(sizes[given] - offered[partner] - wanted)
        at = np.argmin(miss)
        if best is None or miss[at] < best[0]:
            best = miss[at], [given[at], taken[partner[at]]]
    return best[1]


def balanced_folds(sizes, n_folds, rng=None):
    """Return a fold for each query, so that folds have nearly equal numbers of rows."""
    if rng is None:
        orders = [np.argsort(-sizes, kind="stable")]
    else:
        orders = (shuffled_by_size(sizes, n_folds, rng) for _ in range(10))
    # With few queries a random order may unbalance the folds. Keep the best of ten, or
    # the first whose largest fold is within 1 % of the smallest possible one.
    best, fewest_rows = None, np.inf
    enough = 1.01 * max(sizes.sum() / n_folds, sizes.max())
    for order in orders:
        folds = np.empty(len(sizes), dtype=np.intp)
        folds[order] = _to_the_fewest_rows(sizes[order].tolist(), [0] * n_folds)
        n_rows = np.bincount(folds, weights=sizes).max()
        if n_rows < fewest_rows:
            best, fewest_rows = folds, n_rows
        if fewest_rows <= enough:
            break
    return best


def shuffled_by_size(sizes, n_folds, rng):
    """Order queries from large to small, each block of `n_folds` of them at random.

    Only queries of similar size change places, so that the queries of a fold are
    random but its number of rows is not.
    """
    n_queries = len(sizes)
    order = rng.permutation(n_queries)
    order = order[np.argsort(-sizes[order], kind="stable")]
    return order[np.argsort(np.arange(n_queries) // n_folds + rng.rand(n_queries))]


def _to_the_fewest_rows(sizes, rows):
    """Return the fold of each query, in turn that with the fewest rows so far.

    `rows` holds the numbers of rows that the folds start with.
    """
    loads = [(load, fold) for fold, load in enumerate(rows)]
    heapq.heapify(loads)
    chosen = []
    for size in sizes:
        load, fold = loads[0]
        heapq.heapreplace(loads, (load + size, fold))
        chosen.append(fold)
    return chosen


def random_parts(sizes, n_train, n_test, rng):
    """Draw queries for a training and a test part of given numbers of rows.

    Each part gets a query. If `n_train` and `n_test` add up to all rows, every query
    goes to one of the parts.
    """
    order = rng.permutation(len(sizes))
    test = _take_rows(sizes, order, n_test)
    if len(test) == len(order):
        test = _without(test, _smallest_query(sizes, test))
    train = _without(order, test)
    if _leaves_rows(n_train + n_test, sizes):
        train = _take_rows(sizes, train, n_train)
    return train, test


def ordered_parts(sizes, order, n_train, n_test):
    """Split queries in this order into a training part and the test part after it."""
    ends = np.cumsum(sizes[order])
    train_end = np.argmin(np.abs(ends[:-1] - n_train)) + 1
    test_end = len(ends)
    if _leaves_rows(n_train + n_test, sizes):
        nearest = np.argmin(np.abs(ends[train_end:] - (n_train + n_test)))
        test_end = train_end + nearest + 1
    return order[:train_end], order[train_end:test_end]


def _leaves_rows(n_rows, sizes):
    """Return True if some row stays out; half a row allows for rounding errors."""
    return n_rows < sizes.sum() - 0.5


def _take_rows(sizes, order, n_rows):
    """Choose queries, in the order of `order`, of as nearly `n_rows` rows as possible.

    All queries before the one that contains row `n_rows` are taken. Then either that
    query stays out and later ones fill the gap, or it goes in and earlier ones are
    removed. If both come equally near, its own size decides, so that large queries are
    kept out of a small part only where necessary.
    """
    ends = np.cumsum(sizes[order])
    last = min(int(np.searchsorted(ends, n_rows)), len(order) - 1)
    gap, surplus = n_rows - (ends[last] - sizes[order[last]]), ends[last] - n_rows
    before, after = order[:last], order[last + 1 :]
    without = np.concatenate([before, _fill(sizes, after, gap)])
    removed = _fill(sizes, before[::-1], surplus)
    with_it = np.append(_without(before, removed), order[last])
    chosen = min(
        [with_it, without] if surplus < gap else [without, with_it],
        key=lambda queries: abs(sizes[queries].sum() - n_rows),
    )
    return chosen if len(chosen) else _smallest_query(sizes, order)


def _fill(sizes, order, n_rows):
    """Choose queries that fit into `n_rows`, and one more if that comes nearer."""
    chosen, rest = order[:0], order
    while len(rest := rest[sizes[rest] <= n_rows]):
        n_fitting = np.searchsorted(np.cumsum(sizes[rest]), n_rows, side="right")
        chosen = np.concatenate([chosen, rest[:n_fitting]])
        n_rows = n_rows - sizes[rest[:n_fitting]].sum()
        rest = rest[n_fitting:]
    one_more = _smallest_query(sizes, _without(order, chosen))
    if sizes[one_more].sum() < 2 * n_rows:
        chosen = np.concatenate([chosen, one_more])
    return chosen


def _smallest_query(sizes, queries):
    """Return the smallest query as an array; an empty one if there is none."""
    return queries[np.argsort(sizes[queries], kind="stable")[:1]]


def _without(queries, others):
    return queries[~np.isin(queries, others)]
