"""The rule that selects the simplest of the nearly best candidates of a search."""

# SPDX-License-Identifier: BSD-3-Clause

import pickle
import statistics

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    RandomizedSearchCV,
)
from sklearn.tree import DecisionTreeRegressor

from skrank.datasets import make_ranking
from skrank.model_selection import QueryKFold, one_standard_error
from skrank.rankers import QueryRanker

X, Y, QID = make_ranking(40, random_state=2)
DEPTH = "estimator__max_depth"
GRID = {DEPTH: [8, 3, None, 1, 2, 5]}
TREE = QueryRanker(DecisionTreeRegressor(random_state=0))
CV = QueryKFold(5)
RULE = one_standard_error("ndcg@10", complexity=DEPTH)
DEPTHS = {DEPTH: [1, 2, 3, 4, 5, 8]}


@pytest.fixture(autouse=True)
def _routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def results_of(scores, params, metric="score", **columns):
    """Return the results of a search, from lists of scores by candidate."""
    splits = {
        f"split{i}_test_{metric}": np.array(of_split)
        for i, of_split in enumerate(zip(*scores, strict=True))
    }
    return {"params": params, **splits, **columns}


def by_loops(scores, complexity, n_se):
    """Return the selected candidate, by loops over candidates and splits."""
    means = [statistics.fmean(of_candidate) for of_candidate in scores]
    best = means.index(max(means))
    selected = best
    for candidate, of_candidate in enumerate(scores):
        losses = [a - b for a, b in zip(scores[best], of_candidate, strict=True)]
        error = statistics.stdev(losses) / len(losses) ** 0.5
        if means[best] - means[candidate] > n_se * error:
            continue
        simpler = complexity[candidate] < complexity[selected]
        as_simple = complexity[candidate] == complexity[selected]
        if simpler or (as_simple and means[candidate] > means[selected]):
            selected = candidate
    return selected


@pytest.mark.slow
@pytest.mark.parametrize("n_se", [0.0, 0.5, 1.0, 3.0])
def test_the_selection_is_that_of_loops(n_se):
    rng = np.random.default_rng(0)
    rule, n_simpler = one_standard_error(complexity="depth", n_se=n_se), 0
    for _ in range(200):
        n_candidates, n_splits = rng.integers(1, 8), rng.integers(2, 7)
        scores = rng.random(n_splits) + 0.1 * rng.random((n_candidates, n_splits))
        depth = rng.integers(1, 4, n_candidates)
        results = results_of(scores, [{"depth": value} for value in depth])
        expected = by_loops(scores.tolist(), depth.tolist(), n_se)
        assert rule(results) == expected
        n_simpler += expected != scores.mean(axis=1).argmax()
    assert (n_simpler > 20) == (n_se > 0)


def test_the_standard_error_is_that_of_the_difference():
    params = [{"depth": 1}, {"depth": 2}]
    rule = one_standard_error(complexity="depth")
    # Always lower by 0.1, whose standard error is 0, although the scores vary.
    assert rule(results_of([[0.1, 0.8], [0.2, 0.9]], params)) == 1
    # Lower by 0.1 on average, with the differences 0.4 and -0.2 and the error 0.3.
    assert rule(results_of([[0.4, 0.8], [0.8, 0.6]], params)) == 0


def test_of_equally_simple_candidates_the_better_one_is_selected():
    params = [{"depth": 3}, {"depth": 1}, {"depth": 1}]
    scores = [[0.9, 0.5], [0.5, 0.7], [0.6, 0.7]]
    assert one_standard_error(complexity="depth")(results_of(scores, params)) == 2


@pytest.mark.parametrize(
    ("complexity", "selected"),
    [
        ("depth", 1),
        ("-depth", 0),  # None is the largest
        ("-alpha", 2),
        (["alpha", "depth"], 1),
        (["alpha", "-depth"], 0),
        (lambda params: -params["alpha"], 2),
        (lambda params: (params["alpha"], -(params["depth"] or 9)), 0),
    ],
)
def test_complexity_is_read_from_parameters(complexity, selected):
    params = [
        {"depth": None, "alpha": 0.1},
        {"depth": 2, "alpha": np.float64(0.1)},
        {"depth": np.int64(7), "alpha": 10},
    ]
    rule = one_standard_error(complexity=complexity)
    assert rule(results_of([[0.5, 0.5]] * 3, params)) == selected


def test_only_the_last_iteration_of_a_halving_search_is_compared():
    params = [{"depth": 1}, {"depth": 2}, {"depth": 3}, {"depth": 2}, {"depth": 3}]
    scores = [[0.9, 0.9], [0.9, 0.9], [0.9, 0.9], [0.6, 0.5], [0.5, 0.7]]
    results = results_of(scores, params, iter=[0, 0, 0, 1, 1])
    assert one_standard_error(complexity="depth")(results) == 3


