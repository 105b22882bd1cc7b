"""The code of the pages on other tools and on inspection, really run."""

# SPDX-License-Identifier: BSD-3-Clause

import logging
import warnings
from pathlib import Path

import numpy as np
import optuna
import pandas as pd
import pytest
import sklearn
from catboost import CatBoostRanker
from lightgbm import LGBMRanker
from sklearn.feature_selection import RFE
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from xgboost import XGBRanker

from skrank.datasets import make_ranking
from skrank.model_selection import QueryKFold
from skrank.rankers import PairwiseRanker, QueryRanker, as_regressor
from tests.page_code import START, code, sections

# These libraries warn of their own plans, and of what they import.
pytestmark = pytest.mark.filterwarnings("default")


def run(title, page="other_libraries.rst", **names):
    """Run the code under a title, after that at the top of the page."""
    found = sections(page)
    names = dict(names)
    for text in (found.get(START, ""), found[title]):
        exec(code(text), names)
    return names


@pytest.fixture
def quiet():
    optuna.logging.set_verbosity(logging.CRITICAL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        yield


def test_every_example_is_run_here():
    tests = Path(__file__).read_text("utf-8")
    for page in ("other_libraries.rst", "inspection.rst"):
        for title, text in sections(page).items():
            if code(text) and title != START:
                assert f'run("{title}"' in tests, title


def mean_score(ranker, X, target):
    scores = cross_val_score(
        ranker, X, target, scoring="ndcg@10", cv=QueryKFold(3), error_score="raise"
    )
    return scores.mean()


@pytest.mark.usefixtures("quiet")
def test_optuna_searches_by_a_scorer_name():
    names = run("OptunaSearchCV")
    search, X, y, qid = (names[name] for name in ("search", "X", "y", "qid"))
    assert len(search.trials_) == 10
    best = QueryRanker(Ridge()).set_params(**search.best_params_)
    assert search.best_score_ == pytest.approx(mean_score(best, X, names["target"]))
    frame = pd.DataFrame(X).add_prefix("f").assign(qid=qid)
    score = search.best_score_
    assert sklearn.clone(search).fit(frame, y).best_score_ == pytest.approx(score)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = sklearn.clone(search).fit(X, y, qid=qid)
    assert routed.best_score_ == pytest.approx(score)
    with pytest.raises(ValueError, match="needs to know which rows"):
        sklearn.clone(search).fit(X, y, groups=qid)


@pytest.mark.usefixtures("quiet")
def test_a_study_of_optuna_searches_by_a_scorer_name():
    X, y, qid = make_ranking(30, random_state=0)
    names = run(
        "Optuna", "around_the_ranker.rst", optuna=optuna, LGBMRanker=LGBMRanker,
        QueryRanker=QueryRanker, QueryKFold=QueryKFold, cross_val_score=cross_val_score,
        X=pd.DataFrame(X).add_prefix("f").assign(qid=qid), y=y,
    )  # fmt: skip
    study = names["study"]
    assert len(study.trials) == 20
    assert study.best_value == max(trial.value for trial in study.trials) > 0.5


@pytest.mark.usefixtures("quiet")
def test_optuna_prunes_by_a_ranking_metric():
    names = run("Pruning by a ranking metric")
    trials = names["study"].trials
    states = {trial.state for trial in trials}
    assert states == {optuna.trial.TrialState.COMPLETE, optuna.trial.TrialState.PRUNED}
    for trial in trials:
        rounds = trial.intermediate_values
        assert (len(rounds) == 30) is (trial.state == optuna.trial.TrialState.COMPLETE)
        assert trial.value == pytest.approx(rounds[max(rounds)])


def test_scikit_optimize_searches_by_a_scorer_name():
    names = run("scikit-optimize")
    search, X, y, qid = (names[name] for name in ("search", "X", "y", "qid"))
    best = QueryRanker(Ridge()).set_params(**search.best_params_)
    assert search.best_score_ == pytest.approx(mean_score(best, X, names["target"]))
    with sklearn.config_context(enable_metadata_routing=True):
        routed = sklearn.clone(search).fit(X, y, qid=qid)
    assert routed.best_score_ == pytest.approx(search.best_score_)


def test_flaml_gives_the_metric_whole_queries():
    names = run("FLAML")
    automl, X, qid = (names[name] for name in ("automl", "X", "qid"))
    assert isinstance(automl.model.estimator, LGBMRanker)
    assert 0 < automl.best_loss < 0.5
    sizes = dict(enumerate(np.bincount(qid).tolist()))
    seen = []

    def metric(*args):
        *_, groups_val, groups_train = args
        seen.append((groups_val, groups_train))
        return names["one_minus_mrr"](*args)

    order = names["order"]
    again = names["AutoML"]()
    again.fit(
        X[order],
        names["y"][order],
        groups=qid[order],
        task="rank",
        metric=metric,
        estimator_list=["lgbm"],
        eval_method="cv",
        n_splits=3,
        max_iter=5,
        seed=0,
        verbose=0,
    )
    assert again.best_loss == automl.best_loss
    assert len(seen) >= 3
    for held, trained in seen:
        for part in (held, trained):
            assert (np.diff(part) >= 0).all()
            ids, counts = np.unique(part, return_counts=True)
            assert [sizes[id] for id in ids.tolist()] == counts.tolist()
        assert set(held) | set(trained) == set(sizes)
        assert not set(held) & set(trained)


def test_a_sampler_draws_the_rows_that_are_learned():
    names = run("imbalanced-learn")
    X, y = names["X"], names["y"]
    sampler = names["RandomUnderSampler"](random_state=0).fit(X, y)
    sampler.fit_resample(X, y)
    rows = sampler.sample_indices_
    scaler = StandardScaler().fit(X[rows])
    model = LogisticRegression().fit(scaler.transform(X[rows]), y[rows])
    expected = model.predict_proba(scaler.transform(X)) @ model.classes_
    np.testing.assert_allclose(names["ranker"].predict(X), expected)


def test_rankers_vote_and_stack():
    names = run("Voting")
    X, y, qid = (names[name] for name in ("X", "y", "qid"))
    members = [QueryRanker(Ridge()), PairwiseRanker(random_state=0)]
    scores = [member.fit(X, y, qid=qid).predict(X) for member in members]
    expected = np.mean(scores, axis=0)
    np.testing.assert_allclose(names["voting_ranker"].predict(X), expected)
    stack = run("Stacking")["stack"]
    out_of_fold = np.zeros((len(y), 2))
    for train, test in QueryKFold(3).split(X, qid=qid):
        for column, member in enumerate(members):
            member.fit(X[train], y[train], qid=qid[train])
            out_of_fold[test, column] = member.predict(X[test])
    last = LinearRegression().fit(out_of_fold, y)
    expected = last.predict(np.column_stack(scores))
    np.testing.assert_allclose(stack.predict(X), expected)


BOOSTED = [
    LGBMRanker(n_estimators=10, min_child_samples=3, n_jobs=1, verbose=-1),
    XGBRanker(n_estimators=10, n_jobs=1),
    CatBoostRanker(
        iterations=10, thread_count=1, verbose=False, allow_writing_files=False
    ),
]
boosted = pytest.mark.parametrize("model", BOOSTED, ids=lambda m: type(m).__name__)


@pytest.fixture
def data():
    names = {}
    exec(code(sections("other_libraries.rst")[START]), names)
    X = pd.DataFrame(names["X"][:, :6]).add_prefix("f")
    return X, names["y"], names["qid"]


@boosted
def test_shap_values_add_up_to_the_scores(model, data):
    import matplotlib

    matplotlib.use("Agg")
    X, y, qid = data
    ranker = QueryRanker(model).fit(X, y, qid=qid)
    names = run("SHAP", "inspection.rst", ranker=ranker, X=X)
    explanation = names["explanation"]
    total = explanation.values.sum(axis=1) + explanation.base_values
    np.testing.assert_allclose(total, ranker.predict(X), atol=1e-4)


def test_shap_explains_the_last_step_and_any_ranker(data):
    import shap

    X, y, qid = data
    ranker = QueryRanker(make_pipeline(StandardScaler(), BOOSTED[0])).fit(X, y, qid=qid)
    transformed = ranker.estimator_[:-1].transform(X)
    linear = QueryRanker(Ridge()).fit(X, y, qid=qid)
    for explanation, rows, scores in [
        (shap.TreeExplainer(ranker.estimator_[-1])(transformed), X, ranker.predict(X)),
        (shap.LinearExplainer(linear.estimator_, X)(X), X, linear.predict(X)),
        (shap.Explainer(ranker.predict, X)(X[:20]), X[:20], ranker.predict(X[:20])),
    ]:
        assert explanation.values.shape == rows.shape
        total = explanation.values.sum(axis=1) + explanation.base_values
        np.testing.assert_allclose(total, scores, atol=1e-4)


@boosted
def test_importances_of_boosted_trees(model, data):
    X, y, qid = data
    ranker = QueryRanker(model).fit(X, y, qid=qid)
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
    assert tool.fit(X, y, qid=qid).get_support().sum() == 2


@boosted
def test_the_best_round_is_that_of_the_library(model, data):
    X, y, qid = data
    stopping = {"early_stopping": True, "n_iter_no_change": 2, "random_state": 0}
    ranker = QueryRanker(model, **stopping).fit(X, y, qid=qid)
    inner = ranker.estimator_
    name = "best_iteration" if isinstance(model, XGBRanker) else "best_iteration_"
    assert ranker.best_iteration_ == getattr(inner, name)
    assert ranker.best_score_ == getattr(inner, name.replace("iteration", "score"))
    assert ranker.evals_result_ == inner.evals_result_
    assert any(ranker.evals_result_.values())


@boosted
def test_a_library_ranker_is_shown_as_a_regressor(model, data):
    from sklearn.inspection import partial_dependence

    X, y, qid = data
    fitted = QueryRanker(model).fit(X, y, qid=qid)
    for ranker in (fitted, fitted.estimator_):
        view = as_regressor(ranker)
        assert view.predict(X).tolist() == fitted.predict(X).tolist()
        result = partial_dependence(view, X, features=["f0"], grid_resolution=3)
        assert result["average"].shape == (1, 3)
