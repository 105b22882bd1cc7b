"""What an estimator is ranked by, and the ids that it must not learn from."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression, RidgeClassifier
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrank.metrics import get_scorer

X = np.column_stack([[3.0, 2.0, 1.0] * 4, np.zeros(12)])
Y = np.array([1, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1])
QID = np.repeat([2, 0, 3, 1], 3)
FRAME = pd.DataFrame(X, columns=["score", "nothing"]).assign(qid=QID)
Y_INDEXED = pd.Series(Y, index=pd.Index(QID, name="qid"))


class FirstFeature(BaseEstimator):
    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0].astype(float)

    def __sklearn_is_fitted__(self):
        return True


class FirstFeatureRanker(FirstFeature):
    def fit(self, X, y):
        self.feature_names_in_ = np.array(X.columns)
        return super().fit(X, y)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.estimator_type = "ranker"
        return tags


class Classifier(ClassifierMixin, BaseEstimator):
    """Two or more classes with known answers."""

    def __init__(self, classes, *, proba=None, decision=None):
        self.classes = classes
        self.proba = proba
        self.decision = decision
        self.classes_ = np.asarray(classes)

    def predict(self, X):
        raise AssertionError("a label is no score")

    def predict_proba(self, X):
        return np.asarray(self.proba)

    @property
    def decision_function(self):
        if self.decision is None:
            raise AttributeError("decision_function")
        return lambda X: np.asarray(self.decision)


class TestResponse:
    y = np.array([0, 1, 0])
    qid = np.zeros(3)
    proba = np.array([[0.5, 0.5], [0.8, 0.2], [0.7, 0.3]])

    def score(self, model, y=None):
        y = self.y if y is None else y
        return get_scorer("mrr")(model, np.zeros((3, 1)), y, qid=self.qid)

    def test_classifier_of_two_classes_ranks_by_its_decision(self):
        model = Classifier([0, 1], proba=self.proba, decision=[1.0, 3.0, 2.0])
        assert self.score(model) == 1

    def test_classifier_without_decision_ranks_by_the_second_class(self):
        assert self.score(Classifier([0, 1], proba=self.proba)) == 1 / 3

    def test_classifier_of_one_class_ties_all(self):
        model = Classifier([0], proba=np.ones((3, 1)))
        assert self.score(model) == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)

    def test_classifier_of_more_classes_ranks_by_the_expected_class(self):
        # Expected grades 0.75 + 4 * 0.25 = 1.75, 0.2 + 4 * 0.4 = 1.8 and
        # 0.4 + 4 * 0.3 = 1.6.
        proba = [[0.0, 0.75, 0.25], [0.4, 0.2, 0.4], [0.3, 0.4, 0.3]]
        model = Classifier([0, 1, 4], proba=proba, decision=np.eye(3))
        assert self.score(model) == 1

    def test_more_classes_that_are_no_numbers_are_an_error(self):
        model = Classifier(["bad", "fair", "good"], proba=np.eye(3))
        with pytest.raises(ValueError, match=r"must be numbers. Got \['bad', 'fair'"):
            self.score(model)

    def test_more_classes_without_probabilities_are_an_error(self):
        model = RidgeClassifier().fit(np.eye(3), [0, 1, 2])
        with pytest.raises(ValueError, match=r"'predict_proba'.*RidgeClassifier"):
            get_scorer("mrr")(model, np.eye(3), self.y, qid=self.qid)

    def test_estimator_that_is_no_classifier_predicts(self):
        class Decider(FirstFeature):
            def decision_function(self, X):
                raise AssertionError("only classifiers decide")

        options = {"scoring": ["mrr", "map"], "cv": 2, "error_score": "raise"}
        found = cross_validate(Decider(), X, Y_INDEXED, **options)
        # By query, relevant rows have the ranks 1 | 2 in a fold; 2, 3 | 3 in the other.
        mrr = [(1 + 1 / 2) / 2, (1 / 2 + 1 / 3) / 2]
        assert found["test_mrr"] == pytest.approx(mrr)
        of_two = (1 / 2 + 2 / 3) / 2
        assert found["test_map"] == pytest.approx([mrr[0], (of_two + 1 / 3) / 2])

    def test_object_that_can_only_predict_is_ranked(self):
        class Bare:
            def predict(self, X):
                return np.array([[1.0], [3.0], [2.0]])

        assert self.score(Bare()) == 1


def _leaving_qid_out():
    return make_pipeline(
        make_column_transformer((StandardScaler(), ["score", "nothing"])),
        LinearRegression(),
    )


class TestQidAsFeature:
    @pytest.mark.parametrize(
        "model",
        [LinearRegression(), make_pipeline(StandardScaler(), LinearRegression())],
    )
    def test_estimator_that_learnt_from_the_ids_brings_a_warning(self, model):
        model.fit(FRAME, Y)
        with pytest.warns(UserWarning, match="fitted on the column 'qid'"):
            get_scorer("mrr")(model, FRAME, Y)

    @pytest.mark.parametrize("model", [FirstFeatureRanker(), _leaving_qid_out()])
    def test_estimator_that_knows_the_ids_does_not(self, model):
        assert 0 < get_scorer("mrr")(model.fit(FRAME, Y), FRAME, Y) <= 1
