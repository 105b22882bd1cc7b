"""Counts, and the geometric mean average precision, as trec_eval prints them."""

# SPDX-License-Identifier: BSD-3-Clause

import math

import pytest

import skrank.metrics
from skrank import metrics
from skrank.metrics import (
    evaluate,
    gm_map_score,
    map_score,
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


def test_the_geometric_mean_takes_no_factor_below_one_in_100_000():
    # The average precisions are 1, 1 / 2 and 0.
    y_true, y_score = [1, 0, 0, 1, 1, 0], [2, 1, 2, 1, 1, 2]
    options = {"qid": [1, 1, 2, 2, 3, 3], "returned": [True] * 4 + [False, True]}
    assert map_score(y_true, y_score, **options) == (1 + 1 / 2 + 0) / 3
    expected = (1 * 1 / 2 * 1e-5) ** (1 / 3)
    assert gm_map_score(y_true, y_score, **options) == pytest.approx(expected)
    values = gm_map_score(y_true, y_score, average=None, **options)
    assert values.tolist() == [1, 1 / 2, 0]
    weight = [2, 2, 1, 1, 0, 0]
    weighted = gm_map_score(y_true, y_score, sample_weight=weight, **options)
    assert weighted == pytest.approx(math.sqrt(1 / 2) ** (2 / 3))


def test_a_query_without_a_relevant_document_has_the_least_factor():
    y_true, qid = [1, 0, 0, 0], [1, 1, 2, 2]
    assert gm_map_score(y_true, [2, 1, 2, 1], qid=qid) == pytest.approx(math.sqrt(1e-5))
    left_out = {"replace_undefined_by": math.nan}
    assert gm_map_score(y_true, [1, 2, 2, 1], qid=qid, **left_out) == pytest.approx(
        1 / 2
    )


def test_average_precision_may_be_divided_by_k():
    # P@1 = 1 and P@3 = 2 / 3 at the two relevant documents that are found.
    y_true, y_score = [1, 0, 1, 0, 1], [5, 4, 3, 2, 1]
    for k, expected in [
        (1, 1 / 1),
        (3, (1 + 2 / 3) / 3),
        (4, (1 + 2 / 3) / 4),
        (10, (1 + 2 / 3 + 3 / 5) / 10),
        (None, (1 + 2 / 3 + 3 / 5) / 5),
    ]:
        score = map_score(y_true, y_score, k=k, normalize="k")
        assert score == pytest.approx(expected)
    # Tied documents, of which one in two is relevant, at ranks 1 and 2.
    assert map_score([1, 0], [1, 1], k=4, normalize="k") == (1 + 1 / 2) / 2 / 4
    assert evaluate(y_true, y_score, "map@4", normalize="k") == {
        "map@4": pytest.approx((1 + 2 / 3) / 4)
    }


def test_a_huge_beta_counts_recall_alone():
    # One of two relevant documents is found.
    values = [
        metrics.fbeta_at_k_score([1, 0, 1], [3, 2, 1], k=1, beta=beta)
        for beta in (1e100, 1e200, 1e308)
    ]
    assert values == [1 / 2] * 3
