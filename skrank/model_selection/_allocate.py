"""Which queries go where: the arithmetic behind the splitters."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import heapq

import numpy as np


def balanced_folds(sizes, n_folds, rng=None):
    """Deal queries to folds of nearly equal numbers of rows.

    Each query, the largest first, goes to the fold that holds the fewest rows.

    Parameters
    ----------
    sizes : ndarray of shape (n_queries,)
        The number of rows of each query.

    n_folds : int
        The number of folds; at most `n_queries`, so that none stays empty.

    rng : RandomState, default=None
        Where chance comes from: it decides the order of queries of like size. With
        None, queries of one size keep the order of their ids.

    Returns
    -------
    folds : ndarray of shape (n_queries,)
        The fold of each query.
    """
    if rng is None:
        return _deal(sizes, np.argsort(-sizes, kind="stable"), n_folds)
    # With few queries the order drawn may spoil the balance: keep the best of some
    # draws, and the first whose largest fold is hardly larger than it must be.
    best, fewest_rows = None, np.inf
    enough = 1.01 * max(sizes.sum() / n_folds, sizes.max())
    for _ in range(10):
        folds = _deal(sizes, shuffled_by_size(sizes, n_folds, rng), n_folds)
        n_rows = np.bincount(folds, weights=sizes).max()
        if n_rows < fewest_rows:
            best, fewest_rows = folds, n_rows
        if fewest_rows <= enough:
            break
    return best


def shuffled_by_size(sizes, n_folds, rng):
    """Order queries from large to small, each block of `n_folds` of them at random.

    Neighbours in size take each other's places: which queries meet in one fold is
    left to chance, how many rows meet is not.
    """
    n_queries = len(sizes)
    order = rng.permutation(n_queries)
    order = order[np.argsort(-sizes[order], kind="stable")]
    return order[np.argsort(np.arange(n_queries) // n_folds + rng.rand(n_queries))]


def _deal(sizes, order, n_folds):
    """Give each query in turn to the fold that holds the fewest rows."""
    loads = [(0, fold) for fold in range(n_folds)]
    chosen = []
    for size in sizes[order].tolist():
        load, fold = loads[0]
        heapq.heapreplace(loads, (load + size, fold))
        chosen.append(fold)
    folds = np.empty(len(sizes), dtype=np.intp)
    folds[order] = chosen
    return folds


def random_parts(sizes, n_train, n_test, rng):
    """Draw queries for a training and a test part of given numbers of rows.

    Parameters
    ----------
    sizes : ndarray of shape (n_queries,)
        The number of rows of each query; at least two queries.

    n_train, n_test : float
        The number of rows wanted in each part. Where they add up to all rows, every
        query goes to one part or the other.

    rng : RandomState
        Where chance comes from.

    Returns
    -------
    train, test : ndarray of int
        The queries of each part, at least one in each.
    """
    order = rng.permutation(len(sizes))
    test = _take_rows(sizes, order, n_test)
    if len(test) == len(order):
        test = _without(test, _smallest(sizes, test))
    train = _without(order, test)
    if _leaves_rows(n_train + n_test, sizes):
        train = _take_rows(sizes, train, n_train)
    return train, test


def ordered_parts(sizes, order, n_train, n_test):
    """Cut queries in a given order into a training part and the test part after it.

    The parameters and what is returned are those of `random_parts`, but for `order`,
    the queries in the order in which they are to stay.
    """
    ends = np.cumsum(sizes[order])
    train_end = _nearest(ends[:-1], n_train)
    test_end = len(ends)
    if _leaves_rows(n_train + n_test, sizes):
        test_end = train_end + _nearest(ends[train_end:], n_train + n_test)
    return order[:train_end], order[train_end:test_end]


def _leaves_rows(n_rows, sizes):
    """Tell whether some row stays out; the sum of two shares may be off a little."""
    return n_rows < sizes.sum() - 0.5


def _nearest(ends, n_rows):
    """Return how many queries to take so that they end nearest to `n_rows`."""
    return int(np.argmin(np.abs(ends - n_rows))) + 1


def _take_rows(sizes, order, n_rows):
    """Choose queries, the first in `order` first, of as nearly `n_rows` rows as can be.

    Everything before the query in which row `n_rows` falls is taken. Then either that
    query stays out and later ones fill the gap, or it goes in and earlier ones are
    given back. Where both come equally near, its own size decides, so that large
    queries are kept out of a small part no more than they must be.
    """
    ends = np.cumsum(sizes[order])
    last = min(int(np.searchsorted(ends, n_rows)), len(order) - 1)
    gap, surplus = n_rows - (ends[last] - sizes[order[last]]), ends[last] - n_rows
    before, after = order[:last], order[last + 1 :]
    without = np.concatenate([before, _fill(sizes, after, gap)])
    given_back = _fill(sizes, before[::-1], surplus)
    with_it = np.append(_without(before, given_back), order[last])
    chosen = min(
        [with_it, without] if surplus < gap else [without, with_it],
        key=lambda queries: abs(sizes[queries].sum() - n_rows),
    )
    return chosen if len(chosen) else _smallest(sizes, order)


def _fill(sizes, order, n_rows):
    """Choose what fits into `n_rows`; one more query if that comes nearer."""
    chosen, rest = order[:0], order
    while len(rest := rest[sizes[rest] <= n_rows]):
        n_fitting = np.searchsorted(np.cumsum(sizes[rest]), n_rows, side="right")
        chosen = np.concatenate([chosen, rest[:n_fitting]])
        n_rows = n_rows - sizes[rest[:n_fitting]].sum()
        rest = rest[n_fitting:]
    one_more = _smallest(sizes, _without(order, chosen))
    if sizes[one_more].sum() < 2 * n_rows:
        chosen = np.concatenate([chosen, one_more])
    return chosen


def _smallest(sizes, queries):
    """Return the smallest query as an array; an empty one if there is none."""
    return queries[np.argsort(sizes[queries], kind="stable")[:1]]


def _without(queries, others):
    return queries[~np.isin(queries, others)]
