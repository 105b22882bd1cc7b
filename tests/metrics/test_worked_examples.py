"""The published examples by which users first learn these metrics."""

# SPDX-License-Identifier: BSD-3-Clause

from itertools import combinations
from math import log, log2

import numpy as np
import pytest

from skrank.metrics import (
    cg_score,
    dcg_score,
    evaluate,
    hits_at_k_score,
    map_score,
    mean_precision_score,
    mean_rank,
    mrr_score,
    ndcg_score,
    precision_at_k_score,
    query_auc_score,
    rank_correlation_score,
    recall_at_k_score,
)

# Link prediction in a knowledge graph.

BORN_IN = {"Ireland": 0.789, "Italy": 0.753, "Germany": 0.695, "China": 0.456}
BORN_IN["Thomas"] = 0.234
ITALY = [*BORN_IN].index("Italy")


def test_where_jack_was_born():
    scores = [[*BORN_IN.values()]]
    assert mean_rank([ITALY], scores) == 2
    assert mrr_score([ITALY], scores) == 1 / 2
    assert hits_at_k_score([ITALY], scores, k=1) == 0
    assert hits_at_k_score([ITALY], scores, k=3) == 1
    # The other metrics that link prediction names.
    assert hits_at_k_score([ITALY], scores, k=10) == 1
    assert recall_at_k_score([ITALY], scores, k=3) == 1
    assert precision_at_k_score([ITALY], scores, k=3) == 1 / 3
    assert query_auc_score([ITALY], scores) == 3 / 4


def test_three_queries_whose_right_candidate_has_rank_two_one_and_four():
    scores = [[4.0, 3.0, 2.0, 1.0]] * 3
    right = [1, 0, 3]
    mrr = (1 / 2 + 1 + 1 / 4) / 3
    assert mrr == pytest.approx(0.58333, abs=5e-6)
    assert mrr_score(right, scores) == pytest.approx(mrr)
    assert hits_at_k_score(right, scores, k=1) == pytest.approx(1 / 3)
    assert hits_at_k_score(right, scores, k=3) == pytest.approx(2 / 3)
    assert mean_rank(right, scores) == pytest.approx(7 / 3)


def test_two_positives_each_against_four_synthetic_negatives():
    y_true = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0]
    y_score = [0.7, 0.9, 0.5, 0.3, 0.1, 0.8, 0.6, 0.4, 0.2, 0.1]
    qid = ["first"] * 5 + ["second"] * 5
    assert list(mean_rank(y_true, y_score, qid=qid, average=None)) == [2, 1]
    assert hits_at_k_score(y_true, y_score, qid=qid, k=1) == 1 / 2
    assert hits_at_k_score(y_true, y_score, qid=qid, k=3) == 1


# Retrieval, in MatchZoo's conventions.

GRADED = [0, 1, 2, 0], [0.4, 0.2, 0.5, 0.7]
EXPONENTIAL = {"gain": "exponential"}
RETRIEVAL = [
    (mrr_score, "mrr", [1, 0, 0, 0], [0.2, 0.3, 0.7, 1.0], {}, 1 / 4),
    (precision_at_k_score, "precision@4", [0, 0, 0, 1], [2, 4, 3, 1], {}, 1 / 4),
    (mean_precision_score, "mean_precision", [0, 1], [1, 6], {}, (1 / 1 + 1 / 2) / 2),
    (map_score, "map", [0, 1, 0, 0], [0.1, 0.6, 0.2, 0.3], {}, 1.0),
    (
        *(map_score, "map", [1, 1, 0, 1, 0, 0, 1], [7, 6, 5, 4, 3, 2, 1], {}),
        (1 / 1 + 2 / 2 + 3 / 4 + 4 / 7) / 4,
    ),
    (dcg_score, "dcg@3", *GRADED, EXPONENTIAL | {"discount": "ln"}, 3 / log(3)),
    (
        *(ndcg_score, "ndcg@2", *GRADED, EXPONENTIAL),
        (3 / log2(3)) / (3 / log2(2) + 1 / log2(3)),
    ),
]


@pytest.mark.parametrize(
    ("function", "name", "y_true", "y_score", "params", "expected"), RETRIEVAL
)
def test_retrieval(function, name, y_true, y_score, params, expected):
    cut = name.partition("@")[2]
    k = {"k": int(cut)} if cut else {}
    first = {"threshold": 0.0, "ties": "first"}
    for extra in (params, params | first):
        got = function(y_true, y_score, **k, **extra)
        assert got == pytest.approx(expected, rel=1e-14)
        got = evaluate(y_true, y_score, name, **extra)
        assert got == {name: pytest.approx(expected, rel=1e-14)}


def test_the_printed_digits_of_the_retrieval_examples():
    assert mean_precision_score([0, 1], [0.1, 0.6]) == 0.75
    dcg = dcg_score(*GRADED, k=3, discount="ln")
    assert dcg == pytest.approx(2.73, abs=0.005)
    ndcg = ndcg_score(*GRADED, k=2)
    assert ndcg == pytest.approx(0.52129602861432, abs=5e-15)


