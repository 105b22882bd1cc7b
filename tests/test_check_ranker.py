"""check_ranker: good rankers obey every law; a broken one is told which it breaks."""

# SPDX-License-Identifier: BSD-3-Clause

import re

import numpy as np
import pytest
from lightgbm import LGBMRanker
from sklearn.base import BaseEstimator
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted, validate_data

from skrank.base import LAWS, RankingEstimator, check_ranker
from skrank.rankers import PairwiseRanker, QueryRanker
from tests.rankers.test_own_ranker import ListNet


class Linear(RankingEstimator, BaseEstimator):
    """A ranker that obeys all laws: least squares of grades, centred by query."""

    def __init__(self, slope=1.0):
        self.slope = slope

    def fit(self, X, y, *, qid=None):
        self.find_qid(qid, "fit", X=X, y=y)
        X, y = validate_data(self, X, y, y_numeric=True)
        qid = np.zeros(len(y)) if qid is None else qid
        _, query = np.unique(qid, return_inverse=True)
        grade = y - (np.bincount(query, y) / np.bincount(query))[query]
        self.coef_ = self.slope * np.linalg.lstsq(X, grade, rcond=None)[0]
        return self

    def predict(self, X):
        check_is_fitted(self)
        return validate_data(self, X, reset=False) @ self.coef_


GOOD = [
    Linear(),
    ListNet(),
    ListNet(missing_qid="single"),
    QueryRanker(Linear()),
    QueryRanker(ListNet()),
    QueryRanker(Ridge()),
    QueryRanker(LogisticRegression(), missing_qid="single"),
    QueryRanker(make_pipeline(StandardScaler(), Ridge())),
    QueryRanker(DecisionTreeClassifier(random_state=0), max_queries=1000),
    QueryRanker(HistGradientBoostingRegressor(max_iter=5)),
    PairwiseRanker(),
    PairwiseRanker(LinearSVC(tol=1e-6), missing_qid="single"),
]


@pytest.mark.parametrize("ranker", GOOD, ids=str)
def test_a_good_ranker_obeys_every_law(ranker):
    check_ranker(ranker)


class NotOfItsType(Linear):
    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.estimator_type = "regressor"
        return tags

    def fit(self, X, y):
        return super().fit(X, y)


class TwoColumns(Linear):
    def predict(self, X):
        return np.column_stack([super().predict(X)] * 2)


class Infinite(Linear):
    def predict(self, X):
        return super().predict(X) / 0.0


class RanksAllRows(Linear):
    def predict(self, X):
        return super().predict(X).argsort().argsort().astype(float)


class SmallerIsBetter(Linear):
    def predict(self, X):
        return -super().predict(X)


class NeedsRowsByQuery(Linear):
    def fit(self, X, y, *, qid=None):
        qid = np.zeros(len(y)) if qid is None else qid
        return super().fit(X, y, qid=np.cumsum(np.diff(qid, prepend=-1) != 0))


class ReadsTheNumbers(Linear):
    def fit(self, X, y, *, qid=None):
        super().fit(X, y, qid=qid)
        self.coef_[3] += 0 if qid is None else 0.01 * np.max(qid)
        return self


class NeedsNumbers(Linear):
    def fit(self, X, y, *, qid=None):
        return super().fit(X, y, qid=None if qid is None else np.asarray(qid) + 0)


class RowsAreQueries(Linear):
    def fit(self, X, y, *, qid=None):
        qid = np.arange(len(y)) // 2 if qid is None else qid
        return super().fit(X, y, qid=qid)


class NeedsIds(Linear):
    def fit(self, X, y, *, qid=None):
        return super().fit(X, y, qid=qid[:])


class RequestsNothing(Linear):
    __metadata_request__fit = {"qid": False}


class ScoresAllRowsAsOneQuery(Linear):
    __metadata_request__score = {"qid": False}


class HasNoNames(Linear):
    def fit(self, X, y, *, qid=None):
        return super().fit(np.asarray(X), y, qid=qid)


class GoesByPosition(Linear):
    def predict(self, X):
        return super().predict(X if isinstance(X, np.ndarray) else X.to_numpy())


class GoesByOrder(Linear):
    def predict(self, X):
        names = getattr(self, "feature_names_in_", None)
        if names is not None and not isinstance(X, np.ndarray) and {*X} == {*names}:
            X = X.set_axis(names, axis=1)
        return super().predict(X)


class GoesByName(Linear):
    """Predicts as CatBoost does."""

    def predict(self, X):
        names = getattr(self, "feature_names_in_", None)
        if names is not None and not isinstance(X, np.ndarray) and {*X} == {*names}:
            X = X[names]
        return super().predict(X)


BROKEN = {
    NotOfItsType: ("its type is 'ranker'", "is_ranker returns False"),
    TwoColumns: ("one finite score per row", r"Got shape \(\d+, 2\) for"),
    Infinite: ("one finite score per row", "not all finite"),
    RanksAllRows: ("one finite score per row", "scores that differ by"),
    SmallerIsBetter: ("larger scores are better", "with the scores negated"),
    NeedsRowsByQuery: ("the order of the rows", "scores that differ by"),
    ReadsTheNumbers: ("the names of the query ids", "scores that differ by"),
    NeedsNumbers: ("the names of the query ids", "Got .*Error: "),
    RowsAreQueries: ("without query ids", "Got no ValueError"),
    NeedsIds: ("without query ids", "Got TypeError: "),
    RequestsNothing: ("fit and score request qid", "Got ValueError: "),
    ScoresAllRowsAsOneQuery: ("fit and score request qid", "Got ValueError: "),
    HasNoNames: ("the names of its features", "no 'feature_names_in_'"),
    GoesByPosition: ("the names of its features", "columns with other names"),
    GoesByOrder: ("the names of its features", "columns in another order"),
}


@pytest.mark.filterwarnings("ignore:divide by zero|invalid value")
@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_ranker_is_told_the_law_that_it_breaks(broken):
    law, what = BROKEN[broken]
    message = rf"^{broken.__name__} breaks a law of rankers: .*({law}).*\. .*{what}"
    with pytest.raises(AssertionError, match=message):
        check_ranker(broken())


def test_every_law_is_broken_by_some_ranker():
    for law in LAWS:
        assert any(re.search(words, law) for words, _ in BROKEN.values()), law


class Noisy(Linear):
    def fit(self, X, y, *, qid=None):
        super().fit(X, y, qid=qid)
        noise = np.random.default_rng().random(X.shape[1])
        self.coef_ = self.coef_ * (1 + 0.1 * noise)
        return self


class NoisyAndSaysSo(Noisy):
    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        return tags


@pytest.mark.slow
def test_fits_that_draw_are_not_compared_if_the_tag_says_so():
    with pytest.raises(AssertionError, match="scores that differ"):
        check_ranker(Noisy())
    check_ranker(NoisyAndSaysSo())


@pytest.mark.slow
def test_a_ranker_that_orders_equal_scores_by_row_is_told():
    trees = LGBMRanker(n_estimators=5, min_child_samples=3, verbose=-1, n_jobs=1)
    with pytest.raises(AssertionError, match="the order of the rows does not matter"):
        check_ranker(QueryRanker(trees))


def test_a_ranker_may_go_by_name():
    check_ranker(GoesByName())


def test_a_class_and_an_estimator_that_is_no_ranker_are_refused():
    with pytest.raises(TypeError, match=r"Expected an estimator instance \(Linear\(\)"):
        check_ranker(Linear)
    with pytest.raises(AssertionError, match=r"LinearRegression breaks .*its type"):
        check_ranker(LinearRegression())
