"""Counts, as trec_eval prints them, F with a large weight, and capped recall."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest

from skrank import metrics
from skrank._input.checks import TIES
from skrank.metrics import evaluate
from tests.brute_force import by_query

# Two queries with four documents each. Not returned: a relevant document of each, and
# another one of the second.
Y_TRUE = [1, 0, 1, 1, 0, 1, 1, 0]
Y_SCORE = [4, 3, 2, 0, 4, 3, 0, 0]
QID = [1, 1, 1, 1, 2, 2, 2, 2]
RETURNED = [True, True, True, False, True, True, False, False]


def test_counts_are_summed_over_the_queries():
    names = ["num_ret", "num_rel", "num_rel_ret"]
    options = {"qid": QID, "returned": RETURNED}
    found = evaluate(Y_TRUE, Y_SCORE, names, **options)
    assert found == {"num_ret": 3 + 2, "num_rel": 3 + 2, "num_rel_ret": 2 + 1}
    found = by_query(Y_TRUE, Y_SCORE, names, **options)
    assert found["num_ret"].tolist() == [3, 2]
    assert found["num_rel"].tolist() == [3, 2]
    assert found["num_rel_ret"].tolist() == [2, 1]


def test_documents_that_are_excluded_or_not_judged_are_not_counted():
    names, mask = ["num_ret", "num_rel"], [[False, True, True]]
    found = evaluate([[1, 1, 0]], [[3, 2, 1]], names, exclude=mask)
    assert found == {"num_ret": 1, "num_rel": 1}
    found = evaluate([1, 1, 0], [3, 2, 1], names, judged=[True, False, True])
    assert found == {"num_ret": 3, "num_rel": 1}


def test_a_huge_beta_counts_recall_alone():
    # One of two relevant documents is found.
    values = [
        metrics.fbeta_at_k_score([1, 0, 1], [3, 2, 1], k=1, beta=beta)
        for beta in (1e100, 1e200, 1e308)
    ]
    assert values == [1 / 2] * 3


@pytest.mark.parametrize("ties", sorted(TIES - {"realistic"}))
@pytest.mark.parametrize("k", [1, 2, 3, 5, 20])
def test_capped_recall_is_the_larger_one_of_precision_and_recall(k, ties):
    rng = np.random.default_rng(k)
    qid = np.repeat(np.arange(200), rng.integers(1, 12, 200))
    y_true = rng.random(len(qid)) < rng.random(200)[qid]
    y_score = rng.integers(0, 4, len(qid))
    names = [f"recall_cap@{k}", f"precision@{k}", f"recall@{k}"]
    options = {"ties": ties, "returned": rng.random(len(qid)) < 0.8}
    found = by_query(y_true, y_score, names, qid=qid, **options)
    capped, precision, recall = (found[name] for name in names)
    np.testing.assert_allclose(capped, np.maximum(precision, recall), rtol=1e-12)
    if k in (2, 3, 5):  # neither of them is the larger one of all queries
        assert (precision > recall).any()
        assert (precision < recall).any()


def test_what_capped_recall_is_divided_by_is_a_choice_of_two():
    with pytest.raises(ValueError, match=r"'normalize' parameter of recall_at_k_score"):
        evaluate([1, 0], [2, 1], "recall@1", normalize="k")
    with pytest.raises(TypeError, match=r"none of.*recall_cap@1.*takes"):
        evaluate([1, 0], [2, 1], "recall_cap@1", normalize="relevant")
