"""Rankers are told their queries by the words of their fit, whoever wrote them."""

# SPDX-License-Identifier: BSD-3-Clause

import warnings

import numpy as np
import pytest
from lightgbm import LGBMRanker
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skrank.base import RankingEstimator, training_library
from skrank.metrics import evaluate, make_ranking_scorer, mrr_score
from skrank.rankers import QueryRanker
from skrank.rankers.libraries import check_xgboost, hold_out
from skrank.rankers.meta_ranker import FitRows
from tests.rankers.rows import CODES, QID, X, Y

BY_QUERY = np.argsort(CODES, kind="stable")
WEIGHT = 1.0 + CODES % 3


class Ranks(BaseEstimator):
    """Ranks by the first feature and keeps what it is given."""

    def _keep(self, X, y, **given):
        self.X_, self.y_, self.given_ = X, y, given
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0]


class ByRuns(Ranks):
    def fit(self, X, y, group=None, sample_weight=None):
        return self._keep(X, y, group=group, sample_weight=sample_weight)


class ByIds(Ranks):
    def fit(self, X, y, *, qid=None, sample_weight=None, eval_qid=None):
        return self._keep(X, y, qid=qid, sample_weight=sample_weight)


class ByGroups(Ranks):
    def fit(self, X, y, group_id=None, sample_weight=None, group_weight=None):
        return self._keep(
            X,
            y,
            group_id=group_id,
            sample_weight=sample_weight,
            group_weight=group_weight,
        )


class Native(RankingEstimator, Ranks):
    def fit(self, X, y, *, qid=None, sample_weight=None):
        return self._keep(X, y, qid=qid, sample_weight=sample_weight)


IDS, SIZES = CODES[BY_QUERY], np.bincount(CODES)
FAMILIES = {
    "runs": (ByRuns(), {"group": SIZES, "sample_weight": WEIGHT[BY_QUERY]}),
    "ids": (ByIds(), {"qid": IDS, "sample_weight": 1.0 + np.arange(24) % 3}),
    "groups": (ByGroups(), {"group_id": IDS, "group_weight": WEIGHT[BY_QUERY]}),
    "native": (Native(), {"qid": IDS, "sample_weight": WEIGHT[BY_QUERY]}),
}
family = pytest.mark.parametrize("family", FAMILIES)


@family
@pytest.mark.parametrize("within", [False, True], ids=["alone", "pipeline"])
def test_queries_and_weights_come_in_the_words_of_the_fit(family, within):
    model, expected = FAMILIES[family]
    wrapped = make_pipeline("passthrough", model) if within else model
    ranker = QueryRanker(wrapped).fit(X, Y, qid=QID, sample_weight=WEIGHT)
    fitted = ranker.estimator_[-1] if within else ranker.estimator_
    given = {name: v for name, v in fitted.given_.items() if v is not None}
    assert {name: np.asarray(v).tolist() for name, v in given.items()} == {
        name: v.tolist() for name, v in expected.items()
    }
    assert fitted.X_.tolist() == X[BY_QUERY].tolist()
    assert fitted.y_.tolist() == Y[BY_QUERY].tolist()


@family
def test_rows_that_are_sorted_by_query_are_passed_as_they_are(family):
    data = np.ascontiguousarray(X[BY_QUERY])
    ranker = QueryRanker(FAMILIES[family][0]).fit(data, Y[BY_QUERY], qid=IDS)
    assert ranker.estimator_.X_ is data


@pytest.mark.parametrize("family", ["runs", "ids", "groups"])
def test_queries_without_different_grades_are_refused(family):
    with pytest.raises(ValueError, match=r"Got 24 queries of \d+ rows, each with"):
        QueryRanker(FAMILIES[family][0]).fit(X, CODES % 3, qid=QID)


def test_xgboost_without_powers_of_two_takes_grades_from_0():
    class XGBRanker(BaseEstimator):
        objective, ndcg_exp_gain = "rank:ndcg", False

        def get_params(self, deep=True):
            return vars(type(self))

    check_xgboost(XGBRanker(), np.array([0.0, 1.5]))
    with pytest.raises(ValueError, match=r"XGBRanker takes grades that are not .*-1"):
        check_xgboost(XGBRanker(), np.array([0.0, -1.0]))


def test_lightgbm_stops_early_by_queries_that_it_has_not_learned_from():
    metric = "neg_mean_rank"
    model = LGBMRanker(n_estimators=200, min_child_samples=3, verbose=-1, num_threads=1)
    pipe = make_pipeline(StandardScaler(), model)
    ranker = QueryRanker(
        pipe, early_stopping=True, n_iter_no_change=3, random_state=0, scoring=metric
    ).fit(X, Y, qid=QID)
    fitted = ranker.estimator_[-1]
    (values,) = fitted.evals_result_["valid_0"].values()
    assert list(fitted.evals_result_["valid_0"]) == [metric]
    assert len(values) == fitted.best_iteration_ + 3 < 200
    assert ranker.estimator_[0].n_samples_seen_ < len(Y)
    assert values[fitted.best_iteration_ - 1] == max(values)


