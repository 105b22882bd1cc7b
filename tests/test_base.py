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


# By the scores, the rows of one query read 3.0, 2.0, 1.0, 0.9, 0.5.
DCG_OF_ALL = 3 / log2(3) + 1 / log2(4) + 1 / log2(5)
NDCG_OF_ALL = DCG_OF_ALL / (3 / log2(2) + 1 / log2(3) + 1 / log2(4))
FRAME = pd.DataFrame({"score": X[:, 0], "qid": QID})
MEAN = (NDCG_A + NDCG_B) / 2
WEIGHT = np.where(QID == "a", 3.0, 1.0)


@pytest.mark.parametrize(
    ("X", "y", "metadata", "expected"),
    [
        (X, Y, {"qid": QID}, MEAN),
        (X, pd.Series(Y, index=pd.Index(QID, name="qid")), {}, MEAN),
        (FRAME, Y, {}, MEAN),
        (X, Y, {"qid": np.zeros(len(Y))}, NDCG_OF_ALL),
        (X, Y, {"qid": QID, "sample_weight": WEIGHT}, (3 * NDCG_A + NDCG_B) / 4),
    ],
    ids=["argument", "index of y", "column of X", "one query", "weights"],
)
def test_score_is_the_mean_ndcg_of_the_queries(X, y, metadata, expected):
    assert FirstFeature().score(X, y, **metadata) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("X", "qid", "scale", "expected"),
    [
        (X, QID, 1.0, [1, 1, 2, 2, 3]),
        (X, QID, -1.0, [3, 2, 2, 1, 1]),
        (X, QID, 0.0, [1, 1, 2, 2, 3]),
        (FRAME, None, -1.0, [3, 2, 2, 1, 1]),
        (X, np.zeros(len(X)), 1.0, [1, 4, 2, 5, 3]),
    ],
    ids=["falling", "rising", "equal, in their order", "column of X", "one query"],
)
def test_rank_counts_from_one_within_each_query(X, qid, scale, expected):
    assert FirstFeature(scale=scale).rank(X, qid=qid).tolist() == expected


def test_rows_without_ids_are_not_taken_for_one_query():
    for call in (lambda one: one.score(X, Y), lambda one: one.rank(X)):
        with pytest.raises(ValueError, match="Got no query ids"):
            call(FirstFeature())


def test_decision_function_is_predict_where_there_is_one():
    class Silent(RankingEstimator, BaseEstimator):
        pass

    ranker = FirstFeature()
    assert ranker.decision_function == ranker.predict
    assert ranker.decision_function.__name__ == "predict"
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
        weighted = FirstFeature().set_score_request(sample_weight=True)
        wanted = {"qid", "sample_weight"}
        assert weighted.get_metadata_routing().consumes("score", wanted) == wanted


def test_a_request_can_be_withdrawn_and_survives_clone():
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = clone(FirstFeature().set_fit_request(qid=False))
        assert ranker.get_metadata_routing().consumes("fit", {"qid"}) == set()


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


class Voting(ClassifierMixin, BaseEstimator):
    def __init__(self, estimator):
        self.estimator = estimator

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.zeros(len(X))


RANKERS = [
    FirstFeature(),
    QueryRanker(Ridge()),
    QueryRanker(LogisticRegression()),
    LightGBMLike(),
    XGBoostLike(),
    CatBoostLike(),
    RFE(XGBoostLike()),  # which predicts with it
]
NOT_RANKERS = [
    Ridge(),
    LogisticRegression(),
    PCA(),
    StandardScaler(),
    Untagged(),
    "passthrough",
    None,
    SelectFromModel(XGBoostLike()),
    Voting(FirstFeature()),
    Pipeline([("rank", FirstFeature()), ("last", PCA())]),
    Pipeline([("scale", PCA()), ("last", "passthrough")]),
]
WRAPS = {
    "pipeline": lambda last: make_pipeline(StandardScaler(), last),
    "pipeline of a pipeline": lambda last: make_pipeline(PCA(), make_pipeline(last)),
    "grid search": lambda last: GridSearchCV(last, {}),
    "search of a pipeline": lambda last: RandomizedSearchCV(make_pipeline(last), {}),
}


def name_of(value):
    return value if isinstance(value, str) else type(value).__name__


@pytest.mark.parametrize("estimator", [*RANKERS, *NOT_RANKERS], ids=name_of)
def test_a_ranker_is_known_as_one(estimator):
    assert is_ranker(estimator) is (estimator in RANKERS)


@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("estimator", [*RANKERS, *NOT_RANKERS[:2]], ids=name_of)
def test_pipelines_and_searches_are_what_they_hold(estimator, wrap):
    assert is_ranker(WRAPS[wrap](estimator)) is is_ranker(estimator)


def test_a_class_is_no_estimator():
    with pytest.raises(TypeError, match=r"Expected an estimator instance \(Ridge\(\)"):
        is_ranker(Ridge)


def test_many_rows_without_ids_name_the_ranker_that_reads_a_column():
    with pytest.raises(ValueError, match=r"QueryRanker\(\.\.\., qid_column="):
        FirstFeature().score(np.ones((101, 1)), np.ones(101))
