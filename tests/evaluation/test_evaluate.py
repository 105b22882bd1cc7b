"""Many metrics of one ranking."""

# SPDX-License-Identifier: BSD-3-Clause

import inspect
import math

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import UndefinedMetricWarning

import skrank.metrics
from skrank._engine import answer
from skrank._engine.request import INPUT, METRICS
from skrank._ranking.rank import FIRST
from skrank.metrics import RankedQueries, evaluate
from tests.brute_force import ADJUSTABLE, LISTED, NAMES, WITH_FUNCTION, call, full_name

SCORER_NAMES = {name: full_name(name) for name in NAMES}


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    qid = rng.integers(0, 9, 60)
    y_true = rng.integers(0, 4, 60) * (qid > 0)
    return {"y_true": y_true, "y_score": rng.integers(0, 6, 60), "qid": qid}


def sign_of(scorer_name):
    return -1 if scorer_name.startswith("neg_") else 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"ties": "pessimistic"},
        {"ties": "first", "threshold": 1},
        {"threshold": "max", "average": "weighted"},
        {"replace_undefined_by": 1.0},
    ],
    ids=str,
)
def test_every_value_is_that_of_the_function(data, params):
    scores = evaluate(**data, metrics=list(SCORER_NAMES.values()), **params)
    assert list(scores) == list(SCORER_NAMES.values())
    for name, scorer_name in SCORER_NAMES.items():
        expected = sign_of(scorer_name) * call(name, **data, **params)
        assert type(scores[scorer_name]) is type(expected)
        assert_array_equal(scores[scorer_name], expected)


@pytest.mark.slow
def test_an_adjusted_value_has_the_sign_that_its_name_says(data):
    names = [full_name(name) for name in ADJUSTABLE]
    scores = evaluate(**data, metrics=names, adjusted=True)
    perfect = data | {"y_score": data["y_true"]}
    best = evaluate(**perfect, metrics=names, adjusted=True)
    for name in names:
        value = call(name.removeprefix("neg_"), **data, adjusted=True)
        assert scores[name] == sign_of(name) * value
        assert best[name] == pytest.approx(sign_of(name))


def test_a_name_that_is_adjusted_takes_no_other_adjustment(data):
    for name in ("adjusted_mrr", "adjusted_hits@3", "neg_adjusted_mean_rank"):
        with pytest.raises(TypeError, match="takes: \\['adjusted'\\]"):
            evaluate(**data, metrics=name, adjusted=True)


def depths_of_rankings(monkeypatch):
    """Return the list to which each ranking of the rows from now on adds its depth."""
    depths, rank_queries = [], answer.rank_queries

    def counted(*args, depth, **params):
        depths.append(depth)
        return rank_queries(*args, depth=depth, **params)

    monkeypatch.setattr(answer, "rank_queries", counted)
    return depths


@pytest.mark.filterwarnings("ignore:The adjusted metric")  # adjusted_hits@10 of a few
def test_the_documents_are_ranked_once(data, monkeypatch):
    depths = depths_of_rankings(monkeypatch)
    evaluate(**data, metrics=LISTED)
    assert len(depths) == 1
    evaluate(**data, metrics=["mrr", "ndcg@10", "ndcg@5", "map"], ties="optimistic")
    assert len(depths) == 2


def test_the_values_by_query_are_those_of_score_queries(data):
    names = ["ndcg@10", "mrr", "neg_mean_rank", "query_auc"]
    for average in (None, "query"):
        with pytest.raises(ValueError, match="'average' parameter of evaluate must"):
            evaluate(**data, metrics=names, average=average)
    by_query = skrank.metrics.score_queries(**data, metrics=names).values[0]
    macro = evaluate(**data, metrics=names)
    for name, values in zip(names, by_query, strict=True):
        assert np.nanmean(values) == pytest.approx(macro[name])
        of_function = call(name.removeprefix("neg_"), **data, average=None)
        assert_array_equal(values, sign_of(name) * of_function)


def test_names_may_be_alone_in_a_tuple_twice_or_aliases(data):
    one = evaluate(**data, metrics=["mrr"])
    assert evaluate(**data, metrics="mrr") == one
    assert evaluate(**data, metrics=("mrr",)) == one
    assert list(evaluate(**data, metrics=["map", "mrr", "map"])) == ["map", "mrr"]
    scores = evaluate(**data, metrics=["hit_rate@3", "gauc", "hits@3", "query_auc"])
    assert scores["hit_rate@3"] == scores["hits@3"]
    assert scores["gauc"] == scores["query_auc"]


def test_a_dict_names_the_metrics_as_in_scikit_learn(data):
    of_function = skrank.metrics.mrr_score
    metrics = {"best": "ndcg@5", "first": "neg_mean_rank", "rr": of_function}
    listed = evaluate(**data, metrics=["ndcg@5", "neg_mean_rank", "mrr"])
    expected = dict(zip(metrics, listed.values(), strict=True))
    assert evaluate(**data, metrics=metrics) == expected
    scores = skrank.metrics.score_queries(**data, metrics=metrics)
    assert scores.summary() == expected
    assert scores.metrics == ("best", "first", "rr")
    # Two names of one metric are two metrics.
    assert evaluate([1], [1], {"a": "mrr", "b": "mrr"}) == {"a": 1.0, "b": 1.0}


