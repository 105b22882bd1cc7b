"""The interval of a mean of values in known limits, by N. Gaffke.

The notes of :func:`~skrank.stats.confidence_interval` have the formula and its source.
It allows for what the sample cannot show, since no value is beyond the limits. For
values that are 0 or 1 it is a quantile of the beta distribution, as that of Clopper and
Pearson is with a whole observation at the limit.
"""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

# More different values than this are counted on a grid of as many steps.
MOST_DIFFERENT = 1024
# The weight of the observation at the limit.
WEIGHT = 0.5
# With a smaller tilt the probability is about that of the mean.
SMALLEST_TILT = 1e-4


class Counted(NamedTuple):
    """Different values from 0 to 1 in their order, and how often each comes."""

    values: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, values, limits):
        """Return values within the limits, scaled to the range from 0 to 1.

        Of too many different values, one between two points of a grid counts as both in
        parts, with the same mean.
        """
        low, high = limits
        values = np.clip((np.asarray(values) - low) / (high - low), 0.0, 1.0)
        # A few of many values can show that there are too many different ones.
        if len(np.unique(values[: 4 * MOST_DIFFERENT])) <= MOST_DIFFERENT:
            different, counts = np.unique(values, return_counts=True)
            if len(different) <= MOST_DIFFERENT:
                return cls(different, counts.astype(np.float64))
        steps = values * MOST_DIFFERENT
        below = np.minimum(steps.astype(np.intp), MOST_DIFFERENT - 1)
        above = steps - below
        found = np.bincount(below, weights=1 - above, minlength=MOST_DIFFERENT + 1)
        found[1:] += np.bincount(below, weights=above, minlength=MOST_DIFFERENT)
        there = np.flatnonzero(found)
        return cls(there / MOST_DIFFERENT, found[there])

    def mirrored(self):
        """Return 1 less the values."""
        return Counted(1 - self.values[::-1], self.counts[::-1])


def in_limits(values, limits, tail):
    """Return (low, high) of the mean, with the probability `tail` beyond each."""
    low, high = limits
    counted = Counted.of(values, limits)
    ends = gaffke(counted, tail), 1 - gaffke(counted.mirrored(), tail)
    return tuple(float(low + (high - low) * end) for end in ends)


def gaffke(counted, tail):
    """Return the lower end of the mean, with the probability `tail` below it.

    The probability is that of O. Barndorff-Nielsen's form of the saddlepoint
    approximation (Biometrika 73, 1986), which is 0 to 5 % of itself too large.
    """
    values, counts = counted
    if not values.any():
        return 0.0
    scale = values[-1]
    x, counts = np.append(values / scale, 0.0), np.append(counts, WEIGHT)

    # D = G / sum G with gamma variables G of shapes `counts`: sum D x < t exactly if
    # sum G (x - t) < 0. The cumulant function of the latter is
    # K(s) = -sum counts log(1 - s (x - t)), and K'(s) = 0 at the saddlepoint.
    def end(tilt):
        # The t that has this saddlepoint.
        weights = counts / (1 - tilt * x)
        return (weights * x).sum() / weights.sum()

    def excess(tilt):
        t = end(tilt)
        room = 1 - tilt * t
        # Of the sum of gamma variables times x - t: the cumulant function at its
        # saddlepoint tilt / room, and the second derivative.
        cumulant = counts.sum() * np.log(room) - (counts * np.log1p(-tilt * x)).sum()
        parts = (x - t) / (1 - tilt * x)
        root = -np.sqrt(max(-2 * cumulant, np.finfo(np.float64).tiny))
        slope = tilt * np.sqrt((counts * parts**2).sum())
        return norm.cdf(root + np.log(slope / root) / root) - tail

    near = far = -1.0
    while excess(near) < 0:
        near /= 4
        if near > -SMALLEST_TILT:
            return scale * end(near)
    while excess(far) > 0:
        far *= 4
    if near == far:
        return scale * end(near)
    return scale * end(brentq(excess, far, near))
