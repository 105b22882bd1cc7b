"""Pairs of hits, and pairs that are tied: Tango's score test."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools
import warnings

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import norm

from skrank.metrics import mean_rank, score_queries
from skrank.stats import compare_rankers
from tests.stats.pilot import scores_of

pytestmark = pytest.mark.filterwarnings("ignore:The (p-value|interval) may be too")


def hits(wins, losses, n):
    """Return the hits of two rankers, the second of which wins and loses some."""
    both = np.zeros(n - wins - losses)
    both[::2] = 1
    return {
        "old": np.r_[np.zeros(wins), np.ones(losses), both],
        "new": np.r_[np.ones(wins), np.zeros(losses), both],
    }


def row_of(wins, losses, n, **options):
    (row,) = compare_rankers(hits(wins, losses, n), **options).rows
    return row


def by_likelihood(wins, losses, n, d):
    """Return z of a difference, with the most likely probabilities that have it."""

    def surprise(loss):
        p = np.array([loss + d, loss, 1 - d - 2 * loss])
        counts = np.array([wins, losses, n - wins - losses])
        there = counts > 0
        with np.errstate(divide="ignore"):
            return -(counts[there] * np.log(np.maximum(p[there], 1e-300))).sum()

    between = max(0, -d), (1 - d) / 2
    q = minimize_scalar(
        surprise, bounds=between, method="bounded", options={"xatol": 1e-13}
    ).x
    q = min([q, *between], key=surprise)
    return (wins - losses - n * d) / np.sqrt(n * (2 * q + d - d * d))


# The airway hyper-responsiveness of 21 children before and after a transplantation, by
# M. Fagerland, S. Lydersen, P. Laake, "Recommended tests and confidence intervals for
# paired binomial proportions", Statistics in Medicine 33 (2014).
def test_the_interval_is_that_of_a_paper():
    row = row_of(1, 7, 21)
    assert (row.low, row.high) == pytest.approx((-0.517, -0.026), abs=5e-4)
    assert row.pvalue == pytest.approx(0.034, abs=5e-4)
    assert row.test == "score"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wins", "losses", "n"),
    [(1, 7, 21), (4, 0, 20), (0, 3, 9), (12, 5, 60), (40, 20, 160), (6, 4, 10)],
)
def test_the_ends_have_the_z_of_the_level_by_the_likelihood(wins, losses, n):
    row, z = row_of(wins, losses, n), norm.ppf(0.975)
    ends = [
        brentq(lambda d, z=z: by_likelihood(wins, losses, n, d) - z, *between)
        for z, between in [
            (z, (-0.9999, row.difference)),
            (-z, (row.difference, 0.9999)),
        ]
    ]
    assert (row.low, row.high) == pytest.approx(ends, abs=1e-5)
    sides = [sign * by_likelihood(wins, losses, n, -sign * 0.1) for sign in (1, -1)]
    one = row_of(wins, losses, n, margin=0.1)
    assert one.pvalue == pytest.approx(norm.sf(min(sides)), abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("level", "sizes"), [(0.05, (2, 30)), (0.4, (5, 30))])
def test_the_p_value_and_the_interval_agree_whatever_is_asked(level, sizes):
    for n in sizes:
        for wins, losses in itertools.product(
            range(0, n + 1, max(n // 2, 1)), repeat=2
        ):
            for margin in (0, 0.1) if wins + losses <= n else []:
                options = {"confidence_level": 1 - level, "margin": margin}
                row = row_of(wins, losses, n, **options)
                above, below = row.low > -margin, row.high < margin
                excludes = above and below if margin else above or row.high < 0
                assert excludes == (row.pvalue <= level + 1e-9), (n, wins, losses)
                assert row.low <= row.difference <= row.high


def test_what_is_no_hit_keeps_the_sign_flip_test():
    values = hits(6, 2, 30)
    graded = {"old": values["old"], "new": np.where(values["new"] == 1, 0.9, 0)}
    weighted = {**values, "sample_weight": np.arange(30) + 1.0}
    user = np.arange(30) // 2
    for scores, clusters in [(graded, None), (weighted, None), (values, user)]:
        (row,) = compare_rankers(scores, clusters=clusters).rows
        assert row.test == "permutation"
        (asked,) = compare_rankers(scores, clusters=clusters, test="permutation").rows
        assert row == asked
        with pytest.raises(ValueError, match="must not be 'score' unless all values"):
            compare_rankers(scores, clusters=clusters, test="score")


def test_uneven_clusters_and_weights_have_the_t_test():
    values = {"a": np.random.default_rng(0).random(40)}
    values["b"] = values["a"] + np.random.default_rng(1).random(40) - 0.4
    # One user of 20 queries and 20 of one: 40^2 / (20^2 + 20) = 3.8 of 21.
    uneven, even = np.r_[np.zeros(20), np.arange(1, 21)], np.arange(40) // 2
    for clusters, test in [(uneven, "t"), (even, "permutation")]:
        (row,) = compare_rankers(values, clusters=clusters).rows
        (asked,) = compare_rankers(values, clusters=clusters, test=test).rows
        assert row.test == test
        assert row == asked
    # 1 / n of two data sets: (1 + 1)^2 / (1 / 4 + 1 / 36) = 14.4 of 40 queries.
    weight = np.r_[np.full(4, 1 / 4), np.full(36, 1 / 36)]
    (row,) = compare_rankers({**values, "sample_weight": weight}).rows
    assert row.test == "t"


def test_ranks_that_are_all_1_are_no_hits():
    y_true, y_score = [1, 0] * 12, [2, 1] * 12
    runs = {"a": y_score, "b": y_score}
    scores = score_queries(y_true, runs, mean_rank, qid=np.arange(24) // 2)
    (row,) = compare_rankers(scores).rows
    assert row.test == "permutation"
    # Nothing is known about how much the ranks of other queries differ.
    assert (row.pvalue, row.low, row.high) == (1, -np.inf, np.inf)


@pytest.mark.parametrize("test", ["auto", "permutation", "t"])
@pytest.mark.parametrize(
    ("values", "size"),
    [
        ([0.2, 0.5] * 10, 1),  # an unknown metric, with values between 0 and 1
        ([2.0, 5.0] * 10, 3),  # and with others
    ],
)
def test_tied_pairs_are_never_known_exactly(values, size, test):
    scores = scores_of(old=np.array(values), new=np.array(values))
    (row,) = compare_rankers(scores, test=test).rows
    z2 = norm.ppf(0.975) ** 2
    end = size * z2 / (20 + z2)
    assert row.pvalue == 1
    assert (row.low, row.high) == pytest.approx((-end, end))
    assert row.detectable == np.inf


def test_a_tied_pair_has_as_many_queries_as_its_units_weigh():
    values = np.tile([0.2, 0.5], 20)
    z2 = norm.ppf(0.975) ** 2
    weight = np.r_[np.ones(39), 39.0]
    scores = {"a": values, "b": values, "sample_weight": weight}
    (row,) = compare_rankers(scores).rows
    kish = weight.sum() ** 2 / (weight**2).sum()
    assert row.high == pytest.approx(z2 / (kish + z2))
    (row,) = compare_rankers(
        {"a": values, "b": values}, clusters=np.arange(40) // 4
    ).rows
    assert row.high == pytest.approx(z2 / (10 + z2))


def family(seed, n=40):
    """Return hits and graded values of four rankers, two of which are tied."""
    rng = np.random.default_rng(seed)
    hit = (rng.random((4, n)) < [[0.5], [0.5], [0.7], [0.9]]).astype(float)
    graded = rng.random((4, n)) + np.array([[0], [0], [0.1], [0.3]])
    hit[1], graded[1] = hit[0], graded[0]
    return scores_of(
        **{f"r{i}": {"hits": hit[i], "graded": graded[i]} for i in range(4)}
    )


@pytest.mark.slow
@pytest.mark.parametrize("margin", [0, 0.05])
def test_families_of_several_tests_agree_with_their_intervals(margin):
    for seed in range(5):
        options = {"margin": margin}
        rows = compare_rankers(family(seed), **options).rows
        alone = compare_rankers(family(seed), **options | {"correction": None}).rows
        assert {row.test for row in rows} == {"score", "permutation"}
        assert rows
        for row, single in zip(rows, alone, strict=True):
            excludes = (
                -margin < row.low and row.high < margin
                if margin
                else not row.low <= 0 <= row.high
            )
            assert excludes == (row.p_adjusted <= 0.05)
            assert row.low <= single.low < single.high <= row.high
        tied = next(r for r in rows if {r.ranker, r.baseline} == {"r0", "r1"})
        assert -tied.low == pytest.approx(tied.high)
        assert tied.high > 0


def test_a_family_of_hits_is_adjusted_by_the_flips_of_all():
    # z of no difference is the studentized sum that max-T takes the maximum of.
    rng = np.random.default_rng(3)
    values = (rng.random((3, 12)) < [[0.3], [0.5], [0.9]]).astype(float)
    rows = compare_rankers(dict(zip("abc", values, strict=True))).rows
    pairs = [(row.ranker, row.baseline) for row in rows]
    of = dict(zip("abc", values, strict=True))
    d = np.array([of[one] - of[other] for one, other in pairs])
    norms = np.sqrt((d**2).sum(axis=1))
    signs = np.array(list(itertools.product([1, -1], repeat=12)))
    flipped, z = np.abs(signs @ d.T) / norms, np.abs(d.sum(axis=1)) / norms
    left, before = [0, 1, 2], 0.0
    for place in np.argsort(-z):
        reached = np.mean(flipped[:, left].max(axis=1) >= z[place] - 1e-9)
        before, p = max(before, reached), 2 * norm.sf(z[place])
        expected = min(max(before, p), 3 * p, 1)
        assert rows[place].p_adjusted == pytest.approx(expected)
        left.remove(place)


def test_a_family_of_few_hits_is_at_most_as_wide_as_by_bonferroni():
    # All statistics are at most 2, which so many of the flips reach that no difference
    # would be significant by the flips alone.
    rng = np.random.default_rng(0)
    values = {f"r{i}": (rng.random(20) < 0.9).astype(float) for i in range(8)}
    rows = compare_rankers(values).rows
    options = {"correction": None, "confidence_level": 1 - 0.05 / len(rows)}
    bonferroni = compare_rankers(values, **options).rows
    assert rows
    for row, other in zip(rows, bonferroni, strict=True):
        assert row.high - row.low <= other.high - other.low + 1e-9
        assert row.high - row.low < 1


def test_the_warning_names_the_pairs_that_few_queries_decide():
    rng = np.random.default_rng(0)
    values = {f"r{i}": rng.random(50) for i in range(3)}
    values["copy"] = values["r0"].copy()
    values["copy"][:2] += 0.1
    with pytest.warns(UserWarning, match="below 3 for 'value' of 'copy' and 'r0'.$"):
        compare_rankers(values, test="permutation")
    copies = {f"c{i}": values["r0"].copy() for i in range(4)}
    for i, copy in enumerate(copies.values()):
        copy[i] += 0.1
    with pytest.warns(UserWarning, match="; and 3 more of 6.$"):
        compare_rankers(copies, test="permutation")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare_rankers(copies)
    # Hits of enough queries need none: a query without a difference counts as well.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare_rankers(hits(3, 1, 50))


@pytest.mark.slow
def test_the_title_names_the_tests_of_the_rows():
    text = " ".join(str(compare_rankers(family(0))).split())
    assert "Tango's score test and sign-flip test, p by max-T, 95% intervals" in text
    frame = compare_rankers(family(0)).to_frame()
    assert set(frame["test"]) == {"score", "permutation"}
