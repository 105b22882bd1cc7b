"""What an estimator is ranked by."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from skrank.rankers import QueryRanker
from tests.rankers.rows import QID, X, Y

RELEVANT = (Y > 0).astype(int)


def expected_grade(classifier, X):
    probability = classifier.predict_proba(X)
    total = np.zeros(len(X))
    for column, grade in enumerate(classifier.classes_):
        total += grade * probability[:, column]
    return total


def decision(model, X):
    return model.decision_function(X)


def probability(model, X):
    return model.predict_proba(X)[:, 1]


SEARCH = GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=3)
PIPELINE = make_pipeline(StandardScaler(), LogisticRegression())
RESPONSES = {
    "regressor": (Ridge(), Y, lambda model, X: model.predict(X)),
    "binary decision": (LogisticRegression(), RELEVANT, decision),
    "binary probability": (GaussianNB(), RELEVANT, probability),
    "binary without probability": (LinearSVC(), RELEVANT, decision),
    "binary grades 1 and 4": (GaussianNB(), np.where(RELEVANT, 4, 1), probability),
    "boolean": (LogisticRegression(), RELEVANT.astype(bool), decision),
    "expected grade": (LogisticRegression(), Y, expected_grade),
    "expected grade of uneven grades": (GaussianNB(), Y**2, expected_grade),
    "expected grade of float grades": (GaussianNB(), Y / 1.0, expected_grade),
    "pipeline": (PIPELINE, Y, expected_grade),
    "search": (SEARCH, RELEVANT, decision),
}


@pytest.mark.parametrize("case", RESPONSES)
def test_documents_are_ranked_by_what_lies_behind_the_prediction(case):
    estimator, y, scores = RESPONSES[case]
    ranker = QueryRanker(estimator).fit(X, y, qid=QID)
    predicted = ranker.predict(X)
    assert predicted.shape == (len(X),)
    assert predicted.dtype == np.float64
    np.testing.assert_allclose(predicted, scores(clone(estimator).fit(X, y), X))


def test_integer_predictions_become_floats():
    class Rounded(RegressorMixin, BaseEstimator):
        def fit(self, X, y):
            return self

        def predict(self, X):
            return np.rint(X[:, 0]).astype(int)

    scores = QueryRanker(Rounded()).fit(X, Y, qid=QID).predict(X)
    assert scores.dtype == np.float64
    assert scores.tolist() == np.rint(X[:, 0]).tolist()


def test_an_estimator_without_tags_is_asked_to_predict():
    class Plain:
        def get_params(self, deep=True):
            return {}

        def fit(self, X, y):
            return self

        def predict(self, X):
            return X[:, 1]

    ranker = QueryRanker(Plain()).fit(X, Y, qid=QID)
    assert ranker.predict(X).tolist() == X[:, 1].tolist()
    assert not hasattr(ranker, "n_features_in_")


def test_many_classes_without_probabilities_are_refused():
    message = "must have 'predict_proba'. Got RidgeClassifier"
    with pytest.raises(ValueError, match=message):
        QueryRanker(RidgeClassifier()).fit(X, Y, qid=QID)


def test_a_classifier_that_only_labels_is_refused():
    class Labels(DecisionTreeClassifier):
        @property
        def predict_proba(self):
            raise AttributeError

    with pytest.raises(ValueError, match="'decision_function' or 'predict_proba'"):
        QueryRanker(Labels()).fit(X, RELEVANT, qid=QID)
