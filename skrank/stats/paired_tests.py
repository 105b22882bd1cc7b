"""Tests of paired differences, and families of them."""

# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata
from scipy.stats import t as student

from skrank.stats import sign_flips
from skrank.stats.inference import (
    ROUNDING,
    distinct_columns,
    effective_units,
    standard_error,
)

# The signs of the one-sided tests of each alternative.
ALTERNATIVES = {"two-sided": (1, -1), "greater": (1,), "less": (-1,)}

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
    """

    columns: np.ndarray  # the terms of rankers or of differences, (n_units, n_columns)
    plus: np.ndarray  # the two columns of each comparison
    minus: np.ndarray
    bottoms: np.ndarray  # the weights of the units, (n_units, n_bottoms)
    bottom: np.ndarray  # the column of weights of each comparison
    errors: np.ndarray  # the standard error of each difference
    df: np.ndarray  # its degrees of freedom
    signs: np.ndarray  # what the signs of random flips are relative to, by unit

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

    def __len__(self):
        """Return the number of comparisons."""
        return len(self.plus)

    def parts(self, size):
        """Yield slices of the comparisons, each of which holds `size` numbers."""
        step = max(BLOCK // size, 1)
        for start in range(0, len(self.plus), step):
            yield slice(start, min(start + step, len(self.plus)))

    def tops(self, part):
        """Return the terms of some comparisons, of shape (n_units, n_comparisons)."""
        return self.columns[:, self.plus[part]] - self.columns[:, self.minus[part]]

    def weights(self, part):
        """Return the weights of some comparisons."""
        return self.bottoms[:, self.bottom[part]]

    @cached_property
    def totals(self):
        """Return the sums of the terms, and those of the weights."""
        tops = np.empty(len(self.plus))
        for part in self.parts(len(self.columns)):
            tops[part] = self.tops(part).sum(axis=0)
        return tops, self.bottoms.sum(axis=0)[self.bottom]


class Side(NamedTuple):
    """A one-sided test of all differences: sign * (difference - null) > 0.

    `pvalue` holds the p-values, and `refined` the same below what random flips can
    count.
    """

    sign: int
    null: float
    pvalue: np.ndarray
    refined: np.ndarray


class Flipped:
    """The sums of the comparisons of a family with flipped signs.

    `transform`, if any, returns what the test sums up instead of the differences.
    """

    def __init__(self, family, transform, flips):
        self.family, self.transform, self.flips = family, transform, flips
        if flips is not None and transform is None:  # what all comparisons share
            columns, bottoms, signs = family.columns, family.bottoms, family.signs
            self.of_columns = sign_flips.flipped_sums(columns, flips, signs)
            self.of_bottoms = sign_flips.flipped_sums(bottoms, flips, signs)

    def sums(self, part, null, flips=slice(None)):
        """Return the sums of some comparisons, of shape (n_comparisons, n_flips)."""
        family = self.family
        if self.transform is not None:
            x = self.summed(part, null)
            return sign_flips.flipped_sums(x, self.flips, family.signs, flips)
        sums = self.of_columns[family.plus[part], flips]
        sums -= self.of_columns[family.minus[part], flips]
        if null:
            sums -= null * self.of_bottoms[family.bottom[part], flips]
        return sums

    def summed(self, part, null):
        """Return what the test sums up of the differences less a null.

        It is 0 where they differ from the null by rounding alone.
        """
        moved = self.family.tops(part)
        size = np.abs(moved)
        if null:
            of_null = null * self.family.weights(part)
            moved, size = moved - of_null, size + np.abs(of_null)
        moved = np.where(np.abs(moved) <= ROUNDING * size.max(axis=0), 0, moved)
        return moved if self.transform is None else self.transform(moved)

    def rounding(self, part, null):
        """Return what the sums of some comparisons may differ by in rounding alone."""
        family = self.family
        if self.transform is not None:
            return ROUNDING * np.abs(self.summed(part, null)).sum(axis=0)
        size = np.abs(family.columns).sum(axis=0)
        of_null = abs(null) * np.abs(family.bottoms).sum(axis=0)[family.bottom[part]]
        return ROUNDING * (size[family.plus[part]] + size[family.minus[part]] + of_null)

    def statistics(self, null):
        """Return the studentized sums, and those of some flips at a time.

        With t = S / sqrt(sum x^2), Student's t increases with t, whatever the signs.
        """
        n, n_flips = len(self.family), self.flips.n_flips
        totals, norms = np.empty((2, n))
        for part in self.family.parts(len(self.family.columns)):
            x = self.summed(part, null)
            totals[part], norms[part] = x.sum(axis=0), np.sqrt((x**2).sum(axis=0))
        norms[norms == 0] = 1
        step = max(BLOCK // n, 1)

        def blocks():
            for start in range(0, n_flips, step):
                sums = self.sums(slice(None), null, slice(start, start + step))
                sums /= norms[:, None]
                yield sums

        return totals / norms, blocks()


@dataclass(frozen=True)
class SignFlipTest:
    """A test that flips the signs of the differences of the units."""

    words: str  # what the test is called
    question: str  # what it tests, for the documentation of `compare_rankers`
    # What it sums up instead of the differences, of shape (n_units, n_comparisons): an
    # odd function, which is 0 where they are. It then does not test whether the means
    # are equal, and there is no interval.
    transform: Callable | None = None
    flips_signs = True

    @property
    def has_interval(self):
        """Return True if the test is about the difference of the means."""
        return self.transform is None

    def pvalues(self, flipped, sign, null, two_sided, refine):
        """Return the p-values of one side, and the same refined.

        Of a two-sided test only the side of the difference is tested: the other one
        has 1.
        """
        family = flipped.family
        pvalue = np.ones(len(family))
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

    def ends(self, flipped, sides, level):
        """Return the last difference that each one-sided test at `level` accepts."""
        family = flipped.family
        tops, weights = family.totals
        ends = np.empty((len(sides), len(family)))
        for part in family.parts(4 * flipped.flips.n_flips):
            bottom = family.bottom[part]
            if (bottom == bottom[0]).all():  # so it is without weights
                bottom = bottom[:1]
            means = sign_flips.subset_means(
                tops[part],
                weights[part][: len(bottom)],
                flipped.sums(part, 0.0),
                flipped.of_bottoms[bottom],
            )
            low, high = sign_flips.accepted(means, level)
            for end, side in zip(ends, sides, strict=True):
                end[part] = sign_flips.agree(
                    low if side.sign == 1 else high,
                    side.sign,
                    side.null,
                    side.pvalue[part],
                    level,
                    means,
                    tops[part] / weights[part],
                )
        return ends


@dataclass(frozen=True)
class StudentTest:
    """Student's paired t test; the fields and methods are those of SignFlipTest."""

    words: str
    question: str
    transform = None
    flips_signs = False
    has_interval = True

    def pvalues(self, flipped, sign, null, two_sided, refine):
        family = flipped.family
        tops, weights = family.totals
        distance = sign * (tops / weights - null)
        with np.errstate(divide="ignore", invalid="ignore"):
            statistic = np.where(distance == 0, 0.0, distance / family.errors)
        p = student.sf(statistic, np.where(family.df > 0, family.df, 1))
        p = np.maximum(np.where(family.df > 0, p, 1.0), sign_flips.SMALLEST)
        return p, p

    def ends(self, flipped, sides, level):
        family = flipped.family
        tops, weights = family.totals
        quantile = student.ppf(1 - level, np.where(family.df > 0, family.df, 1))
        radius = np.where(family.df > 0, quantile * family.errors, np.inf)
        return [tops / weights - side.sign * radius for side in sides]


