"""Every library stops by every metric where a loop over its rounds would stop."""

# SPDX-License-Identifier: BSD-3-Clause

import pickle
from contextlib import nullcontext
from functools import cache, partial

import numpy as np
import pytest
from catboost import CatBoostRanker
from lightgbm import LGBMRanker
from sklearn.base import clone
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from xgboost import XGBRanker
from xgboost.callback import TrainingCallback

from skrank.metrics import evaluate, make_ranking_scorer
from skrank.rankers.libraries import hold_out
from skrank.rankers.meta_ranker import FitRows
from tests.brute_force import by_query
from tests.rankers.test_early_stopping import noisy, stop_by_hand
from tests.rankers.test_early_stopping import stopped as stopped_of

X, Y, CODES = noisy(200, n_documents=(4, 12), n_features=8, n_informative=4)
WEIGHT = 0.1 + CODES % 3
N_ROUNDS, PATIENCE = 60, 6
stopped = partial(stopped_of, rows=(X, Y, CODES), patience=PATIENCE)

LIBRARIES = {
    "LightGBM": LGBMRanker(
        n_estimators=N_ROUNDS, num_leaves=7, num_threads=1, verbose=-1
    ),
    "XGBoost": XGBRanker(n_estimators=N_ROUNDS, max_depth=4, n_jobs=1),
    "CatBoost": CatBoostRanker(
        iterations=N_ROUNDS,
        depth=3,
        thread_count=1,
        verbose=False,
        allow_writing_files=False,
    ),
    "HistGradientBoosting": HistGradientBoostingRegressor(
        max_iter=N_ROUNDS, max_leaf_nodes=7, early_stopping=False
    ),
}
METRICS = ["mrr", "rbp(max_grade=3)", "neg_mean_rank", "ndcg@5", "hits@3", "query_auc"]
library = pytest.mark.parametrize("library", LIBRARIES)


@cache
def split():
    """Return the rows to train on and those held out, grouped by query."""
    return tuple(part.by_query() for part in hold_out(FitRows(X, Y, CODES), 0.3, 0))


def staged(model, X):
    """Return the predictions after each round."""
    if isinstance(model, LGBMRanker):
        return [model.predict(X, num_iteration=i) for i in range(1, N_ROUNDS + 1)]
    if isinstance(model, XGBRanker):
        return [
            model.predict(X, iteration_range=(0, i)) for i in range(1, N_ROUNDS + 1)
        ]
    if isinstance(model, HistGradientBoostingClassifier):
        return [stage @ model.classes_ for stage in model.staged_predict_proba(X)]
    return list(model.staged_predict(X))


def fit_whole(model, weight=None):
    """Fit all rounds to the rows that are not held out, without skrank."""
    rows, _ = split()
    if isinstance(model, LGBMRanker):
        given = {"group": rows.sizes}
    elif isinstance(model, XGBRanker):
        given = {"qid": rows.codes}
    elif isinstance(model, CatBoostRanker):
        given = {"group_id": rows.codes}
    else:
        given = {}
    if weight is not None:
        given["sample_weight"] = weight
    return clone(model).fit(rows.X, rows.y, **given)


@cache
def whole_predictions(library):
    return staged(fit_whole(LIBRARIES[library]), split()[1].X)


def rounds_of(model, key):
    """Return the number of trees that a model predicts with, and the values so far."""
    if isinstance(model, LGBMRanker):
        return model.best_iteration_, model.evals_result_["valid_0"][key]
    if isinstance(model, XGBRanker):
        return model.best_iteration + 1, model.evals_result()["held_out"][key]
    if isinstance(model, CatBoostRanker):
        return model.tree_count_, model.evals_result_["validation"][key]
    return model.n_iter_, model.validation_score_[1:].tolist()


def assert_stopped_as_by_hand(ranker, key, predictions, values):
    best, last = stop_by_hand(values, PATIENCE)
    n_trees, trace = rounds_of(ranker.estimator_, key)
    assert n_trees == best
    assert trace == values[:last]
    # The sum over the classes of a classifier may be rounded otherwise.
    np.testing.assert_allclose(
        ranker.predict(split()[1].X), predictions[best - 1], rtol=1e-14
    )


@library
@pytest.mark.parametrize(
    ("metric", "params"),
    [
        *((metric, {}) for metric in METRICS),
        ("ndcg@5", {"gain": "linear"}),
        ("ndcg@5", {"convention": "lightgbm"}),
        ("mrr", {"ties": "pessimistic", "adjusted": True}),
        ("neg_median_rank", {}),
    ],
)
def test_as_many_rounds_as_in_a_loop_over_predictions(library, metric, params):
    _, held = split()
    predictions = whole_predictions(library)
    values = [
        evaluate(held.y, scores, metric, qid=held.codes, **params)[metric]
        for scores in predictions
    ]
    ranker = stopped(LIBRARIES[library], make_ranking_scorer(metric, **params))
    assert_stopped_as_by_hand(ranker, metric, predictions, values)


