"""Sign-flip tests of paired differences, and the intervals that agree with them.

If two rankers are equally good, the difference of each unit is as likely to have one
sign as the other. The test compares the sum S of the differences x with its
distribution when each of them is multiplied by +1 or -1 at random: p = P(S* >= S).
"""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import NamedTuple

import numpy as np
from scipy.fft import irfft, next_fast_len
from scipy.optimize import brentq
from scipy.special import expit

from skrank._inference.units import ROUNDING

# Up to so many differences other than 0, the sums of all 2^n signs are counted.
MOST_HALVED = 30
# The most operations that the exact distribution on a lattice may take, 50 ms. Ten
# thousand random signs take no longer.
MOST_STEPS = 2**19
# All signs of so many units are fewer than the usual 9,999 random ones.
MOST_ENUMERATED = 13
# No probability is 0, also where 2^-n is too small for a float.
SMALLEST = np.finfo(np.float64).tiny


def exact_probability(x):
    """Return P(S* >= S) for the differences `x`, or None if it takes random signs."""
    x = x[x != 0]
    if not len(x):
        return 1.0
    if (x > 0).all():  # no other signs have this sum
        return max(2.0 ** -float(len(x)), SMALLEST)
    if len(x) <= MOST_HALVED:
        return _by_halves(x)
    return _on_lattice(x)


def _by_halves(x):
    """Count the pairs of sums of two halves that reach the sum."""
    least = x.sum() - ROUNDING * np.abs(x).sum()
    left, right = (np.sort(_signed_sums(half)) for half in np.array_split(x, 2))
    reached = len(right) - np.searchsorted(right, least - left[::-1])
    return float(reached.sum() / 2.0 ** len(x))


def _signed_sums(x):
    """Return the sums of some numbers with all combinations of signs."""
    sums = np.zeros(1)
    for size in x:
        sums = np.concatenate([sums + size, sums - size])
    return sums


