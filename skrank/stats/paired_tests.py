"""Tests of paired differences, and families of them.

A further test is a subclass of `PairedTest` with `pvalue` and `ends`, and a row of
`TESTS`; its name joins the type of `test` in `compare_rankers`. Corrections, letters
and tables follow.
"""

# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student

from skrank.stats import sign_flips
from skrank.stats.inference import (
    FEWEST_UNITS,
    FEWEST_VALUES,
    ROUNDING,
    difference,
    effective_units,
    total_of,
)

# How many numbers of all flips of all comparisons are in memory at a time: 8 MB.
NUMBERS_AT_A_TIME = 2**20
# No probability is 0.
SMALLEST_PVALUE = np.finfo(np.float64).tiny
# Statistics that differ by less, relative to their size, are equal.
ROUNDING_OF_T = 1e-10
# Of more units those with the largest leverage are flipped, at least 100 a column.
MOST_FLIPPED = 10_000


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
    ranges: np.ndarray  # the largest difference that the metric of each can have
    allows_for_unseen: np.ndarray  # whether the test does of each, where few differ
    # The sums of the columns with flipped signs, which all comparisons share, and those
    # of the weights; None if no test needs them.
    flipped_columns: np.ndarray | None = None
    flipped_bottoms: np.ndarray | None = None

    def take(self, places):
        """Return the family of some of the comparisons."""
        names = ["plus", "minus", "bottom", "errors", "df", "ranges"]
        names += ["allows_for_unseen"]
        return replace(self, **{name: getattr(self, name)[places] for name in names})

    @property
    def n_flips(self):
        """Return the number of flips."""
        return self.flipped_columns.shape[1]

    def parts(self, size):
        """Yield slices of the comparisons, each of which holds `size` numbers."""
        step = max(NUMBERS_AT_A_TIME // size, 1)
        for start in range(0, len(self.plus), step):
            yield slice(start, min(start + step, len(self.plus)))

    def tops(self, part):
        """Return the terms of some comparisons, of shape (n_units, n_comparisons)."""
        columns = self.columns[:, self.plus[part]], self.columns[:, self.minus[part]]
        return difference(*columns)

    @cached_property
    def of_tops(self):
        """Return the sums of the terms, their effective numbers, and which are tied."""
        sums, n_effective = np.empty((2, len(self.plus)))
        is_tied = np.empty(len(self.plus), bool)
        for part in self.parts(len(self.columns)):
            tops = self.tops(part)
            sums[part], is_tied[part] = total_of(tops), ~tops.any(axis=0)
            n_effective[part] = effective_units(tops**2)
        n_effective[is_tied] = np.inf  # all units decide that there is no difference
        return sums, n_effective, is_tied

    @cached_property
    def totals(self):
        """Return the sums of the terms, and those of the weights."""
        return self.of_tops[0], self.bottoms.sum(axis=0)[self.bottom]

    def sums(self, part, null, flips=slice(None)):
        """Return the sums of some comparisons, of shape (n_comparisons, n_flips)."""
        sums = self.flipped_columns[self.plus[part], flips]
        sums -= self.flipped_columns[self.minus[part], flips]
        if np.any(null):
            of_bottoms = self.flipped_bottoms[self.bottom[part], flips]
            sums -= np.reshape(null, (-1, 1)) * of_bottoms
        return sums

    def summed(self, part, null):
        """Return the terms of some differences less a null, without rounding errors."""
        moved = self.tops(part)
        size = np.abs(moved)
        if np.any(null):
            of_null = null * self.bottoms[:, self.bottom[part]]
            moved, size = moved - of_null, size + np.abs(of_null)
        return np.where(np.abs(moved) <= ROUNDING * size.max(axis=0), 0, moved)

    def rounding(self, null, part=slice(None)):
        """Return what the sums of some comparisons may differ by in rounding alone."""
        size = np.abs(self.columns).sum(axis=0)
        of_null = abs(null) * np.abs(self.bottoms).sum(axis=0)[self.bottom[part]]
        return ROUNDING * (size[self.plus[part]] + size[self.minus[part]] + of_null)

    def distances(self, null):
        """Return how far the differences are above a null, 0 by rounding alone."""
        tops, weights = self.totals
        found = tops / weights - null
        return np.where(np.abs(found) <= self.rounding(null) / weights, 0.0, found)

    def statistics(self, null):
        """Return the studentized sums, and those of some flips at a time.

        With t = S / sqrt(sum x^2), Student's t increases with t, whatever the signs.
        Infinite differences have T = sum b / sqrt(sum b^2). Nearer ones may have more
        if weights are uneven, and count as this much: what is beyond it has an end.

        The null is a number, or that of each comparison.
        """
        n = len(self.plus)
        totals, norms = np.empty((2, n))
        nulls = np.broadcast_to(null, n)
        for part in self.parts(len(self.columns)):
            x = self.summed(part, nulls[part])
            totals[part], norms[part] = x.sum(axis=0), np.sqrt((x**2).sum(axis=0))
        norms[norms == 0] = np.inf
        step = max(NUMBERS_AT_A_TIME // n, 1)
        flips = (slice(i, i + step) for i in range(0, self.n_flips, step))
        blocks = (self.sums(slice(None), null, one) / norms[:, None] for one in flips)
        most = np.sqrt(effective_units(self.bottoms))[self.bottom]
        return np.clip(totals / norms, -most, most), blocks


@dataclass(frozen=True)
class PairedTest:
    """A test of paired differences.

    Its side `sign` tests whether sign * (difference - null) is above 0. What is made of
    it has two methods: `pvalue(family, sign, null)` returns p-values of a side, and
    `ends(family, sides, level)` the last difference that the test of each side (sign,
    null) accepts at `level`. A p-value is at most the level exactly where the end is
    beyond the null.
    """

    words: str  # what the test is called
    flips_signs = False


class SignFlipTest(PairedTest):
    """A test that flips the signs of the differences of the units."""

    flips_signs = True

    def pvalue(self, family, sign, null):
        pvalue = np.empty(len(family.plus))
        for part in family.parts(2 * family.n_flips):
            total = sign * family.summed(part, null).sum(axis=0)
            least = (total - family.rounding(null, part))[:, None]
            # Each flip counts with its opposite, which is as likely.
            sums = sign * family.sums(part, null)
            reached = np.count_nonzero(sums >= least, axis=1)
            reached += np.count_nonzero(sums <= -least, axis=1)
            pvalue[part] = reached / (2 * family.n_flips)
        return pvalue

    def ends(self, family, sides, level):
        tops, weights = family.totals
        low, high = np.empty((2, len(family.plus)))
        for part in family.parts(4 * family.n_flips):
            bottom = family.bottom[part]
            if (bottom == bottom[0]).all():  # so it is without weights
                bottom = bottom[:1]
            means = sign_flips.subset_means(
                tops[part],
                weights[part][: len(bottom)],
                family.sums(part, 0.0),
                family.flipped_bottoms[bottom],
            )
            low[part], high[part] = sign_flips.accepted(means, level)
        return [low if sign == 1 else high for sign, _ in sides]

    def seen(self, family, part):
        """Return a function of a side and a level: how far its end is, of one pair."""
        bottom = family.bottom[part]
        top, weight = (x[part] for x in family.totals)
        sums = family.sums(part, 0.0), family.flipped_bottoms[bottom]
        (means,) = np.sort(sign_flips.subset_means(top, weight, *sums))  # NaN last
        n, n_known = len(means), int((~np.isnan(means)).sum())

        def distance(sign, level):
            place = sign_flips.most_at(level, n) - (n - n_known)
            if place < 0:
                return np.inf
            end = means[place if sign == 1 else n_known - 1 - place]
            return max(sign * float(top[0] / weight[0] - end), 0.0)

        return distance


class StudentTest(PairedTest):
    """Student's paired t test."""

    def pvalue(self, family, sign, null):
        distance = sign * family.distances(null)
        with np.errstate(divide="ignore", invalid="ignore"):
            statistic = np.where(distance == 0, 0.0, distance / family.errors)
        p = student.sf(statistic, np.where(family.df > 0, family.df, 1))
        return np.where(family.df > 0, p, 1.0)

    def ends(self, family, sides, level):
        tops, weights = family.totals
        quantile = student.isf(level, np.where(family.df > 0, family.df, 1))
        radius = np.where(family.df > 0, quantile * family.errors, np.inf)
        return [tops / weights - sign * radius for sign, _ in sides]

    def seen(self, family, part):
        """Return a function of a side and a level: how far its end is, of one pair."""
        (error,), (df,) = family.errors[part], family.df[part]
        if df <= 0 or error == 0:  # no spread, or equal differences
            return lambda sign, level: 0.0 if df > 0 else np.inf
        return lambda sign, level: student.isf(level, df) * error


@dataclass(frozen=True)
class FewTest(PairedTest):
    r"""A test of differences of few units, which allows for unobserved ones.

    As the notes of :func:`skrank.stats.gate` say: with the distance s of the end of a
    test from the difference d, and the range of the metric times the fraction of the
    weight that the units lack, f, the ends are :math:`d \mp \sqrt{s^2 + f^2}`. The
    p-value is the smallest level at which the end excludes the null.
    """

    of: PairedTest | None = None  # the test of what is there

    def pvalue(self, family, sign, null):
        reaches = zip(self.reaches(family), sign * family.distances(null), strict=True)
        return np.array([_smallest_level(one, sign, far) for one, far in reaches])

    def ends(self, family, sides, level):
        tops, weights = family.totals
        radii = [
            [reach(sign, level) for sign, _ in sides] for reach in self.reaches(family)
        ]
        ends = zip(sides, np.transpose(radii), strict=True)
        return [tops / weights - sign * radius for (sign, _), radius in ends]

    def reaches(self, family):
        """Yield a function of a side and a level: how far the end is."""
        for j, (size, bottom) in enumerate(
            zip(family.ranges, family.bottom, strict=True)
        ):
            seen = self.of.seen(family, slice(j, j + 1))
            lacked = weight_lacked(family.bottoms[:, bottom])
            yield lambda sign, level, seen=seen, lacked=lacked, size=size: float(
                np.hypot(seen(sign, level), size * lacked(level))
            )


def fraction_lacked(level, n_units):
    """Return the largest fraction of all units that a sample of n may lack."""
    return 1 - level ** (1 / n_units)


def weight_lacked(weight):
    """Return a function of a level: the fraction of the weight that units lack.

    If few units have most of the sum of squared weights, they do not show how heavy
    others are. They may lack what a sample of their effective number may.
    """
    heaviest = -np.sort(-weight[weight > 0])
    total = np.append(0.0, np.cumsum(heaviest)) / heaviest.sum()
    n_units = n_alike = len(heaviest)
    if effective_units(heaviest**2) < FEWEST_UNITS:
        n_alike = effective_units(heaviest)

    def lacked(level):
        place = n_units * fraction_lacked(level, n_alike)
        return np.interp(place, np.arange(n_units + 1), total)

    return lacked


def _smallest_level(reach, sign, distance):
    """Return the smallest level whose end is nearer than a distance, at most 1."""
    low, high = np.log(SMALLEST_PVALUE), np.log(0.5)
    if not reach(sign, 0.5 - 1e-8) < distance:
        return 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if reach(sign, np.exp(middle)) < distance:
            high = middle
        else:
            low = middle
    return float(np.exp(high))


# The steps that halve an interval, such as that from -1 to 1, down to rounding error.
HALVINGS = 56


class ScoreTest(PairedTest):
    r"""Tango's score test of differences that are -1, 0 or 1 (T. Tango, 1998).

    With w wins and l losses in n queries, the test of a difference d of the means is

    .. math:: z(d) = \frac{w - l - n d}{\sqrt{n (2 q + d (1 - d))}}, \quad
       q = \frac{\sqrt{B^2 - 4 A C} - B}{2 A},

    with :math:`A = 2 n`, :math:`B = -w - l + (2 n - w + l) d` and
    :math:`C = -l d (1 - d)`: q is the most likely probability of a loss if the
    difference is d. The interval holds the d that are not rejected. It also serves
    differences of any metric that are all 0: their largest size, the range of the
    metric, then takes the place of 1.
    """

    def counts(self, family):
        """Return the numbers of units, of wins and of losses."""
        n = effective_units(family.bottoms)[family.bottom]
        wins, losses = np.empty((2, len(family.plus)))
        for part in family.parts(len(family.columns)):
            tops = family.tops(part)
            wins[part], losses[part] = (tops > 0).sum(axis=0), (tops < 0).sum(axis=0)
        return n, wins, losses

    def statistics(self, family, null):
        """Return the z of each difference."""
        return score(*self.counts(family), null / family.ranges)

    def pvalue(self, family, sign, null):
        return norm.sf(sign * self.statistics(family, null))

    def ends(self, family, sides, level):
        return self.ends_at(family, sides, norm.isf(level))

    def ends_at(self, family, sides, critical):
        """Return the last difference of each side whose z is not above `critical`."""
        n, wins, losses = self.counts(family)
        ends = []
        for sign, _ in sides:
            if sign == -1:
                wins, losses = losses, wins
            # z(d) falls from d = -1 to 1, and is `critical` at the end.
            low, high = np.full((2, len(family.plus)), [[-1.0], [1.0]])
            for _ in range(HALVINGS):
                middle = (low + high) / 2
                beyond = score(n, wins, losses, middle) > critical
                low = np.where(beyond, middle, low)
                high = np.where(beyond, high, middle)
            ends.append(sign * np.where(low == -1, -1.0, high) * family.ranges)
        return ends


def score(n, wins, losses, d):
    """Return Tango's z of a difference d of the means."""
    above = wins - losses - n * d
    with np.errstate(divide="ignore", invalid="ignore"):
        z = above / np.sqrt(score_variance(n, wins, losses, d))
    return np.where(above == 0, 0.0, z)


def score_variance(n, wins, losses, d):
    """Return the variance of wins less losses, if the difference of the means is d."""
    b = (2 * n - wins + losses) * d - wins - losses
    root = np.sqrt(np.maximum(b**2 + 8 * n * losses * d * (1 - d), 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        # The same number twice: one of the two has no difference of equal terms.
        q = np.where(b > 0, 2 * losses * d * (1 - d) / (b + root), (root - b) / (4 * n))
    return np.maximum(n * (2 * q + d * (1 - d)), 0)


TESTS = {
    "permutation": SignFlipTest("sign-flip test"),
    "score": ScoreTest("Tango's score test"),
    "t": StudentTest("paired t test"),
    "welch": StudentTest("Welch's t test"),
}
# What takes the place of a test where few units differ, whose rows have its name.
OF_FEW = {
    name: FewTest(TESTS[name].words, of=TESTS[name])
    for name in ("permutation", "t", "welch")
}


# Those that can be asked for.
PAIRED_TESTS = {*TESTS} - {"welch"}
# What corrections for the number of comparisons are called.
CORRECTIONS = {"max-t": "max-T", "bonferroni": "Bonferroni", None: "no correction"}


class Outcome(NamedTuple):
    """What is found of a family, each of shape (n_comparisons,)."""

    pvalue: np.ndarray
    adjusted: np.ndarray
    low: np.ndarray
    high: np.ndarray
    n_units: np.ndarray
    n_effective: np.ndarray  # the effective number of differences
    smallest: np.ndarray  # the smallest p-value that is possible
    allows_for_unseen: np.ndarray  # whether the interval does, where few decide
    is_few: np.ndarray  # which differences are few, or equal


def run_tests(family, *, test, correction, margin, level, n_resamples, seed):
    """Test all differences of a family, at a level, and adjust their p-values.

    `test` has the name of the test of all comparisons, or of each.
    """
    n, two_sided = len(family.plus), not margin
    is_max_t = n > 1 and correction == "max-t"
    n_units = (family.bottoms != 0).sum(axis=0)[family.bottom]
    _, n_effective, is_tied = family.of_tops
    # The differences of a pair that is tied in all units have no spread, whose mean
    # would seem to be known exactly. The score test tells what the units cannot show.
    names = np.where(is_tied, "score", test)
    flips_signs = np.array([TESTS[name].flips_signs for name in names.tolist()])
    if is_max_t or flips_signs.any():
        family = flip_family(family, n_resamples, seed)
    # Few differences, or equal ones, do not tell how far others are from 0.
    is_few = (n_effective < FEWEST_VALUES - ROUNDING) | (family.errors == 0)
    is_few &= names != "score"
    groups = _groups(family, names, is_few)
    sides = [(1, -margin), (-1, margin)]
    pvalues = np.empty((2, n))
    for one, where, part in groups:
        for of_side, side in zip(pvalues, sides, strict=True):
            of_side[where] = one.pvalue(part, *side)
    pvalues = np.maximum(pvalues, SMALLEST_PVALUE)
    # Equivalence needs both sides, a difference one of them.
    pvalue = pvalues.max(axis=0)
    if two_sided:
        pvalue = np.minimum(2 * pvalues.min(axis=0), 1)
    n_each = n if correction == "bonferroni" else 1
    adjusted = np.minimum(n_each * pvalue, 1)
    # Two tests of 5 % on both sides of equivalence have a 90 % interval.
    each = level / (1 + two_sided) / n_each
    if is_max_t:
        known = pvalue[None] if two_sided else pvalues
        adjusted, critical = max_t(family, groups, sides, known, two_sided, level)
        adjusted = adjusted.max(axis=0)
        ends = _joint_ends(family, groups, sides, critical, each, known.size)
    else:
        ends = [one.ends(part, sides, each) for one, _, part in groups]
    low, high = np.full((2, n), [[-np.inf], [np.inf]])
    _, weights = family.totals
    for (_, where, _), of_group in zip(groups, ends, strict=True):
        for of_side, (_, null), end in zip((low, high), sides, of_group, strict=True):
            rounding = (family.rounding(null) / weights)[where]
            of_side[where] = np.where(np.abs(end - null) <= rounding, null, end) + 0.0
    # To the score test queries without a difference count as well.
    n_effective = np.where(~is_tied & (names == "score"), n_units, n_effective)
    # All signs are equal in one flip of 2^n, or in two of them on both sides.
    smallest = np.where(flips_signs, 2.0 ** (two_sided - n_units), 0.0)
    of_units = n_units, n_effective, smallest, family.allows_for_unseen, is_few
    return Outcome(pvalue, adjusted, low, high, *of_units)


def flip_family(family, n_resamples, seed):
    """Return the family with the sums of flipped signs.

    Of many units those with the largest leverage are flipped, and the sum of all others
    is normal. The leverage is the largest fraction that a unit has of the sum of
    squares of any combination of the m columns, such as a difference less a null. It
    adds up to m: no other unit has more than h = m / `MOST_FLIPPED`. So P(S* >= S) has
    an error of h / 22 at most, by Edgeworth's series, and half of P(S* = S).
    """
    terms, signs = (np.ascontiguousarray(family.columns), family.bottoms), family.signs
    if not len(signs) > MOST_FLIPPED >= 100 * sum(x.shape[1] for x in terms):
        flip = sign_flips.flipped_sums
        sums = [flip(x, n_resamples, seed, signs) for x in terms]
        return replace(family, flipped_columns=sums[0], flipped_bottoms=sums[1])
    both = np.hstack(terms)
    q, _ = np.linalg.qr(both)
    order = np.argpartition(np.einsum("ij,ij->i", q, q), -MOST_FLIPPED)
    small, large = map(np.sort, np.split(order, [-MOST_FLIPPED]))
    sums = sign_flips.flipped_sums(both[large], n_resamples, seed, signs[large])
    # The covariances of the others are R' R = X' X. The first flip flips nothing.
    root = np.linalg.qr(both[small], mode="r")
    normal = np.random.default_rng([seed, 1]).standard_normal((len(root), n_resamples))
    sums[:, 0] = both.sum(axis=0)
    sums[:, 1:] += root.T @ normal
    of_columns, of_bottoms = np.split(sums, [family.columns.shape[1]])
    return replace(family, flipped_columns=of_columns, flipped_bottoms=of_bottoms)


def _groups(family, names, is_few):
    """Return each test, which comparisons have it, and the family of these."""
    is_few = is_few & family.allows_for_unseen
    found = [
        (tests[name], of_name & (names == name))
        for tests, of_name in ((TESTS, ~is_few), (OF_FEW, is_few))
        for name in dict.fromkeys(names[of_name].tolist())
    ]
    if len(found) == 1:
        return [(found[0][0], slice(None), family)]
    return [(one, where, family.take(where)) for one, where in found]


def _joint_ends(family, groups, sides, critical, each, n_tests):
    """Return the ends of the intervals of all comparisons together, by group."""
    of_all, found = _ends_of_max_t(family, sides, critical), []
    for one, where, part in groups:
        if isinstance(one, FewTest):
            found.append(one.ends(part, sides, each / n_tests))
            continue
        ends = [end[where] for end in of_all]
        if isinstance(one, ScoreTest):
            # Of few hits many flips reach the largest statistic that there is.
            ends = one.ends_at(part, sides, min(critical, norm.isf(each / n_tests)))
        # No interval is within that of the test alone. P(T >= t) <= exp(-t^2 / 2) of
        # random signs, by Hoeffding's inequality: beyond it none can be.
        if not one.flips_signs or critical**2 < -2 * np.log(each):
            own = one.ends(part, sides, each)
            ends = [
                sign * np.minimum(sign * end, sign * of_test)
                for (sign, _), end, of_test in zip(sides, ends, own, strict=True)
            ]
        found.append(ends)
    return found


def max_t(family, groups, sides, known, two_sided, level):
    """Return p-values adjusted by the maximum statistic, and its critical value.

    Each statistic is compared with the largest one of all tests in each flip (P.
    Westfall, S. Young, 1993, the single-step procedure). The z of the score test of no
    difference is the studentized sum, and that of a margin is compared with the sums
    that are studentized by their own spread.

    The larger p-value and critical value count of two: of flips around the null, whose
    test is exact, and around the observed differences. Differences that are far from
    the null all have large sums in the same flips, as if they were one comparison, but
    the intervals are to contain them wherever they are.

    The p-values, and those of each test alone, `known`, have a row for two-sided tests,
    and else one for each side.
    """
    if two_sided:
        observed, blocks = family.statistics(0.0)
        observed = np.abs(observed)[None]
        blocks = (np.abs(block, out=block) for block in blocks)
    else:  # the tests of both sides of equivalence are one family
        found = [(sign, *family.statistics(null)) for sign, null in sides]
        for (_, null), (_, statistics, _) in zip(sides, found, strict=True):
            for test, where, part in groups:
                if isinstance(test, ScoreTest):
                    statistics[where] = test.statistics(part, null)
        observed = np.array([sign * statistics for sign, statistics, _ in found])
        blocks = _with_opposites([sign for sign, *_ in found], [x for *_, x in found])
    tops, weights = family.totals
    _, around = family.statistics(tops / weights)
    around = (np.abs(block, out=block) for block in around)
    least, found = observed * (1 - ROUNDING_OF_T * np.sign(observed)), []
    for of_flips in blocks, around:
        largest = np.sort(np.concatenate([block.max(axis=0) for block in of_flips]))
        n_flips = len(largest)
        adjusted = (n_flips - np.searchsorted(largest, least)) / n_flips
        # The largest value that more than level * n_flips of the maxima reach.
        place = n_flips - 1 - sign_flips.most_at(level, n_flips)
        critical = max(largest[place], 0.0) / (1 - ROUNDING_OF_T)
        # Where no flip is beyond it, no difference whatever can be significant.
        if of_flips is blocks and largest[-1] <= critical:
            critical, adjusted = np.inf, np.where(adjusted <= level, 1.0, adjusted)
        found.append((adjusted, critical))
    pvalues, critical = map(np.maximum, *found)
    for one, where, _ in groups:
        bound = np.minimum(known.size * known[:, where], 1)
        if isinstance(one, FewTest):  # Bonferroni's, as in `_joint_ends`
            pvalues[:, where] = bound
        elif isinstance(one, ScoreTest):  # at most Bonferroni's
            pvalues[:, where] = np.minimum(pvalues[:, where], bound)
    return np.maximum(pvalues, known), critical


def _with_opposites(signs, blocks):
    """Yield the statistics of tests in blocks of flips and of their opposites."""
    for parts in zip(*blocks, strict=True):
        signed = np.vstack([sign * x for sign, x in zip(signs, parts, strict=True)])
        yield np.hstack([signed, -signed])


def _ends_of_max_t(family, sides, critical):
    r"""Return the last difference of each side that the critical value accepts.

    Of a difference d with the terms t and the weights b of the units, the statistic is
    :math:`T(d) = \sum (t - d b) / \sqrt{\sum (t - d b)^2}`, so that
    :math:`T(d)^2 = c^2` is a quadratic equation.
    """
    tops, weights = family.totals
    estimate = tops / weights
    low, high = np.full((2, len(family.plus)), [[-np.inf], [np.inf]])
    for part in family.parts(len(family.columns)):
        bottom = family.bottoms[:, family.bottom[part]]
        whole = estimate[part] * bottom
        top = family.tops(part)
        # What is left is rounding error where all differences are equal.
        left = top - whole
        left[np.abs(left) <= ROUNDING * np.maximum(np.abs(top), np.abs(whole))] = 0
        # With x = d - estimate and terms left = t - estimate b, which sum up to 0:
        # a x^2 + 2 h x - e <= 0
        with np.errstate(divide="ignore", invalid="ignore"):
            a = weights[part] ** 2 - critical**2 * (bottom**2).sum(axis=0)
            h = critical**2 * (left * bottom).sum(axis=0)
            e = critical**2 * (left**2).sum(axis=0)
            root = np.sqrt(h * h + a * e)
            below, above = (-h - root) / a, (-h + root) / a
        # With few units no difference is rejected however large it is.
        bounded = (a > 0) & np.isfinite(root)
        low[part] = np.where(bounded, estimate[part] + below, -np.inf)
        high[part] = np.where(bounded, estimate[part] + above, np.inf)
    return [low if sign == 1 else high for sign, _ in sides]
