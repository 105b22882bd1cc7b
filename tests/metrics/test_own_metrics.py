"""Metrics that users define, in evaluate and in scorers."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import functools

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_validate

import skrank.metrics
from skrank.metrics import evaluate, make_ranking_scorer
from skrank.metrics._evaluate import takes_a_ranking
from skrank.model_selection import QueryKFold


def led(ranking):
    """Tell whether a query is led by a relevant document."""
    return ranking.expected_at_first(lambda rank: rank == 1)


def led_by(ranking, k=1):
    return ranking.expected_at_first(lambda rank: rank <= k)


class Led:
    def __call__(self, ranking):
        return led(ranking)


@pytest.fixture
def fitted():
    rng = np.random.default_rng(0)
    X, qid = rng.random((60, 2)), np.repeat(np.arange(12), 5)
    y = (X[:, 0] + rng.random(60) > 1.1).astype(int)
    return LinearRegression().fit(X, y), X, y, qid


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        (led, True),
        (led_by, True),
        (Led(), True),
        (functools.partial(led_by, k=2), True),
        (lambda ranking, /: led(ranking), True),
        (skrank.metrics.ndcg_score, False),
        (lambda y_true, y_score, *, qid: 0.0, False),
        (lambda *args, **params: 0.0, False),
        (dict, False),
    ],
)
def test_one_required_argument_makes_a_definition(metric, expected):
    assert takes_a_ranking(metric) is expected


@pytest.mark.parametrize("metric", [led, Led(), functools.partial(led_by, k=1)])
def test_a_scorer_of_a_definition_is_the_metric_of_the_scores(fitted, metric):
    model, X, y, qid = fitted
    expected = evaluate(y, model.predict(X), "hits@1", qid=qid)["hits@1"]
    assert make_ranking_scorer(metric)(model, X, y, qid=qid) == expected
    less = make_ranking_scorer(metric, greater_is_better=False)
    assert less(model, X, y, qid=qid) == -expected


def test_parameters_reach_a_definition_through_the_ranking(fitted):
    _, X, y, qid = fitted
    constant = LinearRegression().fit(X * 0, y)
    for ties in ("expected", "first", "optimistic", "pessimistic"):
        expected = evaluate(y, X[:, 0] * 0, "hits@1", qid=qid, ties=ties)["hits@1"]
        scorer = make_ranking_scorer(led, ties=ties)
        assert scorer(constant, X * 0, y, qid=qid) == pytest.approx(expected)
    scorer = make_ranking_scorer(led, convention="catboost")
    expected = evaluate(y, X[:, 0] * 0, led, qid=qid, ties="pessimistic")["led"]
    assert scorer(constant, X * 0, y, qid=qid) == expected


def test_a_definition_goes_through_cross_validation(fitted):
    model, X, y, qid = fitted
    with skrank_routing():
        scoring = {"own": make_ranking_scorer(led), "hits": "hits@1"}
        scores = cross_validate(
            model, X, y, scoring=scoring, cv=QueryKFold(3), params={"qid": qid}
        )
    assert scores["test_own"].tolist() == scores["test_hits"].tolist()


def skrank_routing():
    import sklearn

    return sklearn.config_context(enable_metadata_routing=True)


def test_a_scorer_of_a_definition_asks_for_the_queries(fitted):
    model, X, y, _ = fitted
    with pytest.raises(ValueError, match="Got no query ids"):
        make_ranking_scorer(led)(model, X, y)


@pytest.mark.parametrize(
    ("params", "error", "match"),
    [
        ({"gain": "linear"}, TypeError, "'gain'"),
        ({"ties": "random"}, ValueError, "'ties'"),
        ({"convention": "lightgmb"}, ValueError, "'lightgbm'"),
        ({"doc_id": [1, 2]}, TypeError, "'doc_id' has a value per row"),
    ],
)
def test_a_wrong_parameter_raises_before_anything_is_scored(params, error, match):
    with pytest.raises(error, match=match):
        make_ranking_scorer(led, **params)


def test_a_function_of_two_arguments_is_no_definition():
    with pytest.raises(
        ValueError, match="takes a RankedQueries as its only required argument"
    ):
        evaluate([1, 0], [2, 1], lambda y_true, y_score: 0.0)


def test_a_definition_that_is_undefined_everywhere_warns_where_it_is_called():
    def nothing(ranking):
        return np.full(ranking.n_queries, np.nan)

    with pytest.warns(UndefinedMetricWarning) as record:
        evaluate([1, 0], [2, 1], nothing, replace_undefined_by=np.nan)
    assert record[0].filename == __file__


@pytest.mark.parametrize("name", ["map", "ndcg@3", "bpref", "recall@2", "mrr"])
def test_what_was_not_returned_counts_and_what_was_not_judged_does_not(name):
    y_true, y_score = np.array([0, 2, 1, 1, 0, 1]), np.array([6.0, 5, 4, 3, 2, 1])
    judged = np.array([True, True, True, False, True, True])
    returned = np.array([True, True, False, True, True, False])
    got = evaluate(y_true, y_score, name, judged=judged, returned=returned)[name]
    # Behind all others, and with the grade 0, they would stand as they count.
    as_last = np.where(returned, y_score, -np.inf)
    plain = {
        "map": (1 / 2) / 3,
        "ndcg@3": (3 / np.log2(3)) / (3 + 1 / np.log2(3) + 1 / 2),
        "bpref": (1 - 1 / 2) / 3,
        "recall@2": 1 / 3,
        "mrr": 1 / 2,
    }
    assert got == pytest.approx(plain[name])
    if name in ("recall@2", "mrr", "ndcg@3"):
        grades = np.where(judged, y_true, 0)
        assert got == pytest.approx(evaluate(grades, as_last, name)[name])
