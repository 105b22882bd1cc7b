"""A family of paired tests over the same units."""

# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata
from scipy.stats import t as student

from skrank.stats import inference, sign_flips
from skrank.stats.inference import (
    ROUNDING,
    distinct_columns,
    effective_units,
    standard_error,
)

TESTS = ("permutation", "t", "wilcoxon", "sign")
CORRECTIONS = ("max-t", "holm", "bh", None)
ALTERNATIVES = ("two-sided", "greater", "less")

# So many numbers, 8 MB of them, are held at a time of all flips of all comparisons.
BLOCK = 2**20
# Where fewer random flips reach a sum, its probability is refined.
FEW_REACHED = 20


def is_two_sided(alternative, margin):
    """Return True if the tests look for a difference in either direction.

    With a margin, "two-sided" asks whether the difference is small: equivalence.
    """
    return alternative == "two-sided" and not margin


@dataclass(frozen=True)
class Family:
    """Differences of pairs of rankers, as ratios of sums over units.

    The terms of a difference are one column less another, so that the sums of all
    pairs of many rankers come from those of each ranker.

    Attributes
    ----------
    columns : ndarray of shape (n_units, n_columns)
        The terms of the rankers, or of their differences.
    plus, minus : ndarray of shape (n_comparisons,)
        The two columns of each comparison.
    bottoms : ndarray of shape (n_units, n_bottoms)
        The weights of the units.
    bottom : ndarray of shape (n_comparisons,)
        The column of weights of each comparison.
    errors : ndarray of shape (n_comparisons,)
        The standard errors of the differences.
    df : ndarray of shape (n_comparisons,)
        Their degrees of freedom.
    signs : ndarray of shape (n_units,)
        What the signs of random flips are relative to, unit by unit.
    """

    columns: np.ndarray
    plus: np.ndarray
    minus: np.ndarray
    bottoms: np.ndarray
    bottom: np.ndarray
    errors: np.ndarray
    df: np.ndarray
    signs: np.ndarray

    @classmethod
    def of_columns(cls, top, bottom):
        """Return the family of terms of shape (n_units, n_comparisons)."""
        n_units, n = top.shape
        errors, df = standard_error(top, bottom, [])
        bottoms, place = distinct_columns(bottom)
        columns = np.hstack([top, np.zeros((n_units, 1))])
        ends = np.arange(n), np.full(n, n)
        signs = np.where(top[:, 0] < 0, -1.0, 1.0)
        return cls(columns, *ends, bottoms, place, np.nan_to_num(errors), df, signs)

    @property
    def n_comparisons(self):
        """Return the number of comparisons."""
        return len(self.plus)

    def parts(self, size):
        """Yield slices of the comparisons, each of which holds `size` numbers."""
        step = max(BLOCK // size, 1)
        for start in range(0, self.n_comparisons, step):
            yield slice(start, min(start + step, self.n_comparisons))

    def tops(self, part):
        """Return the terms of some comparisons, of shape (n_units, n_comparisons)."""
        return self.columns[:, self.plus[part]] - self.columns[:, self.minus[part]]

    def weights(self, part):
        """Return the weights of some comparisons."""
        return self.bottoms[:, self.bottom[part]]

    def shifted(self, part, null):
        """Return terms less a null, 0 where they differ from it by rounding alone."""
        moved = self.tops(part)
        size = np.abs(moved)
        if null:
            of_null = null * self.weights(part)
            moved, size = moved - of_null, size + np.abs(of_null)
        return np.where(np.abs(moved) <= ROUNDING * size.max(axis=0), 0, moved)

    @cached_property
    def totals(self):
        """Return the sums of the terms, and those of the weights."""
        tops = np.empty(self.n_comparisons)
        for part in self.parts(len(self.columns)):
            tops[part] = self.tops(part).sum(axis=0)
        return tops, self.bottoms.sum(axis=0)[self.bottom]

    @cached_property
    def all_tied(self):
        """Return True for each comparison all of whose differences are 0."""
        found = np.empty(self.n_comparisons, dtype=bool)
        for part in self.parts(len(self.columns)):
            found[part] = ~self.tops(part).any(axis=0)
        return found


class Outcome(NamedTuple):
    """What is found of a family, each of shape (n_comparisons,).

    The p-values and the adjusted ones, the ends of the intervals, the number of units,
    and the effective number of differences.
    """

    pvalue: np.ndarray
    adjusted: np.ndarray
    low: np.ndarray
    high: np.ndarray
    n_units: np.ndarray
    n_effective: np.ndarray


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
    refined : ndarray of shape (n_comparisons,)
        The same, below what random flips can count.
    """

    sign: int
    null: float
    pvalue: np.ndarray
    refined: np.ndarray


# The one-sided tests of each alternative: the sign, and the difference that is tested.
_ONE_SIDED = {
    "two-sided": lambda margin: [(1, -margin), (-1, margin)],
    "greater": lambda margin: [(1, -margin)],
    "less": lambda margin: [(-1, margin)],
}


def test_family(
    family, *, test, correction, alternative, margin, level, n_resamples, seed
):
    """Test all differences of a family and adjust their p-values.

    `level` is the level of the tests, 1 minus that of the intervals; the other
    parameters are those of :func:`skrank.stats.compare_rankers`.
    """
    two_sided = is_two_sided(alternative, margin)
    refine = correction in ("holm", "bh") and family.n_comparisons > 1
    flipped = None
    if correction == "max-t" or test != "t":
        flips = sign_flips.Flips.draw(len(family.columns), n_resamples, seed)
        flipped = Flipped(family, test, flips)
    sides = []
    for side in _ONE_SIDED[alternative](margin):
        pvalues = _pvalues(family, test, flipped, side, two_sided, refine)
        sides.append(Side(*side, *pvalues))
    pvalue, adjusted = _combine(family, flipped, sides, correction, two_sided)
    # Two tests of 5 % on the two sides of equivalence belong to a 90 % interval.
    each = level / 2 if two_sided else level
    low, high = _intervals(family, test, flipped, sides, each, margin)
    n_units, n_effective = np.empty((2, family.n_comparisons))
    for part in family.parts(len(family.columns)):
        n_units[part] = (family.weights(part) != 0).sum(axis=0)
        n_effective[part] = effective_units(family.tops(part) ** 2)
    n_effective[n_effective == 0] = np.inf
    return Outcome(pvalue, adjusted, low, high, n_units.astype(int), n_effective)


class Flipped:
    """The sums of the comparisons of a family with flipped signs.

    Parameters
    ----------
    family : Family
        The family.
    test : {"permutation", "t", "wilcoxon", "sign"}
        The test, which may sum up ranks or signs of the differences.
    flips : Flips
        The flips.
    """

    def __init__(self, family, test, flips):
        self.family, self.test, self.flips = family, test, flips
        if test in TRANSFORMED:
            return
        self.of_columns = self._sums(family.columns)
        self.of_bottoms = self._sums(family.bottoms)

    def _sums(self, columns, flips=slice(None)):
        return sign_flips.flipped_sums(columns, self.flips, self.family.signs, flips)

    def sums(self, part, null, flips=slice(None)):
        """Return the sums of some comparisons, of shape (n_comparisons, n_flips)."""
        family = self.family
        if self.test in TRANSFORMED:
            return self._sums(self.summed(part, null), flips)
        sums = self.of_columns[family.plus[part], flips]
        sums -= self.of_columns[family.minus[part], flips]
        if null:
            sums -= null * self.of_bottoms[family.bottom[part], flips]
        return sums

    def summed(self, part, null):
        """Return what the test sums up of the differences less a null."""
        moved = self.family.shifted(part, null)
        return TRANSFORMED.get(self.test, np.asarray)(moved)

    def rounding(self, part, null):
        """Return what the sums of some comparisons may differ by in rounding alone."""
        family = self.family
        if self.test in TRANSFORMED:
            return ROUNDING * np.abs(self.summed(part, null)).sum(axis=0)
        size = np.abs(family.columns).sum(axis=0)
        of_null = abs(null) * np.abs(family.bottoms).sum(axis=0)[family.bottom[part]]
        return ROUNDING * (size[family.plus[part]] + size[family.minus[part]] + of_null)

    def statistics(self, null):
        """Return the studentized sums, and a function that yields those of all flips.

        With t = S / sqrt(sum x^2), Student's t increases with t, whatever the signs.
        """
        n, n_flips = self.family.n_comparisons, self.flips.n_flips
        totals, norms = np.empty((2, n))
        for part in self.family.parts(len(self.family.columns)):
            x = self.summed(part, null)
            totals[part], norms[part] = x.sum(axis=0), np.sqrt((x**2).sum(axis=0))
        norms[norms == 0] = 1

        def blocks():
            step = max(BLOCK // n, 1)
            for start in range(0, n_flips, step):
                some = slice(start, start + step)
                yield self.sums(slice(None), null, some) / norms[:, None]

        return totals / norms, blocks


def signed_ranks(x):
    """Return the ranks of the sizes of numbers other than 0, with their signs."""
    sizes = np.abs(x)
    ranks = np.zeros(len(x))
    rows = np.flatnonzero(sizes)
    if len(rows):  # sizes that differ by rounding are equal
        ranks[rows] = rankdata(np.round(sizes[rows] / sizes.max(), 12))
    return np.sign(x) * ranks


# What tests sum up that do not sum up the differences.
TRANSFORMED = {
    "wilcoxon": lambda x: np.apply_along_axis(signed_ranks, 0, x),
    "sign": np.sign,
}


def _pvalues(family, test, flipped, side, two_sided, refine):
    """Return the p-values of one side, and the same refined.

    Of a two-sided test only the side of the difference is tested: the other one has 1.
    """
    sign, null = side
    if test == "t":
        tops, weights = family.totals
        distance = sign * (tops / weights - null)
        with np.errstate(divide="ignore", invalid="ignore"):
            statistic = np.where(distance == 0, 0.0, distance / family.errors)
        p = student.sf(statistic, np.where(family.df > 0, family.df, 1))
        p = np.maximum(np.where(family.df > 0, p, 1.0), sign_flips.SMALLEST)
        return p, p
    pvalue = np.ones(family.n_comparisons)
    refined = pvalue.copy()
    for part in family.parts(2 * flipped.flips.n_flips):
        x = sign * flipped.summed(part, null)
        drawn = []
        for j, column in enumerate(x.T, part.start):
            if two_sided and column.sum() < -ROUNDING * np.abs(column).sum():
                continue
            exact = sign_flips.exact_probability(column)
            if exact is None:
                drawn.append(j)
            else:
                pvalue[j] = refined[j] = exact
        if not drawn:
            continue
        drawn = np.array(drawn)
        x = x[:, drawn - part.start]
        least = (x.sum(axis=0) - flipped.rounding(drawn, null))[:, None]
        # Each flip counts with its opposite, which is as likely.
        sums = flipped.sums(drawn, null)
        reached = np.count_nonzero(sums >= least, axis=1)
        reached += np.count_nonzero(sums <= -least, axis=1)
        pvalue[drawn] = refined[drawn] = reached / (2 * flipped.flips.n_flips)
        if refine:
            for j in np.flatnonzero(reached <= FEW_REACHED):
                tail = sign_flips.tail_probability(x[:, j])
                refined[drawn[j]] = min(pvalue[drawn[j]], tail)
    return pvalue, refined


def _combine(family, flipped, sides, correction, two_sided):
    """Return the p-values and the adjusted ones of one-sided tests."""

    def both(pvalues):
        # Equivalence needs both sides, a difference one of them.
        if two_sided:
            return np.minimum(2 * np.min(pvalues, axis=0), 1)
        return np.max(pvalues, axis=0)

    pvalue = both([side.pvalue for side in sides])
    if len(pvalue) == 1 or correction is None:
        return pvalue, pvalue.copy()
    if correction == "max-t":
        adjusted = _max_t(flipped, sides, two_sided)
    else:
        adjust = {"holm": inference.holm, "bh": inference.benjamini_hochberg}
        adjusted = adjust[correction](both([side.refined for side in sides]))
    # Random flips may be more extreme than the exact p-value, or a refined one less.
    return pvalue, np.maximum(adjusted, pvalue)


def _max_t(flipped, sides, two_sided):
    """Return the p-values adjusted by the maximum over the flips."""
    if two_sided:
        observed, blocks = flipped.statistics(0.0)
        return inference.max_t(np.abs(observed), map(np.abs, blocks()))
    # The tests of both sides of equivalence are one family.
    found = [(side.sign, *flipped.statistics(side.null)) for side in sides]
    observed = np.concatenate([sign * total for sign, total, _ in found])

    def blocks():
        for parts in zip(*(of_null() for _, _, of_null in found), strict=True):
            signed = [
                sign * part for (sign, *_), part in zip(found, parts, strict=True)
            ]
            signed = np.vstack(signed)
            yield signed
            yield -signed  # the opposite flips

    return inference.max_t(observed, blocks()).reshape(len(sides), -1).max(axis=0)


def _intervals(family, test, flipped, sides, level, margin):
    """Return the differences that no one-sided test at `level` rejects."""
    n = family.n_comparisons
    if test in TRANSFORMED:  # they do not test the difference of the means
        return np.full(n, np.nan), np.full(n, np.nan)
    ends = {1: np.full(n, -np.inf), -1: np.full(n, np.inf)}
    tops, weights = family.totals
    difference = tops / weights
    if test == "t":
        quantile = student.ppf(1 - level, np.where(family.df > 0, family.df, 1))
        radius = np.where(family.df > 0, quantile * family.errors, np.inf)
        for side in sides:
            ends[side.sign] = difference - side.sign * radius
    for part in family.parts(4 * flipped.flips.n_flips) if test != "t" else ():
        means = sign_flips.subset_means(
            tops[part],
            weights[part],
            flipped.sums(part, 0.0),
            flipped.of_bottoms[family.bottom[part]],
        )
        low, high = sign_flips.accepted(means, level)
        for side in sides:
            ends[side.sign][part] = sign_flips.agree(
                low if side.sign == 1 else high,
                side.sign,
                side.null,
                side.pvalue[part],
                level,
                means,
                difference[part],
            )
    if not margin:  # rankers that never differ have the difference 0
        for side in sides:
            ends[side.sign][family.all_tied] = 0.0
    return ends[1], ends[-1]
