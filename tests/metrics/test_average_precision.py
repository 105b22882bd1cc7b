"""LRAP and ranking loss, beside those of scikit-learn."""

# SPDX-License-Identifier: BSD-3-Clause

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import label_ranking_average_precision_score, label_ranking_loss

from skrank.metrics import evaluate, gm_map_score, lrap_score, map_score, ranking_loss
from tests.brute_force import masked


def lists(n_levels, seed=0):
    """Return labels and scores of 40 queries, the first without a relevant document."""
    rng = np.random.default_rng(seed)
    y_true = rng.random((40, 7)) < rng.random((40, 1))
    y_true[0], y_true[1] = False, True
    y_score = rng.permuted(np.tile(np.arange(7.0), (40, 1)), axis=1)
    return y_true.astype(int), y_score // (7 / n_levels)


@pytest.mark.slow
@pytest.mark.parametrize("n_levels", [7, 3, 1])
def test_the_numbers_of_scikit_learn_with_and_without_ties(n_levels):
    y_true, y_score = lists(n_levels)
    theirs = {
        "lrap": label_ranking_average_precision_score(y_true, y_score),
        "neg_ranking_loss": -label_ranking_loss(y_true, y_score),
    }
    ours = evaluate(y_true, y_score, list(theirs), convention="sklearn")
    assert ours == pytest.approx(theirs)
    for query in range(len(y_true)):
        one = [y_true[query]], [y_score[query]]
        lrap = lrap_score(*one, tied_together=True, replace_undefined_by=1)
        assert lrap == pytest.approx(label_ranking_average_precision_score(*one))
        loss = ranking_loss(*one, ties="pessimistic", replace_undefined_by=0)
        assert loss == pytest.approx(label_ranking_loss(*one))


def test_with_ties_scikit_learn_has_no_expectation():
    y_true, y_score = lists(3)
    values = {
        ties: lrap_score(y_true, y_score, ties=ties, average=None)
        for ties in ("pessimistic", "expected")
    }
    together = lrap_score(y_true, y_score, tied_together=True, average=None)
    assert (values["pessimistic"] <= together + 1e-12).all()
    assert (abs(together - values["expected"]) > 1e-3).any()
    assert_allclose(values["expected"], map_score(y_true, y_score, average=None))
    # All orderings of the tied documents are alike.
    one = [0, 1, 1], [2, 1, 1]
    assert lrap_score(*one) == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert lrap_score(*one, tied_together=True) == pytest.approx(2 / 3)


def test_tied_together_is_a_bool():
    with pytest.raises(TypeError, match="'tied_together' parameter of lrap_score"):
        lrap_score([1, 0], [1, 1], tied_together="yes")


def test_the_geometric_mean_takes_no_factor_below_one_in_100_000():
    # The average precisions are 1, 1 / 2 and 0.
    y_true, y_score = [1, 0, 0, 1, 1, 0], [2, 1, 2, 1, 1, 2]
    options = {"qid": [1, 1, 2, 2, 3, 3], "returned": [True] * 4 + [False, True]}
    assert masked(map_score, y_true, y_score, **options) == (1 + 1 / 2 + 0) / 3
    expected = (1 * 1 / 2 * 1e-5) ** (1 / 3)
    value = masked(gm_map_score, y_true, y_score, **options)
    assert value == pytest.approx(expected)
    values = masked(gm_map_score, y_true, y_score, average=None, **options)
    assert values.tolist() == [1, 1 / 2, 0]
    options["sample_weight"] = [2, 2, 1, 1, 0, 0]
    weighted = masked(gm_map_score, y_true, y_score, **options)
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
