"""Sign-flip tests of paired differences, and the intervals that agree with them.

If two rankers are equally good, the difference of each unit is as likely to have one
sign as the other. The test compares the sum S of the differences x with its
distribution when each of them is multiplied by +1 or -1 at random: p = P(S* >= S).
"""

# SPDX-License-Identifier: BSD-3-Clause

from functools import lru_cache

import numpy as np
from scipy.fft import irfft, next_fast_len
from scipy.optimize import brentq
from scipy.special import expit

from skrank.stats.inference import ROUNDING, ROUNDING_OF_LEVEL

# Up to this many differences other than 0, the sums of all 2^n signs are counted.
MOST_HALVED = 30
# The most operations that the exact distribution on a lattice may take, 50 ms. Ten
# thousand random signs take no longer.
MOST_STEPS = 2**19
# All signs of this many units are fewer than the usual 9,999 random ones.
MOST_ENUMERATED = 13
# Means of random subsets from which the bound of an end is taken.
N_OF_MEANS = 500
# No probability is 0, also where 2^-n is too small for a float.
SMALLEST_PVALUE = np.finfo(np.float64).tiny


def exact_probability(x):
    """Return P(S* >= S) for the differences `x`, or None if it takes random signs."""
    x = x[x != 0]
    if not len(x):
        return 1.0
    if (x > 0).all():  # no other signs have this sum
        return max(2.0 ** -float(len(x)), SMALLEST_PVALUE)
    if len(x) <= MOST_HALVED:
        return _by_halves(x)
    return _on_lattice(x)


def _by_halves(x):
    """Count the pairs of sums of two halves that reach the sum."""
    # S* = l + r with a sum l of the left half and r of the right one, 2^(n/2) of each.
    # S* >= S for r >= S - l: of the sorted r these are all from one place on.
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
    steps = _multiples(np.abs(x))
    if steps is None:
        return None
    count = np.bincount(steps)
    k = np.flatnonzero(count)
    count = count[k]
    n, y = int(steps.sum()), int(steps[x > 0].sum())
    if len(k) * n > MOST_STEPS:
        return None

    def excess(z):
        return (count * k * expit(z * k)).sum() - y

    # The tail below the mean is large, and needs no tilt. Any z gives the same
    # probability; one near the root keeps its digits.
    z = brentq(excess, 0, 50 / k[0], xtol=1e-4 / k[-1]) if 2 * y > n else 0.0
    n_nodes = next_fast_len(n + 1, real=True)
    node = np.arange(n_nodes // 2 + 1)
    cosine, sine = _circle(n_nodes)
    # (1 - p + p e^(i k angle))^times by its modulus and its angle: a complex power
    # takes several times as long.
    turn, positive = np.outer(k, node) % n_nodes, expit(z * k)[:, None]
    real = 1 - positive + positive * cosine[turn]
    imaginary = positive * sine[turn]
    with np.errstate(divide="ignore"):
        log_modulus = count / 2 @ np.log(real**2 + imaginary**2)
    angle, modulus = count @ np.arctan2(imaginary, real), np.exp(log_modulus)
    # irfft has the sign of the angle of a characteristic function reversed.
    product = np.empty(len(node), dtype=complex)
    product.real, product.imag = modulus * np.cos(angle), -modulus * np.sin(angle)
    tilted = np.maximum(irfft(product, n_nodes)[y : n + 1], 0)
    log_scale = (count * (np.logaddexp(0, z * k) - np.log(2))).sum()
    tail = (tilted * np.exp(-z * np.arange(len(tilted)))).sum()
    return float(np.clip(tail * np.exp(log_scale - z * y), SMALLEST_PVALUE, 1))


@lru_cache(maxsize=8)
def _circle(n):
    """Return the cosines and sines of n equal angles, which many comparisons share."""
    angle = 2 * np.pi / n * np.arange(n)
    return np.cos(angle), np.sin(angle)


def _multiples(sizes):
    """Return which multiples of a unit some sizes are; None of too small a unit."""
    least, unit = sizes.sum() / MOST_STEPS, sizes.min()
    steps = np.rint(sizes / unit)
    if np.abs(sizes - steps * unit).max() > 1e-6 * least:
        unit = _common_unit(np.unique(sizes), least)
        if unit is None:
            return None
        steps = np.rint(sizes / unit)
    if unit < least or np.abs(sizes - steps * unit).max() > 1e-6 * unit:
        return None
    return steps.astype(np.int64)


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


def draw_signs(n_units, n_resamples, seed):
    """Return how many flips there are, and the signs of eight units at a time as bits.

    All combinations of few units, else random ones, which are drawn when needed.
    """
    starts = range(0, n_units, 8)
    if n_units <= MOST_ENUMERATED:
        flip = np.arange(2**n_units)
        return len(flip), ((flip >> start).astype(np.uint8) for start in starts)
    rng, n = np.random.default_rng(seed), n_resamples + 1
    return n, (rng.integers(256, size=n, dtype=np.uint8) for _ in starts)


def flipped_sums(columns, n_resamples, seed, signs=1.0):
    """Return the sums of columns with flipped signs.

    The first flip flips nothing. Of eight units at a time the sums for all 256
    combinations of signs are computed, and then looked up.

    `columns` has the shape (n_units, n_columns), and the result (n_columns, n_flips).
    Random flips are relative to `signs`: the units that are flipped by one of them are
    the same, whichever sign the columns have.
    """
    n_flips, codes = draw_signs(len(columns), n_resamples, seed)
    is_random = len(columns) > MOST_ENUMERATED
    if is_random:
        given, columns = columns, columns * np.reshape(signs, (-1, 1))
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)
    every_sign = 1.0 - 2.0 * bits[:, ::-1].T
    padding = np.zeros((-len(columns) % 8, columns.shape[1]))
    eights = np.concatenate([columns, padding]).reshape(-1, 8, columns.shape[1])
    # A row for each flip, so that one copy takes what it adds to all columns.
    of_flips = np.zeros((n_flips, columns.shape[1]))
    found = np.empty_like(of_flips)
    used = (eights != 0).any(axis=1)
    is_sparse = 4 * np.count_nonzero(used, axis=1) < columns.shape[1]
    for i, (eight, code) in enumerate(zip(eights, codes, strict=True)):
        if is_sparse[i]:  # units of one of many segments
            (some,) = used[i].nonzero()
            of_flips[:, some] += (eight[:, some].T @ every_sign).T[code]
            continue
        of_code = np.ascontiguousarray((eight.T @ every_sign).T)
        np.take(of_code, code, axis=0, out=found, mode="clip")
        of_flips += found
    sums = found.reshape(of_flips.T.shape)
    sums[...] = of_flips.T
    if is_random:
        sums[:, 0] = given.sum(axis=0)
    return sums


