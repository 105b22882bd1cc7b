"""Assign queries to folds that are balanced in rows, classes and lengths at once."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import heapq

import numpy as np

from skrank.model_selection._allocate import shuffled_by_size

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