BOOSTING = HistGradientBoostingRegressor(max_iter=200, min_samples_leaf=3)


def test_hist_gradient_boosting_has_the_trees_of_its_best_round():
    ranker = QueryRanker(
        BOOSTING, early_stopping=True, n_iter_no_change=3, random_state=0
    ).fit(X, Y, qid=QID)
    before, *values = ranker.estimator_.validation_score_
    held = hold_out(FitRows(X, Y, CODES), 0.1, 0)[1]
    tied = evaluate(held.y, 0.0 * held.y, "ndcg@10", qid=held.codes)
    best = evaluate(held.y, ranker.predict(held.X), "ndcg@10", qid=held.codes)
    assert before == tied["ndcg@10"]
    assert values.index(max(values)) + 1 == ranker.estimator_.n_iter_
    assert max(values) == best["ndcg@10"]
    assert len(values) == ranker.estimator_.n_iter_ + 3 < 200
    assert ranker.estimator_.get_params() == BOOSTING.get_params()


@pytest.mark.slow
def test_hist_gradient_boosting_learns_in_few_chunks(monkeypatch):
    """Each fit prepares the data anew, so there are not as many as rounds."""
    rounds, fit = [], HistGradientBoostingRegressor.fit

    def counted(self, *args, **kwargs):
        rounds.append(self.max_iter)
        return fit(self, *args, **kwargs)

    monkeypatch.setattr(HistGradientBoostingRegressor, "fit", counted)
    told = iter(np.r_[0, np.arange(20), np.zeros(200)])
    scorer = make_ranking_scorer(lambda y_true, y_score, *, qid: next(told))
    ranker = QueryRanker(
        BOOSTING, early_stopping=True, scoring=scorer, n_iter_no_change=3
    ).fit(X, Y, qid=QID)
    assert rounds == [12, 18, 27, 20]
    assert len(ranker.estimator_.validation_score_) == 1 + 20 + 3


def test_a_metric_that_is_undefined_for_all_held_out_queries_raises():
    scorer = make_ranking_scorer("mrr", threshold=5, replace_undefined_by=np.nan)
    model = LGBMRanker(n_estimators=5, verbose=-1, num_threads=1)
    ranker = QueryRanker(model, early_stopping=True, scoring=scorer)
    with (
        pytest.warns(UndefinedMetricWarning),
        pytest.raises(ValueError, match="'mrr' is undefined for every query"),
    ):
        ranker.fit(X, Y, qid=QID)


@pytest.mark.parametrize(
    ("params", "error", "match"),
    [
        ({"early_stopping": 20}, TypeError, "bool. Got 20 .* 'n_iter_no_change'"),
        ({"early_stopping": None}, TypeError, "instance of bool. Got None"),
        ({"n_iter_no_change": 0}, ValueError, "n_iter_no_change == 0, must be >= 1"),
        ({"n_iter_no_change": 2.0}, TypeError, "n_iter_no_change must be an instance"),
        ({"validation_fraction": 0.0}, ValueError, "validation_fraction == 0.0"),
        ({"validation_fraction": 1.0}, ValueError, "validation_fraction == 1.0"),
        ({"validation_fraction": "10%"}, TypeError, "validation_fraction must be"),
        ({"scoring": "ndgc"}, ValueError, "'ndcg'"),
        ({"scoring": "r2"}, ValueError, "'r2' is not a valid scoring value"),
        ({"scoring": ["mrr"]}, TypeError, r"scorer name of skrank.*Got \['mrr'\]"),
        (
            {"scoring": make_ranking_scorer(["mrr", "map"])},
            TypeError,
            "scorer of one metric",
        ),
        ({"scoring": mrr_score}, TypeError, "with skrank.metrics.make_ranking_scorer"),
        (
            {"estimator__boosting_type": "dart"},
            ValueError,
            "boosting_type='dart' cannot stop early",
        ),
    ],
)
def test_other_ways_to_stop_are_refused(params, error, match):
    model = LGBMRanker(n_estimators=5, verbose=-1)
    ranker = QueryRanker(model, early_stopping=True, n_iter_no_change=2).set_params(
        **params
    )
    with pytest.raises(error, match=match):
        ranker.fit(X, Y, qid=QID)


