"""Rankers in tools that accept only regressors."""

# SPDX-License-Identifier: BSD-3-Clause

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_regressor
from sklearn.ensemble import StackingRegressor, VotingRegressor
from sklearn.exceptions import NotFittedError
from sklearn.inspection import partial_dependence
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrank.base import is_ranker
from skrank.datasets import make_ranking
from skrank.exceptions import QuerySplitWarning
from skrank.metrics import get_scorer
from skrank.model_selection import QueryKFold
from skrank.rankers import PairwiseRanker, QueryRanker, as_regressor

X, Y, QID = make_ranking(
    30, n_documents=(4, 8), n_features=3, n_informative=2, n_grades=3, random_state=0
)
FRAME = pd.DataFrame(X).add_prefix("f").assign(qid=QID)
FITTED = QueryRanker(Ridge()).fit(FRAME, Y)


def test_it_predicts_the_scores_of_a_fitted_ranker():
    view = as_regressor(FITTED)
    assert is_regressor(view)
    assert is_ranker(view)
    assert view.predict(FRAME).tolist() == FITTED.predict(FRAME).tolist()
    assert view.score(FRAME, Y) == pytest.approx(r2_score(Y, FITTED.predict(FRAME)))
    assert view.n_features_in_ == 3
    assert view.feature_names_in_.tolist() == ["f0", "f1", "f2"]
    copy = pickle.loads(pickle.dumps(view))
    assert copy.predict(FRAME).tolist() == view.predict(FRAME).tolist()


def test_a_clone_and_one_of_an_unfitted_ranker_are_unfitted():
    expected = FITTED.predict(FRAME).tolist()
    for view in (clone(as_regressor(FITTED)), as_regressor(clone(FITTED))):
        with pytest.raises(NotFittedError, match="is not fitted"):
            view.predict(FRAME)
        assert not hasattr(view, "n_features_in_")
        assert view.fit(FRAME, Y).predict(FRAME).tolist() == expected
        assert not hasattr(view.ranker, "estimator_")


def test_weights_reach_the_ranker():
    weight = 1.0 + QID % 3
    view = as_regressor(QueryRanker(Ridge())).fit(X, Y, qid=QID, sample_weight=weight)
    expected = Ridge().fit(X, Y, sample_weight=weight).predict(X)
    np.testing.assert_allclose(view.predict(X), expected)


@pytest.mark.parametrize("bad", [Ridge(), "ridge", None, QueryRanker])
def test_what_is_no_ranker_is_refused(bad):
    with pytest.raises(TypeError, match="'ranker' parameter of as_regressor must be"):
        as_regressor(bad)


def test_scorers_find_the_ids_and_notice_split_queries():
    array = np.column_stack([X, QID])
    ranker = QueryRanker(Ridge(), qid_column=-1).fit(array, Y)
    scorer = get_scorer("mrr")
    alone = scorer(ranker, array, Y)
    assert scorer(as_regressor(ranker), array, Y) == alone
    with pytest.warns(QuerySplitWarning):
        scorer(as_regressor(ranker), array[::2], Y[::2])


def test_partial_dependence_is_the_mean_score_with_a_feature_set():
    view = as_regressor(FITTED)
    with pytest.raises(ValueError, match="fitted regressor or classifier"):
        partial_dependence(FITTED, FRAME, features=["f0"])
    found = partial_dependence(
        view, FRAME, features=["f0"], grid_resolution=4, kind="both"
    )
    (grid,) = found["grid_values"]
    for value, average, single in zip(
        grid, found["average"][0], found["individual"][0].T, strict=True
    ):
        changed = np.column_stack([np.full(len(X), value), X[:, 1:]])
        scores = Ridge().fit(X, Y).predict(changed)
        np.testing.assert_allclose(single, scores)
        assert average == pytest.approx(scores.mean())


@pytest.mark.slow
@pytest.mark.usefixtures("routing")
def test_rankers_vote_with_regressors():
    rankers = [QueryRanker(Ridge()), PairwiseRanker(random_state=0)]
    views = [(f"r{i}", as_regressor(ranker)) for i, ranker in enumerate(rankers)]
    vote = VotingRegressor([*views, ("plain", Ridge(10.0))])
    alone = [ranker.fit(X, Y, qid=QID).predict(X) for ranker in rankers]
    expected = np.mean([*alone, Ridge(10.0).fit(X, Y).predict(X)], axis=0)
    np.testing.assert_allclose(vote.fit(X, Y, qid=QID).predict(X), expected)
    again = QueryRanker(vote).fit(X, Y, qid=QID)
    np.testing.assert_allclose(again.predict(X), expected)
    grid = {"estimator__r0__ranker__estimator__alpha": [1.0, 100.0]}
    search = GridSearchCV(QueryRanker(vote), grid, scoring="mrr", cv=QueryKFold(3))
    assert 0 < search.fit(X, Y, qid=QID).best_score_ <= 1


@pytest.mark.slow
@pytest.mark.usefixtures("routing")
def test_a_stack_of_rankers_ends_with_one():
    members = [("a", as_regressor(QueryRanker(Ridge())))]
    folds = list(QueryKFold(3).split(X, qid=QID))
    last = as_regressor(QueryRanker(LinearRegression()))
    stack = StackingRegressor(members, final_estimator=last, cv=folds)
    stack.fit(X, Y, qid=QID)
    out_of_fold = np.zeros(len(Y))
    for train, test in folds:
        out_of_fold[test] = Ridge().fit(X[train], Y[train]).predict(X[test])
    line = LinearRegression().fit(out_of_fold[:, None], Y)
    expected = line.predict(Ridge().fit(X, Y).predict(X)[:, None])
    np.testing.assert_allclose(stack.predict(X), expected)
    # scikit-learn passes the ids on to the last estimator as well.
    plain = StackingRegressor(members, final_estimator=Ridge(), cv=folds)
    with pytest.raises(TypeError, match="unexpected keyword argument 'qid'"):
        plain.fit(X, Y, qid=QID)


@pytest.mark.slow
@pytest.mark.usefixtures("routing")
def test_pipelines_and_searches_that_end_with_a_ranker_are_taken():
    ranker = make_pipeline(StandardScaler(), QueryRanker(Ridge()))
    search = GridSearchCV(
        QueryRanker(Ridge()), {"estimator__alpha": [1.0]}, cv=QueryKFold(2)
    )
    for model in (ranker, search):
        assert is_ranker(model)
        view = as_regressor(model).fit(X, Y, qid=QID)
        expected = clone(model).fit(X, Y, qid=QID).predict(X)
        np.testing.assert_allclose(view.predict(X), expected)
