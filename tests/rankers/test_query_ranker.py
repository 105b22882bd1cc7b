"""A ranker of any regressor or classifier, as an estimator among others."""

# SPDX-License-Identifier: BSD-3-Clause

import inspect

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils import get_tags

from skrank.metrics import ndcg_score
from skrank.model_selection import QueryKFold
from skrank.rankers import FusionRanker, PairwiseRanker, QueryRanker, as_regressor
from tests.rankers.rows import FRAME, QID, X, Y

LABELS = np.array(["bad", "fair", "good"])[Y]


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (LABELS, r"must hold numbers.*'bad' instead: number"),
        (LABELS.tolist(), r"must hold numbers.*'bad' instead: number"),
        (pd.Series(LABELS), r"must hold numbers.*'bad' instead: number"),
        (np.where(Y > 0, Y, np.nan), r"y contains NaN.*Leave out the rows"),
        (np.where(Y > 0, Y, np.inf), "Input y contains infinity"),
        (None, "requires y to be passed"),
        (Y[:-1], r"inconsistent numbers of .*'y' parameter must .* rows of 'X'"),
    ],
)
def test_grades_that_are_not_numbers_of_the_rows_are_refused(y, words):
    for model in (Ridge(), LogisticRegression()):
        with pytest.raises(ValueError, match=words):
            QueryRanker(model).fit(X, y, qid=QID)


class Fails(Ridge):
    def fit(self, X, y, sample_weight=None):
        if self.alpha == 0:
            raise ValueError("This data cannot be fitted.")
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize(
    "ranker",
    [
        QueryRanker(Fails()),
        FusionRanker([("one", Fails()), "f0"]),
        as_regressor(QueryRanker(Fails())),
    ],
    ids=["query", "fusion", "regressor"],
)
def test_a_fit_that_fails_leaves_nothing_fitted(ranker):
    (alpha,) = (name for name in ranker.get_params() if name.endswith("alpha"))
    for first in (False, True):
        ranker = clone(ranker)
        if first:
            ranker.fit(FRAME, Y, qid=QID)
        ranker.set_params(**{alpha: 0})
        with pytest.raises(ValueError, match="cannot be fitted"):
            ranker.fit(FRAME, Y, qid=QID)
        with pytest.raises(NotFittedError):
            ranker.predict(FRAME)
        ranker.set_params(**{alpha: 1})


def test_query_ids_of_one_query_leave_nothing_fitted():
    for ranker in (QueryRanker(Ridge()), PairwiseRanker()):
        with pytest.raises(ValueError, match="more than one query"):
            ranker.fit(X, Y, qid=np.zeros(len(Y)))
        with pytest.raises(NotFittedError):
            ranker.predict(X)
        with pytest.raises(ValueError, match="nothing to learn"):
            ranker.fit(X, 0 * Y, qid=QID)
        with pytest.raises(NotFittedError):
            ranker.predict(X)


@pytest.mark.parametrize("word", ["group", "groups", "group_id"])
@pytest.mark.parametrize("ranker", [QueryRanker(Ridge()), PairwiseRanker()], ids=str)
def test_the_words_of_other_libraries_are_answered_with_qid(ranker, word):
    sizes = np.unique(QID, return_counts=True)[1]
    with pytest.raises(TypeError, match=rf"unexpected keyword argument '{word}'") as e:
        ranker.fit(X, Y, **{word: sizes})
    assert f"{type(ranker).__name__}.fit()" in str(e.value)
    assert "qid=np.repeat(np.arange(len(sizes)), sizes)" in str(e.value)
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'epochs'$"):
        ranker.fit(X, Y, qid=QID, epochs=3)
    with pytest.raises(TypeError, match=r"'sample_weights'\. Did you mean 'sample_we"):
        ranker.fit(X, Y, qid=QID, sample_weights=Y)
    with pytest.raises(TypeError, match=r"Pass the query ids by name: qid=qid\."):
        ranker.fit(X, Y, QID)
    parameters = inspect.signature(ranker.fit).parameters
    assert list(parameters) == ["X", "y", "qid", "sample_weight"]


@pytest.mark.parametrize("word", ["eval_set", "eval_metric", "early_stopping_rounds"])
def test_the_words_of_early_stopping_are_answered_with_the_rankers_own(word):
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{word}'") as e:
        QueryRanker(Ridge()).fit(X, Y, qid=QID, **{word: None})
    assert ". QueryRanker(..., early_stopping=True) stops early" in str(e.value)


