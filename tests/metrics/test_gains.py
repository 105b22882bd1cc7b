"""Gains that do not increase with the grade: the ideal ranking is the order by gain."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools
from math import log2

import numpy as np
import pandas as pd
import pytest

from skrank.metrics import (
    dcg_score,
    evaluate,
    get_scorer,
    ndcg_score,
    q_measure_score,
    score_queries,
)
from skrank.tables import score_table


def of_grade(*gains):
    """Return the function that maps the grades 0, 1, 2, ... to some gains."""
    return lambda grade: np.array(gains)[np.asarray(grade).astype(int)]


def test_ndcg_is_undefined_where_no_ranking_has_a_gain():
    for gain in (of_grade(0, 0.0), of_grade(0, -1.0)):
        found = ndcg_score([1, 1], [2, 1], gain=gain, replace_undefined_by=0.25)
        assert found == 0.25


def dcg_of_orders(gain, y_score, k):
    """Return the DCG of all orders of the documents, and of those by score."""
    n = len(gain)
    discount = 1 / np.log2(np.arange(n) + 2)
    discount[n if k is None else k :] = 0
    every, by_score = [], []
    for order in map(list, itertools.permutations(range(n))):
        every.append((gain[order] * discount).sum())
        if (np.diff(y_score[order]) <= 0).all():
            by_score.append(every[-1])
    return every, by_score


@pytest.mark.slow
@pytest.mark.parametrize("gains", [(0, 3.0, 1.0, 2.0), (0, 3.0, -1.0, 0.5)], ids=str)
@pytest.mark.parametrize("k", [None, 1, 2])
def test_dcg_and_ndcg_are_those_of_all_orders(gains, k):
    rng = np.random.RandomState(0)
    gain = of_grade(*gains)
    for _ in range(60):
        n = rng.randint(1, 6)
        y_true, y_score = rng.randint(4, size=n), rng.randint(3, size=n).astype(float)
        every, by_score = dcg_of_orders(gain(y_true), y_score, k)
        options = {"gain": gain, "k": k}
        found = dcg_score(y_true, y_score, **options)
        assert found == pytest.approx(np.mean(by_score), abs=1e-12)
        if max(every) > 1e-9:
            found = ndcg_score(y_true, y_score, **options)
            assert found == pytest.approx(np.mean(by_score) / max(every), abs=1e-12)
            assert found <= 1 + 1e-12


def test_the_discount_of_mind_is_the_reciprocal_of_the_rank():
    options = {"gain": "linear", "discount": "reciprocal"}
    assert dcg_score([1, 0, 1], [3, 2, 1], **options) == 1 + 1 / 3
    got = ndcg_score([1, 0, 1], [3, 2, 1], **options)
    assert got == pytest.approx((1 + 1 / 3) / (1 + 1 / 2))


def test_the_q_measure_of_the_order_by_gain_is_1():
    gain = of_grade(0, 1.0, 5.0, 2.0)
    assert q_measure_score([2, 3, 1, 0], [4, 3, 2, 1], gain=gain) == 1
    assert q_measure_score([2, 3, 1, 0], [3, 4, 2, 1], gain=gain) < 1


WATCHED = {"y_true": [600, 30, 2, 0], "y_score": [4, 3, 2, 1], "qid": [0, 0, 0, 0]}
LARGE = r"With grades above 30 the default gain.*gain='linear'"


@pytest.mark.parametrize(
    "call",
    [
        lambda: ndcg_score(**WATCHED),
        lambda: evaluate(**WATCHED, metrics="dcg@3"),
        lambda: score_queries(**WATCHED, metrics=["mrr", "q_measure"]),
        lambda: score_table(pd.DataFrame(WATCHED), "ndcg"),
        lambda: get_scorer("ndcg@2")(
            Tied(), np.zeros((4, 1)), [600, 3, 2, 0], qid=[0] * 4
        ),
    ],
)
def test_large_grades_are_warned_of_unless_the_gain_is_given(call):
    with pytest.warns(UserWarning, match=LARGE) as caught:
        call()
    assert len({str(one.message) for one in caught}) == 1


def test_a_gain_that_is_given_is_not_warned_of():
    # Warnings are errors here.
    assert 0 < ndcg_score(**WATCHED, gain="exponential") <= 1
    assert 0 < ndcg_score(**WATCHED, gain="linear") <= 1
    names = ["ndcg(gain='exponential')", "ndcg(gain='linear')@10"]
    assert set(evaluate(**WATCHED, metrics=names)) == set(names)
    assert evaluate(**WATCHED, metrics="ndcg", convention="ranx")
    assert ndcg_score([30, 0], [2, 1]) == 1


class Tied:
    def predict(self, X):
        return np.zeros(len(X))


def test_the_divisor_in_place_of_a_discount_is_refused():
    match = r"not grow with the rank. Got \[1. +1.58.* return 1 / np.log2\(rank"
    with pytest.raises(ValueError, match=match):
        ndcg_score([0, 0, 1], [3, 2, 1], discount=lambda rank: np.log2(rank + 1))


def test_a_function_of_one_number_is_told_of_arrays():
    with pytest.raises(ValueError, match=r"entry of an array, as np.vectorize.* error"):
        ndcg_score([2, 1], [1, 2], gain=lambda grade: 10 if grade == 2 else grade)


@pytest.mark.parametrize("gain", [[0, 1, 10], (0, 1, 10), {0: 0, 1: 1, 2: 10}])
def test_a_gain_is_a_list_or_a_dict(gain):
    expected = (1 + 10 / log2(3)) / (10 + 1 / log2(3))
    assert ndcg_score([1, 2, 0], [3, 2, 1], gain=gain) == pytest.approx(expected)
    scores = score_queries([1, 2, 0], [3, 2, 1], [f"ndcg(gain={gain})@2"])
    assert scores.values.item() == pytest.approx(expected)
    assert q_measure_score([1, 2], [2, 1], gain=gain) == q_measure_score(
        [1, 2], [2, 1], gain=of_grade(0, 1, 10)
    )


def test_a_grade_without_a_gain_is_refused():
    with pytest.raises(ValueError, match=r"'gain' parameter lacks the grade 3"):
        ndcg_score([1, 3], [2, 1], gain=[0, 1, 10])
    with pytest.raises(ValueError, match="Did you mean 'exponential'"):
        ndcg_score([1, 2], [2, 1], gain="exp")
    with pytest.raises(ValueError, match=r"60210.* are these ids"):
        ndcg_score([0, 60210], [2, 1])
