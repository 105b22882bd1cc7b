"""scikit-learn and SciPy say the same where they say anything."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
import sklearn.metrics
from scipy import stats

from skrank import metrics


def matrix(seed, n_levels=None, shape=(30, 9), grades=4):
    """Return grades and scores: tied ones if `n_levels` is given."""
    rng = np.random.default_rng(seed)
    y_true = rng.integers(0, grades, shape)
    if n_levels is None:
        return y_true, rng.random(shape)
    return y_true, rng.integers(0, n_levels, shape).astype(float)


@pytest.mark.parametrize("k", [None, 1, 2, 3, 5, 9, 40])
@pytest.mark.parametrize("n_levels", [None, 1, 2, 5])
@pytest.mark.parametrize("name", ["dcg_score", "ndcg_score"])
def test_gains_are_those_of_sklearn_with_ties(name, n_levels, k):
    y_true, y_score = matrix(0, n_levels)
    y_true[0] = 0
    ours, theirs = getattr(metrics, name), getattr(sklearn.metrics, name)
    for weight in (None, np.random.default_rng(0).random(len(y_true))):
        given = {"k": k, "sample_weight": weight}
        expected = theirs(y_true, y_score, **given)
        got = ours(y_true, y_score, gain="linear", **given)
        assert got == pytest.approx(expected, rel=1e-12)


def test_natural_discount_is_the_log_base_of_sklearn():
    y_true, y_score = matrix(0, 5)
    expected = sklearn.metrics.dcg_score(y_true, y_score, log_base=np.e)
    got = metrics.dcg_score(y_true, y_score, gain="linear", discount="ln")
    assert got == pytest.approx(expected)


def test_the_auc_of_queries_that_ranks_each_alone_is_not_that_of_all_rows():
    y_true, y_score, qid = [1, 0, 1, 0], [0.9, 0.8, 0.3, 0.2], [0, 0, 1, 1]
    assert metrics.query_auc_score(y_true, y_score, qid=qid) == 1
    assert sklearn.metrics.roc_auc_score(y_true, y_score) == 3 / 4
    assert metrics.query_auc_score(y_true, y_score) == 3 / 4


def test_the_rank_of_the_right_candidate_is_that_of_rankdata():
    rng = np.random.default_rng(6)
    y_true, y_score = rng.integers(0, 8, 40), rng.integers(0, 4, (40, 8))
    for ties, method in (
        ("expected", "average"),
        ("optimistic", "min"),
        ("pessimistic", "max"),
        ("first", "ordinal"),
        ("realistic", "average"),
    ):
        ranks = stats.rankdata(-y_score, method=method, axis=1)[np.arange(40), y_true]
        got = metrics.mean_rank(y_true, y_score, ties=ties, average=None)
        assert got == pytest.approx(ranks)