def signed_ranks(x):
    """Return the ranks of the sizes of numbers other than 0, with their signs."""
    sizes = np.abs(x)
    ranks = np.zeros(len(x))
    rows = np.flatnonzero(sizes)
    if len(rows):  # sizes that differ by rounding are equal
        ranks[rows] = rankdata(np.round(sizes[rows] / sizes.max(), 12))
    return np.sign(x) * ranks


def by_column(function):
    """Return a function of a matrix that transforms each column by itself."""
    return lambda x: np.apply_along_axis(function, 0, x)


# A test is a row: what it is called, what it tests, and what it sums up.
TESTS = {
    "permutation": SignFlipTest(
        "sign-flip test",
        "whether the means are equal, by flipping the signs of the differences "
        "(Fisher's randomization test)",
    ),
    "t": StudentTest(
        "paired t test", "whether the means are equal, by Student's paired t test"
    ),
    "wilcoxon": SignFlipTest(
        "Wilcoxon's signed-rank test",
        "whether the differences are symmetric around 0, by flipping the signs of "
        "their ranks. It rejects equal means if many small gains stand against few "
        "large losses",
        by_column(signed_ranks),
    ),
    "sign": SignFlipTest(
        "sign test", "whether a gain is as likely as a loss of any size", np.sign
    ),
}