# Ranking with graded relevance.

# d1 to d5 by falling relevance; the predicted order is d2, d3, d1, d5, d4.
GRADES = np.array([5, 4, 3, 2, 1])
PREDICTED = np.array([3, 5, 4, 1, 2])
IN_PREDICTED_ORDER = [4, 3, 5, 1, 2]


def test_the_most_relevant_document_stands_third():
    assert mrr_score(GRADES, PREDICTED, threshold="max") == 1 / 3


def test_precision_average_precision_and_their_mean_by_their_definition():
    relevant = [[1, 0, 1, 1, 0], [0, 1, 0, 0, 1]]  # in rank order
    scores = [[5.0, 4.0, 3.0, 2.0, 1.0]] * 2
    precision = [1 / 1, 1 / 2, 2 / 3, 3 / 4, 3 / 5]
    for k, value in enumerate(precision, 1):
        assert precision_at_k_score(relevant[0], scores[0], k=k) == value
    first = (1 / 1 + 2 / 3 + 3 / 4) / 3
    second = (1 / 2 + 2 / 5) / 2
    per_query = map_score(relevant, scores, average=None)
    assert per_query == pytest.approx([first, second])


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_dcg_and_ndcg_by_their_definition(k):
    exponential = [2**grade - 1 for grade in IN_PREDICTED_ORDER]
    for name, gains in (("exponential", exponential), ("linear", IN_PREDICTED_ORDER)):
        dcg = sum(gain / log2(r + 1) for r, gain in enumerate(gains[:k], 1))
        ideal = sorted(gains, reverse=True)[:k]
        best = sum(gain / log2(r + 1) for r, gain in enumerate(ideal, 1))
        assert dcg_score(GRADES, PREDICTED, k=k, gain=name) == pytest.approx(dcg)
        ndcg = ndcg_score(GRADES, PREDICTED, k=k, gain=name)
        assert ndcg == pytest.approx(dcg / best)
        assert 0 <= ndcg <= 1


def test_a_query_without_relevant_documents_has_a_defined_value():
    y_true, y_score, qid = [0, 0, 1, 0], [2, 1, 2, 1], ["none", "none", "one", "one"]
    assert ndcg_score(y_true, y_score, qid=qid) == (0 + 1) / 2
    assert ndcg_score(y_true, y_score, qid=qid, replace_undefined_by=1.0) == 1
    assert ndcg_score(y_true, y_score, qid=qid, replace_undefined_by=np.nan) == 1


def test_cumulative_gain_is_blind_to_order_within_k():
    assert cg_score(GRADES, PREDICTED, k=3) == 4 + 3 + 5
    for order in ([5, 4, 3, 2, 1], [3, 4, 5, 1, 2], [4, 5, 3, 2, 1]):
        assert cg_score(GRADES, order, k=3) == 5 + 4 + 3
    assert cg_score(GRADES, PREDICTED) == sum(GRADES)


PAIR_WEIGHTS = {
    "uniform": lambda u, v: 1,
    "gain": lambda u, v: abs(2.0 ** GRADES[u] - 2.0 ** GRADES[v]),
    # The documents stand in their true order: the rank of u is u + 1.
    "discount": lambda u, v: abs(1 / log2(u + 2) - 1 / log2(v + 2)),
}


@pytest.mark.parametrize("weights", sorted(PAIR_WEIGHTS))
def test_rank_correlation_by_its_definition(weights):
    pairs = list(combinations(range(len(GRADES)), 2))
    weigh = {(u, v): PAIR_WEIGHTS[weights](u, v) for u, v in pairs}
    true_rank, rank = (
        np.argsort(np.argsort(-GRADES)),
        np.argsort(np.argsort(-PREDICTED)),
    )
    agreement = sum(
        weight * (1 + np.sign((rank[u] - rank[v]) * (true_rank[u] - true_rank[v])))
        for (u, v), weight in weigh.items()
    )
    expected = agreement / (2 * sum(weigh.values()))
    got = rank_correlation_score(GRADES, PREDICTED, weights=weights)
    assert got == pytest.approx(expected)
    assert 0 < got < 1
    same = rank_correlation_score(GRADES, GRADES, weights=weights)
    assert same == pytest.approx(1, abs=1e-15)
    reverse = rank_correlation_score(GRADES, -GRADES, weights=weights)
    assert reverse == pytest.approx(0, abs=1e-15)
    tied = rank_correlation_score(GRADES, np.zeros(5), weights=weights)
    assert tied == pytest.approx(1 / 2)


def test_rank_correlation_of_binary_grades_is_the_auc():
    y_true, y_score = [1, 0, 1, 0, 0], [3, 2, 2, 1, 3]
    # Won: .5 + 1 + 1 of the first, .5 + 1 + 0 of the second relevant document.
    auc = ((1 + 1 + 1 / 2) + (1 / 2 + 1 + 0)) / 6
    assert rank_correlation_score(y_true, y_score) == pytest.approx(auc)
    assert query_auc_score(y_true, y_score) == pytest.approx(auc)


# Next to scikit-learn's own metrics.
