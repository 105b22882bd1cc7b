"""Metrics of propensities, against the mean over all orders of tied documents."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools
import math
import statistics

import numpy as np
import pandas as pd
import pytest

from skrank._engine.request import METRICS
from skrank.metrics import (
    evaluate,
    inverse_propensities,
    of_items,
    psndcg_score,
    psp_score,
    score_queries,
)
from skrank.stats import compare_rankers, confidence_interval
from tests.brute_force import all_orders, by_query, input_order, masked

WEIGHT = {"psp": lambda rank: 1.0, "psndcg": lambda rank: 1 / math.log2(rank + 1)}


def gain(order, propensity, is_relevant, weight, k):
    """Return the weighted sum of 1 / propensity over the relevant top k."""
    return math.fsum(
        weight(rank) / propensity[row]
        for rank, row in enumerate(order[:k], 1)
        if is_relevant[row]
    )


def sums(case, name, k):
    """Return what was found, the best value and the IDCG of each query, or None."""
    scores, qid, propensity, is_relevant, ties, returned = case
    for query in np.unique(qid):
        rows = np.flatnonzero(qid == query).tolist()
        back = [row for row in rows if returned is None or returned[row]]
        if not is_relevant[rows].any():
            yield None
            continue
        of_rows = scores[back].tolist()
        orders = all_orders(back, of_rows)
        if ties == "first":
            orders = [input_order(back, of_rows)]
        given = propensity, is_relevant, WEIGHT[name], k
        found = statistics.fmean(gain(order, *given) for order in orders)
        best = max(gain(list(one), *given) for one in itertools.permutations(rows))
        n_ranks = min(is_relevant[rows].sum(), k or math.inf)
        unit = math.fsum(1 / math.log2(i + 1) for i in range(1, int(n_ranks) + 1))
        yield found, best, unit if name == "psndcg" else 1.0


def draw(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 6, size=4)
    qid = rng.permutation(np.repeat(["c", "a", "d", "b"], sizes))
    n = len(qid)
    scores = rng.integers(0, 3, size=n).astype(float)
    grades = rng.integers(0, 3, size=n)
    returned = rng.random(n) < 0.7 if seed % 3 == 0 else None
    judged = rng.random(n) < 0.7 if seed % 3 == 1 else None
    is_relevant = (grades > seed % 2) & (True if judged is None else judged)
    propensity = np.where(is_relevant, rng.integers(1, 9, size=n) / 8, np.nan)
    ties = ["expected", "first"][seed % 5 == 4]
    params = {"threshold": seed % 2, "judged": judged, "returned": returned}
    return grades, (scores, qid, propensity, is_relevant, ties, returned), params


@pytest.mark.slow
@pytest.mark.parametrize("name", WEIGHT)
@pytest.mark.parametrize("normalize", ["query", "total"])
def test_a_value_is_the_mean_over_all_orders(name, normalize):
    for seed in range(20):
        grades, case, params = draw(seed)
        scores, qid, propensity, _, ties, _ = case
        k = [3, 1, 2, None][seed % 4] if name == "psndcg" else [5, 1, 2, 3][seed % 4]
        given = params | {
            "qid": qid, "propensity": propensity, "k": k, "ties": ties,
            "normalize": normalize,
        }  # fmt: skip
        function = METRICS[name].function
        expected = list(sums(case, name, k))
        values = masked(
            function, grades, scores, average=None, replace_undefined_by=np.nan, **given
        )
        by_query = [math.nan if one is None else one[0] / one[1] for one in expected]
        np.testing.assert_allclose(values, by_query, rtol=1e-12, atol=1e-12)
        value = masked(function, grades, scores, **given)
        if normalize == "query":
            mean = statistics.fmean(
                0 if one is None else one[0] / one[1] for one in expected
            )
            assert value == pytest.approx(mean, abs=1e-12)
            continue
        top = math.fsum(one[0] / one[2] for one in expected if one)
        bottom = math.fsum(one[1] / one[2] for one in expected if one)
        assert value == pytest.approx(top / bottom if bottom else 0.0, abs=1e-12)


def test_inverse_propensities_are_those_of_the_formula():
    found = inverse_propensities([0, 3, 50], 100)
    factor = (math.log(100) - 1) * 2.5**0.55
    expected = [1 + factor / (n + 1.5) ** 0.55 for n in (0, 3, 50)]
    np.testing.assert_allclose(found, expected, rtol=1e-15)
    wikipedia = inverse_propensities([10], 1000, a=0.5, b=0.4)
    expected = 1 + (math.log(1000) - 1) * (1.4 / 10.4) ** 0.5
    np.testing.assert_allclose(wikipedia, expected, rtol=1e-15)
    named = inverse_propensities(pd.Series([0, 3, 50], index=list("abc")), 100)
    assert named.to_dict() == dict(zip("abc", found.tolist(), strict=True))
    column = of_items(1 / named, ["b", "c"])
    value = psp_score([1, 1], [2, 1], propensity=column, k=1)
    assert value == pytest.approx(found[1] / found[1], abs=1e-15)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"counts": [-1]}, "'counts' parameter of inverse_propensities.*Got -1.0"),
        ({"counts": [101]}, "from 0 to n_queries=100. Got 101.0"),
        ({"n_queries": 2}, "'n_queries' parameter of inverse_propensities"),
        ({"a": -1}, "'a' parameter of inverse_propensities"),
        ({"b": 0}, "'b' parameter of inverse_propensities must be a float above 0"),
        ({"b": -1}, "'b' parameter of inverse_propensities"),
    ],
)
def test_what_is_wrong_with_counts_is_said(params, message):
    with pytest.raises(ValueError, match=message):
        inverse_propensities(**{"counts": [1], "n_queries": 100} | params)


@pytest.mark.parametrize("propensity", [0, -0.5, 1.5, math.nan, math.inf])
def test_a_propensity_is_a_probability_above_zero(propensity):
    with pytest.raises(ValueError, match="'propensity' must hold finite numbers above"):
        psp_score([1, 0], [2, 1], propensity=[propensity, 1], k=1)
    # It is not read of documents that are not relevant.
    assert psp_score([1, 0], [2, 1], propensity=[1, propensity], k=1) == 1


@pytest.mark.parametrize("name", ["psp@2", "psndcg"])
def test_what_is_wrong_with_a_parameter_of_propensities_is_said(name):
    given = {"propensity": [1, 1]}
    with pytest.raises(ValueError, match="'normalize' parameter of ps"):
        evaluate([0, 1], [1, 2], name, normalize="length", **given)
    with pytest.raises(ValueError, match=r"'clip' parameter of ps.*Got 1\.5 instead"):
        evaluate([0, 1], [1, 2], name, clip=1.5, **given)


# Each estimate from clicks: the metric, its parameters, and what a rank is worth.
ESTIMATES = {
    "precision": ("psp", {"normalize": "k", "k": 2}, lambda rank: (rank <= 2) / 2),
    "recall": ("psp", {"normalize": "self", "k": 2}, lambda rank: float(rank <= 2)),
    "dcg": ("psndcg", {"normalize": None}, WEIGHT["psndcg"]),
    "dcg@2": (
        "psndcg",
        {"normalize": None, "k": 2, "discount": "ln"},
        lambda rank: (rank <= 2) / math.log(rank + 1),
    ),
    "rr": (
        "psndcg",
        {"normalize": None, "discount": "reciprocal"},
        lambda rank: 1 / rank,
    ),
    "wmrr": (
        "psndcg",
        {"normalize": "self", "discount": "reciprocal"},
        lambda rank: 1 / rank,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("clip", [0.0, 0.4])
@pytest.mark.parametrize("estimate", ESTIMATES)
def test_an_estimate_from_clicks_is_the_mean_over_all_orders(estimate, clip):
    name, own, worth = ESTIMATES[estimate]
    for seed in range(20):
        grades, case, params = draw(seed)
        scores, qid, propensity, is_relevant, ties, returned = case
        clipped = np.maximum(propensity, clip), is_relevant, worth, None
        top, bottom = [], []
        for query in np.unique(qid):
            rows = np.flatnonzero(qid == query).tolist()
            back = [row for row in rows if returned is None or returned[row]]
            orders = all_orders(back, scores[back].tolist())
            if ties == "first":
                orders = [input_order(back, scores[back].tolist())]
            top.append(statistics.fmean(gain(order, *clipped) for order in orders))
            total = math.fsum(1 / clipped[0][row] for row in rows if is_relevant[row])
            bottom.append(total if own["normalize"] == "self" else 1.0)
        given = {"qid": qid, "propensity": propensity, "ties": ties, "clip": clip}
        function = METRICS[name].function
        value = masked(function, grades, scores, **params, **given, **own)
        expected = math.fsum(top) / math.fsum(bottom) if any(bottom) else 0.0
        assert value == pytest.approx(expected, abs=1e-12)


def test_an_interval_of_an_estimate_from_clicks_may_exceed_one():
    clicks, scores = [1, 0] * 30, [2, 1] * 30
    given = {"qid": np.repeat(np.arange(30), 2), "propensity": [1, 1, 0.2, 1] * 15}
    names = ["psp(normalize='k')@1", "psndcg(normalize=None)"]
    found = confidence_interval(score_queries(clicks, scores, names, **given))
    for name in names:
        assert found[name].estimate == 3.0  # half of the clicks count 5
        assert found[name].low < 3 < found[name].high


def drawn_scores(n_queries):
    rng = np.random.default_rng(0)
    n, qid = 10 * n_queries, np.repeat(np.arange(n_queries), 10)
    grades, propensity = rng.integers(0, 2, size=n), rng.integers(1, 9, size=n) / 8
    rankers = {
        "good": grades + rng.normal(size=n),
        "rare": grades / propensity + 3 * rng.normal(size=n),
    }
    return grades, rankers, qid, propensity


def test_rankers_are_compared_by_ratios_of_sums():
    grades, rankers, qid, propensity = drawn_scores(60)
    names = ["psp@3", "psp(normalize='total')@3", "psndcg(normalize='total')@3"]
    scores = score_queries(grades, rankers, names, qid=qid, propensity=propensity)
    found, summary = confidence_interval(scores), scores.summary()
    for ranker, y_score in rankers.items():
        # The sums over the queries, one by one, and an interval of their ratio that is
        # computed here: the delta method with a t quantile.
        case = y_score, qid, propensity, grades > 0, "first", None
        top, bottom, _ = np.transpose(list(sums_without_ties(case, 3)))
        ratio = top.sum() / bottom.sum()
        row = found[ranker]["psp(normalize='total')@3"]
        assert row.estimate == summary[ranker]["psp(normalize='total')@3"]
        assert row.estimate == pytest.approx(ratio, abs=1e-12)
        residual = top - ratio * bottom
        error = math.sqrt((residual**2).sum() * 60 / 59) / bottom.sum()
        assert (row.high - row.low) / 2 == pytest.approx(2 * error, rel=0.1)
        for name in names:
            one = found[ranker][name]
            assert 0 <= one.low < one.estimate < one.high <= 1
    assert summary["good"][names[0]] != pytest.approx(summary["good"][names[1]])
    assert compare_rankers(scores).rows[0].pvalue > 0.05  # they rank equally well


def sums_without_ties(case, k):
    """Return what was found and the best value of each query, without enumeration."""
    scores, qid, propensity, is_relevant, _, _ = case
    for query in np.unique(qid):
        rows = np.flatnonzero(qid == query)
        inverse = np.where(is_relevant[rows], 1 / propensity[rows], 0)
        found = inverse[np.argsort(-scores[rows])][:k].sum()
        yield found, np.sort(inverse)[::-1][:k].sum(), 1.0


def test_values_by_query_do_not_determine_a_ratio_of_sums():
    grades, rankers, qid, propensity = drawn_scores(20)
    name = "psp(normalize='total')@3"
    given = {"qid": qid, "propensity": propensity}
    scores = score_queries(grades, rankers["good"], name, **given)
    values = by_query(grades, rankers["good"], name, **given)[name]
    frame = scores.to_frame()
    np.testing.assert_array_equal(frame[name], values)
    with pytest.raises(ValueError, match="do not determine"):
        type(scores).from_frame(frame)


@pytest.mark.parametrize("instead", [0.0, 0.25, 1.0, np.nan])
@pytest.mark.parametrize("score", [psp_score, psndcg_score])
def test_undefined_queries_add_nothing_to_the_sums(score, instead):
    # The relevant document of query 1 is second; query 2 has none.
    given = {"propensity": [0.5] * 4, "normalize": "total", "k": 2}
    alone = score([0, 1], [2, 1], propensity=[0.5] * 2, normalize="total", k=2)
    given |= {"qid": [1, 1, 2, 2], "replace_undefined_by": instead}
    assert score([0, 1, 0, 0], [2, 1, 2, 1], **given) == pytest.approx(alone, rel=1e-15)