def max_t(observed, blocks):
    """Return p-values adjusted by the step-down maximum of the statistics.

    The largest statistic is compared with the maximum over all tests of each flip, the
    next one with the maximum over the remaining tests, and so on. Since a flip changes
    the signs of a unit in all tests at once, the correlation of the tests counts (P.
    Westfall, S. Young, Resampling-Based Multiple Testing, 1993).

    `observed` holds the statistics of the tests, larger is more significant; each of
    `blocks` those of some flips, of shape (n_tests, n_flips), which is overwritten. One
    flip of all flips nothing.
    """
    order = np.argsort(observed, kind="stable")
    least = (observed - 1e-10 * np.abs(observed))[order, None]
    reached, n_flips = np.zeros(len(observed), dtype=np.intp), 0
    for block in blocks:
        largest = block[order]
        np.maximum.accumulate(largest, axis=0, out=largest)
        reached += np.count_nonzero(largest >= least, axis=1)
        n_flips += block.shape[1]
    adjusted = np.empty(len(observed))
    adjusted[order[::-1]] = np.maximum.accumulate(reached[::-1] / n_flips)
    return adjusted


def holm(pvalues):
    """Return the p-values of S. Holm, Scandinavian Journal of Statistics 6 (1979)."""
    order = np.argsort(pvalues, kind="stable")
    factors = np.arange(len(pvalues), 0, -1)
    adjusted = np.empty(len(pvalues))
    adjusted[order] = np.maximum.accumulate(factors * pvalues[order])
    return np.minimum(adjusted, 1)


def benjamini_hochberg(pvalues):
    """Return the p-values of Y. Benjamini, Y. Hochberg, JRSS B 57 (1995).

    They control the expected fraction of false findings, not the probability of one.
    """
    order = np.argsort(pvalues, kind="stable")[::-1]
    n = len(pvalues)
    adjusted = np.empty(n)
    scaled = pvalues[order] * n / np.arange(n, 0, -1)
    adjusted[order] = np.minimum.accumulate(scaled)
    return np.minimum(adjusted, 1)


class Correction(NamedTuple):
    """A correction of p-values for the number of comparisons.

    `words` is what it is called. `adjust` returns adjusted p-values; with
    `flips_signs` they are those of :func:`max_t`.
    """

    words: str
    adjust: Callable | None = None
    flips_signs: bool = False


CORRECTIONS = {
    "max-t": Correction("max-T", flips_signs=True),
    "holm": Correction("Holm", holm),
    "bh": Correction("Benjamini-Hochberg", benjamini_hochberg),
    None: Correction("no correction"),
}