def test_query_ids_without_their_name_are_answered_with_it():
    message = "were given. Pass the query ids by name: qid=qid."
    for function in (evaluate, skrank.metrics.score_queries):
        with pytest.raises(TypeError, match=message):
            function([1, 0], [2, 1], "mrr", [7, 7])
    with pytest.raises(TypeError, match=message):
        skrank.metrics.query_report([1, 0], [2, 1], [7, 7], "map")


def test_functions_of_skrank_are_metrics(data):
    rows = [METRICS[name] for name in WITH_FUNCTION]
    rows = [metric for metric in rows if metric.cutoff != "required"]
    scores = evaluate(**data, metrics=[metric.function for metric in rows])
    assert rows
    for metric in rows:
        assert scores[metric.function.__name__] == metric.function(**data)


def test_a_function_that_needs_a_cutoff_is_asked_for_by_name(data):
    for name in ("recall_at_k_score", "hits_at_k_score"):
        function = getattr(skrank.metrics, name)
        with pytest.raises(ValueError, match=f"{name}' needs a cutoff.*@10'"):
            evaluate(**data, metrics=function)
        with pytest.raises(TypeError, match=f"{name}.* missing .*'k'"):
            function(**data)


def two_or_more(ranking):
    """Return which queries have two relevant documents; undefined without any."""
    assert isinstance(ranking, RankedQueries)
    return np.where(ranking.n_relevant > 0, ranking.n_relevant > 1, np.nan)


def test_a_function_of_the_ranking_is_a_metric(data):
    n_relevant = np.bincount(data["qid"], weights=data["y_true"] > 0)
    scores = evaluate(**data, metrics=["mrr", two_or_more])
    assert scores["two_or_more"] == np.mean(n_relevant > 1)
    scores = evaluate(**data, metrics=two_or_more, replace_undefined_by=1.0)
    assert scores == {"two_or_more": np.mean((n_relevant > 1) | (n_relevant == 0))}
    scores = evaluate(**data, metrics=two_or_more, replace_undefined_by=np.nan)
    assert scores["two_or_more"] == np.mean((n_relevant > 1)[n_relevant > 0])
    n_relevant = np.bincount(data["qid"], weights=data["y_true"] > 2)
    scores = skrank.metrics.score_queries(**data, metrics=two_or_more, threshold=2)
    assert_array_equal(scores.values[0, 0], n_relevant > 1)


def test_a_parameter_goes_to_the_metrics_that_have_it(data):
    names = ["ndcg@3", "rank_correlation", "mrr", "precision@3"]
    params = {"gain": "linear", "weights": "gain", "normalize": "length"}
    scores = evaluate(**data, metrics=names, **params)
    for name, value in scores.items():
        function = METRICS[name.partition("@")[0]].function
        known = inspect.signature(function).parameters
        own = {key: value for key, value in params.items() if key in known}
        assert value == call(name, **data, **own)


def same_name(ranking):
    return np.zeros(ranking.n_queries)


def of_same_name():
    def same_name(ranking):
        return np.ones(ranking.n_queries)

    return same_name


@pytest.mark.parametrize(
    ("metrics", "params", "error", "match"),
    [
        (["mrr", "ndgc@5"], {}, ValueError, r"'ndgc@5' is not.*Did you mean 'ndcg@5'"),
        ("mean_rnk", {}, ValueError, "Did you mean 'mean_rank'"),
        ("neg_mean_rnk", {}, ValueError, "Did you mean 'neg_mean_rank'"),
        ("neg_mrr", {}, ValueError, "'mrr' are better already. Did you mean 'mrr'"),
        ([], {}, ValueError, "at least one metric"),
        ([7], {}, ValueError, "or a function that takes .* Got 7"),
        (7, {}, (TypeError, ValueError), "metrics|metric"),
        (None, {}, (TypeError, ValueError), "metrics|metric"),
        ([same_name, of_same_name()], {}, ValueError, "same_name"),
        ("mrr", {"gain": "linear"}, TypeError, r"none of \['mrr'\] takes: \['gain'\]"),
        ("ndcg", {"gian": "linear"}, TypeError, r"'gian'\]. Did you mean 'gain'\?"),
        ("alpha_ndcg", {"subtopic": [1] * 3}, TypeError, "mean 'subtopics'"),
        ("ndcg", {"doc_ids": [1] * 3}, TypeError, "mean 'doc_id'"),
        ("ndcg", {"groups": [1] * 3}, TypeError, "the query id of each row as `qid`"),
        ("ndcg(gian='linear')", {}, TypeError, "mean 'gain'"),
        ({}, {}, ValueError, "at least one metric. Got {}"),
        ({1: "mrr"}, {}, ValueError, "keys of the 'metrics' param.* str.*Got 1"),
        ({"a": "mrrr"}, {}, ValueError, "'mrrr' is not.*Did you mean 'mrr'"),
        ("ndcg", {"k": 10}, TypeError, "Write k into the name: 'ndcg@10'"),
        ("ndcg", {"gain": "square"}, ValueError, "'gain'.*'square'"),
        (["mrr", "ndcg"], {"ties": "realistic"}, ValueError, "'ties'.*of evaluate"),
        ("mrr", {"ties": "random"}, ValueError, "'ties'.*of evaluate.*'random'"),
        ("mrr", {"average": "micro"}, ValueError, "'average'.*of evaluate"),
        ("mrr", {"average": "marco"}, ValueError, "mean 'macro'"),
        ("mrr", {"threshold": "min"}, ValueError, "'threshold'.*of evaluate"),
        ("mrr", {"adjusted": 1}, TypeError, "'adjusted'.*of evaluate"),
        ("mrr", {"replace_undefined_by": "0"}, TypeError, "'replace_undefined_by'"),
        ("mrr", {"qid": [1, 2]}, ValueError, "inconsistent numbers of samples"),
        ("mrr", {"sample_weight": [1.0]}, ValueError, "one weight per row"),
        (lambda ranking: np.zeros(5), {}, ValueError, r"shape \(1,\).*\(5,\)"),
        (lambda ranking: 0.5, {}, ValueError, r"shape \(1,\).*\(\)"),
    ],
)
def test_what_cannot_be_evaluated_raises(metrics, params, error, match):
    with pytest.raises(error, match=match):
        evaluate([1, 0, 1], [3, 2, 1], metrics, **params)


