"""Learning from pairs: which are drawn, and what is learned of them."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools
from collections import Counter

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression, Ridge, SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

from skrank.base import is_ranker
from skrank.datasets import make_ranking
from skrank.rankers import PairwiseRanker, QueryRanker
from skrank.rankers.pairwise import draw_pairs

X, Y, QID = make_ranking(
    24, n_documents=(4, 9), n_features=3, n_informative=2, n_grades=3, random_state=0
)
ROWS = np.random.default_rng(0).permutation(len(Y))
X, Y, QID = X[ROWS], Y[ROWS], QID[ROWS]
WEIGHT = np.arange(len(Y)) % 3


def pairs_by_hand(y, codes):
    """Return all pairs of a query with different grades, the better row first."""
    rows = range(len(y))
    return {
        (i, j)
        for i, j in itertools.permutations(rows, 2)
        if codes[i] == codes[j] and y[i] > y[j]
    }


def drawn(y, codes, max_pairs, seed=0):
    rng = np.random.RandomState(seed)
    better, worse = draw_pairs(np.asarray(y), np.asarray(codes), max_pairs, rng)
    return list(zip(better.tolist(), worse.tolist(), strict=True))


@pytest.mark.parametrize(
    ("y", "codes"),
    [
        (Y, QID),
        ([1, 0], [0, 0]),
        ([0, 1, 2, 2, 1, 0, 0], [0, 0, 0, 0, 0, 0, 0]),
        ([1, 1, 0, 0, 5], [0, 0, 1, 1, 2]),
        ([0, 0, 3, 1], [1, 0, 1, 0]),
        ([-1.5, 2.5, 2.5], [0, 0, 0]),
    ],
    ids=["many", "one", "grades", "none", "mixed", "floats"],
)
def test_all_pairs_of_different_grades_are_taken_once(y, codes):
    found = drawn(y, codes, None)
    assert len(found) == len(set(found))
    assert set(found) == pairs_by_hand(y, codes)


@pytest.mark.parametrize("max_pairs", [1, 2, 5, 7, 1000, 10**30])
def test_at_most_so_many_distinct_pairs_of_a_query_are_drawn(max_pairs):
    every = pairs_by_hand(Y, QID)
    found = drawn(Y, QID, max_pairs)
    assert len(found) == len(set(found))
    assert set(found) <= every
    of_query = Counter(QID[i] for i, _ in every)
    assert Counter(QID[i] for i, _ in found) == {
        query: min(count, max_pairs) for query, count in of_query.items()
    }


@pytest.mark.slow
def test_every_pair_of_a_query_has_the_same_probability():
    y, codes = [0, 0, 1, 1, 2, 0, 1], [0, 0, 0, 0, 0, 1, 1]
    n_draws = 1000
    counts = Counter(
        pair for seed in range(n_draws) for pair in drawn(y, codes, 5, seed)
    )
    # 5 of the 8 pairs of the first query, all of the second.
    assert counts.pop((6, 5)) == n_draws
    share = np.array(list(counts.values())) / n_draws
    assert len(share) == 8
    # Four standard deviations of such a share.
    assert np.abs(share - 5 / 8).max() < 4 * np.sqrt(5 / 8 * 3 / 8 / n_draws)


def test_the_same_seed_draws_the_same_pairs():
    def coef(seed):
        ranker = PairwiseRanker(max_pairs=2, random_state=seed)
        return ranker.fit(X, Y, qid=QID).estimator_.coef_.tolist()

    assert coef(0) == coef(0)
    assert coef(0) != coef(1)


def fit_by_hand(model, X, y, qid, weight=None):
    """Fit a model without an intercept on pairs, half of them turned round."""
    pairs = sorted(pairs_by_hand(y, qid))
    sign = np.array([1 if n % 2 else -1 for n in range(len(pairs))])
    differences = [s * (X[i] - X[j]) for s, (i, j) in zip(sign, pairs, strict=True)]
    weights = None if weight is None else [weight[i] * weight[j] for i, j in pairs]
    return model.fit(np.array(differences), sign, sample_weight=weights).coef_.ravel()


MODELS = {
    "logistic": LogisticRegression(tol=1e-10),
    "svm": LinearSVC(tol=1e-10, max_iter=100000, random_state=0),
    "ridge": Ridge(),
}


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("name", MODELS)
def test_the_weights_of_features_are_those_of_the_pairs(name, weight):
    ranker = PairwiseRanker(MODELS[name], max_pairs=None)
    ranker.fit(X, Y, qid=QID, sample_weight=weight)
    hand = sklearn.clone(MODELS[name]).set_params(fit_intercept=False)
    expected = fit_by_hand(hand, X, Y, QID, weight)
    np.testing.assert_allclose(ranker.estimator_.coef_.ravel(), expected, rtol=1e-4)
    np.testing.assert_allclose(ranker.predict(X), X @ expected, rtol=1e-3, atol=1e-4)


@pytest.mark.slow
def test_a_document_of_weight_two_does_as_one_that_is_there_twice():
    rows = np.repeat(np.arange(len(Y)), WEIGHT)
    ranker = PairwiseRanker(LogisticRegression(tol=1e-10), max_pairs=None)
    weighted = ranker.fit(X, Y, qid=QID, sample_weight=WEIGHT).predict(X)
    repeated = ranker.fit(X[rows], Y[rows], qid=QID[rows]).predict(X)
    np.testing.assert_allclose(weighted, repeated, rtol=1e-5)


def test_the_classes_are_balanced():
    class Signs(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            self.signs_ = y
            return super().fit(X, y, sample_weight)

    ranker = PairwiseRanker(Signs()).fit(X, Y, qid=QID)
    assert abs(ranker.estimator_.signs_.sum()) <= 1
    assert ranker.n_pairs_ == len(pairs_by_hand(Y, QID))


def test_one_pair_is_enough():
    ranker = PairwiseRanker().fit([[0.0], [1.0], [5.0]], [0, 1, 1], qid=[0, 0, 1])
    assert ranker.predict([[0.0], [1.0]])[1] > 0


def test_the_default_is_a_logistic_regression():
    found = PairwiseRanker(random_state=0).fit(X, Y, qid=QID)
    named = PairwiseRanker(LogisticRegression(), random_state=0).fit(X, Y, qid=QID)
    assert found.predict(X).tolist() == named.predict(X).tolist()
    assert is_ranker(found)


def test_transformers_within_see_documents_and_not_pairs():
    pipe = make_pipeline(StandardScaler(), LinearSVC(random_state=0))
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    ranker = PairwiseRanker(pipe).fit(frame.assign(qid=QID), Y)
    np.testing.assert_allclose(ranker.estimator_[0].mean_, X.mean(axis=0))
    inside = QueryRanker(
        make_pipeline(StandardScaler(), PairwiseRanker(LinearSVC(random_state=0)))
    ).fit(frame.assign(qid=QID), Y)
    np.testing.assert_allclose(ranker.predict(frame), inside.predict(frame), rtol=1e-3)
    assert ranker.feature_names_in_.tolist() == ["a", "b", "c"]


def test_sparse_features_stay_sparse():
    class Sparse(SGDClassifier):
        def fit(self, X, y):
            assert scipy.sparse.issparse(X)
            return super().fit(X, y)

    ranker = PairwiseRanker(Sparse(random_state=0))
    ranker.fit(scipy.sparse.csr_array(X), Y, qid=QID)
    dense = PairwiseRanker(SGDClassifier(random_state=0)).fit(X, Y, qid=QID)
    sparse_scores = ranker.predict(scipy.sparse.csr_array(X))
    np.testing.assert_allclose(sparse_scores, dense.predict(X), rtol=1e-6)


class NoWeights(BaseEstimator):
    def fit(self, X, y):
        self.coef_ = np.ones(X.shape[1])
        return self

    def predict(self, X):
        return X @ self.coef_


@pytest.mark.parametrize("model", [DecisionTreeClassifier(), SVC(kernel="rbf")])
def test_what_is_not_linear_is_refused(model):
    with pytest.raises(TypeError, match="must be linear, with 'coef_' when fitted"):
        PairwiseRanker(model).fit(X, Y, qid=QID)


@pytest.mark.parametrize(
    ("model", "weight", "match"),
    [
        (NoWeights(), WEIGHT, "NoWeights does not support sample weights"),
        (Ridge(), WEIGHT - 1, "must not be negative. Got -1"),
        (Ridge(), 0 * WEIGHT, "weight that is not zero"),
        (Ridge(), WEIGHT[:-1], "inconsistent numbers of samples"),
        (Ridge(), WEIGHT / np.nan, "contains NaN"),
    ],
    ids=["not taken", "negative", "zero", "short", "missing"],
)
def test_weights_that_mean_nothing_are_refused(model, weight, match):
    with pytest.raises(ValueError, match=match):
        PairwiseRanker(model).fit(X, Y, qid=QID, sample_weight=weight)


def test_queries_of_equal_grades_are_refused():
    with pytest.raises(ValueError, match="PairwiseRanker learns from queries whose"):
        PairwiseRanker().fit(X, QID % 3, qid=QID)


@pytest.mark.parametrize(("max_pairs", "error"), [(0, ValueError), (1.5, TypeError)])
def test_other_numbers_of_pairs_are_refused(max_pairs, error):
    with pytest.raises(error, match="max_pairs"):
        PairwiseRanker(max_pairs=max_pairs).fit(X, Y, qid=QID)
