"""A family of paired tests over the same units."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata
from scipy.stats import t as student

from skrank._inference import families, sign_flips
from skrank._inference.intervals import quantile_of_t
from skrank._inference.units import ROUNDING, distinct_columns

TESTS = ("permutation", "t", "wilcoxon", "sign")
CORRECTIONS = ("max-t", "holm", "bh", None)
ALTERNATIVES = ("two-sided", "greater", "less")


def is_two_sided(alternative, margin):
    """Return True if the tests look for a difference in either direction.

    With a margin, "two-sided" asks whether the difference is small: equivalence.
    """
    return alternative == "two-sided" and not margin


class Family(NamedTuple):
    """Differences of pairs of rankers, as ratios of sums over units.

    Attributes
    ----------
    top, bottom : ndarray of shape (n_units, n_comparisons)
        The terms of the sums: the difference is top.sum() / bottom.sum().
    errors : ndarray of shape (n_comparisons,)
        The standard errors of the differences.
    df : ndarray of shape (n_comparisons,)
        Their degrees of freedom.
    """

    top: np.ndarray
    bottom: np.ndarray
    errors: np.ndarray
    df: np.ndarray


class Outcome(NamedTuple):
    """The p-values and intervals of a family, each of shape (n_comparisons,)."""

    pvalue: np.ndarray
    adjusted: np.ndarray
    low: np.ndarray
    high: np.ndarray


class Side(NamedTuple):
    """A one-sided test of all differences: sign * (difference - null) > 0.

    Attributes
    ----------
    sign : {1, -1}
        The side.
    null : float
        The difference that it tests.
    pvalue : ndarray of shape (n_comparisons,)
        Its p-values.
    shifted : Shifted
        The differences less the null.
    """

    sign: int
    null: float
    pvalue: np.ndarray
    shifted: "Shifted"


class Shifted(NamedTuple):
    """Differences less a null, as the test transforms them, and their flipped sums."""

    x: np.ndarray
    flipped: np.ndarray | None

    def statistics(self, sign):
        """Return the studentized sums, (n_comparisons,) and (n_flips, n_comparisons).

        With t = S / sqrt(sum x^2), Student's t increases with t, whatever the signs.
        """
        norm = sign * np.sqrt((self.x**2).sum(axis=0))
        norm[norm == 0] = 1
        return self.x.sum(axis=0) / norm, self.flipped / norm


def test_family(
    family, *, test, correction, alternative, margin, level, n_resamples, seed
):
    """Test all differences of a family and adjust their p-values.

    `level` is the level of the tests, 1 minus that of the intervals; the other
    parameters are those of :func:`skrank.stats.compare_rankers`.
    """
    flips = None
    if correction == "max-t" or test != "t":
        flips = sign_flips.Flips.draw(len(family.top), n_resamples, seed)
    shifted = {}
    for null in {-margin, margin}:
        x = transformed(family.top - null * family.bottom, test)
        flipped = None if flips is None else sign_flips.flipped_sums(x, flips)
        shifted[null] = Shifted(x, flipped)
    sides = [
        Side(
            sign,
            null,
            _probability(family, test, sign, null, shifted[null]),
            shifted[null],
        )
        for sign, null in _ONE_SIDED[alternative](margin)
    ]
    two_sided = is_two_sided(alternative, margin)
    pvalue, adjusted = _combine(sides, correction, two_sided)
    # Two tests of 5 % on the two sides of equivalence belong to a 90 % interval.
    each = level / 2 if two_sided else level
    low, high = _intervals(family, test, sides, flips, each)
    return Outcome(pvalue, adjusted, low, high)


# The one-sided tests of each alternative: the sign, and the difference that is tested.
_ONE_SIDED = {
    "two-sided": lambda margin: [(1, -margin), (-1, margin)],
    "greater": lambda margin: [(1, -margin)],
    "less": lambda margin: [(-1, margin)],
}


def transformed(x, test):
    """Return what a test sums up of the differences `x`, for each column."""
    x = np.where(np.abs(x) <= ROUNDING * np.abs(x).max(axis=0), 0, x)
    if test == "wilcoxon":
        return np.apply_along_axis(signed_ranks, 0, x)
    return np.sign(x) if test == "sign" else x


def signed_ranks(x):
    """Return the ranks of the sizes of numbers other than 0, with their signs."""
    sizes = np.abs(x)
    ranks = np.zeros(len(x))
    rows = np.flatnonzero(sizes)
    if len(rows):  # sizes that differ by rounding are equal
        ranks[rows] = rankdata(np.round(sizes[rows] / sizes.max(), 12))
    return np.sign(x) * ranks


def _probability(family, test, sign, null, shifted):
    """Return the one-sided p-values."""
    if test == "t":
        difference = family.top.sum(axis=0) / family.bottom.sum(axis=0)
        distance = sign * (difference - null)
        with np.errstate(divide="ignore", invalid="ignore"):
            statistic = np.where(distance == 0, 0.0, distance / family.errors)
        p = student.sf(statistic, np.maximum(family.df, 1))
        return np.maximum(np.where(family.df > 0, p, 1.0), sign_flips.SMALLEST)
    pvalue = np.empty(shifted.x.shape[1])
    for j, x in enumerate(sign * shifted.x.T):
        exact = sign_flips.exact_probability(x)
        if exact is None:
            least = x.sum() - ROUNDING * np.abs(x).sum()
            exact = np.mean(sign * shifted.flipped[:, j] >= least)
        pvalue[j] = exact
    return pvalue


def _combine(sides, correction, two_sided):
    """Return the p-values and the adjusted ones of one-sided tests."""
    pvalues = np.array([side.pvalue for side in sides])
    if two_sided:
        pvalue = np.minimum(2 * pvalues.min(axis=0), 1)
    else:  # equivalence needs both
        pvalue = pvalues.max(axis=0)
    if len(pvalue) == 1:
        return pvalue, pvalue.copy()
    if correction == "max-t":
        tested = sides[:1] if two_sided else sides
        each = [side.shifted.statistics(side.sign) for side in tested]
        if two_sided:
            each = [np.abs(x, out=x) for x in each[0]]
        else:  # the tests of both sides of equivalence are one family
            each = map(np.hstack, zip(*each, strict=True))
        adjusted = families.max_t(*each).reshape(len(tested), -1).max(axis=0)
        # Random flips may be more extreme than the exact p-value.
        return pvalue, np.maximum(adjusted, pvalue)
    adjust = {"holm": families.holm, "bh": families.benjamini_hochberg}
    return pvalue, adjust[correction](pvalue) if correction else pvalue.copy()


def _intervals(family, test, sides, flips, level):
    """Return the differences that no one-sided test at `level` rejects."""
    n = family.top.shape[1]
    if test in ("wilcoxon", "sign"):  # they do not test the difference of the means
        return np.full(n, np.nan), np.full(n, np.nan)
    ends = {1: np.full(n, -np.inf), -1: np.full(n, np.inf)}
    difference = family.top.sum(axis=0) / family.bottom.sum(axis=0)
    if test == "t":
        quantile = np.array([quantile_of_t(1 - 2 * level, df) for df in family.df])
        with np.errstate(invalid="ignore"):
            radius = np.where(family.df > 0, quantile * family.errors, np.inf)
        for side in sides:
            ends[side.sign] = difference - side.sign * radius
    else:
        for j, means in enumerate(_means_of_subsets(family, sides, flips)):
            for side in sides:
                fixed = [(side.sign * side.null, side.pvalue[j])]
                ends[side.sign][j] = side.sign * sign_flips.bound(
                    side.sign * means, level, fixed, side.sign * difference[j]
                )
    all_tied = ~family.top.any(axis=0)
    for side in sides:
        ends[side.sign][all_tied] = 0.0
    return ends[1], ends[-1]


def _means_of_subsets(family, sides, flips):
    """Yield the ratios of the sums over the units that each flip flips."""
    bottoms, place = distinct_columns(family.bottom)
    of_bottoms = sign_flips.flipped_sums(bottoms, flips)
    null, shifted = sides[0].null, sides[0].shifted
    for j, (top, bottom) in enumerate(zip(family.top.T, family.bottom.T, strict=True)):
        of_bottom = of_bottoms[:, place[j]]
        of_top = shifted.flipped[:, j] + null * of_bottom
        yield sign_flips.subset_means(top, bottom, of_top, of_bottom)
