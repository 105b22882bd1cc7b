"""The tests of paired differences, and adjusted p-values."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools

import numpy as np
import pytest
from scipy.stats import norm

from skrank.stats import compare_rankers, paired_tests
from skrank.stats.paired_tests import TESTS
from tests.stats.pilot import scores_of

# Eight differences are few, as the warning says.
pytestmark = pytest.mark.filterwarnings("ignore:The p-value may be too small")

# With ties, with a 0, and of both signs.
DIFFERENCES = np.array([0.3, -0.1, 0.5, 0.2, 0.0, 0.2, -0.2, 0.4])


# What each test takes.
VALUES = dict.fromkeys(TESTS, DIFFERENCES)
VALUES["score"] = np.sign(DIFFERENCES)


def row_of(differences, **options):
    differences = np.asarray(differences)
    scores = scores_of(a=np.maximum(-differences, 0), b=np.maximum(differences, 0))
    (row,) = compare_rankers(scores, **options).rows
    return row


def test_the_p_value_is_the_fraction_of_all_signs_with_such_a_sum():
    x = DIFFERENCES
    sums = [np.dot(signs, x) for signs in itertools.product([1, -1], repeat=len(x))]
    expected = np.mean(np.abs(sums) >= abs(x.sum()) - 1e-12)
    assert row_of(x, test="permutation").pvalue == pytest.approx(expected)


@pytest.mark.parametrize("name", TESTS)
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
    options = {"test": "permutation", "alternative": "greater"}
    row = row_of(differences, n_resamples=399_999, **options)
    # The sum of the small ones is normal, and that of the large ones is not.
    total, deviation = differences.sum(), np.sqrt((small**2).sum())
    expected = norm.sf((total - all_signs(large)) / deviation).mean()
    assert row.pvalue == pytest.approx(expected, abs=5e-4)
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
        (rare, {"margin": 0.002, "alternative": "greater"}),
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
        rows += compare_rankers(values, **options).rows
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
    options = {"test": "permutation", "n_resamples": 99}
    whole = [compare_rankers(values, by=by, **options).rows for by in (None, "part")]
    monkeypatch.setattr(paired_tests, "MOST_FLIPPED", 400)
    found = [compare_rankers(values, by=by, **options).rows for by in (None, "part")]
    assert (found[0] == whole[0]) == (n == 400)
    assert found[1] == whole[1]  # nine columns have a hundred units each, or fewer
