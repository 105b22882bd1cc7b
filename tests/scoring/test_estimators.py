"""What an estimator is ranked by, and the ids that it must not learn from."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import KMeans
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, RidgeClassifier
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.neighbors import LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skrank.base import RankingEstimator
from skrank.metrics import get_scorer
from skrank.model_selection import QueryKFold
from skrank.rankers import FusionRanker, QueryRanker, as_regressor

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
        model = Classifier([0, 1], proba=self.proba)
        assert self.score(model) == 1 / 3
        model.classes_ = [0, 1]
        assert self.score(model) == 1 / 3

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

    def test_an_outlier_detector_ranks_by_its_decision(self):
        # 0 is far from all others, and 9 is nearer to them than 7.
        model = LocalOutlierFactor(2, novelty=True).fit([[8.5], [9], [9.5], [10], [0]])
        X = np.array([[7.0], [9.0], [0.0]])
        assert get_scorer("mrr")(model, X, self.y, qid=self.qid) == 1
        ranker = QueryRanker(model, missing_qid="single").fit(X, self.y)
        assert ranker.predict(X).tolist() == (
            ranker.estimator_.decision_function(X).tolist()
        )

    @pytest.mark.parametrize(
        ("model", "got"),
        [
            (KMeans(2, n_init=1), "Got KMeans instead, of type 'clusterer'"),
            (GaussianMixture(), "GaussianMixture instead, of type 'density_estimator'"),
            (StandardScaler(), "Got StandardScaler instead, of type None"),
        ],
        ids=str,
    )
    def test_what_has_no_scores_is_refused_by_its_type(self, model, got):
        with pytest.raises(ValueError, match=rf"^Rows are ranked by a ranker.*{got}"):
            get_scorer("mrr")(model.fit(X), X, Y, qid=QID)

    @pytest.mark.parametrize(
        ("model", "got"),
        [
            (LinearRegression(), r"predict with an output of shape \(12, 2\)"),
            (DecisionTreeClassifier(), "2 lists of classes"),
            (RidgeClassifier(), r"an output of shape \(12, 2\)"),
        ],
        ids=str,
    )
    def test_a_prediction_of_several_targets_is_refused(self, model, got):
        model.fit(X, np.column_stack([Y, 1 - Y]))
        with pytest.raises(ValueError, match=rf"^Rows are ranked by one.*{got}"):
            get_scorer("mrr")(model, X, Y, qid=QID)


class Relative(RankingEstimator, BaseEstimator):
    """Adds two features, each scaled to 0 to 1 within the query."""

    def __init__(self, weights=(1, 2)):
        self.weights = weights

    def fit(self, X, y, *, qid=None):
        return self

    def predict(self, X, qid=None):
        qid = np.zeros(len(X)) if qid is None else np.asarray(qid)
        return relative(np.asarray(X), qid, self.weights)

    def __sklearn_is_fitted__(self):
        return True


class RelativeByKeyword(Relative):
    def predict(self, X, *, qid=None):
        return super().predict(X, qid)


class RelativeRouted(Relative):
    __metadata_request__predict = {"qid": True}

    def predict(self, X, **given):
        return super().predict(X, **given)


class Fusion(FusionRanker):
    """FusionRanker with an argument that is not keyword-only."""

    def __init__(self, weights=(1, 2)):
        super().__init__(method="sum", norm="min-max", weights=weights)

    def predict(self, X, qid=None):
        return super().predict(X, qid=qid)


class FusionByKeyword(Fusion):
    predict = FusionRanker.predict


class FusionRouted(Fusion):
    __metadata_request__predict = {"qid": True}

    def predict(self, X, **given):
        return super().predict(X, **given)


LISTWISE = [Relative, RelativeByKeyword, RelativeRouted]
LISTWISE += [Fusion, FusionByKeyword, FusionRouted]
WEIGHTS = [(1, 0), (1, 2), (0, 1)]


def relative(X, qid, weights):
    """Return the scores of these rankers, by a loop over queries."""
    score = np.empty(len(X))
    for query in set(qid.tolist()):
        rows = qid == query
        low, high = X[rows].min(axis=0), X[rows].max(axis=0)
        score[rows] = (X[rows] - low) / (high - low) @ weights
    return score


def ndcg_at_2(y, score, qid):
    """Return the mean of a loop over queries, each of which has a relevant row."""
    values = []
    for query in set(qid.tolist()):
        rows = qid == query
        gains = 2.0 ** y[rows] - 1
        best, found = -np.sort(-gains), gains[np.argsort(-score[rows])]
        discount = 1 / np.log2([2, 3])
        values.append(found[:2] @ discount / (best[:2] @ discount))
    return np.mean(values)


def listwise_rows():
    """Return 24 queries of 4 rows, which are scattered."""
    rng = np.random.default_rng(5)
    qid = rng.permutation(np.repeat(np.arange(24), 4))
    X, y = rng.normal(size=(len(qid), 2)), rng.integers(0, 3, len(qid))
    y[np.unique(qid, return_index=True)[1]] = 2
    return X, y, qid


def search(model, grid=None):
    name = next((n for n in model.get_params() if n.endswith("weights")), None)
    grid = {name: WEIGHTS} if grid is None else grid
    return GridSearchCV(model, grid, scoring="ndcg@2", cv=QueryKFold(2))


# How a ranker is wrapped, and whether a search chooses its weights.
TOOLS = {
    "alone": (lambda model: model, False),
    "Pipeline": (lambda model: make_pipeline(StandardScaler(), model), False),
    "fitted search": (search, True),
    "search in a search": (lambda model: search(search(model), {}), True),
    "Pipeline in a search": (
        lambda model: search(make_pipeline(StandardScaler(), model)),
        True,
    ),
    "search in a Pipeline": (
        lambda model: make_pipeline(StandardScaler(), search(model)),
        True,
    ),
    "FrozenEstimator": (lambda model: FrozenEstimator(model.fit(X, Y)), False),
    "QueryRanker": (QueryRanker, False),
    "as_regressor": (as_regressor, False),
}


def chosen(X, y, qid):
    """Return the weights that a search chooses, by loops."""
    folds = list(QueryKFold(2).split(X, y, qid=qid))
    values = [
        np.mean([ndcg_at_2(y[t], relative(X[t], qid[t], w), qid[t]) for _, t in folds])
        for w in WEIGHTS
    ]
    return WEIGHTS[np.argmax(values)]


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    ("ranker", "is_routed"),
    [
        *((ranker, True) for ranker in LISTWISE),
        # Without routing nothing says that keywords of any name are taken.
        *((ranker, False) for ranker in LISTWISE if "Routed" not in ranker.__name__),
    ],
)
def test_a_ranker_of_whole_queries_gets_their_ids(ranker, is_routed, tool, n_jobs):
    X, y, qid = listwise_rows()
    folds = list(QueryKFold(3).split(X, y, qid=qid))
    wrap, is_chosen = TOOLS[tool]
    expected = []
    for train, test in folds:
        # Scaling all rows alike changes nothing within a query.
        weights = chosen(X[train], y[train], qid[train]) if is_chosen else (1, 2)
        score = relative(X[test], qid[test], weights)
        expected.append(ndcg_at_2(y[test], score, qid[test]))
    given = {"params": {"qid": qid}} if is_routed else {}
    grades = y if is_routed else pd.Series(y, index=pd.Index(qid, name="qid"))
    with config_context(enable_metadata_routing=is_routed):
        result = cross_validate(
            wrap(ranker()),
            X,
            grades,
            cv=folds,
            scoring=["ndcg@2", "mrr"],
            n_jobs=n_jobs,
            error_score="raise",
            **given,
        )
    assert result["test_ndcg@2"] == pytest.approx(expected, rel=1e-12)


def test_a_transformer_gets_the_ids_that_it_requests():
    class Centred(BaseEstimator):
        __metadata_request__fit_transform = {"qid": True}
        __metadata_request__transform = {"qid": True}

        def fit(self, X, y=None):
            return self

        def fit_transform(self, X, y=None, qid=None):
            return self.transform(X, qid)

        def transform(self, X, qid=None):
            return X - np.array([X[qid == one].mean(axis=0) for one in qid])

        def __sklearn_is_fitted__(self):
            return True

    X, y, qid = listwise_rows()
    score = Centred().transform(X, qid)[:, 0]
    with config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(Centred(), FirstFeature())
        for model in (pipeline, QueryRanker(pipeline).fit(X, y, qid=qid)):
            found = get_scorer("ndcg@2")(model, X, y, qid=qid)
            assert found == pytest.approx(ndcg_at_2(y, score, qid), rel=1e-12)