@pytest.mark.parametrize(
    ("word", "cure"),
    [
        ("init_score", "To start from another model or its scores, fit the library's"),
        ("base_margin", "To start from another model"),
        ("xgb_model", "To start from another model"),
        ("callbacks", "Set it where the estimator is made"),
        ("cat_features", r"CatBoostRanker\(cat_features=\[...\]\)"),
        ("categorical_feature", "the type 'category' of pandas"),
    ],
)
def test_other_words_of_the_libraries_are_answered_too(word, cure):
    with pytest.raises(TypeError, match=rf"keyword argument '{word}'\. .*{cure}"):
        QueryRanker(Ridge()).fit(X, Y, qid=QID, **{word: None})


def test_a_dict_of_columns_is_refused_with_the_cure():
    ranker = QueryRanker(Ridge()).fit(X, Y, qid=QID)
    for method, given in [(ranker.predict, ()), (ranker.fit, ([1, 0],))]:
        with pytest.raises(TypeError, match=r"Got a dict .* pandas\.DataFrame\(X\)"):
            method({"f": [1, 2], "qid": [1, 1]}, *given)


def test_tools_for_classifiers_are_told_that_a_ranker_has_no_classes():
    model = CalibratedClassifierCV(QueryRanker(LogisticRegression()), cv=QueryKFold(2))
    with pytest.raises(AttributeError, match=r"no classes\. .*\.as_regressor\(r"):
        _ = model.estimator.classes_
    assert not hasattr(model.estimator, "classes_")
    with pytest.raises((AttributeError, ValueError), match=r"no classes|a classifier"):
        model.fit(FRAME.assign(qid=QID), Y > 0)  # before 1.9 it asks for a classifier


def test_the_score_is_the_same_ndcg_whatever_scoring_is():
    found = {
        scoring: QueryRanker(Ridge(), scoring=scoring).fit(X, Y, qid=QID)
        for scoring in ("mrr", "ndcg@10")
    }
    expected = ndcg_score(Y, found["mrr"].predict(X), qid=QID)
    assert {one.score(X, Y, qid=QID) for one in found.values()} == {expected}


def test_a_column_of_grades_warns_and_predicts_one_score_per_row():
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        ranker = QueryRanker(Ridge()).fit(X, Y[:, None], qid=QID)
    assert ranker.predict(X).shape == (len(X),)


def test_unfitted_rankers_say_so():
    for method, args in [("predict", (X,)), ("score", (X, Y)), ("rank", (X,))]:
        with pytest.raises(NotFittedError, match="QueryRanker instance is not fitted"):
            getattr(QueryRanker(Ridge()), method)(*args)


@pytest.mark.parametrize(
    "estimator", [Ridge, None, 3, StandardScaler(), make_pipeline(MinMaxScaler())]
)
def test_what_cannot_predict_is_refused(estimator):
    with pytest.raises(TypeError, match=r"^The 'estimator' parameter of QueryR"):
        QueryRanker(estimator).fit(X, Y, qid=QID)


@pytest.mark.parametrize("missing_qid", ["one", None, True])
def test_other_values_of_missing_qid_are_refused(missing_qid):
    with pytest.raises(ValueError, match="'missing_qid' parameter of QueryRanker must"):
        QueryRanker(Ridge(), missing_qid=missing_qid).fit(X, Y, qid=QID)


def test_the_type_is_ranker_whatever_is_within():
    for inner in (Ridge(), LogisticRegression(), None):
        assert get_tags(QueryRanker(inner)).estimator_type == "ranker"


def test_the_diagram_shows_the_estimator_within():
    assert "Ridge" in QueryRanker(Ridge())._repr_html_()


@pytest.mark.slow
def test_a_classifier_without_probabilities_is_refused_in_fit_on_grades_only():
    with pytest.raises(ValueError, match=r"LinearSVC instead.*CalibratedClassifierCV"):
        QueryRanker(LinearSVC()).fit(X, Y, qid=QID)
    for model, y in ((LinearSVC(), Y > 0), (CalibratedClassifierCV(LinearSVC()), Y)):
        assert QueryRanker(model).fit(X, y, qid=QID).predict(X).std() > 0


def test_sizes_of_queries_are_recognized():
    order = np.argsort(QID, kind="stable")
    _, sizes = np.unique(QID, return_counts=True)
    with pytest.raises(ValueError, match=r"sum to the number of rows.*np\.repeat"):
        QueryRanker(Ridge()).fit(X[order], Y[order], qid=sizes)
    with pytest.raises(ValueError, match=r"one value per row\.$"):
        QueryRanker(Ridge()).fit(X, Y, qid=sizes + 1)


@pytest.mark.parametrize("ranker", [QueryRanker(Ridge()), PairwiseRanker()])
@pytest.mark.parametrize("method", ["fit", "predict"])
def test_pythons_own_errors_name_the_public_class(ranker, method):
    with pytest.raises(TypeError, match=rf"^{type(ranker).__name__}\.{method}\(\) "):
        getattr(ranker, method)()
    with pytest.raises(TypeError, match=r"^RankingEstimator\.score\(\) missing"):
        ranker.score([[1.0]])