@library
def test_a_function_of_the_user_stops_by_its_sign(library):
    def regret(y_true, y_score, *, qid):
        return 1 - evaluate(y_true, y_score, "mrr", qid=qid)["mrr"]

    _, held = split()
    predictions = whole_predictions(library)
    values = [-regret(held.y, scores, qid=held.codes) for scores in predictions]
    scorer = make_ranking_scorer(regret, greater_is_better=False)
    ranker = stopped(LIBRARIES[library], scorer)
    assert_stopped_as_by_hand(ranker, "neg_regret", predictions, values)


@library
def test_a_slow_rise_after_the_best_round_is_no_improvement(library):
    values = [0.9, *np.linspace(0.1, 0.8, N_ROUNDS)]
    before = [1.0] if library == "HistGradientBoosting" else []
    told = iter(before + values)

    def scripted(y_true, y_score, *, qid):
        return next(told)

    ranker = stopped(LIBRARIES[library], make_ranking_scorer(scripted))
    n_trees, trace = rounds_of(ranker.estimator_, "scripted")
    assert n_trees == 1
    assert trace == values[: 1 + PATIENCE]


@library
def test_held_out_queries_count_with_the_mean_weight_of_their_rows(library):
    _, held = split()
    weight = WEIGHT + 0.02 * (np.arange(len(Y)) % 2)  # of rows, not of queries
    # These two say what they do with such weights in their training.
    says = library in ("XGBoost", "CatBoost")
    with pytest.warns(UserWarning, match="weights") if says else nullcontext():
        ranker = stopped(LIBRARIES[library], "mrr", sample_weight=weight)
    held_rows = hold_out(FitRows(X, Y, CODES, weight), 0.3, 0)[1].by_query()
    means = [held_rows.weight[held.codes == query].mean() for query in range(60)]
    n_trees, trace = rounds_of(ranker.estimator_, "mrr")
    values = by_query(held.y, ranker.predict(held.X), "mrr", qid=held.codes)["mrr"]
    np.testing.assert_allclose(
        trace[n_trees - 1], np.average(values, weights=means), rtol=1e-12
    )
    assert trace[n_trees - 1] != values.mean()


def test_a_classifier_stops_by_its_expected_grade():
    classifier = HistGradientBoostingClassifier(max_iter=20, max_leaf_nodes=7)
    _, held = split()
    model = fit_whole(classifier.set_params(early_stopping=False))
    predictions = staged(model, held.X)
    values = [
        evaluate(held.y, scores, "ndcg@5", qid=held.codes)["ndcg@5"]
        for scores in predictions
    ]
    ranker = stopped(classifier, "ndcg@5")
    assert_stopped_as_by_hand(ranker, "ndcg@5", predictions, values)


def test_an_estimator_that_runs_to_its_end_is_fitted_once():
    calls = []

    class Counted(HistGradientBoostingRegressor):
        def fit(self, X, y, sample_weight=None):
            calls.append(len(X))
            return super().fit(X, y, sample_weight)

    _, held = split()
    for n_rounds in range(1, 6):
        calls.clear()
        ranker = stopped(Counted(max_iter=n_rounds), "mrr")
        values = ranker.estimator_.validation_score_
        assert len(values) == n_rounds + 1
        assert len(calls) == 2 - (np.argmax(values[1:]) == n_rounds - 1)
        tied = evaluate(held.y, 0.0 * held.y, "mrr", qid=held.codes)
        assert values[0] == tied["mrr"]


@library
def test_the_fitted_model_and_its_pickle_hold_no_held_out_rows(library):
    ranker = stopped(LIBRARIES[library], "mrr", sample_weight=WEIGHT)
    held = hold_out(FitRows(X, Y, CODES, WEIGHT), 0.3, 0)[1].by_query()
    text = pickle.dumps(ranker)
    for array in (held.X, held.X.astype(np.float32), held.y, held.codes, held.weight):
        assert array.tobytes() not in text
        assert array.tobytes()[: len(array.tobytes()) // 4] not in text
    assert pickle.loads(text).predict(X).tolist() == ranker.predict(X).tolist()
    again = clone(ranker).fit(X, Y, qid=CODES, sample_weight=WEIGHT)
    assert again.predict(X).tolist() == ranker.predict(X).tolist()
    clone(ranker.estimator_)


def test_the_callbacks_of_the_user_are_called_and_given_back():
    class Counts(TrainingCallback):
        n_rounds = 0

        def after_iteration(self, model, epoch, evals_log):
            Counts.n_rounds += 1
            return False

    callbacks = [Counts()]
    model = XGBRanker(n_estimators=20, n_jobs=1, callbacks=callbacks)
    ranker = stopped(model, "mrr")
    assert Counts.n_rounds == len(ranker.estimator_.evals_result()["held_out"]["mrr"])
    assert [type(one) for one in ranker.estimator_.callbacks] == [Counts]
    assert model.callbacks is callbacks


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (LGBMRanker(), {"boosting_type": "dart"}),
        (LGBMRanker(), {"boosting": "dart"}),
        (XGBRanker(), {"booster": "dart"}),
        (XGBRanker(), {"booster": "gblinear"}),
    ],
)
def test_a_model_that_is_not_that_of_its_best_round_is_refused(model, name):
    (value,) = name.values()
    with pytest.raises(ValueError, match=f"'{value}' cannot stop early"):
        stopped(clone(model).set_params(**name), "mrr")
