"""Sign-flip tests of paired differences, and the intervals that agree with them.

If two rankers are equally good, the difference of each unit is as likely to have one
sign as the other. The test compares the sum S of the differences x with its
distribution when each of them is multiplied by +1 or -1 at random: p = P(S* >= S).
"""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank.stats.inference import ROUNDING, ROUNDING_OF_LEVEL

# All signs of this many units are fewer than the usual 9,999 random ones.
MOST_ENUMERATED = 13


def flipped_sums(columns, n_resamples, seed, signs=1.0):
    """Return the sums of columns with flipped signs.

    All combinations of few units, else random ones. The first flip flips nothing. Of
    eight units at a time the sums for all 256 combinations of signs are computed, and
    then looked up.

    From the shape (n_units, n_columns) to (n_columns, n_flips). Random flips are
    relative to `signs`: which units they flip does not depend on the columns' signs.
    """
    n_units, starts = len(columns), range(0, len(columns), 8)
    is_random = n_units > MOST_ENUMERATED
    if is_random:
        rng, n_flips = np.random.default_rng(seed), n_resamples + 1
        codes = (rng.integers(256, size=n_flips, dtype=np.uint8) for _ in starts)
        given, columns = columns, columns * np.reshape(signs, (-1, 1))
    else:
        n_flips = 2**n_units
        codes = ((np.arange(n_flips) >> start).astype(np.uint8) for start in starts)
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1)
    every_sign = 1.0 - 2.0 * bits[:, ::-1].T
    padding = np.zeros((-n_units % 8, columns.shape[1]))
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
    n_known = n - np.isnan(means).sum(axis=1)
    place = most_at(level, n) - (n - n_known)  # NaN stands for both infinities
    ends = np.full((2, len(means)), [[-np.inf], [np.inf]])
    for j in np.flatnonzero(place >= 0):
        both = [place[j], n_known[j] - 1 - place[j]]
        ends[:, j] = np.partition(means[j], both)[both]
    return ends