@pytest.mark.parametrize(
    ("fraction", "n_queries", "n_held"),
    [(0.01, 100, 1), (0.04, 200, 8), (0.05, 200, None), (0.01, 99, None)],
)
def test_few_held_out_queries_are_warned_of(fraction, n_queries, n_held):
    rows = FitRows(None, np.tile([0, 1], n_queries), np.repeat(np.arange(n_queries), 2))
    rows = rows._replace(X=rows.y)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        hold_out(rows, fraction, 0)
    told = [str(one.message).partition(",")[0] for one in caught]
    words = f"{n_held} of {n_queries} queries are held out"
    assert told == ([] if n_held is None else [words])


@pytest.mark.parametrize("model", [Ridge(), Native()], ids=["pointwise", "native"])
def test_who_takes_no_evaluation_set_cannot_stop(model):
    words = f"an evaluation set.*HistGradientBoosting.*Got {type(model).__name__}"
    with pytest.raises(ValueError, match=words):
        QueryRanker(model, early_stopping=True, n_iter_no_change=2).fit(X, Y, qid=QID)


class CatBoost(ByGroups):
    """Has a loss as CatBoost has it."""

    def __init__(self, loss_function):
        self.loss_function = loss_function


@pytest.mark.parametrize("loss", ["YetiRank", "YetiRank:mode=NDCG", "PairLogit"])
def test_a_loss_of_pairs_ignores_weights_of_rows_with_a_warning(loss):
    weight = 1.0 + np.arange(len(Y)) % 2
    with pytest.warns(UserWarning, match=f"The loss {loss} of CatBoost compares pairs"):
        QueryRanker(CatBoost(loss)).fit(X, Y, qid=QID, sample_weight=weight)


def test_a_loss_of_single_documents_gets_weights_of_rows():
    weight = 1.0 + np.arange(len(Y)) % 2
    ranker = QueryRanker(CatBoost("QueryRMSE")).fit(X, Y, qid=QID, sample_weight=weight)
    given = ranker.estimator_.given_
    assert given["group_weight"] is None
    assert given["sample_weight"].tolist() == weight[BY_QUERY].tolist()


@pytest.mark.parametrize("model", [Ridge(), Native()], ids=["pointwise", "native"])
def test_equal_grades_and_a_single_query_are_refused(model):
    with pytest.raises(ValueError, match=r"nothing to learn.*Got only the grade 2"):
        QueryRanker(model).fit(X, 0 * Y + 2, qid=QID)
    with pytest.raises(
        ValueError, match=r"more than one query.*Got one query, 'a', of"
    ):
        QueryRanker(model).fit(X, Y, qid=["a"] * len(Y))
    one = QueryRanker(model, missing_qid="single").fit(X, Y, qid=["a"] * len(Y))
    assert one.__skrank_sizes__() == {"a": len(Y)}


class Wrapper(RegressorMixin, BaseEstimator):
    """Has parameters of CatBoost and XGBoost in its fit, and is neither."""

    def __init__(self, model):
        self.model = model

    def fit(self, X, y, cat_features=None, eval_qid=None, eval_group=None):
        self.model_ = clone(self.model).fit(X, y)
        return self

    def predict(self, X):
        return self.model_.predict(X)


def test_a_library_is_recognized_by_its_module():
    ranker = QueryRanker(Wrapper(Ridge())).fit(X, Y, qid=QID)
    assert ranker.predict(X).tolist() == Ridge().fit(X, Y).predict(X).tolist()
    assert clone(ranker).estimator.model.alpha == 1

    class Own(LGBMRanker):
        def fit(self, X, y, *, group=None):
            return super().fit(X, y, group=group)

    assert training_library(Own()) == "lightgbm"
    assert training_library(Wrapper(Ridge())) is None


@pytest.mark.parametrize(
    ("objective", "ranker"),
    [
        ({"objective": "rank:pairwise"}, "XGBRanker"),
        ({"objective": "lambdarank"}, "LGBMRanker"),
        ({"loss_function": "YetiRank:mode=NDCG"}, "CatBoostRanker"),
    ],
)
def test_objectives_of_rankers_are_refused_without_queries(objective, ranker):
    class Regressor(RegressorMixin, BaseEstimator):
        def __init__(self, objective=None, loss_function=None):
            self.objective, self.loss_function = objective, loss_function

        def fit(self, X, y):
            raise AssertionError("it must not be fitted")

        predict = fit

    for model in (Regressor(**objective), make_pipeline(Regressor(**objective))):
        for stop in (False, True):
            with pytest.raises(
                ValueError, match=f"would be one: use {ranker}. Got Reg"
            ):
                QueryRanker(model, early_stopping=stop).fit(X, Y, qid=QID)
