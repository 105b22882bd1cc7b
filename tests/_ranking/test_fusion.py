"""Fused scores by hand, by a loop and beside the numbers of ranx."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest

from skrank._ranking.fusion import FUSION_METHODS, NORMS
from skrank.tables import fuse
from tests.tables.test_runs import RUNS, values

# The documents d1 to d5 of q1 and d5 to d9 of q2 by ranx 0.3.21.
BY_RANX = {
    ("rrf", None): [
        *[0.03252247488101534, 0.03225806451612903, 0.032266458495966696],
        *[0.01639344262295082, 0.015873015873015872],
        *[0.032266458495966696, 0.03252247488101534, 0.03252247488101534],
        *[0.016129032258064516, 0.015873015873015872],
    ],
    ("sum", "min-max"): [
        *[1.0, 1.6428571428571428, 1.0, 1.0, 0.0],
        *[1.0, 1.0, 1.2857142857142858, 0.75, 0.0],
    ],
    ("sum", "max"): [
        *[1.9166666666666665, 1.7083333333333333, 1.2222222222222223, 1.0, 0.125],
        *[1.2222222222222223, 1.3333333333333333, 1.4444444444444444, 0.8, 0.2],
    ],
    ("sum", "sum"): [
        *[0.56, 0.9015384615384615, 1.0, 0.5384615384615385, 0.0],
        *[1.0, 0.7777777777777778, 0.7936507936507937, 0.42857142857142855, 0.0],
    ],
    ("mnz", "z"): [
        *[-0.11691416288618162, 1.9644857730291219, -0.7692438781085569],
        *[0.8626621856275075, -1.4018260516446994],
        *[-0.038098661460272076, 0.7174648819470297, 1.2817951308950828],
        *[0.392232270276368, -1.3728129459672882],
    ],
    ("max", "rank"): [
        *[1.0, 0.6666666666666667, 1.0, 1.0, 0.33333333333333337],
        *[1.0, 1.0, 1.0, 0.6666666666666667, 0.33333333333333337],
    ],
    ("isr", None): [
        *[2.5, 1.0, 2.2222222222222223, 1.0, 0.1111111111111111],
        *[2.2222222222222223, 2.5, 2.5, 0.25, 0.1111111111111111],
    ],
    ("borda", None): [*[10.5, 10.0, 9.5, 8.5, 6.5], *[9.5, 10.5, 11.0, 7.5, 6.5]],
}


def draw(seed, n_levels=None):
    """Return three runs; with `n_levels` many scores are tied."""
    rng = np.random.default_rng(seed)
    runs = {}
    for name in "abc":
        runs[name] = {}
        for query in range(6):
            documents = rng.choice(12, size=rng.integers(1, 9), replace=False)
            scores = rng.normal(size=len(documents))
            if n_levels:
                scores = rng.integers(1, n_levels + 1, len(documents)) / 4
            pairs = zip(documents.tolist(), scores.tolist(), strict=True)
            runs[name][query] = dict(pairs)
    return runs


def by_loop(runs, method, norm, weights, k):
    """Return the fused scores as the definitions of the docstring say."""
    fused = {}
    for query in {query for run in runs.values() for query in run}:
        lists = [run.get(query, {}) for run in runs.values()]
        documents = {document for scores in lists for document in scores}
        for document in documents:
            parts, n_returned = [], 0
            for scores, weight in zip(lists, weights, strict=True):
                n = len(scores)
                if document not in scores:
                    if method == "borda":
                        parts.append(weight * (len(documents) - n + 1) / 2)
                    continue
                n_returned += 1
                own = scores[document]
                first = 1 + sum(other > own for other in scores.values())
                ranks = range(first, first + [*scores.values()].count(own))
                if method == "rrf":
                    part = np.mean([1 / (k + rank) for rank in ranks])
                elif method == "isr":
                    part = np.mean([1 / rank**2 for rank in ranks])
                elif method == "borda":
                    part = np.mean([len(documents) + 1 - rank for rank in ranks])
                else:
                    part = normalized(own, [*scores.values()], np.mean(ranks), norm)
                parts.append(weight * part)
            times = n_returned if method in ("mnz", "isr") else 1
            total = max(parts) if method == "max" else sum(parts)
            fused[query, document] = times * total
    return fused


def normalized(score, scores, rank, norm):
    low, high = min(scores), max(scores)
    if norm is None:
        return score
    if norm == "rank":
        return 1 - (rank - 1) / len(scores)
    if norm == "max":
        return score / high
    if low == high:
        return 0.5 if norm == "dbsf" else 0.0
    if norm == "min-max":
        return (score - low) / (high - low)
    if norm == "sum":
        return (score - low) / sum(other - low for other in scores)
    z = (score - np.mean(scores)) / np.std(scores)
    return np.clip((z + 3) / 6, 0, 1) if norm == "dbsf" else z


@pytest.mark.parametrize(("method", "norm"), BY_RANX)
def test_values_are_those_of_ranx(method, norm):
    got = values(fuse(RUNS, method, norm=norm))
    assert [got[pair] for pair in sorted(got)] == pytest.approx(
        BY_RANX[method, norm], rel=1e-12, abs=1e-15
    )


@pytest.mark.parametrize("method", FUSION_METHODS)
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("n_levels", [None, 3])
def test_values_are_those_of_a_loop(method, norm, n_levels):
    for seed in range(2):
        if norm == "max" and n_levels is None:
            continue  # some highest scores are negative
        runs, weights, k = draw(seed, n_levels), [0.5, 2.0, 1.0], 10
        got = values(fuse(runs, method, norm=norm, weights=weights, rrf_k=k))
        expected = by_loop(runs, method, norm, weights, k)
        assert got.keys() == expected.keys()
        for pair, value in expected.items():
            assert got[pair] == pytest.approx(value, rel=1e-12, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("method", FUSION_METHODS)
def test_the_order_of_tied_documents_does_not_matter_to_the_last_bit(method):
    norms = ["sum", "z"] if method in ("sum", "mnz", "max") else [None]
    for seed in range(10):
        runs = draw(seed, n_levels=2)
        reversed_runs = {
            name: {q: dict(reversed(list(run[q].items()))) for q in reversed(run)}
            for name, run in runs.items()
        }
        for norm in norms:
            one, two = (fuse(x, method, norm=norm) for x in (runs, reversed_runs))
            for name in one:
                np.testing.assert_array_equal(one[name], two[name])


def test_a_run_that_returned_nothing_adds_nothing():
    run = {"q": {"a": 3.0, "b": 2.0}}
    for nothing in ({}, {"q": []}, {"q": {}, "r": {}}):
        fused = fuse({"x": run, "y": nothing})
        assert fused.doc_id.tolist() == ["a", "b"]
        assert fused.score.tolist() == [1 / 61, 1 / 62]
        # Of two documents, each gets half of the three points of the empty run.
        fused = fuse({"x": run, "y": nothing}, method="borda")
        assert fused.score.tolist() == [2 + 3 / 2, 1 + 3 / 2]
    with pytest.raises(ValueError, match="Got \\[0, 0, 0\\]"):
        fuse({"x": {"q": {}}, "y": {"q": []}})


@pytest.mark.parametrize("scale", [1e200, 1e-200, 1.0])
def test_norms_do_not_depend_on_the_scale(scale):
    runs = {"x": {"q": {"a": 1 * scale, "b": 2 * scale, "c": 6 * scale}}}
    z = np.array([6 - 3, 2 - 3, 1 - 3]) / np.sqrt((9 + 1 + 4) / 3)
    by_norm = {"z": z, "min-max": [1, 1 / 5, 0], "sum": [5 / 6, 1 / 6, 0]}
    for norm, expected in by_norm.items():
        fused = fuse(runs | {"y": {"q": {}}}, "sum", norm=norm)
        assert fused.score.tolist() == pytest.approx(list(expected), rel=1e-12)
    widest = {"x": {"q": {"a": 1e308, "b": 0.0, "c": -1e308}}, "y": {"q": {}}}
    assert fuse(widest, "sum", norm="min-max").score.tolist() == [1, 1 / 2, 0]
