"""Metrics of skrank in the training of LightGBM, and what all libraries share."""

# SPDX-License-Identifier: BSD-3-Clause

import copy
import inspect
import pickle
import sys
import weakref

import lightgbm as lgb
import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMRanker, LGBMRegressor
from sklearn.base import clone

from skrank.datasets import make_ranking
from skrank.metrics import evaluate, make_ranking_scorer, mean_rank
from skrank.scoring.training import (
    XGBoostMetric,
    catboost_metric,
    lightgbm_metric,
    xgboost_callback,
    xgboost_metric,
)

X, Y, QID = make_ranking(
    60, n_documents=(3, 9), n_features=4, n_informative=3, n_grades=3, random_state=6
)
SIZES = np.bincount(QID)
TRAIN, HELD = QID < 40, QID >= 40
PARAMS = {"verbose": -1, "num_threads": 1, "min_child_samples": 3}


def values_by_hand(model, metric, rows=HELD, n_rounds=8, **params):
    """Evaluate the predictions after each round."""
    values = []
    for i in range(1, n_rounds + 1):
        y_score = model.predict(X[rows], num_iteration=i)
        found = evaluate(Y[rows], y_score, metric, qid=QID[rows], **params)
        values.append(found[metric])
    return values


def fit_ranker(metric, **given):
    ranker = LGBMRanker(n_estimators=8, metric="None", **PARAMS)
    given |= {"eval_set": [(X[HELD], Y[HELD]), (X[TRAIN], Y[TRAIN])]}
    given |= {"eval_group": [SIZES[40:], SIZES[:40]], "eval_metric": metric}
    return ranker.fit(X[TRAIN], Y[TRAIN], group=SIZES[:40], **given)


pytestmark = pytest.mark.filterwarnings(
    "ignore:X does not have valid feature names",
    "ignore:The argument 'eval_set' is deprecated",
)


@pytest.mark.slow
@pytest.mark.parametrize("weight", [None, 1.0 + QID % 2], ids=["", "weights"])
@pytest.mark.parametrize(
    ("metric", "params"),
    [("mrr", {}), ("neg_mean_rank", {}), ("ndcg@3", {"gain": "linear"}), ("map", {})],
)
def test_a_ranker_records_the_values_of_its_predictions(metric, params, weight):
    parts, given = (HELD, TRAIN), {}
    if weight is not None:
        given = {"eval_sample_weight": [weight[rows] for rows in parts]}
    model = fit_ranker(lightgbm_metric(metric, **params), **given)
    for name, rows in zip(("valid_0", "valid_1"), parts, strict=True):
        of_rows = None if weight is None else weight[rows]
        expected = values_by_hand(model, metric, rows, sample_weight=of_rows, **params)
        assert model.evals_result_[name] == {metric: expected}


@pytest.mark.parametrize("weight", [None, 1.0 + QID[HELD] % 2], ids=["", "weights"])
def test_the_function_train_takes_the_same_object_and_passes_weights(weight):
    train, record = lgb.Dataset(X[TRAIN], Y[TRAIN], group=SIZES[:40]), {}
    given = {"group": SIZES[40:], "weight": weight}
    booster = lgb.train(
        {"objective": "lambdarank", "metric": "None", **PARAMS},
        train,
        num_boost_round=8,
        valid_sets=[lgb.Dataset(X[HELD], Y[HELD], reference=train, **given)],
        feval=lightgbm_metric(make_ranking_scorer(mean_rank)),
        callbacks=[lgb.record_evaluation(record)],
    )
    expected = values_by_hand(booster, "neg_mean_rank", sample_weight=weight)
    assert record["valid_0"] == {"neg_mean_rank": expected}
    assert (weight is None) == (expected == values_by_hand(booster, "neg_mean_rank"))


def test_cross_validation_evaluates_each_fold():
    data = lgb.Dataset(X, Y, group=SIZES)
    folds = [np.flatnonzero(TRAIN), np.flatnonzero(HELD)]
    result = lgb.cv(
        {"objective": "lambdarank", "metric": "None", **PARAMS},
        data,
        num_boost_round=3,
        folds=[(folds[0], folds[1]), (folds[1], folds[0])],
        feval=lightgbm_metric("mrr"),
        return_cvbooster=True,
    )
    boosters = result["cvbooster"].boosters
    of_folds = [
        values_by_hand(booster, "mrr", rows, 3)
        for booster, rows in zip(boosters, (HELD, TRAIN), strict=True)
    ]
    np.testing.assert_allclose(result["valid mrr-mean"], np.mean(of_folds, axis=0))


