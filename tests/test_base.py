"""The ranker mixin, and who is a ranker."""

# SPDX-License-Identifier: BSD-3-Clause

from math import log2

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.decomposition import PCA
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from skrank.base import RankingEstimator, is_ranker
from skrank.rankers import QueryRanker


class FirstFeature(RankingEstimator, BaseEstimator):
    """A ranker that knows the scores: the first column of X."""

    def __init__(self, scale=1.0):
        self.scale = scale

    def fit(self, X, y, *, qid=None):
        self.seen_qid_ = qid
        return self

    def predict(self, X):
        return self.scale * np.asarray(X)[:, 0].astype(float)


# Two queries. By the scores, "a" reads the grades 0, 2, 1 and "b" reads 1, 0.
X = np.array([[3.0], [0.9], [2.0], [0.5], [1.0]])
Y = np.array([0, 1, 2, 0, 1])
QID = np.array(["a", "b", "a", "b", "a"])

BEST_A = (2**2 - 1) / log2(2) + (2**1 - 1) / log2(3)
NDCG_A = ((2**2 - 1) / log2(3) + (2**1 - 1) / log2(4)) / BEST_A
NDCG_B = 1.0


def ndcg_of_one_query():
    """By the scores the rows read 3.0, 2.0, 1.0, 0.9, 0.5: grades 0, 2, 1, 1, 0."""
    reached = 3 / log2(3) + 1 / log2(4) + 1 / log2(5)
    return reached / (3 / log2(2) + 1 / log2(3) + 1 / log2(4))


def test_score_is_the_mean_ndcg_of_the_queries():
    score = FirstFeature().score(X, Y, qid=QID)
    assert score == pytest.approx((NDCG_A + NDCG_B) / 2)


def test_score_weights_the_queries():
    weight = np.where(QID == "a", 3.0, 1.0)
    score = FirstFeature().score(X, Y, qid=QID, sample_weight=weight)
    assert score == pytest.approx((3 * NDCG_A + NDCG_B) / 4)


def test_score_finds_the_ids_in_the_index_of_y():
    y = pd.Series(Y, index=pd.Index(QID, name="qid"))
    assert FirstFeature().score(X, y) == pytest.approx((NDCG_A + NDCG_B) / 2)


def test_score_finds_the_ids_in_a_column_of_X():
    frame = pd.DataFrame({"score": X[:, 0], "qid": QID})
    assert FirstFeature().score(frame, Y) == pytest.approx((NDCG_A + NDCG_B) / 2)


def test_without_ids_all_rows_are_one_query():
    assert FirstFeature().score(X, Y) == pytest.approx(ndcg_of_one_query())
    assert FirstFeature().rank(X).tolist() == [1, 4, 2, 5, 3]


def test_rank_counts_from_one_within_each_query():
    assert FirstFeature().rank(X, qid=QID).tolist() == [1, 1, 2, 2, 3]
    assert FirstFeature(scale=-1.0).rank(X, qid=QID).tolist() == [3, 2, 2, 1, 1]


def test_rank_finds_the_ids_in_a_column_of_X():
    frame = pd.DataFrame({"score": X[:, 0], "qid": QID})
    assert FirstFeature().rank(frame).tolist() == [1, 1, 2, 2, 3]


def test_rank_of_equal_scores_follows_the_rows():
    assert FirstFeature(scale=0.0).rank(X, qid=QID).tolist() == [1, 1, 2, 2, 3]


def test_decision_function_is_predict():
    ranker = FirstFeature()
    assert hasattr(ranker, "decision_function")
    assert ranker.decision_function == ranker.predict
    assert ranker.decision_function.__name__ == "predict"


def test_there_is_no_decision_function_without_predict():
    class Silent(RankingEstimator, BaseEstimator):
        pass

    assert not hasattr(Silent(), "decision_function")


def test_a_ranker_may_have_a_decision_function_of_its_own():
    class Own(FirstFeature):
        def decision_function(self, X):
            return -self.predict(X)

    assert Own().decision_function(X).tolist() == (-X[:, 0]).tolist()


def test_fit_and_score_request_qid_by_themselves():
    with sklearn.config_context(enable_metadata_routing=True):
        routing = FirstFeature().get_metadata_routing()
        assert routing.consumes("fit", {"qid"}) == {"qid"}
        assert routing.consumes("score", {"qid", "sample_weight"}) == {"qid"}
        assert routing.consumes("predict", {"qid"}) == set()