def _on_lattice(x):
    r"""Return P(S* >= S) if the differences are few multiples of a unit, else None.

    In units, S = 2 Y - N with N the sum of the sizes k and Y the sum of those with a
    positive sign. The characteristic function of Y is a product [1]_, here with the
    signs tilted so that Y is the mean: a small probability keeps its digits.

    .. math:: P(Y = m) = \tilde P(Y = m) e^{-z m} \prod_k \frac{1 + e^{z k}}{2}

    .. [1] M. Pagano, D. Tritchler, "On Obtaining Permutation Distributions in
       Polynomial Time", JASA 78 (1983).
    """
    sizes = np.abs(x)
    unit = _common_unit(np.unique(sizes), sizes.sum() / MOST_STEPS)
    if unit is None:
        return None
    steps = np.rint(sizes / unit).astype(np.int64)
    if np.abs(sizes - steps * unit).max() > 1e-6 * unit:
        return None
    k, count = np.unique(steps, return_counts=True)
    n, y = int(steps.sum()), int(steps[x > 0].sum())
    if len(k) * n > MOST_STEPS:
        return None

    def excess(z):
        return (count * k * expit(z * k)).sum() - y

    # The tail below the mean is large, and needs no tilt.
    z = brentq(excess, 0, 50 / k[0]) if 2 * y > n else 0.0
    n_nodes = next_fast_len(n + 1, real=True)
    angle = 2 * np.pi / n_nodes * np.arange(n_nodes // 2 + 1)
    product = np.ones(len(angle), dtype=np.complex128)
    for size, times in zip(k, count, strict=True):
        positive = expit(z * size)
        product *= (1 - positive + positive * np.exp(1j * angle * size)) ** times
    # irfft has the sign of the angle of a characteristic function reversed.
    tilted = np.maximum(irfft(np.conj(product), n_nodes)[y : n + 1], 0)
    log_scale = (count * (np.logaddexp(0, z * k) - np.log(2))).sum()
    tail = (tilted * np.exp(-z * np.arange(len(tilted)))).sum()
    return float(np.clip(tail * np.exp(log_scale - z * y), SMALLEST, 1))


def _common_unit(sizes, least):
    """Return the greatest common divisor of ascending sizes, or None if too small."""
    unit = sizes[0]
    for size in sizes[1:]:
        if unit < least:
            return None
        larger, smaller = size, unit
        while smaller > 1e-6 * least:  # Euclid's algorithm, to the nearest multiple
            remainder = abs(larger - smaller * round(larger / smaller))
            larger, smaller = smaller, remainder
        unit = larger
    return None if unit < least else unit


class Flips(NamedTuple):
    """Which units get a negative sign, flip by flip; the first one flips none.

    All combinations of signs if there are few units, else random ones, which are drawn
    again from the seed whenever they are needed: of a million units they would take a
    gigabyte.

    Attributes
    ----------
    n_units : int
        The number of units.
    n_flips : int
        The number of flips.
    seed : int or None
        The seed of random flips.
    """

    n_units: int
    n_flips: int
    seed: int | None

    @classmethod
    def draw(cls, n_units, n_resamples, seed):
        """Return all combinations of signs, or random ones beside the first."""
        if n_units <= MOST_ENUMERATED:
            return cls(n_units, 2**n_units, None)
        return cls(n_units, n_resamples + 1, seed)

    def codes(self):
        """Yield the signs of eight units at a time as bits: (n_flips,) bytes."""
        rng = np.random.default_rng(self.seed)
        for start in range(0, self.n_units, 8):
            if self.seed is None:
                code = (np.arange(self.n_flips) >> start).astype(np.uint8)
            else:
                code = rng.integers(256, size=self.n_flips, dtype=np.uint8)
            code[0] = 0
            yield code


def flipped_sums(columns, flips):
    """Return the sums of columns with flipped signs.

    Of eight units at a time the sums for all 256 combinations of signs are computed,
    and then looked up.

    Parameters
    ----------
    columns : ndarray of shape (n_units, n_columns)
        The numbers.
    flips : Flips
        The signs.

    Returns
    -------
    sums : ndarray of shape (n_flips, n_columns)
    """
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)
    signs = 1.0 - 2.0 * bits[:, ::-1]
    padding = np.zeros((-len(columns) % 8, columns.shape[1]))
    eights = np.concatenate([columns, padding]).reshape(-1, 8, columns.shape[1])
    sums = np.zeros((flips.n_flips, columns.shape[1]))
    found = np.empty_like(sums)
    for eight, code in zip(eights, flips.codes(), strict=True):
        np.take(signs @ eight, code, axis=0, out=found, mode="clip")
        sums += found
    return sums


def subset_means(top, bottom, flipped_top, flipped_bottom):
    """Return the ratios of the sums over the units whose sign is flipped.

    A sign-flip test rejects the ratio r unless enough of these ratios are on its other
    side [1]_: sum_i s_i (t_i - r b_i) >= sum_i (t_i - r b_i) exactly if the flipped
    units have sum (t_i - r b_i) <= 0. NaN where no unit that counts is flipped, which
    is on both sides.

    .. [1] J. A. Hartigan,
       "Using Subsample Values as Typical Values", JASA 64 (1969).
    """
    of_bottom = (bottom.sum() - flipped_bottom) / 2
    nothing = of_bottom <= ROUNDING * bottom.sum()
    of_bottom = np.where(nothing, 1, of_bottom)
    return np.where(nothing, np.nan, (top.sum() - flipped_top) / 2 / of_bottom)


def bound(means, level, fixed, estimate):
    """Return the lower bound of the ratios that no one-sided test rejects.

    Parameters
    ----------
    means : ndarray of shape (n_flips,)
        The ratios of :func:`subset_means`.
    level : float
        The level of the test, one-sided.
    fixed : list of (float, float)
        Ratios with the p-values of their tests, which the bound agrees with: random
        signs may reject another ratio than the exact test does.
    estimate : float
        The ratio of all units, which no test rejects.
    """
    means = np.sort(np.nan_to_num(means, nan=-np.inf))
    # The test accepts r if more than level * n of the means are <= r.
    low = means[min(int(np.floor(level * len(means) + 1e-9)), len(means) - 1)]
    for ratio, pvalue in fixed:
        if pvalue > level:
            low = min(low, ratio)
        elif low <= ratio:
            above = means[means > ratio]
            low = min(above[0], estimate) if len(above) else estimate
    return float(low)