def test_a_regressor_needs_the_queries_beforehand():
    def fit(metric):
        model = LGBMRegressor(n_estimators=3, metric="None", **PARAMS)
        held = [(X[HELD], Y[HELD])]
        return model.fit(X[TRAIN], Y[TRAIN], eval_set=held, eval_metric=metric)

    with pytest.raises(ValueError, match=r"passes none. Pass eval_group.*group=None"):
        fit(lightgbm_metric("mrr"))
    model = fit(lightgbm_metric("mrr", y=Y[HELD], qid=QID[HELD]))
    found = model.evals_result_["valid_0"]["mrr"]
    assert found == values_by_hand(model, "mrr", HELD, 3)


def test_a_regressor_refuses_documents_that_are_not_those_of_the_evaluation_set():
    metric = lightgbm_metric("mrr", y=Y[HELD], qid=QID[HELD])
    with pytest.raises(ValueError, match="in the same order"):
        metric(Y[HELD][::-1], np.zeros(HELD.sum()))
    with pytest.raises(ValueError, match=f"evaluation set of {TRAIN.sum()} documents"):
        metric(Y[TRAIN], np.zeros(TRAIN.sum()))


def test_a_callback_of_xgboost_needs_all_of_its_evaluation_set():
    with pytest.raises(ValueError, match=r"all of X, y and qid.*Got no X\."):
        xgboost_metric("mrr", y=[1, 0], qid=[1, 1])
    with pytest.raises(ValueError, match=r"all of X, y and qid.*Got no y\."):
        xgboost_metric("mrr", X=[[1], [0]])


def test_a_metric_of_the_same_name_is_mixed_with_that_of_lightgbm():
    """The documentation says so, and to pass metric="None"."""
    held = {"eval_set": [(X[HELD], Y[HELD])], "eval_group": [SIZES[40:]]}
    held |= {"eval_at": [3], "eval_metric": lightgbm_metric("ndcg@3")}
    model = LGBMRanker(n_estimators=8, **PARAMS)
    model.fit(X[TRAIN], Y[TRAIN], group=SIZES[:40], **held)
    assert len(model.evals_result_["valid_0"]["ndcg@3"]) == 16


def test_copies_and_pickles_hold_nothing_that_was_prepared():
    metric = lightgbm_metric("mrr")
    size = len(pickle.dumps(metric))
    fit_ranker(metric)  # LightGBM may call a copy
    metric([1, 0], np.array([0.0, 1.0]), None, [2])
    assert len(pickle.dumps(metric)) == size
    for again in (copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):
        assert again([1, 0], np.array([0.0, 1.0]), None, [2]) == ("mrr", 1 / 2, True)


def test_a_metric_that_forgets_keeps_no_evaluation_set():
    y = np.array([0.0, 1.0])
    metric, kept = catboost_metric("mrr", y=y, qid=[0, 0]), weakref.ref(y)
    metric.forget()
    del y
    assert kept() is None


@pytest.mark.slow
def test_values_of_several_sets_do_not_depend_on_their_turns():
    metric, rng = lightgbm_metric("ndcg"), np.random.default_rng(0)
    for _ in range(3):
        for n_rows in range(2, 25):
            grades, scores = np.arange(n_rows) % 3, rng.random(n_rows)
            _, value, _ = metric(grades, scores, None, [n_rows])
            assert value == evaluate(grades, scores, "ndcg")["ndcg"]


def test_all_libraries_have_one_signature():
    one, *others = (
        list(inspect.signature(function).parameters.values())
        for function in (lightgbm_metric, catboost_metric, xgboost_metric)
    )
    own = {"X"}  # XGBRanker passes no queries: its callback predicts
    for other in others:
        assert [parameter for parameter in other if parameter.name not in own] == one
    kinds = [parameter.kind.name for parameter in one]
    assert kinds == ["POSITIONAL_OR_KEYWORD", *["KEYWORD_ONLY"] * 3, "VAR_KEYWORD"]


def test_query_ids_may_be_in_the_index_of_y():
    y = pd.Series(Y[HELD], index=pd.Index(QID[HELD], name="qid"))
    scores = np.arange(HELD.sum())
    by_index = lightgbm_metric("mrr", y=y)(Y[HELD], scores)
    assert by_index == lightgbm_metric("mrr", y=y, qid=QID[HELD])(Y[HELD], scores)
    metric = catboost_metric("mrr", y=y)
    assert metric.evaluate([scores], np.float32(y), None) == (by_index[1], 1.0)


