"""The possible ranks of first relevant documents, computed once for equal ties."""

# SPDX-License-Identifier: BSD-3-Clause

import bisect
import math
import weakref
from functools import cached_property

import numpy as np

from skrank._ranking.arrays import TieGroups, lengths_of, starts_of
from skrank._ranking.queries import RankedQueries, sum_over_places
from skrank._ranking.targets import OneTarget

# Above this mean number of tied non-relevant documents per query, values are computed
# once per different tie group instead of once per query.
MANY_TIED = 16

# A tie group with more non-relevant documents is summed by another formula.
LARGE = 64

# The number of tied places to process together, which limits the memory.
MOST_PLACES = 2**18


class FirstRanks(RankedQueries):
    """The first tie groups of queries, without the input that they come from.

    `relevant` is 0 for a query without one; `n_relevant` is only compared with 0. With
    `n_documents` and `n_found`, the numbers of returned documents and of relevant ones
    among them, the ranks in random orders are known as well.
    """

    def __init__(
        self, above, size, relevant, n_relevant, n_documents=None, n_found=None
    ):
        (query,) = np.nonzero(relevant)
        size, relevant = size.astype(np.intp), relevant.astype(np.intp)
        groups = above[query], size[query], relevant[query]
        groups = TieGroups(query, *groups, np.zeros(0))
        self._has_relevant, self._in_random_order = n_relevant, (n_documents, n_found)
        documents = OneTarget(np.arange(len(above)), above + size)
        super().__init__(groups, above + size, documents, n_found=relevant)

    @property
    def n_relevant(self):
        """Return a number that is above 0 for queries with relevant documents."""
        return self._has_relevant

    @cached_property
    def ideal(self):
        """The ideal ranking: a relevant document is first."""
        one = self._has_relevant.astype(np.intp)
        return FirstRanks(np.zeros_like(one), one, one, one)

    @cached_property
    def chance(self):
        """The ranking in which all documents of a query are tied."""
        counts = (count.astype(np.intp) for count in self._in_random_order)
        above = np.zeros(self.n_queries, dtype=np.intp)
        return FirstRanks(above, *counts, self._has_relevant)

    def expected_at_first(self, value, k=None, missing=0.0):
        """Return the expected value, by sums over all places of many tied ones."""
        alike = (self.relevant == 1) & (self.size - 1 > LARGE)
        if not alike.any():
            return super().expected_at_first(value, k, missing)
        expected = self.where_relevant(missing)
        if not alike.all():
            query = self.query[~alike]
            groups = self.above[~alike], self.size[~alike], self.relevant[~alike]
            others = FirstRanks(*groups, groups[-1])
            expected[query] = others.expected_at_first(value, k)
        # (value(t + 1) + ... + value(t + n)) / n: with one relevant document, the
        # places of the tie group all have probability 1 / n.
        above, size = self.above[alike], self.size[alike]
        expected[self.query[alike]] = (
            sum_over_places(value, above, above + size, k) / size
        )
        return expected


def values_at_first(definition, ranking, own):
    """Return ``definition(ranking, **own)``, computed once for equal ties if many tie.

    The definition reads only the rank of the first relevant document. The value of a
    query depends on its own tie group alone, not on the other queries.
    """
    n_tied = _n_tied(ranking)
    are_few = n_tied.sum() <= MANY_TIED * ranking.n_queries
    if are_few and not (n_tied > LARGE).any():
        return definition(ranking, **own)
    if are_few:
        return definition(FirstRanks(*_first_groups(ranking)), **own)
    kinds, kind = _kinds(ranking)
    parts = [definition(part, **own) for part, _ in _in_parts(kinds)]
    return np.concatenate(parts)[kind]


def ranks_of_all(ranking, weight, instead):
    """Return (rank, mass): the possible first relevant ranks of all queries together.

    The mass of a rank is the sum over the queries of weight times probability. A query
    has the rank `instead` for sure, unless that is NaN.
    """
    given = ~np.isnan(instead)
    own = np.where(given, 0.0, weight)
    if _n_tied(ranking).sum() > MANY_TIED * ranking.n_queries:
        rank, mass = _ranks_by_kind(ranking, own)
    else:
        if not ranking.ranks_are_estimated:  # in the order of the queries, to sum them
            ranking = FirstRanks(*_first_groups(ranking))
        query, rank, probability = ranking.first_rank_law()
        mass = probability * own[query]
    return np.append(rank, instead[given]), np.append(mass, weight[given])


def _ranks_by_kind(ranking, weight):
    kinds, kind = _kinds(ranking)
    weight = np.bincount(kind, weights=weight)
    last = int((kinds[0] + kinds[1]).max(initial=0))
    mass, occurs = np.zeros(last + 1), np.zeros(last + 1, dtype=bool)
    for part, rows in _in_parts(kinds):
        query, rank, probability = part.first_rank_law()
        part_mass = probability * weight[rows][query]
        mass += np.bincount(rank, part_mass, minlength=last + 1)
        occurs[rank] = True
    rank = np.flatnonzero(occurs)
    return rank, mass[rank]


def _first_groups(ranking):
    """Return the parameters of a :class:`FirstRanks`, one row each."""
    # Ranks between two documents are possible where ties="realistic".
    dtype = np.promote_types(np.intp, ranking.above.dtype)
    columns = np.zeros((4, ranking.n_queries), dtype=dtype)
    of_groups = ranking.above, ranking.size, ranking.relevant
    for column, of_group in zip(columns, of_groups, strict=False):
        column[ranking.query[ranking.first]] = of_group[ranking.first]
    columns[3] = ranking.n_relevant > 0
    return columns


def stored_ranks(ranking):
    """Return all parameters of a :class:`FirstRanks`, one row each."""
    return np.vstack([_first_groups(ranking), ranking.n_documents, ranking.n_found])


def has_one_rank(ranking):
    """Return True for queries whose first relevant rank is certain or missing."""
    first = ranking.first
    has_one = np.ones(ranking.n_queries, dtype=bool)
    has_one[ranking.query[first]] = ranking.size[first] == ranking.relevant[first]
    return has_one


def _n_tied(ranking):
    """Return how many non-relevant documents the first tie group of each query has."""
    others = np.zeros(ranking.n_queries, dtype=np.intp)
    if not ranking.ranks_are_estimated:
        first = ranking.first
        others[ranking.query[first]] = ranking.size[first] - ranking.relevant[first]
    return others


def _kinds(ranking):
    """Return the different first tie groups, and the position of each query's own."""
    if ranking not in _KINDS:
        groups = _first_groups(ranking)
        order = np.lexsort(groups)
        columns = groups[:, order]
        new = np.ones(groups.shape[1], dtype=bool)
        new[1:] = (columns[:, 1:] != columns[:, :-1]).any(axis=0)
        kind = np.empty(groups.shape[1], dtype=np.intp)
        kind[order] = np.cumsum(new) - 1
        _KINDS[ranking] = columns[:, new], kind
    return _KINDS[ranking]


# Those of rankings that are in use: many metrics ask for them.
_KINDS = weakref.WeakKeyDictionary()


def _in_parts(kinds):
    """Yield rankings of about MOST_PLACES tied places at most, and slices of kinds."""
    above, size, relevant, _ = kinds
    starts = starts_of(np.cumsum(size - relevant + 1) // MOST_PLACES)
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
