"""The ranks that first relevant documents may have, looked at once for like ties."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import bisect
import math

import numpy as np

from skrank._ranking.documents import OneTarget
from skrank._ranking.neighbours import lengths_of, starts_of
from skrank._ranking.queries import RankedQueries, sum_over_places
from skrank._ranking.tie_groups import TieGroups

# From so many tied places a query on, queries with like ties are looked at once.
MANY = 16

# So many tied places are looked at together.
BLOCK = 2**18


class FirstRanks(RankedQueries):
    """The first tie groups of queries, without the documents behind them.

    Parameters
    ----------
    above, size, relevant : ndarray of shape (n_queries,)
        The tie group of each query; `relevant` is 0 for one that has none.
    n_relevant : ndarray of shape (n_queries,)
        The number of relevant documents, listed or not; it is only compared with 0.
    """

    def __init__(self, above, size, relevant, n_relevant):
        (query,) = np.nonzero(relevant)
        groups = above[query], size[query], relevant[query]
        groups = TieGroups(query, *groups, np.zeros(0))
        n_documents = above + size
        documents = OneTarget(np.arange(len(above)), n_documents)
        super().__init__(groups, n_documents, documents, n_found=relevant)
        self._has_relevant = n_relevant

    @property
    def n_relevant(self):
        """Return a number that is above 0 for queries with relevant documents."""
        return self._has_relevant

    def expected_at_first(self, value, k=None, missing=0.0):
        """Return the expected value, by cumulative sums if only one is relevant."""
        if (self.relevant > 1).any():
            return super().expected_at_first(value, k, missing)
        above, below = self.above, self.above + self.size
        if k is not None:
            above, below = np.minimum(above, k), np.minimum(below, k)
        # Each of its places is as likely: E[1 / r], for one, is a harmonic number / n.
        expected = self.where_relevant(missing)
        expected[self.query] = sum_over_places(value, above, below) / self.size
        return expected


def values_at_first(definition, ranking, own):
    """Return ``definition(ranking, **own)``, computed once for all like ties.

    Parameters
    ----------
    definition : callable
        One that reads only the rank of the first relevant document.
    ranking : RankedQueries
        The ranked queries.
    own : dict
        The parameters of the definition.

    Returns
    -------
    values : ndarray of shape (n_queries,)
        The values.
    """
    if not _has_large_ties(ranking):
        return definition(ranking, **own)
    kinds, kind = _kinds(ranking)
    parts = [definition(part, **own) for part, _ in _blocks(kinds)]
    return np.concatenate(parts)[kind]


def means_at_first(functions, ranking):
    """Return the expected values of functions of the rank, where all queries may tie.

    Like ties are looked at once for all functions.

    Parameters
    ----------
    functions : list of callable
        Each maps an array of ranks to values.
    ranking : RankedQueries
        The ranked queries.

    Returns
    -------
    means : ndarray of shape (n_functions, n_queries)
        NaN for queries without a relevant document.
    """
    kinds, kind = _kinds(ranking)
    parts = [
        [part.expected_at_first(function, missing=np.nan) for function in functions]
        for part, _ in _blocks(kinds)
    ]
    return np.concatenate(parts, axis=1)[:, kind]


def ranks_of_all(ranking, weight, instead):
    """Return the ranks that the first relevant documents may have, all queries in one.

    Parameters
    ----------
    ranking : RankedQueries
        The ranked queries.
    weight : ndarray of shape (n_queries,)
        The weight of each query.
    instead : ndarray of shape (n_queries,)
        A rank that stands for the query; NaN where its own does.

    Returns
    -------
    rank, mass : ndarray of shape (n_ranks,)
        A rank, and the sum of the weights times the chance to have it.
    """
    given = ~np.isnan(instead)
    own = np.where(given, 0.0, weight)
    if _has_large_ties(ranking):
        rank, mass = _ranks_by_kind(ranking, own)
    else:
        query, rank, chance = ranking.first_rank_law()
        mass = chance * own[query]
    return np.append(rank, instead[given]), np.append(mass, weight[given])


def _ranks_by_kind(ranking, weight):
    kinds, kind = _kinds(ranking)
    weight = np.bincount(kind, weights=weight)
    last = int((kinds[0] + kinds[1]).max(initial=0))
    mass, occurs = np.zeros(last + 1), np.zeros(last + 1, dtype=bool)
    for part, rows in _blocks(kinds):
        query, rank, chance = part.first_rank_law()
        mass += np.bincount(rank, chance * weight[rows][query], minlength=last + 1)
        occurs[rank] = True
    rank = np.flatnonzero(occurs)
    return rank, mass[rank]


def first_groups(ranking):
    """Return what a :class:`FirstRanks` is made of, of queries that all may be tied."""
    columns = np.zeros((4, ranking.n_queries), dtype=np.intp)
    of_runs = ranking.above, ranking.size, ranking.relevant
    for column, of_run in zip(columns, of_runs, strict=False):
        column[ranking.query[ranking._first]] = of_run[ranking._first]
    columns[3] = ranking.n_relevant > 0
    return columns


def has_one_rank(ranking):
    """Tell which queries leave nothing open, having one rank for sure or none."""
    first = ranking._first
    has_one = np.ones(ranking.n_queries, dtype=bool)
    has_one[ranking.query[first]] = ranking.size[first] == ranking.relevant[first]
    return has_one


def _has_large_ties(ranking):
    if not ranking._ranks_are_in_groups:
        return False
    others = ranking.size[ranking._first] - ranking.relevant[ranking._first]
    return others.sum() > MANY * ranking.n_queries


def _kinds(ranking):
    """Return the different first runs, and which of them each query has."""
    columns = first_groups(ranking)
    order = np.lexsort(columns)
    columns = columns[:, order]
    new = np.ones(ranking.n_queries, dtype=bool)
    new[1:] = (columns[:, 1:] != columns[:, :-1]).any(axis=0)
    kind = np.empty(ranking.n_queries, dtype=np.intp)
    kind[order] = np.cumsum(new) - 1
    return columns[:, new], kind


def _blocks(kinds):
    """Yield rankings of some kinds each, and which ones, with limited tied places."""
    above, size, relevant, _ = kinds
    starts = starts_of(np.cumsum(size - relevant + 1) // BLOCK)
    for start, stop in zip(starts, np.append(starts[1:], len(above)), strict=True):
        rows = slice(start, stop)
        yield FirstRanks(*kinds[:, rows]), rows


def weighted_median(group, value, weight, n_groups, rounding=1e-12):
    """Return the weighted median of each group, NaN for groups of no weight.

    The first value that half of the weight does not exceed; if exactly half of it does
    not, the mean of this value and the next. A sum that differs from the other half by
    `rounding` of the total is a half, unless there are weights as small as that.
    """
    kept = weight > 0
    group, value, weight = group[kept], value[kept], weight[kept]
    order = np.lexsort((value, group))
    group, value, weight = group[order], value[order], weight[order]
    first = starts_of(group)
    size = lengths_of(first, len(group))
    up_to = np.cumsum(weight, dtype=np.longdouble)
    up_to -= np.repeat(up_to[first] - weight[first], size)
    total = up_to[first + size - 1]
    excess = (2 * up_to / np.repeat(total, size) - 1).astype(np.float64)
    is_half = np.abs(excess) <= rounding
    lower = first + np.add.reduceat((excess < 0) & ~is_half, first, dtype=np.intp)
    upper = first + np.add.reduceat((excess < 0) | is_half, first, dtype=np.intp)
    # Weights that are smaller than the rounding decide, or lie between such sums.
    is_small = np.minimum.reduceat(weight, first) <= rounding * total
    unclear = (upper - lower > 1) | ((upper > lower) & is_small)
    unclear &= value[lower] != value[upper]
    for i in np.flatnonzero(unclear):
        near = lower[i] - first[i], upper[i] - first[i]
        middle = _exact_middle(weight[first[i] : first[i] + size[i]], *near)
        lower[i], upper[i] = first[i] + middle
    median = np.full(n_groups, np.nan)
    median[group[first]] = (value[lower] + value[upper]) / 2
    return median


def _exact_middle(weight, start, stop):
    """Return where the lower and the upper median are, between two positions."""

    def excess(place):  # the sign of a sum by fsum is exact
        up_to = weight[: place + 1].tolist()
        return math.fsum(up_to + (-weight[place + 1 :]).tolist())

    places = range(start, stop)
    lower = bisect.bisect_left(places, 0, key=excess)
    return start + np.array([lower, bisect.bisect_right(places, 0, key=excess)])
