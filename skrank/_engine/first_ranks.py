"""The possible ranks of first relevant documents, computed once for equal ties."""

# SPDX-License-Identifier: BSD-3-Clause

import weakref

import numpy as np

from skrank._ranking.arrays import TieGroups, starts_of
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

    `relevant` is 0 for a query without one; `n_relevant` is only compared with 0.
    """

    def __init__(self, above, size, relevant, n_relevant):
        (query,) = np.nonzero(relevant)
        size, relevant = size.astype(np.intp), relevant.astype(np.intp)
        groups = above[query], size[query], relevant[query]
        groups = TieGroups(query, *groups, np.zeros(0))
        self._has_relevant = n_relevant
        documents = OneTarget(np.arange(len(above)), above + size)
        super().__init__(groups, above + size, documents, n_found=relevant)

    @property
    def n_relevant(self):
        """Return a number that is above 0 for queries with relevant documents."""
        return self._has_relevant

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


def _n_tied(ranking):
    """Return how many non-relevant documents the first tie group of each query has."""
    others = np.zeros(ranking.n_queries, dtype=np.intp)
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
