"""Metrics that users define, in evaluate and in scorers."""

# SPDX-License-Identifier: BSD-3-Clause

import functools
import pickle

import numpy as np
import pytest
import sklearn
import sklearn.metrics
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, cross_validate

import skrank.metrics
from skrank._engine.names import takes_a_ranking
from skrank._engine.request import METRICS
from skrank.metrics import add_scorer, evaluate, make_ranking_scorer
from skrank.model_selection import QueryKFold
from tests.brute_force import by_query


def led(ranking):
    """Return whether a query is led by a relevant document."""
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


def test_a_scorer_of_a_definition_asks_for_the_queries(fitted):
    model, X, y, _ = fitted
    with pytest.raises(ValueError, match="Got no query ids"):
        make_ranking_scorer(led)(model, X, y)


def test_a_scorer_of_a_definition_passes_the_cutoff(fitted):
    model, X, y, qid = fitted
    value = make_ranking_scorer(led_by, k=3)(model, X, y, qid=qid)
    expected = evaluate(y, model.predict(X), functools.partial(led_by, k=3), qid=qid)
    assert [value] == [*expected.values()]
    assert value > make_ranking_scorer(led_by)(model, X, y, qid=qid)


@pytest.mark.parametrize(
    ("params", "error", "match"),
    [
        ({"k": 3}, TypeError, "unexpected keyword argument 'k'"),
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
    with pytest.raises(ValueError, match="a RankedQueries as its only required argu"):
        evaluate([1, 0], [2, 1], lambda y_true, y_score: 0.0)


def test_a_definition_that_is_undefined_everywhere_warns_where_it_is_called():
    def nothing(ranking):
        return np.full(ranking.n_queries, np.nan)

    with pytest.warns(UndefinedMetricWarning) as record:
        evaluate([1, 0], [2, 1], nothing, replace_undefined_by=np.nan)
    assert record[0].filename == __file__


def my_bpref(ranking):
    """Return bpref, written with what every ranking offers."""
    judged = ranking.judged_only
    n_relevant = np.maximum(ranking.n_relevant, 1)
    above = judged.above - judged.relevant_above
    cap = np.minimum(ranking.n_nonrelevant, n_relevant)[judged.query]
    lost = np.minimum(above, n_relevant[judged.query]) / np.maximum(cap, 1)
    preferred = judged.total(judged.relevant * (1 - lost))
    return ranking.where_relevant(preferred / n_relevant)


def my_query_auc(ranking):
    n_pairs = ranking.n_found * (ranking.n_documents - ranking.n_found)
    won = ranking.total(ranking.relevant * ranking.others_below)
    return np.divide(won, n_pairs, out=np.full_like(won, np.nan), where=n_pairs > 0)


@pytest.mark.parametrize(
    ("mine", "name"), [(my_bpref, "bpref"), (my_query_auc, "query_auc")]
)
def test_a_user_can_write_what_skrank_does(mine, name):
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(20), 9)
    y_true, y_score = rng.integers(0, 2, 180), rng.permutation(180)
    judged = rng.random(180) < 0.8 if name == "bpref" else None
    got = by_query(y_true, y_score, [mine, name], qid=qid, judged=judged)
    assert got[mine.__name__].tolist() == pytest.approx(np.nan_to_num(got[name]))


def reciprocal_hits(ranking, *, k=None, power=1.0):
    reciprocal = ranking.mean_over_places(lambda rank: 1 / rank**power, k)
    return ranking.where_relevant(ranking.total(ranking.relevant * reciprocal))


def by_hand(k=None):
    """Return the mean of two queries, with the ranks 1 and 3, and 1 or 2 alike."""
    within = [1 / rank for rank in (1, 3) if k is None or rank <= k]
    tied = (1 + (1 / 2 if k is None or k >= 2 else 0)) / 2
    return (sum(within) + tied) / 2


def test_a_named_metric_is_a_scorer_and_a_metric_of_evaluate(fitted):
    add_scorer("hit_sum", reciprocal_hits)
    y_true, y_score, qid = [1, 0, 2, 1, 0], [3, 2, 1, 5, 5], [7, 7, 7, 8, 8]
    got = evaluate(y_true, y_score, ["hit_sum", "hit_sum@1", "hit_sum@2"], qid=qid)
    expected = {"hit_sum": by_hand(), "hit_sum@1": by_hand(1), "hit_sum@2": by_hand(2)}
    assert got == pytest.approx(expected)
    model, X, y, qid = fitted
    expected = evaluate(y, model.predict(X), reciprocal_hits, qid=qid)
    assert "hit_sum" in skrank.metrics.get_scorer_names()
    for make in (sklearn.metrics.get_scorer, make_ranking_scorer):
        assert make("hit_sum")(model, X, y, qid=qid) == expected["reciprocal_hits"]
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(model, {}, scoring="hit_sum@2", cv=QueryKFold(3))
        search.fit(X, y, qid=qid)
        given = {"cv": QueryKFold(3), "params": {"qid": qid}}
        rescored = cross_validate(model, X, y, scoring="hit_sum@2", **given)
    assert search.best_score_ == np.mean(rescored["test_score"])


def test_a_named_metric_has_what_every_metric_has():
    add_scorer("hit_sum", reciprocal_hits)
    flat = [1, 0, 2, 1, 0, 0], [3, 2, 1, 5, 5, 1], [7, 7, 7, 8, 8, 8]
    options = {"ties": "pessimistic", "sample_weight": [3, 3, 3, 1, 1, 1]}
    got = evaluate(*flat[:2], "hit_sum", qid=flat[2], **options)
    assert got["hit_sum"] == pytest.approx((3 * (1 + 1 / 3) + 1 * (1 / 2)) / 4)
    got = evaluate([[1, 0, 2]], [[3, 2, 1]], "hit_sum")["hit_sum"]
    assert got == pytest.approx(4 / 3)
    assert evaluate([2], [[3, 2, 1]], "hit_sum")["hit_sum"] == pytest.approx(1 / 3)
    got = evaluate([0, 1, 0], [3, 2, 1], "hit_sum", power=2)["hit_sum"]
    assert got == pytest.approx(1 / 4)


def test_a_named_metric_of_which_less_is_better_is_negated():
    def depth(ranking):
        return ranking.where_relevant(ranking.total(ranking.above + 1))

    add_scorer("depth", depth, greater_is_better=False)
    assert evaluate([0, 1], [2, 1], "neg_depth") == {"neg_depth": -2}
    assert evaluate([0, 1], [2, 1], "depth") == {"depth": 2}
    with pytest.raises(ValueError, match="Did you mean scoring='neg_depth'"):
        make_ranking_scorer("depth")


def test_a_named_metric_reaches_other_processes(fitted):
    add_scorer("hit_sum", reciprocal_hits)
    scorer = pickle.loads(pickle.dumps(make_ranking_scorer("hit_sum@2")))
    model, X, y, qid = fitted
    expected = make_ranking_scorer("hit_sum@2")(model, X, y, qid=qid)
    METRICS.pop("hit_sum")  # as where the name was never added
    assert scorer(model, X, y, qid=qid) == expected


@pytest.mark.parametrize(
    ("name", "definition", "error", "match"),
    [
        ("mrr", led, ValueError, "'mrr', which is taken"),
        ("hr", led, ValueError, "'hr', which is taken"),
        ("mean_rank", led, ValueError, "'mean_rank', which is taken"),
        ("r2", led, ValueError, "'r2', which is taken"),
        ("neg_led", led, ValueError, "not with 'neg_'.* Got 'neg_led'"),
        ("led@5", led, ValueError, "Got 'led@5'"),
        ("led_at_5", led, ValueError, "Got 'led_at_5'"),
        ("Led", led, ValueError, "Got 'Led'"),
        (5, led, ValueError, "Got 5"),
        ("led", lambda y_true, y_score: 0.0, TypeError, "one required argument"),
        ("led", "mrr", TypeError, "'definition' parameter of add_scorer"),
        ("led", lambda ranking, *, ties="x": 0, TypeError, "'ties' of .* 'led'"),
        ("led", lambda ranking, *, p: 0, TypeError, "'p' of .* must have a default"),
    ],
)
def test_a_name_or_a_definition_that_cannot_be_added(name, definition, error, match):
    before = set(METRICS)
    with pytest.raises(error, match=match):
        add_scorer(name, definition)
    assert set(METRICS) == before


def test_a_name_is_added_again_only_for_the_function_defined_again():
    def define():
        def led_again(ranking):
            return ranking.expected_at_first(lambda rank: rank == 1)

        led_again.__qualname__ = "led_again"  # as in a cell of a notebook
        return led_again

    add_scorer("led_again", define())
    add_scorer("led_again", define())
    with pytest.raises(ValueError, match="'led_again', which is taken: pass replace"):
        add_scorer("led_again", led)
    add_scorer("led_again", led, replace=True)
    with pytest.raises(ValueError, match=r"'mrr', which is taken\.$"):
        add_scorer("mrr", led, replace=True)


def test_functions_of_one_name_do_not_replace_each_other():
    def power(p):
        return lambda ranking: ranking.n_relevant**p

    add_scorer("n_of_power", power(1.0))
    with pytest.raises(ValueError, match="which is taken: pass replace=True"):
        add_scorer("n_of_power", power(2.0))
    assert evaluate([1, 1], [2, 1], "n_of_power") == {"n_of_power": 2}
    add_scorer("n_of_power", power(2.0), replace=True)
    assert evaluate([1, 1], [2, 1], "n_of_power") == {"n_of_power": 4}


def test_a_cutoff_without_a_default_is_required():
    def hits_within(ranking, *, k):
        return ranking.expected_at_first(np.ones_like, k)

    add_scorer("hits_within", hits_within)
    assert evaluate([0, 1], [2, 1], "hits_within@2") == {"hits_within@2": 1.0}
    with pytest.raises(ValueError, match="Did you mean 'hits_within@10'"):
        evaluate([0, 1], [2, 1], "hits_within")
