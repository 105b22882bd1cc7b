"""Folds of whole queries that are alike."""

# SPDX-License-Identifier: BSD-3-Clause

import heapq

import numpy as np

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
    the fold with the fewest rows. Classes: the folds that lack queries with relevant
    rows most get the places of such queries. Queries: each goes to the fold with the
    fewest rows among the folds that have a place for its class.
    """
    fraction = sum(relevant) / len(relevant)
    rows = [0] * n_folds
    lack = [0.0] * n_folds  # of queries with relevant rows, for the overall fraction
    assigned = []
    for start in range(0, len(sizes), n_folds):
        round_ = range(start, min(start + n_folds, len(sizes)))
        places = _places(rows, [sizes[query] for query in round_])
        lack = [
            owed + fraction * place for owed, place in zip(lack, places, strict=True)
        ]
        n_relevant = [0] * n_folds
        for _ in range(sum(relevant[query] for query in round_)):
            fold = max(
                (fold for fold in range(n_folds) if n_relevant[fold] < places[fold]),
                key=lack.__getitem__,
            )
            n_relevant[fold] += 1
            lack[fold] -= 1
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


def _places(rows, sizes):
    """Return how many of the queries each fold gets when only rows are balanced."""
    loads = [(load, fold) for fold, load in enumerate(rows)]
    heapq.heapify(loads)
    places = [0] * len(rows)
    for size in sizes:
        load, fold = loads[0]
        places[fold] += 1
        heapq.heapreplace(loads, (load + size, fold))
    return places


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
    """Return a fold for each query, such that folds have nearly equal numbers of rows.

    Each query, the largest first, goes to the fold with the fewest rows so far. `sizes`
    holds the numbers of rows of the queries, at least `n_folds` of them, so that no
    fold stays empty. With the RandomState `rng`, queries of similar size change places;
    with None, queries of the same size keep the order of their ids.
    """
    if rng is None:
        return _deal(sizes, np.argsort(-sizes, kind="stable"), n_folds)
    # With few queries a random order may unbalance the folds. Keep the best of ten, or
    # the first whose largest fold is within 1 % of the smallest possible one.
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

    Only queries of similar size change places, so that the queries of a fold are
    random but its number of rows is not.
    """
    n_queries = len(sizes)
    order = rng.permutation(n_queries)
    order = order[np.argsort(-sizes[order], kind="stable")]
    return order[np.argsort(np.arange(n_queries) // n_folds + rng.rand(n_queries))]


def _deal(sizes, order, n_folds):
    """Assign each query in turn to the fold with the fewest rows so far."""
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

    `sizes` holds the number of rows of each query; there are at least two queries. Each
    part gets at least one. If `n_train` and `n_test` add up to all rows, every query
    goes to one of the parts.
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
    """Split queries in a given order into a training part and the test part after it.

    Like `random_parts`, but `order` holds the queries in the order to keep.
    """
    ends = np.cumsum(sizes[order])
    train_end = _nearest(ends[:-1], n_train)
    test_end = len(ends)
    if _leaves_rows(n_train + n_test, sizes):
        test_end = train_end + _nearest(ends[train_end:], n_train + n_test)
    return order[:train_end], order[train_end:test_end]


def _leaves_rows(n_rows, sizes):
    """Return True if some row stays out; half a row allows for rounding errors."""
    return n_rows < sizes.sum() - 0.5


def _nearest(ends, n_rows):
    """Return how many queries to take so that they end nearest to `n_rows`."""
    return int(np.argmin(np.abs(ends - n_rows))) + 1


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
    return chosen if len(chosen) else _smallest(sizes, order)


def _fill(sizes, order, n_rows):
    """Choose queries that fit into `n_rows`, and one more if that comes nearer."""
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
