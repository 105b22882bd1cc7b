"""Metric functions in `make_scorer` of scikit-learn, and passed as scorers."""

# SPDX-License-Identifier: BSD-3-Clause

import pickle
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
import sklearn
from joblib import parallel_config
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    cross_val_score,
    cross_validate,
)

import skrank.metrics
from skrank._engine.request import METRICS, metric_of
from skrank.metrics import (
    make_ranking_scorer,
    mean_rank,
    mrr_score,
    ndcg_score,
    recall_at_k_score,
)
from skrank.model_selection import QueryKFold
from skrank.rankers import QueryRanker

X = np.arange(24.0).reshape(12, 2)
Y = np.array([0, 1, 0, 1, 0, 2, 1, 0, 0, 0, 1, 2])
QID = np.repeat([5, 6, 7, 8], 3)
MODEL = LinearRegression().fit(X, Y)
MESSAGE = (
    "All rows of a fold are ranked as one query.* in the index of y, named 'qid', or "
    r"by metadata routing, after set_score_request\(qid=True\); a column of X does "
    "not.*scoring='ndcg@10'"
)


RECALL_AT_2 = partial(recall_at_k_score, k=2)
RECALL_AT_2.__name__ = "recall_at_2"  # scikit-learn 1.6 prints it in cross-validation

SCORERS = {
    "a function": make_scorer(mrr_score),
    "one with a parameter": make_scorer(ndcg_score, k=10),
    "lower is better": make_scorer(mean_rank, greater_is_better=False),
    "partial": make_scorer(RECALL_AT_2),
    "a clone": clone(make_scorer(ndcg_score, k=10), safe=False),
    "a pickle": pickle.loads(pickle.dumps(make_scorer(ndcg_score, k=10))),
}


# The metric functions by name, and rows of 20 queries with all columns that they read.
FUNCTIONS = {
    name: metric
    for name in skrank.metrics.__all__
    if (metric := metric_of(getattr(skrank.metrics, name))) is not None
}
RNG = np.random.default_rng(0)
QIDS = np.repeat(np.arange(20), 6)
FEATURES, GRADES = RNG.normal(size=(120, 2)), RNG.choice(4, 120, p=[0.7, 0.1, 0.1, 0.1])
COLUMNS = {
    "subtopics": RNG.random((120, 3)) < 0.2,
    "group": RNG.integers(0, 2, 120),
    "features": RNG.normal(size=(120, 2)),
    "popularity": RNG.uniform(0.1, 1, 120),
    "propensity": RNG.uniform(0.1, 1, 120),
    "expected": RNG.uniform(0, 1, 120),
}


def cross_validated(scoring, X=FEATURES, y=GRADES, **params):
    """Return the scores of three folds, by name, as lists."""
    params |= {"cv": QueryKFold(3), "error_score": "raise"}
    found = cross_validate(QueryRanker(Ridge()), X, y, scoring=scoring, **params)
    return {name: found[f"test_{name}"].tolist() for name in scoring}


def made_by_scikit_learn(metric):
    """Return the name of a scorer, and that which make_scorer makes of the function."""
    cut, scaled = metric.cutoff != "never", "max_grade" in metric.defaults
    is_greater = not metric.full_name.startswith("neg_")
    params = ({"k": 3} if cut else {}) | ({"max_grade": 3} if scaled else {})
    made = make_scorer(metric.function, greater_is_better=is_greater, **params)
    return metric.full_name + "(max_grade=3)" * scaled + "@3" * cut, made


@pytest.mark.slow
def test_every_metric_function_in_make_scorer_equals_its_scorer_name():
    made = dict(map(made_by_scikit_learn, FUNCTIONS.values()))
    params = {"qid": QIDS, **COLUMNS}
    with sklearn.config_context(enable_metadata_routing=True):
        expected = cross_validated([*made], params=params)
        asking = {
            name: clone(scorer, safe=False).set_score_request(
                **dict.fromkeys(["qid", *metric.columns], True)
            )
            for metric, (name, scorer) in zip(
                FUNCTIONS.values(), made.items(), strict=True
            )
        }
        assert cross_validated(asking, params=params) == expected
    for name, values in expected.items():
        assert len({*values}) > 1 or name == "judged@3"  # without unjudged rows


