"""The one way in which requests are answered: rankings that are kept and reused."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools

import numpy as np
import pytest

from skrank._engine.answer import Arrays, answer
from skrank._engine.names import read_requests
from skrank._engine.request import Options
from skrank._ranking.rank import FIRST
from skrank.metrics import evaluate, get_scorer
from tests.brute_force import LISTED


def long_lists():
    """Return lists longer than every cutoff that is asked for, with ties."""
    rng = np.random.default_rng(4)
    y_true = rng.integers(0, 4, (10, 400)) * (rng.random((10, 400)) < 0.1)
    return y_true, rng.integers(0, 90, (10, 400)).astype(float)


def test_a_ranking_is_kept_until_a_deeper_one_is_asked_for():
    arrays, by = Arrays(*long_lists()), Options()
    last = None
    for depth, is_new in [
        (3, True),
        (2, False),
        (3, False),
        (5, True),
        (FIRST, True),  # it holds the first relevant documents below the fifth too
        (FIRST, False),
        (1, True),
        (None, True),
        (7, False),
        (FIRST, False),
    ]:
        ranking = arrays.ranking(by, depth)
        assert (ranking is not last) == is_new, depth
        last = ranking
    assert arrays.ranking(by.changed({"ties": "first"}), None) is not last
    assert arrays.ranking(by, None) is last


@pytest.mark.parametrize(
    "names", list(itertools.permutations(["mrr", "ndcg@2", "ndcg@5"]))
)
def test_requests_to_one_source_are_answered_alike_in_any_order(names):
    requests = read_requests(list(names), {}, "evaluate")
    together = Arrays(*long_lists())
    assert len(requests) == 3
    for request in requests:
        alone = answer(request, Arrays(*long_lists()))
        assert answer(request, together) == alone


@pytest.mark.parametrize("name", ["mrr", "ndcg@3", "map", "spearman", "adjusted_mrr"])
def test_new_scores_may_be_written_into_the_array_of_the_last_ones(name):
    rng = np.random.default_rng(5)
    y_true, qid = rng.integers(0, 3, 60), np.repeat(np.arange(6), 10)
    value = get_scorer(name)._score_func.of_documents(y_true, qid)
    y_score = np.empty(60)
    for _ in range(6):
        y_score[:] = rng.integers(0, 5, 60)
        assert value(y_score) == evaluate(y_true, y_score, name, qid=qid)[name]


# A scorer needs the highest grade of all data.
GRADED = {"err", "err@10", "rbp", "rbp@10"}
WITH_GRADE = {"err(max_grade=2)", "rbp(max_grade=2)@10"}


@pytest.mark.parametrize("name", sorted({*LISTED} - GRADED | WITH_GRADE))
def test_what_is_prepared_for_other_scores_gives_the_same_bits(name):
    rng = np.random.default_rng(5)
    qid = rng.permutation(np.repeat(np.arange(30), 12))
    y_true = rng.integers(0, 3, 360) * (rng.random(360) < 0.3)
    for weight in ({}, {"sample_weight": 0.1 + qid % 4}):
        prepared = get_scorer(name)._on_documents(y_true, qid, **weight)
        for n_levels in (5, 10_000):
            y_score = rng.integers(0, n_levels, 360).astype(float)
            expected = evaluate(y_true, y_score, name, qid=qid, **weight)[name]
            assert prepared(y_score) == expected
            y_score[:] = 0  # training loops write all scores into one array
