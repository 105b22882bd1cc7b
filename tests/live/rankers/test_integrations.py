"""Metrics of skrank in XGBoost and CatBoost themselves, and the code of the page."""

# SPDX-License-Identifier: BSD-3-Clause

import pickle
import re
import textwrap
from pathlib import Path

import numpy as np
import pytest
import xgboost as xgb
from catboost import CatBoostError, CatBoostRanker, Pool
from sklearn.base import clone
from xgboost import XGBRanker
from xgboost.callback import EarlyStopping

from skrank.datasets import make_ranking
from skrank.integrations import catboost_metric, xgboost_metric
from skrank.metrics import evaluate, make_ranking_scorer, mrr_score

X, Y, QID = make_ranking(
    80, n_documents=(3, 9), n_features=6, n_informative=3, n_grades=3, random_state=7
)
TRAIN, HELD = QID < 55, QID >= 55
BY_ID = {"X": X[HELD], "y": Y[HELD], "qid": QID[HELD]}
BOOSTER = {"objective": "rank:ndcg", "nthread": 1, "disable_default_eval_metric": True}


def value(y_score, metric="mrr", rows=HELD, **params):
    return evaluate(Y[rows], y_score, metric, qid=QID[rows], **params)[metric]


def matrix(rows, **given):
    return xgb.DMatrix(X[rows], Y[rows], qid=QID[rows], **given)


@pytest.mark.parametrize(
    "metric", ["mrr", "neg_mean_rank", "ndcg@5", "rbp(max_grade=2)"]
)
def test_custom_metric_has_the_values_up_to_six_decimals(metric):
    record = {}
    booster = xgb.train(
        BOOSTER,
        matrix(TRAIN),
        15,
        evals=[(matrix(TRAIN), "train"), (matrix(HELD), "held")],
        custom_metric=xgboost_metric(metric),
        evals_result=record,
        verbose_eval=False,
    )
    for name, rows in (("train", TRAIN), ("held", HELD)):
        expected = [
            value(booster.predict(matrix(rows), iteration_range=(0, i)), metric, rows)
            for i in range(1, 16)
        ]
        assert list(record[name]) == [metric]
        np.testing.assert_allclose(record[name][metric], expected, atol=5.1e-7)


def test_custom_metric_weights_queries_by_the_weights_of_the_matrix():
    record, weight = {}, 1.0 + np.arange(25) % 3
    booster = xgb.train(
        BOOSTER,
        matrix(TRAIN),
        3,
        evals=[(matrix(HELD, weight=weight), "held")],
        custom_metric=xgboost_metric("mrr"),
        evals_result=record,
        verbose_eval=False,
    )
    of_rows = weight[QID[HELD] - 55]
    expected = value(booster.predict(matrix(HELD)), sample_weight=of_rows)
    np.testing.assert_allclose(record["held"]["mrr"][-1], expected, atol=5.1e-7)


def test_cross_validation_of_xgboost_takes_a_custom_metric():
    # With nfold it keeps the queries whole; with `folds` it refuses queries.
    result = xgb.cv(
        BOOSTER,
        matrix(QID >= 0),
        3,
        nfold=2,
        custom_metric=xgboost_metric("mrr"),
        as_pandas=False,
    )
    assert len(result["test-mrr-mean"]) == 3
    assert 0.5 < result["test-mrr-mean"][-1] < result["train-mrr-mean"][-1] <= 1


def test_the_callback_is_exact_and_stops_early_when_cloned_too():
    metric = xgboost_metric("neg_mean_rank", **BY_ID)
    model = XGBRanker(
        n_estimators=50,
        n_jobs=1,
        callbacks=[
            metric,
            EarlyStopping(
                rounds=4, metric_name=metric.name, data_name="held_out", maximize=True
            ),
        ],
    )
    again = clone(model)
    for one in (model, again):
        one.fit(X[TRAIN], Y[TRAIN], qid=QID[TRAIN])
        values = one.evals_result()["held_out"]["neg_mean_rank"]
        expected = [
            value(one.predict(X[HELD], iteration_range=(0, i)), "neg_mean_rank")
            for i in range(1, len(values) + 1)
        ]
        assert values == expected
        assert len(values) == one.best_iteration + 1 + 4 < 50
    assert pickle.loads(pickle.dumps(metric)).name == "neg_mean_rank"


def test_a_callback_without_rows_and_a_matrix_without_queries_are_refused():
    model = XGBRanker(n_estimators=3, callbacks=[xgboost_metric("mrr")])
    with pytest.raises(ValueError, match="Pass X, y and qid to xgboost_metric"):
        model.fit(X[TRAIN], Y[TRAIN], qid=QID[TRAIN])
    with pytest.raises(ValueError, match="Pass qid to DMatrix"):
        xgboost_metric("mrr")(np.zeros(2), xgb.DMatrix(X[:2], Y[:2]))
    with pytest.raises(ValueError, match=r"For xgb\.cv pass it as custom_metric"):
        xgb.cv(
            BOOSTER,
            matrix(TRAIN),
            2,
            nfold=2,
            callbacks=[xgboost_metric("mrr", **BY_ID)],
        )


