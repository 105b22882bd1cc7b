"""What a sample of queries does not show: how far a mean falls by it."""

# SPDX-License-Identifier: BSD-3-Clause

from functools import cached_property

import numpy as np

from skrank.stats.inference import effective_units, sum_clusters


class Unseen:
    r"""The fall of a mean if the queries that have most of it had the worst value.

    With the probability :math:`\alpha` a sample of n units lacks what happens to a
    fraction :math:`u = 1 - \alpha^{1/n}` of the population. At worst it happens to the
    best u of the units, and the mean falls by the sum of their distances from the worst
    value, divided by n.

    Parameters
    ----------
    top, bottom : ndarray of shape (n_queries,)
        The terms of the mean, as a ratio of two sums.
    limits : tuple of float
        The worst and the best value; those that were seen if there are no others.
    clusterings : list of ndarray of shape (n_queries,)
        The codes of the clusters of the queries; of two, those that weigh as fewer.
    """

    def __init__(self, top, bottom, limits, clusterings):
        self._terms, self._limits = (top, bottom), limits
        self._clusterings = clusterings

    @cached_property
    def _units(self):
        """Return the terms of the units with a weight."""
        each = [sum_clusters(*self._terms, one) for one in self._clusterings or [None]]
        top, bottom = min(each, key=lambda terms: effective_units(terms[1]))
        return top[bottom > 0], bottom[bottom > 0]

    @cached_property
    def n_units(self):
        """Return how many units of equal weight weigh as these."""
        return float(effective_units(self._units[1]))

    @cached_property
    def _falls(self):
        """Return the weight of the first 0, 1, 2, ... units, and the fall without."""
        (top, bottom), (low, high) = self._units, self._limits
        distance = np.maximum(top / bottom - low, 0)
        if not distance.any():  # where nothing can fall, others may have the best value
            distance = np.full(len(top), high - low if high > low else np.inf)
        best_first = np.argsort(-distance, kind="stable")
        weight = bottom[best_first] / bottom.sum()
        falls = weight, weight * distance[best_first]
        return [np.append(0.0, np.cumsum(each)) for each in falls]

    def fraction(self, level):
        """Return the largest fraction that a sample lacks with this probability."""
        return 1 - level ** (1 / self.n_units)

    def fall(self, fraction):
        """Return the fall of the mean if this fraction is lost."""
        return float(np.interp(fraction, *self._falls))

    def __call__(self, level):
        """Return the fall that a sample does not show with this probability."""
        return self.fall(self.fraction(level))