def test_an_undefined_metric_warns_and_leaves_the_others(data):
    nothing = data | {"y_true": np.zeros(60)}
    with pytest.warns(UndefinedMetricWarning, match="undefined for every query"):
        scores = evaluate(**nothing, metrics=["mrr", "query_auc"])
    assert scores["mrr"] == 0
    assert math.isnan(scores["query_auc"])


def test_the_signature_has_the_input_and_score_queries_has_the_same():
    own = inspect.signature(evaluate).parameters
    _, _, metrics, qid, *others, params = own
    assert {metrics, *INPUT} == {*own} - {params}
    assert all(own[name].kind is own[name].KEYWORD_ONLY for name in (qid, *others))
    by_query = {**inspect.signature(skrank.metrics.score_queries).parameters}
    del by_query["by"]
    assert list(by_query) == list(own)


CUT = [name for name in NAMES if "@" in name]


def long_lists():
    """Return lists longer than every cutoff that is asked for, with ties."""
    rng = np.random.default_rng(3)
    y_true = rng.integers(0, 4, (20, 30)) * (rng.random((20, 30)) < 0.2)
    return y_true, rng.integers(0, 12, (20, 30)).astype(float)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The metric is undefined")
@pytest.mark.parametrize("ties", ["expected", "first", "pessimistic"])
def test_many_metrics_and_cutoffs_at_once_equal_each_alone(ties):
    y_true, y_score = long_lists()
    bases = sorted({name.partition("@")[0] for name in CUT})
    for names in (
        [f"precision@{k}" for k in (2, 5)],
        [f"ndcg@{k}" for k in (10, 1, 3)],
        [f"{base}@{k}" for base in bases for k in (1, 4, 9)],
        [full_name(name) for name in NAMES],
    ):
        together = evaluate(y_true, y_score, names, ties=ties)
        alone = [evaluate(y_true, y_score, name, ties=ties)[name] for name in names]
        assert list(together.values()) == pytest.approx(alone, nan_ok=True, rel=1e-14)


def test_several_cutoffs_need_one_ranking_down_to_the_last(monkeypatch):
    depths = depths_of_rankings(monkeypatch)
    y_true, y_score = long_lists()
    for names, expected in (
        (["precision@2", "precision@5"], 5),
        (["ndcg@10", "ndcg@1", "recall@3"], 10),
        (["mrr", "hits@3"], FIRST),
        (["mrr", "ndcg@3"], None),
        (["ndcg@3", "map"], None),
    ):
        evaluate(y_true, y_score, names)
        assert depths == [expected], names
        depths.clear()


@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("k", ["@2", ""])
def test_what_rankers_share_is_ranked_once(data, monkeypatch, average, k):
    y_true, y_score, qid = data.values()
    popularity = np.random.default_rng(1).random(60)
    runs = {"tied": y_score, "reversed": -y_score, "untied": popularity}
    metrics = [f"ndcg{k}", f"map{k}", "mrr", "neg_popularity@2"]
    how = {"qid": qid, "popularity": popularity, "average": average}
    expected = {run: evaluate(y_true, runs[run], metrics, **how) for run in runs}
    depths = depths_of_rankings(monkeypatch)
    found = evaluate(y_true, runs, metrics, **how)
    # The popularity ranks all documents as relevant, so it has a ranking of its own.
    assert len(depths) <= 2
    for name, values in expected.items():
        for key, value in values.items():
            assert_array_equal(found[name][key], value)
