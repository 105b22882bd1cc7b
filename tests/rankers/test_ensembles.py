"""Rankers of stacked estimators and of pipelines with samplers."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import StackingClassifier, StackingRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skrank.base import is_ranker
from skrank.rankers import PairwiseRanker, QueryRanker
from tests.rankers.rows import SORTED, Recorder

X, Y, QID = SORTED
WEIGHT = 1.0 + QID % 3
REGRESSORS = [("ridge", Ridge()), ("strong", Ridge(100.0))]
CLASSIFIERS = [("linear", LogisticRegression()), ("tree", DecisionTreeClassifier())]


class OddRows(BaseEstimator):
    """A sampler that draws every other row, with the attribute of imbalanced-learn."""

    def fit_resample(self, X, y):
        self.sample_indices_ = np.arange(1, len(y), 2)
        return X[self.sample_indices_], y[self.sample_indices_]


class Midpoints(BaseEstimator):
    """A sampler that generates rows, as SMOTE does."""

    def fit_resample(self, X, y):
        return np.vstack([X, (X[1:] + X[:-1]) / 2]), np.append(y, y[1:])


@pytest.mark.slow
@pytest.mark.parametrize(
    "stack",
    [
        StackingRegressor(REGRESSORS),
        StackingClassifier(CLASSIFIERS[:1], final_estimator=LogisticRegression()),
    ],
    ids=["regressor", "classifier"],
)
def test_a_stack_ranks_alone_and_as_last_step(stack):
    ranker = QueryRanker(stack).fit(X, Y, qid=QID)
    alone = clone(stack).fit(X, Y)
    if isinstance(stack, StackingRegressor):
        expected = alone.predict(X)
    else:
        expected = alone.predict_proba(X) @ alone.classes_
    np.testing.assert_allclose(ranker.predict(X), expected)
    assert is_ranker(ranker)
    scaler = MaxAbsScaler().fit(X)
    piped = QueryRanker(make_pipeline(scaler, stack)).fit(X, Y, qid=QID)
    inside = QueryRanker(stack).fit(scaler.transform(X), Y, qid=QID)
    np.testing.assert_allclose(piped.predict(X), inside.predict(scaler.transform(X)))


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("nested", [False, True], ids=["alone", "last step"])
def test_a_sampler_acts_in_fit_only(weight, nested):
    pipe = Pipeline([("drawn", OddRows()), ("scale", StandardScaler()), ("r", Ridge())])
    model = make_pipeline(MaxAbsScaler(), pipe) if nested else pipe
    ranker = QueryRanker(model).fit(X, Y, qid=QID, sample_weight=weight)
    largest = np.abs(X).max(axis=0) if nested else np.ones(3)
    scaled = X / largest
    scaler = StandardScaler().fit(scaled[1::2])
    weighting = {} if weight is None else {"sample_weight": weight[1::2]}
    ridge = Ridge().fit(scaler.transform(scaled[1::2]), Y[1::2], **weighting)
    np.testing.assert_allclose(
        ranker.predict(X), ridge.predict(scaler.transform(scaled))
    )


def test_a_sampler_may_be_the_step_before_the_last():
    pipe = Pipeline([("scale", StandardScaler()), ("drawn", OddRows()), ("r", Ridge())])
    ranker = QueryRanker(pipe).fit(X, Y, qid=QID)
    scaled = StandardScaler().fit_transform(X)
    expected = Ridge().fit(scaled[1::2], Y[1::2]).predict(scaled)
    np.testing.assert_allclose(ranker.predict(X), expected)


def test_rows_that_are_drawn_keep_their_queries():
    pipe = Pipeline([("drawn", OddRows()), ("ranker", Recorder())])
    inner = QueryRanker(pipe).fit(X, Y, qid=QID, sample_weight=WEIGHT).estimator_[-1]
    assert inner.qid_.tolist() == QID[1::2].tolist()
    assert inner.X_.tolist() == X[1::2].tolist()
    assert inner.weight_.tolist() == WEIGHT[1::2].tolist()
    pairs = Pipeline([("drawn", OddRows()), ("c", LogisticRegression())])
    ranker = PairwiseRanker(pairs, max_pairs=None).fit(X, Y, qid=QID)
    expected = PairwiseRanker(max_pairs=None).fit(X[1::2], Y[1::2], qid=QID[1::2])
    np.testing.assert_allclose(ranker.predict(X), expected.predict(X), rtol=1e-4)


def test_generated_rows_suit_a_regressor_but_no_ranker_and_no_weights():
    pipe = Pipeline([("generated", Midpoints()), ("ridge", Ridge())])
    ranker = QueryRanker(pipe).fit(X, Y, qid=QID)
    expected = Ridge().fit(*Midpoints().fit_resample(X, Y)).predict(X)
    np.testing.assert_allclose(ranker.predict(X), expected)
    with pytest.raises(ValueError, match=r"Midpoints generates.*Got a sample_weight"):
        QueryRanker(pipe).fit(X, Y, qid=QID, sample_weight=WEIGHT)
    with pytest.raises(ValueError, match=r"Midpoints generates rows.*Got a ranker"):
        QueryRanker(pipe.set_params(ridge=Recorder())).fit(X, Y, qid=QID)
