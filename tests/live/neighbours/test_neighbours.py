"""What the pages on other tools and on inspection say, really run."""

# SPDX-License-Identifier: BSD-3-Clause

import logging
import warnings

import numpy as np
import optuna
import pandas as pd
import pytest
import sklearn
from catboost import CatBoostRanker
from flaml import AutoML
from lightgbm import LGBMRanker
from optuna.distributions import FloatDistribution
from optuna_integration import LightGBMPruningCallback, OptunaSearchCV
from sklearn.feature_selection import RFE
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skopt import BayesSearchCV
from xgboost import XGBRanker

from skrank.datasets import make_ranking
from skrank.integrations import lightgbm_metric
from skrank.metrics import mrr_score
from skrank.model_selection import QueryKFold
from skrank.rankers import QueryRanker, as_regressor
from tests.page_code import run_code

# These libraries warn of their own plans, and of what they import.
pytestmark = pytest.mark.filterwarnings("default")


X, Y, QID = make_ranking(80, n_informative=3, noise=1.0, random_state=0)
FRAME = pd.DataFrame(X[:, :6]).add_prefix("f")
TARGET = pd.Series(Y, index=pd.Index(QID, name="qid"))


@pytest.fixture
def quiet():
    optuna.logging.set_verbosity(logging.CRITICAL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        yield


def mean_score(alpha):
    ranker, options = QueryRanker(Ridge(alpha=alpha)), {"scoring": "ndcg@10"}
    return cross_val_score(ranker, X, TARGET, cv=QueryKFold(3), **options).mean()


@pytest.mark.usefixtures("quiet")
def test_optuna_searches_by_a_scorer_name():
    grid = {"estimator__alpha": FloatDistribution(0.01, 1000.0, log=True)}
    options = {"scoring": "ndcg@10", "n_trials": 10, "random_state": 0}
    search = OptunaSearchCV(QueryRanker(Ridge()), grid, cv=QueryKFold(3), **options)
    search.fit(X, TARGET)
    assert len(search.trials_) == 10
    score = pytest.approx(mean_score(search.best_params_["estimator__alpha"]))
    assert search.best_score_ == score
    frame = pd.DataFrame(X).add_prefix("f").assign(qid=QID)
    assert sklearn.clone(search).fit(frame, Y).best_score_ == score
    with sklearn.config_context(enable_metadata_routing=True):
        assert sklearn.clone(search).fit(X, Y, qid=QID).best_score_ == score
    with pytest.raises(ValueError, match="needs to know which rows"):
        sklearn.clone(search).fit(X, Y, groups=QID)


@pytest.mark.usefixtures("quiet")
def test_a_study_of_optuna_searches_by_a_scorer_name():
    X, y, qid = make_ranking(30, random_state=0)
    names = run_code(
        "around_the_ranker.rst", "Optuna", optuna=optuna, LGBMRanker=LGBMRanker,
        QueryRanker=QueryRanker, QueryKFold=QueryKFold, cross_val_score=cross_val_score,
        X=pd.DataFrame(X).add_prefix("f").assign(qid=qid), y=y,
    )  # fmt: skip
    study = names["study"]
    assert len(study.trials) == 20
    assert study.best_value == max(trial.value for trial in study.trials) > 0.5


@pytest.mark.usefixtures("quiet")
def test_optuna_prunes_by_a_ranking_metric():
    rows, held = QID < 60, QID >= 60

    def objective(trial):
        rate = trial.suggest_float("learning_rate", 1e-3, 0.3, log=True)
        options = {"n_estimators": 30, "metric": "None", "n_jobs": 1, "verbose": -1}
        model = LGBMRanker(learning_rate=rate, **options).fit(
            X[rows],
            Y[rows],
            group=np.bincount(QID[rows]),
            eval_X=X[held],
            eval_y=Y[held],
            eval_group=[np.bincount(QID[held] - 60)],
            eval_metric=lightgbm_metric("mrr"),
            callbacks=[LightGBMPruningCallback(trial, "mrr", valid_name="valid_0")],
        )
        return mrr_score(Y[held], model.predict(X[held]), qid=QID[held])

    study = optuna.create_study(
        direction="maximize",
        sampler=optuna.samplers.TPESampler(seed=0),
        pruner=optuna.pruners.MedianPruner(n_startup_trials=2),
    )
    study.optimize(objective, n_trials=10)
    states = {trial.state for trial in study.trials}
    assert states == {optuna.trial.TrialState.COMPLETE, optuna.trial.TrialState.PRUNED}
    for trial in study.trials:
        rounds = trial.intermediate_values
        assert (len(rounds) == 30) is (trial.state == optuna.trial.TrialState.COMPLETE)
        assert trial.value == pytest.approx(rounds[max(rounds)])


def test_scikit_optimize_searches_by_a_scorer_name():
    grid = {"estimator__alpha": (0.01, 1000.0, "log-uniform")}
    options = {"scoring": "ndcg@10", "n_iter": 5, "random_state": 0}
    search = BayesSearchCV(QueryRanker(Ridge()), grid, cv=QueryKFold(3), **options)
    search.fit(X, TARGET)
    score = pytest.approx(mean_score(search.best_params_["estimator__alpha"]))
    assert search.best_score_ == score
    with sklearn.config_context(enable_metadata_routing=True):
        assert sklearn.clone(search).fit(X, Y, qid=QID).best_score_ == score


def test_flaml_gives_the_metric_whole_queries():
    options = {"eval_method": "cv", "n_splits": 3, "max_iter": 5, "seed": 0}
    automl = AutoML(verbose=0, **options)
    seen = []

    def score(y_true, y_score, *, qid):
        assert (np.diff(qid) >= 0).all()
        ids, sizes = np.unique(qid, return_counts=True)
        seen.append(set(ids))
        assert sizes.tolist() == np.bincount(QID)[ids.astype(int)].tolist()
        return mrr_score(y_true, y_score, qid=qid)

    names = {"automl": automl, "mrr_score": score, "X": X, "y": Y, "qid": QID}
    run_code("other_libraries.rst", "Search and combine", **names)
    assert isinstance(automl.model.estimator, LGBMRanker)
    assert 0 < automl.best_loss < 0.5
    assert set.union(*seen[:3]) == set(QID)
    assert sum(map(len, seen[:3])) == len(set(QID))


BOOSTED = [
    LGBMRanker(n_estimators=10, min_child_samples=3, n_jobs=1, verbose=-1),
    XGBRanker(n_estimators=10, n_jobs=1),
    CatBoostRanker(
        iterations=10, thread_count=1, verbose=False, allow_writing_files=False
    ),
]
boosted = pytest.mark.parametrize("model", BOOSTED, ids=lambda m: type(m).__name__)


@boosted
def test_shap_values_add_up_to_the_scores(model):
    import matplotlib

    matplotlib.use("Agg")
    ranker = QueryRanker(model).fit(FRAME, Y, qid=QID)
    names = run_code("inspection.rst", "SHAP", ranker=ranker, X=FRAME)
    explanation = names["explanation"]
    total = explanation.values.sum(axis=1) + explanation.base_values
    np.testing.assert_allclose(total, ranker.predict(FRAME), atol=1e-4)


def test_shap_explains_the_last_step_and_any_ranker():
    import shap

    ranker = QueryRanker(make_pipeline(StandardScaler(), BOOSTED[0])).fit(
        FRAME, Y, qid=QID
    )
    transformed = ranker.estimator_[:-1].transform(FRAME)
    linear = QueryRanker(Ridge()).fit(FRAME, Y, qid=QID)
    for explanation, rows, scores in [
        (
            shap.TreeExplainer(ranker.estimator_[-1])(transformed),
            FRAME,
            ranker.predict(FRAME),
        ),
        (
            shap.LinearExplainer(linear.estimator_, FRAME)(FRAME),
            FRAME,
            linear.predict(FRAME),
        ),
        (
            shap.Explainer(ranker.predict, FRAME)(FRAME[:20]),
            FRAME[:20],
            ranker.predict(FRAME[:20]),
        ),
    ]:
        assert explanation.values.shape == rows.shape
        total = explanation.values.sum(axis=1) + explanation.base_values
        np.testing.assert_allclose(total, scores, atol=1e-4)


@boosted
def test_importances_of_boosted_trees(model):
    ranker = QueryRanker(model).fit(FRAME, Y, qid=QID)
    getter = "auto"
    if isinstance(model, CatBoostRanker):
        assert not hasattr(ranker, "feature_importances_")

        def getter(fitted):
            return fitted.estimator_.get_feature_importance(
                type="PredictionValuesChange"
            )
    else:
        own = ranker.estimator_.feature_importances_
        assert ranker.feature_importances_.tolist() == own.tolist()
    tool = RFE(QueryRanker(model), n_features_to_select=2, importance_getter=getter)
    assert tool.fit(FRAME, Y, qid=QID).get_support().sum() == 2


@boosted
def test_a_library_ranker_is_shown_as_a_regressor(model):
    from sklearn.inspection import partial_dependence

    fitted = QueryRanker(model).fit(FRAME, Y, qid=QID)
    for ranker in (fitted, fitted.estimator_):
        view = as_regressor(ranker)
        assert view.predict(FRAME).tolist() == fitted.predict(FRAME).tolist()
        result = partial_dependence(view, FRAME, features=["f0"], grid_resolution=3)
        assert result["average"].shape == (1, 3)
