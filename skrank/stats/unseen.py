"""What a sample of queries does not show: how far a mean falls by it."""

# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from skrank.stats.inference import effective_units, sum_clusters


@dataclass(frozen=True, eq=False)
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
    clusters : ndarray of shape (n_queries,) or None
        The codes of the clusters of the queries.
    """

    top: np.ndarray
    bottom: np.ndarray
    limits: tuple[float, float]
    clusters: np.ndarray | None

    @cached_property
    def _units(self):
        """Return how many equal units weigh as these, and sums of weights and falls."""
        top, bottom = sum_clusters(self.top, self.bottom, self.clusters)
        top, bottom = top[bottom > 0], bottom[bottom > 0]
        low, high = self.limits
        distance = np.maximum(top / bottom - low, 0)
        if not distance.any():  # where nothing can fall, others may have the best value
            distance = np.full(len(top), high - low if high > low else np.inf)
        best_first = np.argsort(-distance, kind="stable")
        weight = bottom[best_first] / bottom.sum()
        falls = weight, weight * distance[best_first]
        falls = (np.append(0.0, np.cumsum(each)) for each in falls)
        return float(effective_units(bottom)), *falls

    def fraction(self, level):
        """Return the largest fraction that a sample lacks with this probability."""
        n_units, *_ = self._units
        return 1 - level ** (1 / n_units)

    def fall(self, fraction):
        """Return the fall of the mean if this fraction is lost."""
        _, *falls = self._units
        return float(np.interp(fraction, *falls))


def fall_of_either(one, other, level):
    """Return the larger fall of two means of the same units, not shown by a sample."""
    lost = one.fraction(level)
    return max(one.fall(lost), other.fall(lost))
