"""Attributes of the fitted estimator on the ranker, and tools that select features."""

# SPDX-License-Identifier: BSD-3-Clause

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.ensemble import RandomForestRegressor
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import RFE, RFECV, SelectFromModel
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

import skrank  # noqa: F401  (its names are known to scikit-learn from here on)
from skrank.datasets import make_ranking
from skrank.model_selection import QueryKFold
from skrank.rankers import PairwiseRanker, QueryRanker

# The grades depend on two of the features.
X, Y, QID = make_ranking(
    30, n_documents=(4, 8), n_features=6, n_informative=2, noise=0.1, random_state=0
)
BEST = sorted(np.argsort(np.abs(X.T @ (Y - Y.mean())))[-2:].tolist())
FRAME = pd.DataFrame(X).add_prefix("f")
WITH_QID = FRAME.assign(qid=QID)
INDEXED = pd.Series(Y, index=pd.Index(QID, name="qid"))
RANKERS = [
    QueryRanker(Ridge()),
    QueryRanker(LogisticRegression()),
    QueryRanker(make_pipeline(StandardScaler(), RandomForestRegressor(8))),
    PairwiseRanker(random_state=0),
    PairwiseRanker(make_pipeline(StandardScaler(), LogisticRegression())),
]
ranker = pytest.mark.parametrize("ranker", RANKERS)


class Boosting(RegressorMixin, BaseEstimator):
    """A regressor with the attributes of a boosted one, as XGBoost spells them."""

    def fit(self, X, y):
        self.best_iteration, self.best_score = 3, 0.75
        self.evals_result_ = {"valid": {"ndcg": [0.5, 0.75]}}
        self.feature_importances_ = np.array(None)  # as CatBoost has it
        self.classes_ = self.booster_ = []
        return self

    def predict(self, X):
        return np.zeros(len(X))


def test_attributes_are_those_of_the_last_step():
    nested = make_pipeline(StandardScaler(), make_pipeline("passthrough", Ridge()))
    for model in (Ridge(solver="lsqr"), nested, QueryRanker(Ridge(solver="lsqr"))):
        fitted = QueryRanker(model).fit(X, Y, qid=QID)
        last = fitted
        while hasattr(last, "steps") or hasattr(last, "estimator_"):
            last = last[-1] if hasattr(last, "steps") else last.estimator_
        assert fitted.coef_ is last.coef_
        assert fitted.intercept_ == last.intercept_
        assert getattr(fitted, "n_iter_", None) is last.n_iter_
    forest = RandomForestRegressor(5, random_state=0)
    fitted = QueryRanker(forest).fit(X, Y, qid=QID)
    alone = clone(forest).fit(X, Y)
    assert fitted.feature_importances_.tolist() == alone.feature_importances_.tolist()


def test_pairs_give_the_coefficients_by_which_documents_are_scored():
    fitted = PairwiseRanker(random_state=0).fit(X, Y, qid=QID)
    np.testing.assert_allclose(X @ fitted.coef_.ravel(), fitted.predict(X))
    assert not hasattr(fitted, "intercept_")


def test_xgboosts_names_have_an_underscore_here():
    fitted = QueryRanker(Boosting()).fit(X, Y, qid=QID)
    with pytest.raises(AttributeError, match="importance_getter=lambda ranker: "):
        fitted.feature_importances_  # noqa: B018
    assert (fitted.best_iteration_, fitted.best_score_) == (3, 0.75)
    assert fitted.evals_result_ == {"valid": {"ndcg": [0.5, 0.75]}}
    for absent in ("classes_", "booster_", "feature_importances_"):
        assert not hasattr(fitted, absent)


def test_absent_attributes_say_why():
    forest = QueryRanker(RandomForestRegressor(2)).fit(X, Y, qid=QID)
    with pytest.raises(AttributeError, match=r"'coef_', because its fitted RandomF"):
        forest.coef_  # noqa: B018
    wide = QueryRanker(make_pipeline(PolynomialFeatures(), Ridge()))
    wide.fit(X, Y, qid=QID)
    n_products = 1 + 6 + 6 * 7 // 2
    message = rf"fitted Ridge does not.*X \(6\) but the shape \({n_products},\)"
    with pytest.raises(AttributeError, match=message):
        wide.coef_  # noqa: B018
    assert wide.intercept_ == wide.estimator_[-1].intercept_
    with pytest.raises(NotFittedError, match="QueryRanker instance is not fitted"):
        QueryRanker(Ridge()).coef_  # noqa: B018


def test_a_pickle_has_the_attributes():
    fitted = QueryRanker(Ridge()).fit(X, Y, qid=QID)
    copy = pickle.loads(pickle.dumps(fitted))
    assert copy.coef_.tolist() == fitted.coef_.tolist()


@pytest.mark.slow
@ranker
@pytest.mark.usefixtures("routing")
def test_features_are_selected_with_routing(ranker):
    for tool in (
        RFE(ranker, n_features_to_select=2),
        SelectFromModel(ranker, max_features=2, threshold=-np.inf),
    ):
        assert tool.fit(X, Y, qid=QID).get_support(indices=True).tolist() == BEST
    tool = RFECV(ranker, step=2, cv=QueryKFold(3), scoring="ndcg@5")
    tool.fit(X, Y, qid=QID)
    assert set(tool.get_support(indices=True)) >= set(BEST)
    best = tool.cv_results_["mean_test_score"].max()
    narrow = ranker.fit(X[:, tool.support_], Y, qid=QID)
    assert best == pytest.approx(narrow.score(X[:, tool.support_], Y, qid=QID), abs=0.1)


@ranker
def test_features_are_selected_without_routing(ranker):
    tool = RFE(ranker, n_features_to_select=2).fit(X, Y, qid=QID)
    assert tool.get_support(indices=True).tolist() == BEST
    select = {"max_features": 2, "threshold": -np.inf}
    tool = SelectFromModel(ranker, **select).fit(X, INDEXED)
    assert tool.get_support(indices=True).tolist() == BEST
    fitted = clone(ranker).fit(WITH_QID, Y)
    tool = SelectFromModel(fitted, prefit=True, **select).fit(FRAME)
    assert tool.get_feature_names_out().tolist() == [f"f{i}" for i in BEST]


@pytest.mark.parametrize("data", [(X, INDEXED), (WITH_QID, Y)], ids=["index", "column"])
def test_the_error_of_tools_that_lose_the_ids_says_why(data):
    model = QueryRanker(Ridge())
    for tool in (
        RFE(model),
        RFECV(model, cv=QueryKFold(3), scoring="mrr"),
        RFECV(model, cv=3, scoring="mrr"),
    ):
        with pytest.raises(ValueError, match="What makes arrays of its data"):
            tool.fit(*data)


def test_select_from_model_takes_no_frame_with_the_column():
    tool = SelectFromModel(QueryRanker(Ridge())).fit(WITH_QID, Y)
    with pytest.raises(ValueError, match=r"unseen at fit time:\s*- qid"):
        tool.transform(WITH_QID)
    assert tool.transform(FRAME).shape[1] < 6


@pytest.mark.slow
def test_permutation_importance_lists_the_column_of_query_ids():
    model = QueryRanker(Ridge()).fit(WITH_QID, Y)
    options = {"scoring": "ndcg@5", "n_repeats": 3, "random_state": 0}
    by_column = permutation_importance(model, WITH_QID, Y, **options).importances
    by_index = permutation_importance(model, FRAME, INDEXED, **options).importances
    # The seventh is the column: shuffled, it makes other lists.
    assert by_column.shape[0] == 7
    np.testing.assert_allclose(by_column[:6], by_index)
    assert by_column[6].any()