def test_a_request_can_be_withdrawn_and_survives_clone():
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = clone(FirstFeature().set_fit_request(qid=False))
        assert ranker.get_metadata_routing().consumes("fit", {"qid"}) == set()


def test_weights_of_the_score_are_requested_by_the_user():
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = FirstFeature().set_score_request(sample_weight=True)
        routing = ranker.get_metadata_routing()
        wanted = {"qid", "sample_weight"}
        assert routing.consumes("score", wanted) == wanted


def test_a_pipeline_hands_the_ids_to_fit_and_score():
    pipe = make_pipeline(StandardScaler(), FirstFeature())
    with sklearn.config_context(enable_metadata_routing=True):
        pipe.fit(X, Y, qid=QID)
        assert pipe[-1].seen_qid_ is QID
        assert pipe.score(X, Y, qid=QID) == pytest.approx((NDCG_A + NDCG_B) / 2)


def test_a_ranker_is_of_the_type_ranker_and_needs_y():
    tags = get_tags(FirstFeature())
    assert tags.estimator_type == "ranker"
    assert tags.target_tags.required


class LightGBMLike(BaseEstimator):
    def fit(self, X, y, sample_weight=None, group=None):
        return self

    def predict(self, X):
        return np.zeros(len(X))


class XGBoostLike(BaseEstimator):
    _estimator_type = "ranker"
    coef_ = np.zeros(1)

    def fit(self, X, y, **params):
        return self

    def predict(self, X):
        return np.zeros(len(X))


class CatBoostLike(RegressorMixin, XGBoostLike):
    _estimator_type = "ranker"

    def fit(self, X, y=None, group_id=None, sample_weight=None):
        return self


class Untagged:
    """An estimator that knows nothing of scikit-learn's tags."""

    def fit(self, X, y):
        return self


RANKERS = [
    FirstFeature(),
    QueryRanker(Ridge()),
    QueryRanker(LogisticRegression()),
    LightGBMLike(),
    XGBoostLike(),
    CatBoostLike(),
]
NOT_RANKERS = [
    Ridge(),
    LogisticRegression(),
    PCA(),
    StandardScaler(),
    Untagged(),
    "passthrough",
    None,
]
WRAPS = {
    "pipeline": lambda last: make_pipeline(StandardScaler(), last),
    "pipeline of a pipeline": lambda last: make_pipeline(PCA(), make_pipeline(last)),
    "grid search": lambda last: GridSearchCV(last, {}),
    "search of a pipeline": lambda last: RandomizedSearchCV(make_pipeline(last), {}),
}


def name_of(value):
    return value if isinstance(value, str) else type(value).__name__


@pytest.mark.parametrize("estimator", RANKERS, ids=name_of)
def test_a_ranker_is_known_as_one(estimator):
    assert is_ranker(estimator) is True


@pytest.mark.parametrize("estimator", NOT_RANKERS, ids=name_of)
def test_other_estimators_are_no_rankers(estimator):
    assert is_ranker(estimator) is False


@pytest.mark.slow_rows
@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("estimator", [*RANKERS, *NOT_RANKERS[:2]], ids=name_of)
def test_pipelines_and_searches_are_what_they_hold(estimator, wrap):
    assert is_ranker(WRAPS[wrap](estimator)) is is_ranker(estimator)


def test_a_selector_that_asks_a_ranker_is_no_ranker():
    assert not is_ranker(SelectFromModel(XGBoostLike()))


def test_a_selector_that_predicts_with_a_ranker_is_one():
    assert is_ranker(RFE(XGBoostLike()))


def test_a_pipeline_that_ends_with_a_transformer_is_no_ranker():
    assert not is_ranker(Pipeline([("rank", FirstFeature()), ("last", PCA())]))
    assert not is_ranker(Pipeline([("scale", PCA()), ("last", "passthrough")]))


def test_a_classifier_stays_a_classifier_around_a_ranker():
    class Voting(ClassifierMixin, BaseEstimator):
        def __init__(self, estimator):
            self.estimator = estimator

        def fit(self, X, y):
            return self

        def predict(self, X):
            return np.zeros(len(X))

    assert not is_ranker(Voting(FirstFeature()))


def test_a_class_is_no_estimator():
    with pytest.raises(TypeError, match=r"Expected an estimator instance \(Ridge\(\)"):
        is_ranker(Ridge)