class Outcome(NamedTuple):
    """What is found of a family, each of shape (n_comparisons,).

    The p-values and the adjusted ones, the ends of the intervals, the number of units,
    the effective number of differences, and the smallest p-value that is possible.
    """

    pvalue: np.ndarray
    adjusted: np.ndarray
    low: np.ndarray
    high: np.ndarray
    n_units: np.ndarray
    n_effective: np.ndarray
    smallest: np.ndarray


def test_family(
    family, *, test, correction, alternative, margin, level, n_resamples, seed
):
    """Test all differences of a family and adjust their p-values.

    `level` is the level of the tests, 1 minus that of the intervals; the other
    parameters are those of :func:`skrank.stats.compare_rankers`.
    """
    test, correction = TESTS[test], CORRECTIONS[correction]
    two_sided = is_two_sided(alternative, margin)
    flips = None
    if test.flips_signs or correction.flips_signs:
        flips = sign_flips.Flips.draw(len(family.columns), n_resamples, seed)
    flipped = Flipped(family, test.transform, flips)
    several = len(family) > 1
    refine = several and correction.adjust is not None
    sides = []
    for sign in ALTERNATIVES[alternative]:
        null = -sign * margin
        pvalues = test.pvalues(flipped, sign, null, two_sided, refine)
        sides.append(Side(sign, null, *pvalues))
    pvalue = adjusted = _joined([side.pvalue for side in sides], two_sided)
    if several and correction.flips_signs:
        adjusted = _max_t_of_sides(flipped, sides, two_sided)
    elif refine:
        refined = [side.refined for side in sides]
        adjusted = correction.adjust(_joined(refined, two_sided))
    # Random flips may be more extreme than the exact p-value, or a refined one less.
    adjusted = np.maximum(adjusted, pvalue)
    n_effective, all_tied = np.empty(len(family)), np.empty(len(family), dtype=bool)
    for part in family.parts(len(family.columns)):
        tops = family.tops(part)
        all_tied[part] = ~tops.any(axis=0)
        n_effective[part] = effective_units(tops**2)
    n_effective[n_effective == 0] = np.inf
    n_units = (family.bottoms != 0).sum(axis=0)[family.bottom]
    low, high = np.full((2, len(family)), [[-np.inf], [np.inf]])
    if test.has_interval:
        # Two tests of 5 % on the two sides of equivalence belong to a 90 % interval.
        ends = test.ends(flipped, sides, level / 2 if two_sided else level)
        for side, end in zip(sides, ends, strict=True):
            if not margin:  # rankers that never differ have the difference 0
                end[all_tied] = 0.0
            (low if side.sign == 1 else high)[:] = end
    else:
        low[:] = high[:] = np.nan
    smallest = np.zeros(len(family))
    if test.flips_signs:
        # All signs are equal in one flip of 2^n, or in two of them on both sides.
        smallest = 2.0 ** (two_sided - n_units)
    return Outcome(pvalue, adjusted, low, high, n_units, n_effective, smallest)


def _joined(pvalues, two_sided):
    """Return the p-values of tests of both sides, from those of each side."""
    # Equivalence needs both sides, a difference one of them.
    if two_sided:
        return np.minimum(2 * np.min(pvalues, axis=0), 1)
    return np.max(pvalues, axis=0)


def _max_t_of_sides(flipped, sides, two_sided):
    """Return the p-values adjusted by the maximum over the flips."""
    if two_sided:
        observed, blocks = flipped.statistics(0.0)
        return max_t(np.abs(observed), (np.abs(one, out=one) for one in blocks))
    # The tests of both sides of equivalence are one family.
    found = [(side.sign, *flipped.statistics(side.null)) for side in sides]
    observed = np.concatenate([sign * total for sign, total, _ in found])

    def signed_blocks():
        for parts in zip(*(blocks for *_, blocks in found), strict=True):
            signed = [
                sign * part for (sign, *_), part in zip(found, parts, strict=True)
            ]
            signed = np.vstack(signed)
            yield signed
            yield -signed  # the opposite flips

    return max_t(observed, signed_blocks()).reshape(len(sides), -1).max(axis=0)