@pytest.mark.slow
def test_metric_functions_in_make_scorer_read_the_index_and_no_column():
    by_index = pd.Series(GRADES, index=pd.Index(QIDS, name="qid"))
    frame = pd.DataFrame(FEATURES).add_prefix("f").assign(qid=QIDS)[:60]
    ranker = QueryRanker(Ridge()).fit(FEATURES, by_index)
    made = {}
    for metric in FUNCTIONS.values():
        name, scorer = made_by_scikit_learn(metric)
        if needed := {*metric.columns} - {*metric.optional}:
            with pytest.raises(TypeError, match=f"missing .* argument.*{min(needed)}"):
                scorer(ranker, FEATURES, by_index)
        else:
            made[name] = scorer
            with pytest.warns(UserWarning, match=MESSAGE):  # the column is not read
                cross_validated({name: scorer}, frame, GRADES[:60])
    assert len(made) > 20
    found = cross_validated(made, y=by_index)
    assert found == cross_validated([*made], y=by_index)


def test_the_table_above_has_every_metric_function():
    functions = {
        metric.function
        for metric in METRICS.values()
        if metric.function is not None and metric.own is None
    }
    assert functions == {metric.function for metric in FUNCTIONS.values()}


@pytest.mark.parametrize(
    ("metric", "name"),
    [
        (ndcg_score, "ndcg"),
        (mean_rank, "neg_mean_rank"),
        (recall_at_k_score, "recall@10"),
        (partial(ndcg_score, k=5), "ndcg"),
    ],
    ids=["plain", "lower is better", "with a cutoff", "partial"],
)
def test_a_metric_function_as_scoring_raises_the_error_with_the_name(metric, name):
    search = GridSearchCV(Ridge(), {"alpha": [1]}, scoring=metric, error_score="raise")
    with pytest.raises(TypeError, match=f"is a metric, not a scorer.*scoring='{name}'"):
        search.fit(X, Y)


@pytest.mark.parametrize("name", SCORERS)
def test_a_scorer_that_ranks_a_fold_as_one_query_warns(name):
    for rows in ((X, Y), (pd.DataFrame(X), pd.Series(Y))):
        with pytest.warns(UserWarning, match=MESSAGE):
            cross_val_score(Ridge(), *rows, scoring=SCORERS[name], cv=2)


@pytest.mark.slow
def test_the_two_right_ways_are_silent_and_differ_from_one_query_per_fold():
    with sklearn.config_context(enable_metadata_routing=True):
        of_queries = [
            cross_val_score(
                Ridge(), X, Y, cv=GroupKFold(2), scoring=scoring,
                params={"groups": QID, "qid": QID},
            )
            for scoring in ("ndcg@10", make_ranking_scorer(ndcg_score, k=10))
        ]  # fmt: skip
    assert of_queries[0].tolist() == of_queries[1].tolist()
    with pytest.warns(UserWarning, match=MESSAGE):
        of_folds = cross_val_score(
            Ridge(), X, Y, cv=GroupKFold(2), groups=QID,
            scoring=make_scorer(ndcg_score, k=10),
        )  # fmt: skip
    assert (of_folds != of_queries[0]).all()


def test_calls_with_query_ids_and_direct_calls_are_silent():
    y_score = MODEL.predict(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ndcg_score(Y, y_score)
        partial(ndcg_score, k=10)(Y, y_score)
        by_index = pd.Series(Y, index=pd.Index(QID, name="qid"))
        value = make_scorer(ndcg_score, k=10)(MODEL, X, by_index)
        assert value == ndcg_score(Y, y_score, qid=QID, k=10)
        with sklearn.config_context(enable_metadata_routing=True):
            asks = make_scorer(ndcg_score, k=10).set_score_request(qid=True)
            assert asks(MODEL, X, Y, qid=QID) == value


def test_a_ranker_that_takes_a_fold_for_one_query_on_purpose_is_silent():
    ranker = QueryRanker(Ridge(), missing_qid="single")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(cross_val_score(ranker, X, Y, cv=GroupKFold(2), groups=QID)) == 2


def test_rows_of_a_matrix_are_queries_and_silent():
    targets = np.column_stack([Y, 2 - Y])
    model = LinearRegression().fit(X, targets)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value = make_scorer(ndcg_score)(model, X, targets)
    assert value == ndcg_score(targets, model.predict(X))


def test_workers_warn_as_well():
    """A thread has no frames of the call, as a process; one job at a time counts."""
    scorer = make_scorer(ndcg_score, k=10)

    def count_warnings(estimator, X, y):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            scorer(estimator, X, y)
        return sum("All rows of a fold are" in str(one.message) for one in caught)

    options = {"scoring": count_warnings, "cv": 2, "n_jobs": 2, "pre_dispatch": 1}
    with parallel_config(backend="threading"):
        assert cross_val_score(Ridge(), X, Y, **options).tolist() == [1, 1]
        search = GridSearchCV(Ridge(), {"alpha": [1, 2]}, **options).fit(X, Y)
    assert search.cv_results_["mean_test_score"].tolist() == [1, 1]
