"""MLflow: searches logged by autolog, and rankers as models."""

# SPDX-License-Identifier: BSD-3-Clause

import mlflow
import numpy as np
import pandas as pd
import pytest
from mlflow.exceptions import MlflowException
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV

from skrank.datasets import make_ranking
from skrank.metrics import evaluate
from skrank.model_selection import QueryKFold
from skrank.rankers import PairwiseRanker, QueryRanker, as_regressor
from tests.page_code import run_code

# Those of MLflow and of its dependencies.
pytestmark = pytest.mark.filterwarnings("ignore")

X, Y, QID = make_ranking(30, random_state=0)
FRAME = pd.DataFrame(X).add_prefix("f").assign(qid=QID)
METRICS = ["mrr", "ndcg_at_10", "neg_median_rank"]


@pytest.fixture(autouse=True, scope="module")
def _tracked(tmp_path_factory):
    # One data base for all tests, which takes long to make.
    folder = tmp_path_factory.mktemp("mlflow")
    mlflow.set_tracking_uri(f"sqlite:///{folder}/mlflow.db")
    mlflow.create_experiment("tests", artifact_location=(folder / "files").as_uri())
    mlflow.set_experiment("tests")
    mlflow.sklearn.autolog(log_models=False)
    yield
    mlflow.sklearn.autolog(disable=True)


def logged(run):
    return mlflow.MlflowClient().get_run(run.info.run_id).data.metrics


def search(scoring):
    """Return a fitted search, and what MLflow has of its candidates."""
    grid = {"estimator__alpha": [0.1, 100.0]}
    with mlflow.start_run() as run:
        fitted = GridSearchCV(
            QueryRanker(Ridge()), grid, cv=QueryKFold(3), scoring=scoring, refit="mrr"
        ).fit(FRAME, Y)
    of_search = f"tags.mlflow.parentRunId = '{run.info.run_id}'"
    client, place = mlflow.MlflowClient(), [run.info.experiment_id]
    return fitted, [child.data for child in client.search_runs(place, of_search)]


def test_autolog_of_a_search_logs_every_metric_under_names_without_at():
    fitted, candidates = search(METRICS)
    of_alpha = {float(one.params["estimator__alpha"]): one for one in candidates}
    assert sorted(of_alpha) == [0.1, 100.0]
    for row, alpha in enumerate([0.1, 100.0]):
        for name in METRICS:
            for part in ("mean", "std"):
                column = f"{part}_test_{name}"
                value = of_alpha[alpha].metrics[column]
                assert value == fitted.cv_results_[column][row]


def test_autolog_logs_no_metric_of_a_candidate_if_one_name_has_an_at():
    _, candidates = search(["mrr", "ndcg@10"])
    assert [one.metrics for one in candidates] == [{}, {}]


def test_what_evaluate_returns_can_be_logged():
    values = evaluate([1, 0], [1, 2], METRICS[:2])
    with mlflow.start_run() as run:
        mlflow.log_metrics(values)
    assert logged(run) == values
    with mlflow.start_run(), pytest.raises(MlflowException, match="ndcg@10"):
        mlflow.log_metrics(evaluate([1, 0], [1, 2], ["mrr", "ndcg@10"]))


def test_autolog_of_a_ranker_logs_the_numbers_of_the_estimator_inside():
    with mlflow.start_run() as run:
        ranker = QueryRanker(Ridge()).fit(FRAME, Y)
    inside = r2_score(Y, ranker.predict(FRAME))
    assert logged(run)["training_score"] == pytest.approx(inside)
    assert ranker.score(FRAME, Y) > inside + 0.1  # its NDCG is not logged


@pytest.mark.parametrize("ranker", [QueryRanker(Ridge()), PairwiseRanker()])
def test_a_ranker_is_a_model_that_skops_loads_by_name(ranker):
    ranker.fit(FRAME, Y)
    options = {"name": "ranker", "pip_requirements": ["skrank"]}
    name = f"{type(ranker).__module__}.{type(ranker).__name__}"
    with mlflow.start_run():
        with pytest.raises(MlflowException, match=f"Untrusted types.*'{name}'"):
            mlflow.sklearn.log_model(ranker, **options)
        model = mlflow.sklearn.log_model(ranker, skops_trusted_types=[name], **options)
    loaded = mlflow.sklearn.load_model(model.model_uri)
    assert type(loaded) is type(ranker)
    np.testing.assert_array_equal(loaded.predict(FRAME), ranker.predict(FRAME))
    assert loaded.score(FRAME, Y) == ranker.score(FRAME, Y)
    served = mlflow.pyfunc.load_model(model.model_uri)
    np.testing.assert_array_equal(served.predict(FRAME), ranker.predict(FRAME))


def test_a_search_with_its_scorers_is_a_model_that_skops_loads_by_name():
    fitted, _ = search(METRICS)
    options = {"name": "search", "pip_requirements": ["skrank"]}
    types = [
        "skrank.model_selection.splitters.QueryKFold",
        "skrank.rankers.query_ranker.QueryRanker",
        "skrank.rankers.query_ranker.RankerAsRegressor",
        "skrank.scoring.scorer.RankingScorer",
        "skrank.scoring.scorer.Scored",
    ]
    for model in (fitted, as_regressor(fitted.best_estimator_)):
        with mlflow.start_run():
            saved = mlflow.sklearn.log_model(
                model, skops_trusted_types=types, **options
            )
        loaded = mlflow.sklearn.load_model(saved.model_uri)
        np.testing.assert_array_equal(loaded.predict(FRAME), fitted.predict(FRAME))
    with mlflow.start_run():
        saved = mlflow.sklearn.log_model(fitted, skops_trusted_types=types, **options)
    assert mlflow.sklearn.load_model(saved.model_uri).score(FRAME, Y) == fitted.score(
        FRAME, Y
    )


def test_an_evaluator_logs_ranking_metrics():
    # Their import warns.
    from mlflow.models import EvaluationResult
    from mlflow.models.evaluation import ModelEvaluator, evaluator_registry

    ranker = QueryRanker(Ridge()).fit(FRAME, Y)
    with mlflow.start_run() as run:
        names = run_code(
            "around_the_ranker.rst", "MLflow",
            mlflow=mlflow, ModelEvaluator=ModelEvaluator, evaluate=evaluate,
            EvaluationResult=EvaluationResult, ranker=ranker,
            _model_evaluation_registry=evaluator_registry._model_evaluation_registry,
            frame=FRAME.assign(grade=Y),
        )  # fmt: skip
    expected = evaluate(Y, ranker.predict(FRAME), ["mrr", "ndcg_at_10"], qid=QID)
    assert names["result"].metrics == expected
    found = logged(run)
    assert {name: found[name] for name in expected} == expected
