"""Intervals against other tools, root finding and arithmetic by hand."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq
from scipy.stats import binomtest, norm, skew, t

from skrank.metrics import QueryScores
from skrank.stats import (
    compare_rankers,
    confidence_interval,
    gate,
    inference,
    required_queries,
)
from skrank.stats.inference import (
    effective_hits,
    standard_error,
    t_interval,
    wilson,
)


@pytest.mark.parametrize(
    ("ones", "n"), [(0, 20), (20, 20), (7, 20), (1, 3), (999, 1000)]
)
def test_wilson_is_that_of_scipy(ones, n):
    theirs = binomtest(ones, n).proportion_ci(0.9, method="wilson")
    found = wilson(ones / n, n, norm.ppf(0.95))
    assert found == pytest.approx(tuple(theirs), abs=1e-12)


def hall(values, confidence_level):
    centred = values - values.mean()
    n, variance = len(values), (centred**2).mean()
    skewness = (centred**3).mean() / variance**1.5 / np.sqrt(n) if variance else 0.0
    error = np.sqrt(variance / (n - 1)) if n > 1 else np.nan
    return inference.hall(values.mean(), error, n - 1, skewness, confidence_level)


@pytest.mark.parametrize("n", [5, 20, 200])
def test_hall_inverts_the_corrected_t(n):
    values = np.random.RandomState(n).lognormal(size=n)
    error, gamma = values.std(ddof=1) / np.sqrt(n), skew(values)

    def corrected(mean):
        x = (values.mean() - mean) / error
        return (
            x
            + gamma * x**2 / (3 * np.sqrt(n))
            + gamma**2 * x**3 / (27 * n)
            + gamma / (6 * np.sqrt(n))
        )

    quantile = t.ppf(0.975, n - 1)
    far = 1e4 * error
    expected = [
        brentq(lambda mean, end=end: corrected(mean) - end, -far, far)
        for end in (quantile, -quantile)
    ]
    assert hall(values, 0.95) == pytest.approx(expected, rel=1e-6)


def test_hall_of_symmetric_values_is_almost_that_of_t():
    values = np.array([1.0, 2, 3, 4, 5])
    radius = t.ppf(0.975, 4) * np.sqrt(2.5 / 5)
    assert hall(values, 0.95) == pytest.approx((3 - radius, 3 + radius))


def test_one_value_has_no_finite_interval():
    assert hall(np.array([0.3]), 0.95) == (-np.inf, np.inf)
    assert t_interval(0.3, np.nan, 0, 0.95) == (-np.inf, np.inf)


def test_the_standard_error_of_a_mean_is_the_usual_one():
    values = np.array([1.0, 2, 4, 5])
    error, df = standard_error(values, np.ones(4), None)
    assert error == pytest.approx(np.sqrt((4 + 1 + 1 + 4) / 3 / 4))
    assert df == 3


def test_the_standard_error_of_clusters_sums_their_deviations():
    # The mean is 3, the deviations of the clusters are -3 and 3.
    values, clusters = np.array([1.0, 2, 4, 5]), np.array([0, 0, 1, 1])
    error, df = standard_error(values, np.ones(4), clusters)
    assert error == pytest.approx(np.sqrt(2 / 1 * (9 + 9) / 4**2))
    assert df == 1


def test_units_with_different_weights_get_the_jackknife():
    top, bottom = np.array([1.0, 6, 2]), np.array([1.0, 3, 2])
    without = np.array([8 / 5, 3 / 3, 7 / 4])
    expected = np.sqrt(2 / 3 * ((without - without.mean()) ** 2).sum())
    error, df = standard_error(top, bottom, None)
    assert error == pytest.approx(expected)
    assert df == pytest.approx((1 + 3 + 2) ** 2 / (1 + 9 + 4) - 1)


@pytest.mark.parametrize("n", [49, 50, 1000])
def test_the_jackknife_is_that_of_a_loop_at_every_size(n):
    rng = np.random.RandomState(0)
    weight, values = rng.lognormal(size=n), rng.rand(n)
    without = np.array(
        [
            np.average(np.delete(values, i), weights=np.delete(weight, i))
            for i in range(n)
        ]
    )
    expected = np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())
    assert standard_error(weight * values, weight, None)[0] == pytest.approx(expected)


def test_several_columns_have_the_errors_of_each():
    rng = np.random.RandomState(0)
    bottom = rng.rand(12, 3) * (rng.rand(12, 3) < 0.7)
    top = rng.rand(12, 3) * bottom
    for clusters in (None, np.arange(12) // 3):
        errors = standard_error(top, bottom, clusters)
        for j in range(3):
            counts = bottom[:, j] > 0
            own = None if clusters is None else clusters[counts]
            one = standard_error(top[counts, j], bottom[counts, j], own)
            assert [x[j] for x in errors] == pytest.approx([*map(float, one)])


def test_a_unit_that_has_all_the_weight_has_no_error():
    error, df = standard_error(np.array([0.3, 0.0]), np.array([1.0, 0.0]), None)
    assert np.isnan(error)
    assert df == 0


@pytest.mark.parametrize(
    ("p", "error", "expected"),
    [(0.5, 0.25, 4.0), (0.5, 0.01, 40), (1.0, 0.0, 36 / 14)],
)
def test_hits_know_as_much_as_an_effective_number_of_queries(p, error, expected):
    # 0.5 * 0.5 / 0.25^2; at most the 40 queries; (1 + 2 + 3)^2 / (1 + 4 + 9) units.
    found = effective_hits(p, error, np.array([1.0, 2, 3]), 40)
    assert found == pytest.approx(expected)


def test_equal_values_have_no_error_though_their_mean_is_rounded():
    values = np.full(3, 0.1)
    assert values.sum() / 3 != 0.1
    assert standard_error(values, np.ones(3), None)[0] == 0


def two_rankers(n_queries=40):
    rng = np.random.RandomState(0)
    ids = [f"q{i}" for i in range(n_queries)]
    frame = {"qid": ids * 2, "ranker": np.repeat(["a", "b"], n_queries)}
    frame["mrr"] = 1 / rng.randint(1, 9, size=2 * n_queries)
    return QueryScores.from_frame(frame, ranker="ranker")


def test_clusters_with_query_ids_as_labels_are_taken_by_label():
    scores = two_rankers()
    user = pd.Series(np.arange(40) // 4, index=scores.keys["qid"])
    mixed = user.sample(frac=1, random_state=0)
    expected = confidence_interval(scores, clusters=user.to_numpy())
    assert str(expected) != str(confidence_interval(scores, clusters=mixed.to_numpy()))
    other = pd.Series(user.to_numpy(), index=range(100, 140))
    for clusters in (user, mixed, mixed.to_dict(), other):
        assert str(confidence_interval(scores, clusters=clusters)) == str(expected)
    with pytest.raises(ValueError, match="'clusters' parameter must be an array-like"):
        confidence_interval(scores, clusters={"q0": 1})


def test_per_cent_of_a_metric_that_ends_at_1_are_refused():
    scores = two_rankers()
    with pytest.raises(ValueError, match=r"range of 'mrr', 1. Got 1: is it per cent"):
        required_queries(scores, effect=1)
    with pytest.raises(ValueError, match=r"range of 'mrr', 1. Got 2: is it per cent"):
        compare_rankers(scores, margin=2)
    with pytest.raises(ValueError, match=r"range of 'mrr', 1. Got 5: is it per cent"):
        gate(scores, baseline="a", margin=5)


@pytest.mark.filterwarnings("ignore:The interval may be too narrow")
def test_values_that_are_none_of_queries_are_noticed():
    rng = np.random.RandomState(0)
    with pytest.warns(UserWarning, match="5 values without query ids .* of folds"):
        compare_rankers({"a": rng.rand(5), "b": rng.rand(5)}, test="t")
    with pytest.warns(UserWarning, match="of 'a' are from -2.55 to .*predictions"):
        compare_rankers({"a": rng.randn(90), "b": rng.rand(90)})