def subset_means(top, bottom, flipped_top, flipped_bottom):
    """Return the ratios of the sums over random subsets of the units.

    The subsets are the units that a flip flips, and those that it does not flip. From
    the sums over all units, of shape (n_comparisons,), and those of each flip,
    (n_comparisons, n_flips), come (n_comparisons, 2 * n_flips) ratios. NaN for a subset
    without units that count, which is on both sides of any ratio. The bottoms may have
    one row for all comparisons.
    """
    # A sign-flip test rejects the ratio r unless enough of these ratios are on its
    # other side (J. A. Hartigan, 1969): sum s_i (t_i - r b_i) >= sum (t_i - r b_i)
    # exactly if the units with s_i = -1 have sum (t_i - r b_i) <= 0. Twice their sum of
    # t is sum t_i - sum s_i t_i.
    n_flips = flipped_top.shape[1]
    ratios = np.empty((len(top), 2 * n_flips))
    of_bottom = np.empty((len(bottom), 2 * n_flips))
    for sums, whole, flipped in (
        (ratios, top, flipped_top),
        (of_bottom, bottom, flipped_bottom),
    ):
        np.subtract(whole[:, None], flipped, out=sums[:, :n_flips])
        np.add(whole[:, None], flipped, out=sums[:, n_flips:])
    nothing = np.abs(of_bottom) <= 2 * ROUNDING * np.abs(bottom)[:, None]
    of_bottom[nothing] = np.nan
    ratios /= of_bottom
    return ratios


def most_at(level, n):
    """Return how many of n equally likely flips a p-value at the level may have."""
    return min(int(np.floor((level + ROUNDING_OF_LEVEL) * n)), n - 1)


def accepted(means, level):
    """Return (low, high) of the ratios that neither one-sided test rejects.

    A test accepts r if more than level * n of the `means` are on its other side, or
    equal to it.
    """
    n = means.shape[1]
    place = most_at(level, n)
    n_empty = np.isnan(means).sum(axis=1)
    # NaN stands for both infinities.
    bounded = np.flatnonzero(n_empty <= place)
    ends = np.full((2, len(means)), [[-np.inf], [np.inf]])
    # An end is among the few means beyond a bound that a sample of them gives.
    sample = np.sort(means[:, :: max(n // N_OF_MEANS, 1)], axis=1)
    beyond = min(int(np.ceil(1.3 * place / n * sample.shape[1])) + 8, sample.shape[1])
    for j in bounded:
        at, row = place - n_empty[j], means[j]
        few = row[row <= sample[j, beyond - 1]]
        ends[0, j] = np.partition(few if len(few) > at else row, at)[at]
        few = row[row >= sample[j, -beyond]]
        at = -1 - at
        if len(few) < -at:
            few = row[~np.isnan(row)]
        ends[1, j] = np.partition(few, at)[at]
    return ends


def agree(end, sign, null, rejected, means, estimate):
    """Return ends of intervals that agree with p-values: random signs may not.

    The ends are the lower ones with the sign 1 and the upper ones with -1. One is
    beyond the ratio `null` exactly if its one-sided test has `rejected` it. The other
    ends are among the `means` of :func:`subset_means`, and no test rejects the ratio of
    all units, `estimate`.
    """
    low, null = sign * end, sign * null
    low = np.where(rejected, low, np.minimum(low, null))
    for j in np.flatnonzero(rejected & (low <= null)):
        mean, most = sign * means[j], sign * estimate[j]
        low[j] = min(mean[mean > null].min(initial=most), most)
    return sign * low + 0.0  # never -0.0