def test_candidates_without_a_score_in_each_split_are_left_out():
    params = [{"depth": 1}, {"depth": 2}, {"depth": 3}]
    scores = [[np.nan, 0.9], [0.6, 0.5], [-np.inf, 0.9]]
    assert one_standard_error(complexity="depth")(results_of(scores, params)) == 1


def selected_by_loops(found, metric="score", rows=None):
    """Return the candidate that loops select from the results of a real search."""
    rows = range(len(found["params"])) if rows is None else rows
    scores = [[found[f"split{i}_test_{metric}"][row] for i in range(5)] for row in rows]
    depths = [found["params"][row][DEPTH] or np.inf for row in rows]
    return rows[by_loops(scores, depths, 1.0)]


@pytest.mark.slow
def test_a_grid_search_selects_by_it():
    search = GridSearchCV(TREE, GRID, scoring="ndcg@10", cv=CV, refit=RULE)
    search.fit(X, Y, qid=QID)
    assert search.best_index_ == selected_by_loops(search.cv_results_)
    assert search.best_index_ != search.cv_results_["mean_test_score"].argmax()
    assert search.best_estimator_.get_params()[DEPTH] == search.best_params_[DEPTH]


@pytest.mark.slow
def test_a_random_search_with_several_metrics_selects_by_it():
    options = {"n_iter": 4, "random_state": 0, "scoring": ["mrr", "ndcg@10"]}
    search = RandomizedSearchCV(TREE, DEPTHS, cv=CV, refit=RULE, **options)
    search.fit(X, Y, qid=QID)
    assert search.best_index_ == selected_by_loops(search.cv_results_, "ndcg@10")


@pytest.mark.slow
def test_the_results_of_a_halving_search_are_read():
    options = {"resource": "estimator__min_samples_leaf", "max_resources": 4}
    options |= {"min_resources": 1, "factor": 2, "random_state": 0}
    search = HalvingGridSearchCV(TREE, DEPTHS, scoring="ndcg@10", cv=CV, **options)
    search.fit(X, Y, qid=QID)
    results = search.cv_results_
    last = np.flatnonzero(results["iter"] == results["iter"].max()).tolist()
    assert 1 < len(last) < len(results["iter"])
    selected = one_standard_error(complexity=DEPTH)(results)
    assert selected == selected_by_loops(results, rows=last)


def simple_first(params):
    return params["depth"]


def test_the_rule_can_be_pickled_cloned_and_read():
    rule = one_standard_error("mrr", complexity=simple_first, n_se=2)
    assert pickle.loads(pickle.dumps(rule)) == rule
    assert clone(GridSearchCV(TREE, GRID, refit=rule)).refit == rule
    assert repr(rule) == "one_standard_error('mrr', complexity=simple_first, n_se=2)"
    rule = one_standard_error(complexity=["-a", "b"])
    assert repr(rule) == "one_standard_error('score', complexity=['-a', 'b'])"
    rule = one_standard_error(complexity="a", n_se=0.5)
    assert repr(rule) == "one_standard_error('score', complexity='a', n_se=0.5)"


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"complexity": None}, TypeError, "'complexity' parameter .* Got None"),
        ({"complexity": ["a", 1]}, TypeError, r"Got \['a', 1\]"),
        ({"complexity": []}, ValueError, "Got an empty list"),
        ({"metric": max, "complexity": "a"}, TypeError, "'metric' parameter"),
        ({"complexity": "a", "n_se": -1}, ValueError, "'n_se' parameter"),
        ({"complexity": "a", "n_se": "1"}, TypeError, "'n_se' parameter"),
    ],
)
def test_bad_parameters_are_errors(given, error, message):
    with pytest.raises(error, match=message):
        one_standard_error(**given)


SCORES = [[0.5, 0.6], [0.7, 0.6]]
PARAMS = [{"depth": 1}, {"depth": 2}]
BAD = {
    "metric": ("map", "depth", SCORES, PARAMS, r"among \['mrr'\]. Got 'map'"),
    "parameter": ("mrr", "-alpha", SCORES, PARAMS, r"among \['depth'\].* Got 'alpha'"),
    "one split": ("mrr", "depth", [[0.5], [0.6]], PARAMS, "at least two splits"),
    "no scores": ("mrr", "depth", [[0.5, np.nan]] * 2, PARAMS, "a finite score"),
    "text": ("mrr", "depth", SCORES, [{"depth": "a"}] * 2, "Got 'a' for the candidate"),
    "NaN": ("mrr", lambda params: np.nan, SCORES, PARAMS, "Got nan for the candidate"),
}


@pytest.mark.parametrize("case", BAD)
def test_results_that_it_cannot_read_are_errors(case):
    metric, complexity, scores, params, message = BAD[case]
    rule = one_standard_error(metric, complexity=complexity)
    with pytest.raises(ValueError, match=message):
        rule(results_of(scores, params, metric="mrr"))
