"""The rank of each row, against its definition."""

# SPDX-License-Identifier: BSD-3-Clause

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skrank._ranking.rank import WORTH_A_LOOK, rank_rows
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
