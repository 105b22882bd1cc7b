"""Counts, and the geometric mean average precision, as trec_eval prints them."""

# SPDX-License-Identifier: BSD-3-Clause

import pytest

import skrank.metrics
from skrank import metrics
from skrank.metrics import (
    evaluate,
)

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
    found = evaluate(Y_TRUE, Y_SCORE, names, average=None, **options)
    assert found["num_ret"].tolist() == [3, 2]
    assert found["num_rel"].tolist() == [3, 2]
    assert found["num_rel_ret"].tolist() == [2, 1]


@pytest.mark.parametrize("count", ["num_ret", "num_rel", "num_rel_ret"])
def test_a_weight_counts_a_query_several_times(count):
    data = {"y_true": Y_TRUE, "y_score": Y_SCORE, "qid": QID, "returned": RETURNED}
    one, other = evaluate(**data, metrics=count, average=None)[count]
    weight = [3, 3, 3, 3, 0.5, 0.5, 0.5, 0.5]
    weighted = evaluate(**data, metrics=count, sample_weight=weight)
    assert weighted == {count: 3 * one + 0.5 * other}


def test_documents_that_are_excluded_or_not_judged_are_not_counted():
    names, mask = ["num_ret", "num_rel"], [[False, True, True]]
    found = evaluate([[1, 1, 0]], [[3, 2, 1]], names, exclude=mask)
    assert found == {"num_ret": 1, "num_rel": 1}
    found = evaluate([1, 1, 0], [3, 2, 1], names, judged=[True, False, True])
    assert found == {"num_ret": 3, "num_rel": 1}


def test_counts_have_names_and_no_functions():
    assert not {"num_ret", "num_rel", "num_rel_ret"} & set(skrank.metrics.__all__)


def test_a_huge_beta_counts_recall_alone():
    # One of two relevant documents is found.
    values = [
        metrics.fbeta_at_k_score([1, 0, 1], [3, 2, 1], k=1, beta=beta)
        for beta in (1e100, 1e200, 1e308)
    ]
    assert values == [1 / 2] * 3