@pytest.mark.parametrize(
    ("args", "params", "error", "match"),
    [
        (["ndgc"], {}, ValueError, "Did you mean 'ndcg'"),
        (["mean_rank"], {}, ValueError, "neg_mean_rank"),
        ([None], {}, TypeError, "'metric' parameter of lightgbm_metric must be"),
        ([make_ranking_scorer(["mrr"])], {}, TypeError, "scorer of one metric"),
        ([make_ranking_scorer("mrr")], {"k": 3}, TypeError, r"Got a scorer and \['k'"),
        (["mrr"], {"gains": 1}, TypeError, "gains"),
        (["mrr"], {"y": [1, 0]}, ValueError, "needs to know which rows"),
    ],
)
def test_what_is_no_metric_is_refused_before_the_training(args, params, error, match):
    with pytest.raises(error, match=match):
        lightgbm_metric(*args, **params)


def test_catboost_needs_its_documents_in_advance():
    with pytest.raises(ValueError, match=r"Pass y and qid\. Got y=None"):
        catboost_metric("mrr")


class DMatrixLike:
    """The documents of two queries, as a DMatrix of XGBoost shows them."""

    def __init__(self, weight):
        self.weight = np.array(weight, dtype=np.float32)

    def get_label(self):
        return np.array([1, 0, 0, 0, 1], dtype=np.float32)

    def get_weight(self):
        return self.weight

    def get_uint_info(self, name):
        assert name == "group_ptr"
        return np.array([0, 2, 5], dtype=np.uint32)


def test_custom_metric_of_xgboost_weights_queries_by_the_weights_of_the_matrix():
    metric = XGBoostMetric(make_ranking_scorer("mrr"))
    scores = np.array([1.0, 2.0, 1.0, 2.0, 3.0])
    # The reciprocal ranks are 1 / 2 and 1.
    assert metric(scores, DMatrixLike([])) == ("mrr", (1 / 2 + 1) / 2)
    assert metric(scores, DMatrixLike([1, 3])) == ("mrr", (1 / 2 + 3 * 1) / 4)
    assert metric(scores, DMatrixLike([3, 1])) == ("mrr", (3 * 1 / 2 + 1) / 4)


def test_without_xgboost_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "xgboost.callback", None)
    xgboost_callback.cache_clear()
    with pytest.raises(ImportError, match=r'pip install "\.\[rankers\]"'):
        xgboost_metric("mrr")


def test_the_metric_of_catboost_answers_for_its_own_documents():
    rows = {"y": [1, 0, 0, 1], "qid": [7, 7, 8, 8], "sample_weight": [1, 1, 3, 3]}
    metric = catboost_metric("mrr", **rows)
    scores = [np.array([1.0, 2.0, 1.0, 2.0])]
    target = np.array([1, 0, 0, 1], dtype=np.float32)
    # The reciprocal ranks are 1 / 2 with weight 1 and 1 with weight 3.
    assert metric.evaluate(scores, target, None) == ((1 / 2 + 3 * 1) / 4, 1.0)
    assert metric.evaluate(scores, 1 - target, None) == (0.0, 1.0)
    assert metric.evaluate([np.zeros(2)], target[:2], None) == (0.0, 1.0)
    assert metric.get_final_error(1 / 2, 1.0) == 1 / 2
    assert type(metric).__name__ == "mrr"
    again = pickle.loads(pickle.dumps(metric))
    assert again.evaluate(scores, target, None)[0] == (1 / 2 + 3) / 4
    assert copy.deepcopy(metric) is metric


def test_the_metric_of_catboost_notices_that_its_documents_never_come():
    metric = catboost_metric("mrr", y=[1, 0, 0, 1], qid=[7, 7, 8, 8])
    scores, own, other = [np.zeros(4)], np.float32([1, 0, 0, 1]), np.float32([0, 1] * 2)
    for _ in range(3):
        # The training set may be the first of two evaluation sets as well.
        for target in (other, other, own):
            metric.evaluate(scores, target, None)
    for target in (other, own[:2], other, own[:2]):
        assert metric.evaluate(scores, target, None) == (0.0, 1.0)
    with pytest.raises(ValueError, match="Got a y of length 4 whose grades"):
        metric.evaluate(scores, other, None)


def test_a_clone_counts_for_itself():
    metric = catboost_metric("mrr", y=[1, 0, 0, 1], qid=[7, 7, 8, 8])
    assert copy.deepcopy(metric) is metric  # or scikit-learn clones no CatBoostRanker
    other = clone(metric, safe=False)
    scores, grades = [np.zeros(2)], np.array([1, 0], dtype=np.float32)
    for one in (metric, other):
        for _ in range(2):
            assert one.evaluate(scores, grades, None) == (0.0, 1.0)
    with pytest.raises(ValueError, match="grades are in no evaluation set"):
        metric.evaluate(scores, grades, None)
    assert metric.evaluate(scores, grades, None) == (0.0, 1.0)  # in another fit
