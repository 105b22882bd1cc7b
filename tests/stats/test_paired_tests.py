"""The tests of paired differences, and adjusted p-values."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools
import warnings

import numpy as np
import pytest
from scipy.stats import norm

from skrank.stats import compare_rankers, paired_tests
from skrank.stats.paired_tests import PAIRED_TESTS, TESTS, weight_lacked
from tests.stats.pilot import comparison_of, scores_of
from tests.stats.test_gates import end_of

# Eight differences are few, as the warning says.
pytestmark = pytest.mark.filterwarnings("ignore:The (p-value|interval) may be too")

# With ties, with a 0, and of both signs.
DIFFERENCES = np.array([0.3, -0.1, 0.5, 0.2, 0.0, 0.2, -0.2, 0.4])


# What each test takes.
VALUES = dict.fromkeys(TESTS, DIFFERENCES)
VALUES["score"] = np.sign(DIFFERENCES)


def row_of(differences, **options):
    differences = np.asarray(differences)
    scores = scores_of(a=np.maximum(-differences, 0), b=np.maximum(differences, 0))
    (row,) = comparison_of(scores, **options).rows
    return row


def test_the_p_value_is_the_fraction_of_all_signs_with_such_a_sum():
    x = DIFFERENCES
    sums = [np.dot(signs, x) for signs in itertools.product([1, -1], repeat=len(x))]
    expected = np.mean(np.abs(sums) >= abs(x.sum()) - 1e-12)
    assert row_of(x, test="permutation").pvalue == pytest.approx(expected)


@pytest.mark.parametrize("name", sorted(PAIRED_TESTS))
def test_every_test_is_described_and_named_in_the_title(name):
    assert f'- "{name}": ' in compare_rankers.__doc__
    values = VALUES[name]
    scores = scores_of(a=np.maximum(-values, 0), b=np.maximum(values, 0))
    assert f": {TESTS[name].words}, " in str(compare_rankers(scores, test=name))


def all_signs(x):
    """Return the sums of some numbers with all combinations of signs."""
    return np.array([*itertools.product((-1, 1), repeat=len(x))]) @ x


def test_few_large_differences_among_many_small_ones_keep_their_signs(monkeypatch):
    rng = np.random.default_rng(0)
    large, small = 1.3 ** np.arange(12), rng.normal(size=2988) / 8
    differences = np.append(large * rng.permutation([1, 1, -1] * 4), small)
    differences *= np.sign(differences.sum())
    monkeypatch.setattr(paired_tests, "MOST_FLIPPED", 400)
    row = row_of(differences, test="permutation", n_resamples=399_999)
    # The sum of the small ones is normal, and that of the large ones is not.
    total, deviation = differences.sum(), np.sqrt((small**2).sum())
    expected = norm.sf((total - all_signs(large)) / deviation).mean()
    assert row.pvalue / 2 == pytest.approx(expected, abs=5e-4)
    assert abs(norm.sf(total / np.sqrt((differences**2).sum())) - expected) > 2e-3


def rare(rng, n):
    """Return values of which few differ."""
    values = rng.random(n)
    return np.array([values, np.where(np.arange(n) < 50, rng.random(n), values)])


def heavy(rng, n):
    return rng.pareto(1.2, size=(2, n))


def reciprocal_ranks(rng, n):
    """Return values of four rankers, of which a tenth is not 0."""
    return np.where(rng.random((4, n)) < 0.1, 1 / rng.integers(1, 9, size=(4, n)), 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("draw", "options"),
    [
        (rare, {}),
        (rare, {"margin": 0.002}),
        (heavy, {}),
        (heavy, {"sample_weight": True}),
        (reciprocal_ranks, {}),
        (reciprocal_ranks, {"test": "t"}),
    ],
)
def test_many_units_have_the_results_of_flipping_all_of_them(
    draw, options, monkeypatch
):
    rng = np.random.default_rng(1)
    values = dict(zip("abcd", draw(rng, 1600), strict=False))
    options = {"test": "permutation", "n_resamples": 99_999, **options}
    if options.pop("sample_weight", False):
        values["sample_weight"] = rng.pareto(2, size=1600)
    of_all, found = [], []
    for most, rows in (1600, of_all), (700, found):
        monkeypatch.setattr(paired_tests, "MOST_FLIPPED", most)
        rows += comparison_of(values, **options).rows
    assert len(found) == len(of_all) > 0
    for row, expected in zip(found, of_all, strict=True):
        # Three standard errors of the difference of two such p-values.
        for name in ("pvalue", "p_adjusted"):
            error = np.sqrt(2 * expected[name] * (1 - expected[name]) / 100_000)
            assert row[name] == pytest.approx(expected[name], abs=3 * error)
        width = min(expected.high, 1e9) - expected.low
        for name in ("low", "high"):
            if np.isfinite(expected[name]):
                assert abs(row[name] - expected[name]) <= 0.01 * width


def test_only_one_flip_of_many_units_reaches_a_large_sum(monkeypatch):
    monkeypatch.setattr(paired_tests, "MOST_FLIPPED", 300)
    differences = np.random.default_rng(0).normal(0.5, size=1000)
    row = row_of(differences, test="permutation", n_resamples=499)
    assert row.pvalue == 1 / 500


@pytest.mark.parametrize("n", [400, 401])
def test_all_units_of_many_columns_are_flipped(n, monkeypatch):
    rng = np.random.default_rng(0)
    values = {"a": rng.random(n), "b": rng.random(n), "part": np.arange(n) % 4}
    options = {"test": "permutation"}
    whole = [compare_rankers(values, by=by, **options).rows for by in (None, "part")]
    monkeypatch.setattr(paired_tests, "MOST_FLIPPED", 400)
    found = [compare_rankers(values, by=by, **options).rows for by in (None, "part")]
    assert (found[0] == whole[0]) == (n == 400)
    assert found[1] == whole[1]  # nine columns have a hundred units each, or fewer


# What a sample does not show.


def test_a_sample_lacks_the_heaviest_queries():
    lacked = weight_lacked(np.array([1.0, 5, 0, 2]))
    # They weigh as much as 2.1: these lack 2.3 of three, with the weights 5, 2 and 1.
    u = 3 * (1 - 0.05 ** (30 / 64))
    assert lacked(0.05) == pytest.approx((5 + 2 + (u - 2) * 1) / 8)
    # Ten of a hundred have most of the weight, and show how heavy others are.
    u = 100 * (1 - 0.05 ** (1 / 100))
    many = weight_lacked(np.r_[np.full(10, 9.0), np.ones(90)])
    assert many(0.05) == pytest.approx(9 * u / 180)
    assert weight_lacked(np.ones(20))(0.05) == pytest.approx(1 - 0.05 ** (1 / 20))


# Two of ten queries differ, of which (.5^2 + .2^2)^2 / (.5^4 + .2^4) = 1.3 count.
BEFORE = np.array([0.1, 0.9, 0.3, 0.5, 0.6, 0.2, 0.8, 0.4, 0.7, 0.0])
CHANGED = BEFORE + np.array([0.5, 0, 0.2, 0, 0, 0, 0, 0, 0, 0])


def lower_end(one, other, level):
    """Return the end of one less other that allows for what ten queries may lack."""
    d, unseen = one - other, 1 - level ** (1 / 10)
    return d.mean() - np.hypot(d.mean() - end_of(d, level), unseen)


@pytest.mark.parametrize("new", [CHANGED, BEFORE + 0.08], ids=["few", "constant"])
def test_few_or_equal_differences_have_ends_and_p_of_one_bound(new):
    (row,) = compare_rankers({"old": BEFORE, "new": new}).rows
    ends = lower_end(new, BEFORE, 0.025), -lower_end(BEFORE, new, 0.025)
    assert (row.low, row.high) == pytest.approx(ends, abs=1e-9)
    for less, confidence_level in itertools.product([0.0, 0.4], [0.9, 0.6]):
        options = {"margin": less, "confidence_level": confidence_level}
        (row,) = compare_rankers({"old": BEFORE, "new": new}, **options).rows
        level, n_sides = 1 - confidence_level, 1 if less else 2
        pair = (BEFORE, new) if less else (new, BEFORE)  # of the end that decides
        end = lower_end(*pair, level / n_sides)
        assert (-row.high if less else row.low) == pytest.approx(end, abs=1e-9)
        assert (row.pvalue <= level) == (end > -less)
        if row.pvalue < 1:  # the level whose end is at the null
            p = row.pvalue / n_sides
            near = [lower_end(*pair, p * (1 + x)) for x in (-1e-5, 1e-5)]
            assert near[0] <= -less + 1e-9
            assert near[1] >= -less - 1e-9


def test_few_differences_of_uneven_weights_have_the_end_of_t():
    weight = np.r_[np.full(4, 1 / 4), np.full(36, 1 / 36)]
    values = {"old": np.full(40, 0.5), "new": np.full(40, 0.5), "sample_weight": weight}
    values["new"][:2] = 0.9, 0.7
    auto, alone = (compare_rankers(values, test=x).rows[0] for x in ("auto", "t"))
    # They weigh as much as 2^2 / (4 / 16 + 36 / 36^2) = 14, which lack 9 of 40: four
    # with 1 / 8 of the weight each, and five with 1 / 72.
    unseen = 40 * (1 - 0.025 ** ((1 / 4 + 1 / 36) / 4))
    lost = 1 / 2 + (unseen - 4) / 72
    seen = alone.difference - alone.low
    assert 9 < unseen < 10
    assert auto.low == pytest.approx(auto.difference - np.hypot(seen, lost))


def test_in_a_family_they_have_the_level_of_bonferroni():
    rng = np.random.default_rng(0)
    values = {"old": rng.random(30), "other": rng.random(30)}
    values["copy"] = values["old"] + 0.5 * (np.arange(30) < 2)
    together = {(r.ranker, r.baseline): r for r in compare_rankers(values).rows}
    row = together["copy", "old"]
    pair = {name: values[name] for name in ("old", "copy")}
    (alone,) = compare_rankers(pair, confidence_level=1 - 0.05 / 3).rows
    assert (row.low, row.high) == pytest.approx((alone.low, alone.high))
    assert row.pvalue == alone.pvalue
    assert row.p_adjusted == min(3 * row.pvalue, 1)


def test_ordinary_pairs_of_twenty_queries_are_neither_warned_of_nor_widened():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for values in np.random.default_rng(1).beta(2, 2, size=(8, 2, 20)):
            auto = compare_rankers(values).rows
            assert auto == compare_rankers(values, test="permutation").rows
