r"""What holds at every look at growing data, and means of values in known limits.

For all n together the probability that one of the lower ends is above the mean of the
population is at most :math:`\alpha`, however often one looks. The notes of
:func:`~skrank.stats.confidence_interval` have the formulas and sources:

- Bets, for values in known limits. The wealth of those who bet a fraction u of what
  they have that the mean is above m is a product over the queries. If the mean is at
  most m, it does not grow on average, and the probability that it ever reaches
  :math:`1 / \alpha` is at most :math:`\alpha`. So it is with the mean over several u.
- The asymptotic confidence sequence, for any values: r standard errors below the mean.
  Few queries have the quantile of Student's t with the same tail as r of the normal
  distribution. So a test at every look is a t test at a stricter level.

For one look at values in known limits there is Gaffke's interval. Like bets it knows
what the sample cannot show, since no value is beyond the limits. For values that are 0
or 1 it is a quantile of the beta distribution, as that of Clopper and Pearson is with a
whole observation at the limit.
"""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

# The number of queries at which the sequence is the narrowest, at a level of 5 %. It
# must not depend on the data, and 50 to 1,000 queries lose little by this one.
N_TUNED = 200
# The paper's choice for this number: rho^2 = (-2 log a + log(-2 log a + 1)) / n.
RHO2 = (-2 * np.log(0.05) + np.log(-2 * np.log(0.05) + 1)) / N_TUNED


def strict_level(level, n):
    """Return the level of a one-sided t test of n units that holds it at every look."""
    time = np.asarray(n, dtype=np.float64) * RHO2
    # r^2 = 2 (n rho^2 + 1) / (n rho^2) log(1 + sqrt(n rho^2 + 1) / (2 alpha))
    boundary = np.log1p(np.sqrt(time + 1) / (2 * level))
    return norm.sf(np.sqrt(2 * (time + 1) / time * boundary))


def pvalue(p, n):
    """Return the smallest level at which a one-sided t test of p-value p rejects.

    The inverse of :func:`strict_level`, at most 1.
    """
    time = np.asarray(n, dtype=np.float64) * RHO2
    z = np.maximum(norm.isf(p), 0)
    with np.errstate(divide="ignore", over="ignore"):
        found = np.sqrt(time + 1) / (2 * np.expm1(z**2 * time / (2 * (time + 1))))
    return np.minimum(found, 1.0)


def level_of_interval(confidence_level, n):
    """Return the level of a two-sided t interval that holds it at every look."""
    return float(1 - 2 * strict_level((1 - confidence_level) / 2, max(n, 1)))


# More different values than this are counted on a grid of as many steps.
MOST_DIFFERENT = 1024
# The weight of the observation at the limit.
WEIGHT = 0.5
# With a smaller tilt the probability is about that of the mean.
SMALLEST_TILT = 1e-4
# The fractions that are bet: the nodes of Gauss and Chebyshev, whose mean over a
# polynomial of a degree below twice their number is that of the arcsine distribution.
BETS = (1 - np.cos(np.pi * (np.arange(64) + 0.5) / 64)) / 2


class Counted(NamedTuple):
    """Different values from 0 to 1 in their order, and how often each comes."""

    values: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, values, limits):
        """Return values within the limits, scaled to the range from 0 to 1.

        Of too many different values, one between two points of a grid counts as both in
        parts, with the same mean. That lowers the wealth of each bet, whose logarithm
        is concave, so that no bet wins by it.
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

    @property
    def mean(self):
        """Return the mean."""
        return float(self.values @ self.counts / self.counts.sum())

    def mirrored(self):
        """Return 1 less the values."""
        return Counted(1 - self.values[::-1], self.counts[::-1])


def in_limits(limits, lower_end, counted, tail):
    """Return (low, high) of values in limits by a function of their lower end."""
    low, high = limits
    ends = lower_end(counted, tail), 1 - lower_end(counted.mirrored(), tail)
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


def wealth(counted, mean):
    """Return what all bets that the mean is above this one make of 1 together."""
    values, counts = counted
    if mean <= 0:  # nothing to lose
        return np.inf if mean < 0 or values.any() else 1.0
    # E_u prod_i (1 + u (x_i / m - 1)), a row for each u
    gains = np.log1p(np.outer(BETS, values / mean - 1)) @ counts
    largest = gains.max()
    with np.errstate(over="ignore"):
        return float(np.exp(largest) * np.exp(gains - largest).mean())


def bets(counted, tail):
    """Return the last mean below all others that no wealth of 1 / `tail` refutes."""

    def excess(logarithm):
        return np.log(wealth(counted, np.exp(logarithm)) * tail)

    if not counted.values.any():
        return 0.0
    high = low = np.log(counted.mean)  # where the wealth is at most 1
    while excess(low) < 0:
        low -= 1.0
    return float(np.exp(brentq(excess, low, high)))
