"""The possible ranks of first relevant documents, computed once for equal ties."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import bisect
import math

import numpy as np

from skrank._ranking.documents import OneTarget
from skrank._ranking.expectation import sum_over_places
from skrank._ranking.neighbours import lengths_of, starts_of
from skrank._ranking.queries import RankedQueries
from skrank._ranking.tie_groups import TieGroups

# Above this mean number of tied non-relevant documents per query, values are computed
# once per different tie group instead of once per query.
MANY = 16

# The number of tied places to process together, which limits the memory.
BLOCK = 2**18


class FirstRanks(RankedQueries):
    """The first tie groups of queries, without the input that they come from.

    Parameters
    ----------
    above, size, relevant : ndarray of shape (n_queries,)
        The tie group of each query; `relevant` is 0 for a query without one.
    n_relevant : ndarray of shape (n_queries,)
        The number of relevant documents, returned or not; only compared with 0.
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
        """Return the expected value, by cumulative sums where all r are at most 1."""
        if (self.relevant > 1).any():
            return super().expected_at_first(value, k, missing)
        above, below = self.above, self.above + self.size
        if k is not None:
            above, below = np.minimum(above, k), np.minimum(below, k)
        # (value(t + 1) + ... + value(t + n)) / n: with one relevant document, the
        # places of the tie group all have probability 1 / n.
        expected = self.where_relevant(missing)
        expected[self.query] = sum_over_places(value, above, below) / self.size
        return expected


def values_at_first(definition, ranking, own):
    """Return ``definition(ranking, **own)``, computed once for all equal ties.

    The definition reads only the rank of the first relevant document.
    """
    if not _has_large_ties(ranking):
        return definition(ranking, **own)
    kinds, kind = _kinds(ranking)
    parts = [definition(part, **own) for part, _ in _blocks(kinds)]
    return np.concatenate(parts)[kind]


def means_at_first(functions, ranking):
    """Return the expected values of functions of the first relevant rank, by query.

    Equal ties are computed once for all functions. NaN without a relevant document.
    """
    kinds, kind = _kinds(ranking)
    parts = [
        [part.expected_at_first(function, missing=np.nan) for function in functions]
        for part, _ in _blocks(kinds)
    ]
    return np.concatenate(parts, axis=1)[:, kind]


def ranks_of_all(ranking, weight, instead):
    """Return (rank, mass): the possible first relevant ranks of all queries together.

    The mass of a rank is the sum over the queries of weight times probability. A query
    has the rank `instead` for sure, unless that is NaN.
    """
    given = ~np.isnan(instead)
    own = np.where(given, 0.0, weight)
    if _has_large_ties(ranking):
        rank, mass = _ranks_by_kind(ranking, own)
    else:
        query, rank, probability = ranking.first_rank_law()
        mass = probability * own[query]
    return np.append(rank, instead[given]), np.append(mass, weight[given])


def _ranks_by_kind(ranking, weight):
    kinds, kind = _kinds(ranking)
    weight = np.bincount(kind, weights=weight)
    last = int((kinds[0] + kinds[1]).max(initial=0))
    mass, occurs = np.zeros(last + 1), np.zeros(last + 1, dtype=bool)
    for part, rows in _blocks(kinds):
        query, rank, probability = part.first_rank_law()
        part_mass = probability * weight[rows][query]
        mass += np.bincount(rank, part_mass, minlength=last + 1)
        occurs[rank] = True
    rank = np.flatnonzero(occurs)
    return rank, mass[rank]


def first_groups(ranking):
    """Return the parameters of a :class:`FirstRanks`, one row each."""
    columns = np.zeros((4, ranking.n_queries), dtype=np.intp)
    of_groups = ranking.above, ranking.size, ranking.relevant
    for column, of_group in zip(columns, of_groups, strict=False):
        column[ranking.query[ranking._first]] = of_group[ranking._first]
    columns[3] = ranking.n_relevant > 0
    return columns


def has_one_rank(ranking):
    """Return True for queries whose first relevant rank is certain or missing."""
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
    """Return the different first tie groups, and the position of each query's own."""
    columns = first_groups(ranking)
    order = np.lexsort(columns)
    columns = columns[:, order]
    new = np.ones(ranking.n_queries, dtype=bool)
    new[1:] = (columns[:, 1:] != columns[:, :-1]).any(axis=0)
    kind = np.empty(ranking.n_queries, dtype=np.intp)
    kind[order] = np.cumsum(new) - 1
    return columns[:, new], kind


def _blocks(kinds):
    """Yield rankings of at most about BLOCK tied places, and their slices of kinds."""
    above, size, relevant, _ = kinds
    starts = starts_of(np.cumsum(size - relevant + 1) // BLOCK)
    for start, stop in zip(starts, np.append(starts[1:], len(above)), strict=True):
        rows = slice(start, stop)
        yield FirstRanks(*kinds[:, rows]), rows


def weighted_median(group, value, weight, n_groups, is_exact=False):
    """Return the weighted median of each group, NaN for groups of weight 0.

    The smallest value m with F(m) >= 1/2, where F(m) is the fraction of the weight at
    values up to m; if F(m) = 1/2, the mean of m and the next value. The weights may be
    rounded; if `is_exact`, no more than 0.1 is, so that the smallest of them counts.
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
    rounding = 1e-15 if is_exact else 1e-12
    is_half = np.abs(excess) <= rounding
    lower = first + np.add.reduceat((excess < 0) & ~is_half, first, dtype=np.intp)
    upper = first + np.add.reduceat((excess < 0) | is_half, first, dtype=np.intp)
    # Weights that are smaller than the rounding decide, or lie between such sums.
    is_small = np.minimum.reduceat(weight, first) <= rounding * total
    unclear = (upper - lower > 1) | ((upper > lower) & is_small)
    unclear &= value[lower] != value[upper]
    for i in np.flatnonzero(unclear & is_exact):
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
