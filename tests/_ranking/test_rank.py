"""The rank of each row, against its definition."""

# SPDX-License-Identifier: BSD-3-Clause

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skrank._ranking.rank import FIRST, WORTH_A_LOOK, rank_queries, rank_rows
from skrank.metrics import ndcg_score

examples = settings(max_examples=40, derandomize=True, deadline=None, database=None)


SCORES = [0.0, -0.0, math.inf, -math.inf, 1.0, 1.0 + 2.0**-52, -1.0, 5e-324]
ROW = st.tuples(st.integers(0, 4), st.sampled_from(SCORES))


@pytest.mark.slow
@given(st.lists(ROW, min_size=1, max_size=40))
@examples
def test_rank_positions_count_from_one_with_ties_in_input_order(rows):
    qid, y_score = map(np.array, zip(*rows, strict=True))
    expected = [
        1
        + sum(
            qid[j] == qid[i] and (y_score[j] > s or (y_score[j] == s and j < i))
            for j in range(len(qid))
        )
        for i, s in enumerate(y_score)
    ]
    assert rank_rows(y_score, qid).tolist() == expected
    words = np.array(["b", "c", "a", "e", "d"])
    assert rank_rows(y_score.tolist(), words[qid].tolist()).tolist() == expected


def test_rank_positions_of_one_query():
    assert rank_rows([3, 9, 3, 1]).tolist() == [2, 1, 3, 4]


@pytest.mark.parametrize("n_odd", [0, 1, 100], ids=["sorted", "almost", "first row"])
def test_lists_in_the_order_of_rank_are_not_sorted_and_others_are(n_odd):
    """The only relevant document has the NDCG 1 / log2(rank + 1)."""
    n_documents, n_queries = WORTH_A_LOOK // 100, 150
    qid = np.repeat(np.arange(n_queries), n_documents)
    y_score = np.tile(np.arange(n_documents, 0.0, -1), n_queries)
    y_true = np.tile(np.arange(n_documents) == 2, n_queries)  # at rank 3
    rank = np.full(n_queries, 3)
    odd = np.random.RandomState(0).choice(n_queries, n_odd, replace=False)
    y_score[odd * n_documents + 50], rank[odd] = n_documents + 1, 4  # above all
    values = ndcg_score(y_true, y_score, qid=qid, average=None)
    np.testing.assert_allclose(values, 1 / np.log2(rank + 1), rtol=1e-15)


def groups_by_definition(y_true, y_score, qid):
    """Return (query, above, size, grades) of tie groups with a relevant document."""
    groups = []
    for query in np.unique(qid):
        grades, scores = y_true[qid == query], y_score[qid == query]
        for score in np.unique(scores + 0.0)[::-1]:  # 0.0 and -0.0 are one score
            tied = scores == score
            relevant = grades[tied & (grades > 0)].tolist()
            if relevant:
                above = (scores > score).sum()
                groups.append((query, above, tied.sum(), relevant))
    return groups


def groups_of(ranking):
    order = np.argsort(ranking.query, kind="stable")
    stops = np.cumsum(ranking.relevant)
    grades = [ranking.grade[stops[i] - ranking.relevant[i] : stops[i]] for i in order]
    columns = (ranking.query, ranking.above, ranking.size)
    columns = (column[order].tolist() for column in columns)
    return list(zip(*columns, map(np.ndarray.tolist, grades), strict=True))


LEVELS = {
    "tied": [1.5],
    "levels": [-2.0, -1.0, 0.0, -0.0, 1.0, 2.0],
    "subnormal": [0.0, -0.0, 5e-324, -5e-324, 1e-310, -1e-310, 1.0],
    "inexact": [1.0, 1.0 + 2.0**-52, 1.0 + 2.0**-51, -1.0],
    "infinite": [-math.inf, math.inf, 0.0, 1.0],
    "untied": np.linspace(-1, 1, 2**16),
}


def make_rows(levels, n_documents, n_queries=30):
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(n_queries), n_documents + np.arange(n_queries) % 3)
    y_true = rng.integers(1, 4, len(qid)) * (rng.random(len(qid)) < 0.2)
    y_true[qid % 7 == 3] = 0  # no relevant document
    return y_true, rng.choice(levels, len(qid)), qid, rng.permutation(len(qid))


@pytest.mark.parametrize("is_shuffled", [False, True], ids=["grouped", "shuffled"])
@pytest.mark.parametrize("n_documents", [4, 40])
@pytest.mark.parametrize("name", LEVELS)
def test_the_first_groups_are_those_of_the_best_relevant_documents(
    name, n_documents, is_shuffled, monkeypatch
):
    *rows, order = make_rows(LEVELS[name], n_documents)
    if is_shuffled:
        rows = [values[order] for values in rows]
    expected = {group[0]: group for group in groups_by_definition(*rows)[::-1]}
    expected = [expected[query] for query in sorted(expected)]
    monkeypatch.setattr("skrank._ranking.rank.STRETCH", 100)
    ranking = rank_queries(*rows[:2], qid=rows[2], depth=FIRST)
    assert groups_of(ranking) == expected
    n_relevant = np.bincount(rows[2], weights=rows[0] > 0)
    assert ranking.n_relevant.tolist() == n_relevant.tolist()
    y_true, _, qid = rows
    assert groups_of(ranking.ideal) == groups_by_definition(y_true, y_true, qid)


@pytest.mark.parametrize("depth", [1, 3, 10, 60])
@pytest.mark.parametrize("is_shuffled", [False, True], ids=["grouped", "shuffled"])
@pytest.mark.parametrize("name", LEVELS)
def test_tie_groups_that_reach_the_depth_are_whole(name, is_shuffled, depth):
    *rows, order = make_rows(LEVELS[name], 40)
    if is_shuffled:
        rows = [values[order] for values in rows]
    ranking = rank_queries(*rows[:2], qid=rows[2], depth=depth)
    found = [(*group, sorted(grades)) for *group, grades in groups_of(ranking)]
    expected = [
        (*group, sorted(grades))
        for *group, grades in groups_by_definition(*rows)
        if group[1] < depth
    ]
    assert [group for group in found if group[1] < depth] == expected
    if name in ("tied", "levels", "untied"):  # their keys are exact
        assert found == expected
