"""What comparisons do not depend on: names, orders, and a shift of all values."""

# SPDX-License-Identifier: BSD-3-Clause

import re
import warnings

import numpy as np
import pytest

from skrank.metrics import QueryScores
from skrank.stats import compare_rankers, mean_interval, paired_tests
from tests.stats.pilot import comparison_of
from tests.studies.families import random_family

pytestmark = pytest.mark.filterwarnings("ignore:The p-value may be too small")


def reciprocal_ranks(rng, n_rankers, n):
    """Return values with many equal differences of opposite signs."""
    return 1 / rng.integers(1, 6, size=(n_rankers, n))


def hits(rng, n_rankers, n):
    return (rng.random((n_rankers, n)) < 0.6).astype(float)


def permutations(rng, n_rankers, n):
    """Return rankers with the same values, each in another order of the queries."""
    values = np.round(rng.random(n), 1)
    return np.stack([rng.permutation(values) for _ in range(n_rankers)])


def rows_of(values, names, qid, **options):
    """Return p-values and ends by pair, in the order of the names."""
    frame = {"qid": np.tile(qid, len(values)), "ranker": np.repeat(names, len(qid))}
    frame["value"] = values.ravel()
    scores = QueryScores.from_frame(frame, ranker="ranker")
    found = {}
    for row in compare_rankers(scores, **options).rows:
        one, other = row.ranker, row.baseline
        ends = (row.low, row.high) if one > other else (-row.high, -row.low)
        pair = max(one, other), min(one, other)
        numbers = np.array([row.pvalue, row.p_adjusted, *ends])
        found[pair] = tuple(np.round(numbers, 12) + 0.0)
    return [found[pair] for pair in sorted(found)]


@pytest.mark.slow
@pytest.mark.parametrize("test", ["auto", "permutation", "t"])
@pytest.mark.parametrize("draw", [reciprocal_ranks, hits, permutations])
def test_orders_of_rankers_and_queries_and_their_ids_give_one_result(draw, test):
    rng = np.random.default_rng(0)
    values = draw(rng, 4, 40)
    found = set()
    for _ in range(12):
        order, rankers = rng.permutation(40), rng.permutation(4)
        names = [f"r{i}" for i in rankers]
        shuffled = values[rankers][:, order]
        found.add(tuple(rows_of(shuffled, names, rng.permutation(40), test=test)))
    assert len(found) == 1


@pytest.mark.slow
@pytest.mark.parametrize("draw", [reciprocal_ranks, permutations])
@pytest.mark.parametrize("correction", ["max-t", None])
def test_a_shift_of_all_values_changes_nothing(draw, correction):
    for seed in range(6):
        values = draw(np.random.default_rng(seed), 4, 30)
        names, qid = list("abcd"), np.arange(30)
        one, other = (
            rows_of(values + shift, names, qid, correction=correction)
            for shift in (0, 2.5)
        )
        np.testing.assert_allclose(one, other, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("test", ["permutation", "t"])
def test_a_simultaneous_interval_contains_that_of_the_comparison_alone(test):
    for seed in range(12):
        scores, options = random_family(np.random.default_rng(seed))
        options |= {"test": test, "n_resamples": 199}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            together = comparison_of(scores, **options).rows
            single = comparison_of(scores, **options, correction=None).rows
        assert together
        for row, alone in zip(together, single, strict=True):
            assert row.low <= alone.low <= alone.high <= row.high, seed


@pytest.mark.slow
def test_copies_of_a_metric_have_no_narrower_intervals():
    # With copies the largest of all statistics is that of one comparison.
    for seed in range(30):
        old, new = np.random.default_rng(seed).lognormal(size=(2, 8))
        pair = {"old": {"a": old, "b": old}, "new": {"a": new, "b": new}}
        frame = {"qid": np.tile(np.arange(8), 2), "ranker": np.repeat([*pair], 8)}
        frame |= {k: np.concatenate([of[k] for of in pair.values()]) for k in "ab"}
        scores = QueryScores.from_frame(frame, ranker="ranker")
        together = compare_rankers(scores).rows[0]
        alone = compare_rankers(scores["a"]).rows[0]
        assert together.low <= alone.low <= alone.high <= together.high


@pytest.mark.slow
def test_a_p_value_that_is_the_level_but_for_rounding_is_significant():
    # 1 - 0.8 < 0.2 in floats; with 49 flips p-values are multiples of 1 / 50.
    n_equal = 0
    for seed in range(90):
        values = np.random.default_rng(seed).normal(size=(3, 14))
        values = dict(zip("abc", values + np.array([[0], [0.3], [0.6]]), strict=True))
        found = comparison_of(values, confidence_level=0.8, n_resamples=49)
        letters = found.letters["value"]
        assert found.rows
        for row in found.rows:
            n_equal += abs(row.p_adjusted - 0.2) < 1e-9
            is_significant = row.p_adjusted < 0.2 + 1e-6
            assert is_significant == (not row.low <= 0 <= row.high)
            shared = set(letters[row.ranker]) & set(letters[row.baseline])
            assert is_significant == (not shared)
    assert n_equal


def test_values_whose_squares_are_no_numbers_are_refused():
    for size in (1e308, 1e149, 1e76):
        values = {"a": np.full(6, size), "b": np.full(6, -size)}
        message = re.escape(f"Got {size:g}. Divide all values")
        for function, given in (compare_rankers, values), (mean_interval, [size]):
            with pytest.raises(ValueError, match=message):
                function(given)


@pytest.mark.parametrize("test", ["permutation", "t"])
def test_the_order_of_many_queries_and_of_rankers_does_not_count(test, monkeypatch):
    monkeypatch.setattr(paired_tests, "MOST_FLIPPED", 600)
    rng, found = np.random.default_rng(0), set()
    values = rng.random((4, 1000))
    for _ in range(3):
        rankers, order = rng.permutation(4), rng.permutation(1000)
        names, shuffled = [f"r{i}" for i in rankers], values[rankers][:, order]
        found.add(tuple(rows_of(shuffled, names, order, test=test)))
    assert len(found) == 1
