"""Summaries: all rankings of several queries, ties beyond counting, exact sums."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose

from skrank import metrics
from skrank._engine.summary import FEW_VALUES, exact_terms
from skrank._ranking.queries import MOST_PLACES
from skrank.metrics import evaluate, score_queries
from tests.brute_force import call

# Queries by their numbers of documents and of relevant ones, and the rank of the first.
ONE_RIGHT = [(3, 1, 2), (4, 1, 4), (5, 1, 1)]
SEVERAL = [(3, 2, 1), (4, 1, 3), (5, 3, 2)]
SURE = [(4, 2, 2), (2, 2, 1), (1, 1, 1)]

PLAIN = {
    "mean_rank": lambda r, w: w @ r,
    "mrr": lambda r, w: w @ (1 / r),
    "mrr@2": lambda r, w: w @ np.where(r <= 2, 1 / r, 0),
    "hits@1": lambda r, w: w @ (r <= 1),
    "hits@2": lambda r, w: w @ (r <= 2),
}
INDEX = {"mean_rank": "adjusted_mean_rank_index"}


def flat(queries):
    """Return (y_true, y_score, qid) with the first ranks that are given."""
    rows = []
    for qid, (n, r, first) in enumerate(queries):
        relevant = [rank == first or rank > n - r + 1 for rank in range(1, n + 1)]
        assert sum(relevant) == r
        rows += [(is_right, -rank, qid) for rank, is_right in enumerate(relevant)]
    return map(np.array, zip(*rows, strict=True))


def first_ranks_of_all_orders(queries):
    """Return the first ranks of every query in all combinations of their orders."""
    places = [
        [min(chosen) for chosen in itertools.combinations(range(1, n + 1), r)]
        for n, r, _ in queries
    ]
    return np.array(list(itertools.product(*places)), dtype=float).T


@pytest.mark.parametrize("weight", [None, (1, 2, 3), (0.5, 0.5, 1), (3, 0, 1)])
@pytest.mark.parametrize("queries", [ONE_RIGHT, SEVERAL, SURE])
@pytest.mark.parametrize("name", PLAIN)
def test_indices_are_those_of_all_orders_of_all_queries(name, queries, weight):
    y_true, y_score, qid = flat(queries)
    rows = None if weight is None else np.array(weight)[qid]
    share = np.ones(3) / 3 if weight is None else np.array(weight) / sum(weight)
    values = PLAIN[name](first_ranks_of_all_orders(queries), share)
    value = PLAIN[name](np.array([[first] for _, _, first in queries]), share)[0]
    mean, best = values.mean(), PLAIN[name](np.ones((3, 1)), share)[0]
    base, _, k = name.partition("@")
    index = INDEX.get(base, f"adjusted_{base}") + (f"@{k}" if k else "")
    got = evaluate(y_true, y_score, index, qid=qid, sample_weight=rows)
    assert_allclose(got[index], (value - mean) / (best - mean), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("given", [{}, {"average": "weighted"}, {"ties": "realistic"}])
@pytest.mark.parametrize(
    ("name", "plain", "adjusted"),
    [
        ("adjusted_mrr@2", "mrr@2", True),
        ("adjusted_hits@2", "hits@2", True),
        ("adjusted_mean_rank_index", "mean_rank", True),
        ("adjusted_mean_rank", "mean_rank", "ratio"),
    ],
)
def test_a_name_of_an_adjusted_metric_is_the_function_adjusted(
    name, plain, adjusted, given
):
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 2, (20, 6)), rng.integers(0, 4, (20, 6))
    given = {"replace_undefined_by": np.nan, **given}
    got = call(plain, y_true, y_score, adjusted=adjusted, **given)
    assert got == call(name, y_true, y_score, **given)


def test_the_ratio_is_the_metric_over_its_expectation():
    # Ranks 1 and 2 of 4 candidates each: (3 / 2) / (5 / 2), H_4 = 25 / 12.
    y_true, y_score = [0, 1], [[4, 3, 2, 1], [4, 3, 2, 1]]
    scores = metrics.mean_rank, metrics.mrr_score
    got = [score(y_true, y_score, adjusted="ratio") for score in scores]
    assert_allclose(got, [3 / 5, (3 / 4) / (25 / 12 / 4)])


@pytest.mark.parametrize(
    ("name", "adjusted", "error"),
    [
        ("mean_rank", "z", ValueError),
        ("mrr", "zscore", ValueError),
        ("mrr", 1, TypeError),
        ("mrr", None, TypeError),
    ],
)
def test_an_adjustment_that_a_metric_does_not_have_is_refused(name, adjusted, error):
    with pytest.raises(error, match=r"'adjusted' parameter of .* must be .*Got"):
        call(name, [0, 1], [1, 2], adjusted=adjusted)


def test_a_query_of_no_weight_or_without_a_relevant_document_changes_nothing():
    y_true = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 1]]
    y_score = np.tile([4, 3, 2, 1], (4, 1))
    for name in ("adjusted_mrr", "median_rank", "geometric_mean_rank"):
        expected = call(name, y_true[:2], y_score[:2])
        got = call(name, y_true, y_score, sample_weight=[1, 1, 1, 0])
        assert got == pytest.approx(expected, rel=1e-14)


# Ranks 1 or 2 or 3, each a third; 4; 2 or 3, each a half.
POOLED = np.array([1, 1, 2, 2, 3, 3] + [4] * 6 + [2] * 3 + [3] * 3)
EXPECTED = [(1 + 2 + 3) / 3, 4, (2 + 3) / 2]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("median_rank", np.median(EXPECTED)),
        ("harmonic_mean_rank", 1 / np.mean(1 / POOLED)),
        ("inverse_mean_rank", 1 / np.mean(POOLED)),
        ("inverse_geometric_mean_rank", np.exp(-np.mean(np.log(POOLED)))),
        ("inverse_median_rank", 1 / np.median(EXPECTED)),
    ],
)
def test_means_read_all_ranks_of_tied_documents_and_medians_one(name, expected):
    y_score = [[2, 2, 2, 1, 0], [5, 4, 3, 2, 1], [3, 2, 2, 1, 0]]
    got = call(name, [0, 3, 1], y_score)
    assert got == pytest.approx(expected, rel=1e-13)


def test_what_replaces_an_undefined_query_is_its_rank_or_one_over_it():
    y_true, y_score = [[0, 0, 0], [0, 0, 1], [1, 0, 0]], [[3, 2, 1]] * 3
    for name, expected in (
        ("harmonic_mean_rank", 3 / (1 / 5 + 1 / 3 + 1)),
        ("median_rank", 3),
        ("geometric_mean_rank", 15 ** (1 / 3)),
        ("adjusted_mean_rank", (5 + 3 + 1) / (5 + 2 + 2)),
    ):
        got = call(name, y_true, y_score, replace_undefined_by=5)
        assert got == pytest.approx(expected)
    with pytest.raises(ValueError, match=r"must be NaN or >= 0: .* Got -1.0"):
        call("geometric_mean_rank", y_true, y_score, replace_undefined_by=-1)
    for name, expected in (
        ("inverse_mean_rank", 1 / 3),
        ("inverse_geometric_mean_rank", 15 ** (-1 / 3)),
        ("inverse_median_rank", 1 / 3),
    ):
        got = call(name, y_true, y_score, replace_undefined_by=1 / 5)
        assert got == pytest.approx(expected)
        assert call(name, y_true, y_score, replace_undefined_by=0) < 0.34
        with pytest.raises(ValueError, match="must be NaN or >= 0"):
            call(name, y_true, y_score, replace_undefined_by=-1)


LARGE = [
    "mrr",
    "mrr@3",
    "hits@3",
    "neg_mean_rank",
    "neg_median_rank",
    "neg_geometric_mean_rank",
    "neg_harmonic_mean_rank",
    "adjusted_mrr",
    "adjusted_hits@3",
]


def large_ties(n_right):
    """Return queries of 40 documents in ties of 20 and more, some of them alike."""
    rng = np.random.default_rng(n_right)
    y_true = np.zeros((30, 40), dtype=int)
    y_true[:29, :n_right] = 1
    y_true = rng.permuted(y_true, axis=1)
    y_score = rng.permuted(np.repeat([0, 1], 20)[np.newaxis].repeat(30, 0), axis=1)
    return y_true, np.where(y_score > rng.integers(2, size=(30, 1)), 2, y_score)


def law(y_true, y_score):
    """Return the ranks of a first relevant document and their chances, in fractions."""
    top = y_score[y_true > 0].max()
    above, size = np.sum(y_score > top), np.sum(y_score == top)
    right = np.sum(y_true[y_score == top])
    places = range(1, size - right + 2)
    chances = [math.comb(size - j, right - 1) / math.comb(size, right) for j in places]
    return above + np.array(places), np.array(chances)


@pytest.mark.parametrize("n_right", [1, 3])
@pytest.mark.parametrize("block", [MOST_PLACES, 1])
@pytest.mark.parametrize("weight", [None, np.arange(30) % 4])
def test_large_ties_are_looked_at_once_and_give_the_values_of_their_laws(
    n_right, block, weight, monkeypatch
):
    monkeypatch.setattr("skrank._ranking.queries.MOST_PLACES", block)
    y_true, y_score = large_ties(n_right)
    share = np.ones(30) if weight is None else weight.astype(float)
    share[29] = 0  # without a relevant document
    share /= share.sum()
    kept = range(29)
    laws = [law(y_true[i], y_score[i]) for i in kept]
    random = [law(y_true[i], np.zeros(40)) for i in kept]

    def means(laws, value):
        return np.array([np.dot(chance, value(rank)) for rank, chance in laws])

    w = share[:29]
    values = {
        "mrr": lambda r: 1 / r,
        "mrr@3": lambda r: (r <= 3) / r,
        "hits@3": lambda r: r <= 3,
        "mean_rank": lambda r: r,
    }
    expected = {name: w @ means(laws, value) for name, value in values.items()}
    expected["geometric_mean_rank"] = np.exp(w @ means(laws, np.log))
    expected["harmonic_mean_rank"] = 1 / expected["mrr"]
    ranks = means(laws, lambda r: r)
    order = np.argsort(ranks)
    up_to = np.cumsum(w[order])
    middle = np.searchsorted(up_to, [0.5 - 1e-9, 0.5 + 1e-9])
    expected["median_rank"] = ranks[order][middle].mean()
    for name, value in values.items():
        mean = w @ means(random, value)
        base, _, k = name.partition("@")
        cut = f"@{k}" if k else ""
        index = INDEX.get(base, f"adjusted_{base}") + cut
        expected[index] = (expected[name] - mean) / (1 - mean)
    options = {"sample_weight": weight, "replace_undefined_by": np.nan}
    got = evaluate(y_true, y_score, LARGE, **options)
    assert [*got] == LARGE
    for name, value in got.items():
        sign = -1 if name.startswith("neg_") else 1
        found = expected[name.removeprefix("neg_")]
        assert sign * value == pytest.approx(found, rel=1e-9), name


def test_values_of_queries_with_large_ties_are_those_of_their_formulas():
    # The one right candidate is among 50 behind 10 others, or among all 60.
    y_score = [[1] * 10 + [0] * 50, [0] * 60]
    options = {"average": None}
    y_true = [30, 30]
    assert_allclose(metrics.mean_rank(y_true, y_score, **options), [35.5, 30.5])
    got = metrics.hits_at_k_score(y_true, y_score, k=12, **options)
    assert_allclose(got, [2 / 50, 12 / 60])


RNG = np.random.default_rng(0)
VALUES = {
    "fractions": RNG.random(5000) ** 3,
    "of both signs": RNG.normal(size=1000) * 10.0 ** RNG.integers(-20, 20, 1000),
    "of all sizes": 2.0 ** RNG.integers(-1074, 900, 300),
    "that cancel": np.concatenate([[1e16, 1.0, -1e16], np.full(200, 1e-30)]),
    "in several blocks": RNG.random(2**15 + 7),
    "of one size": np.full(100, 0.1),
    "zeros": np.zeros(70),
    "of the smallest size": np.full(70, 5e-324),
    "one": np.array([0.3]),
}


@pytest.mark.parametrize("name", VALUES)
def test_the_terms_have_the_sum_of_the_values(name):
    values = VALUES[name]
    terms = exact_terms(values)
    assert sum(map(Fraction, terms)) == sum(map(Fraction, values.tolist()))
    assert len(terms) < max(100, len(values) / 10)


@pytest.mark.slow
def test_a_mean_does_not_depend_on_the_order_of_the_queries():
    n = 40 * FEW_VALUES
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 4, n * 5), rng.random(n * 5)
    weight = np.repeat(rng.random(n), 5)
    for sample_weight in (None, weight):
        found = set()
        for ids in (np.arange(n), rng.permutation(n), rng.permutation(n)):
            scores = score_queries(
                y_true,
                y_score,
                ["ndcg", "mrr"],
                qid=np.repeat(ids, 5),
                sample_weight=sample_weight,
            )
            found.add(tuple(scores.summary().values()))
        assert len(found) == 1
        (ndcg, _), by_query = found.pop(), np.sort(scores.values[0, 0])
        if sample_weight is None:
            assert ndcg == math.fsum(by_query) / n