def test_the_documented_traps_of_xgboost_are_still_there():
    def mrr(y_true, y_score):
        return mrr_score(y_true, y_score)

    held = {"eval_set": [(X[HELD], Y[HELD])], "eval_qid": [QID[HELD]]}
    model = XGBRanker(n_estimators=8, n_jobs=1, eval_metric=mrr)
    model.fit(X[TRAIN], Y[TRAIN], qid=QID[TRAIN], verbose=False, **held)
    last = model.evals_result()["validation_0"]["mrr"][-1]
    y_score = model.predict(X[HELD])
    assert abs(last - value(y_score)) > 1e-3
    assert abs(last - value(y_score, average="weighted")) < 1e-6  # by query size
    # It minimizes a metric whose name it does not know.
    booster = xgb.train(
        BOOSTER,
        matrix(TRAIN),
        50,
        evals=[(matrix(HELD), "held")],
        custom_metric=xgboost_metric("mrr"),
        early_stopping_rounds=3,
        evals_result=(record := {}),
        verbose_eval=False,
    )
    assert booster.best_iteration == np.argmin(record["held"]["mrr"])


def test_xgbranker_refuses_the_metric_as_its_eval_metric():
    model = XGBRanker(n_estimators=2, n_jobs=1, eval_metric=xgboost_metric("mrr"))
    with pytest.raises(TypeError, match=r"pass XGBRanker\(callbacks=\[metric"):
        model.fit(
            X[TRAIN],
            Y[TRAIN],
            qid=QID[TRAIN],
            eval_set=[(X[HELD], Y[HELD])],
            eval_qid=[QID[HELD]],
            verbose=False,
        )


def test_catboost_stops_with_the_cause_if_the_rows_are_in_another_order():
    metric = catboost_metric("mrr", y=Y[HELD][::-1], qid=QID[HELD][::-1])
    model = CatBoostRanker(
        iterations=20, eval_metric=metric, verbose=False, allow_writing_files=False
    )
    pool = Pool(X[HELD], Y[HELD], group_id=QID[HELD])
    with pytest.raises(CatBoostError, match="needs the grades of the eval_set"):
        model.fit(X[TRAIN], Y[TRAIN], group_id=QID[TRAIN], eval_set=pool)


def test_catboost_records_the_values_under_the_name_and_is_cloned():
    metric = catboost_metric(
        make_ranking_scorer("ndcg@5", gain="linear"), y=Y[HELD], qid=QID[HELD]
    )
    pool = Pool(X[HELD], Y[HELD], group_id=QID[HELD])
    model = CatBoostRanker(
        iterations=10,
        eval_metric=metric,
        thread_count=2,
        verbose=False,
        allow_writing_files=False,
    )
    model = clone(clone(model)).fit(
        X[TRAIN], Y[TRAIN], group_id=QID[TRAIN], eval_set=pool, use_best_model=False
    )
    expected = [
        value(scores, "ndcg@5", gain="linear") for scores in model.staged_predict(pool)
    ]
    assert model.evals_result_["validation"]["ndcg@5"] == expected
    assert set(model.evals_result_["learn"]["ndcg@5"]) == {0.0}
    again = pickle.loads(pickle.dumps(model))
    assert again.predict(X).tolist() == model.predict(X).tolist()


def test_a_metric_that_is_undefined_stops_catboost_with_the_cause():
    metric = catboost_metric(
        "mrr", y=Y[HELD], qid=QID[HELD], threshold=9, replace_undefined_by=np.nan
    )
    model = CatBoostRanker(
        iterations=2, eval_metric=metric, verbose=False, allow_writing_files=False
    )
    pool = Pool(X[HELD], Y[HELD], group_id=QID[HELD])
    with (
        pytest.warns(UserWarning, match="undefined for every query"),
        pytest.raises(CatBoostError, match="'mrr' is undefined for every query"),
    ):
        model.fit(X[TRAIN], Y[TRAIN], group_id=QID[TRAIN], eval_set=pool)


PAGE = Path(__file__).parents[3] / "docs" / "integrations.rst"
BLOCKS = re.findall(
    r"code-block:: python\n\n((?: {4}.*\n|\n)+)", PAGE.read_text("utf-8")
)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_the_code_of_the_page_runs(block):
    names = {
        "X": X[TRAIN],
        "y": Y[TRAIN],
        "qid": QID[TRAIN],
        "X_held": X[HELD],
        "y_held": Y[HELD],
        "qid_held": QID[HELD],
        "sizes": np.bincount(QID[TRAIN]),
        "sizes_held": np.bincount(QID[HELD] - 55),
    }
    exec(textwrap.dedent(block), names)
    assert names["best"] > 0
