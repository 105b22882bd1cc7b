"""Sums of the values of queries, which are rounded once."""

# SPDX-License-Identifier: BSD-3-Clause

import math
from fractions import Fraction

import numpy as np
import pytest

from skrank._engine.means import FEW_VALUES, exact_terms
from skrank.metrics import score_queries

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
    y_true, y_score = RNG.integers(0, 4, n * 5), RNG.random(n * 5)
    weight = np.repeat(RNG.random(n), 5)
    for sample_weight in (None, weight):
        found = set()
        for ids in (np.arange(n), RNG.permutation(n), RNG.permutation(n)):
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
