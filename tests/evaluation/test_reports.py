"""Why the same metric has another value in another library."""

# SPDX-License-Identifier: BSD-3-Clause

import math

import numpy as np
import pytest
from scipy import sparse

from skrank._engine.request import METRICS
from skrank._engine.summary import mean_of_queries
from skrank.metrics import (
    CONVENTIONS,
    evaluate,
    explain,
    ndcg_score,
    score_queries,
    tie_report,
)
from tests.brute_force import ADJUSTABLE, LISTED


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(30), 10)
    y_true = rng.integers(0, 4, 300) * (qid > 1)
    return {"y_true": y_true, "y_score": rng.integers(0, 8, 300), "qid": qid}


IDS = [f"d{place:03d}" for place in np.random.default_rng(1).permutation(300)]


def test_the_values_are_those_of_the_conventions(data):
    found = explain(**data, metric="ndcg@5", doc_id=IDS)
    assert list(found.values) == ["skrank", "lightgbm", "trec_eval"]
    assert found.values["skrank"] == ndcg_score(**data, k=5)
    for library in ("lightgbm", "trec_eval"):
        expected = evaluate(**data, metrics="ndcg@5", convention=library, doc_id=IDS)
        assert found.values[library] == expected["ndcg@5"]


def test_each_rule_is_followed_alone(data):
    found = explain(**data, metric="map@5", conventions="xgboost")
    default = evaluate(**data, metrics="map@5")["map@5"]
    rules = {tuple(rule.parameters): rule for rule in found.rules["xgboost"]}
    assert set(rules) == {("ties",), ("normalize",), ("replace_undefined_by",)}
    for rule in rules.values():
        alone = evaluate(**data, metrics="map@5", **rule.parameters)["map@5"]
        assert rule.effect == pytest.approx(alone - default, abs=1e-15)
    assert rules["replace_undefined_by",].n_queries == 2
    effects = [abs(rule.effect) for rule in found.rules["xgboost"]]
    assert effects == sorted(effects, reverse=True)


def test_rules_that_change_nothing_are_not_named():
    y_true, y_score, qid = [1, 0, 2, 0], [4.0, 3.0, 2.0, 1.0], [0, 0, 0, 0]
    found = explain(y_true, y_score, "ndcg", ["lightgbm", "sklearn"], qid=qid)
    assert found.rules["lightgbm"] == []
    (rule,) = found.rules["sklearn"]
    assert rule.parameters == {"gain": "linear"}
    assert "lightgbm: none of its rules makes a difference" in repr(found)


def test_the_queries_that_differ_most_come_first(data):
    libraries, values = ["lightgbm", "sklearn"], {}
    found = explain(**data, metric="ndcg@5", conventions=libraries)
    for name in ("skrank", *libraries):
        convention = None if name == "skrank" else name
        scores = score_queries(**data, metrics="ndcg@5", convention=convention)
        values[name] = scores.values[0, 0]
    spread = np.ptp([*values.values()], axis=0)
    assert found.n_differing == (spread > 1e-9).sum()
    assert spread[found.qid].tolist() == sorted(spread, reverse=True)[:5]
    for name, expected in values.items():
        assert found.by_query[name].tolist() == expected[found.qid].tolist()


def test_a_query_that_one_convention_leaves_out_differs_most(data):
    found = explain(**data, metric="precision@5", conventions="recpack", doc_id=IDS)
    assert found.qid[:2].tolist() == [0, 1]
    assert math.isnan(found.by_query["recpack"][0])


def test_ids_are_needed_only_where_the_order_of_ties_matters(data):
    found = explain(**data, metric="mrr", conventions="trec_eval")
    assert "`doc_id`" in found.refused["trec_eval"]
    assert math.isnan(found.values["trec_eval"])
    assert "trec_eval has no number here" in repr(found)
    untied = data | {"y_score": np.random.default_rng(2).random(300)}
    found = explain(**untied, metric="mrr", conventions="trec_eval")
    assert found.refused == {}
    assert found.values["trec_eval"] == found.values["skrank"]


def test_a_metric_that_a_convention_has_not_says_why(data):
    found = explain(**data, metric="map@5", conventions=["torchmetrics", "ranx"])
    assert "depends on the ranking itself" in found.refused["torchmetrics"]
    assert set(found.rules) == {"ranx"}


def test_a_cutoff_that_the_name_does_not_say_is_a_rule():
    y_true, y_score = [0] * 40 + [1], range(41, 0, -1)
    found = explain(y_true, y_score, "ndcg", "xgboost")
    (rule,) = found.rules["xgboost"]
    assert rule.parameters == {"k": 32}
    assert rule.effect == pytest.approx(-1 / math.log2(42))
    assert "k=32 (the cutoff)" in repr(found)


def test_parameters_of_the_user_hold_everywhere(data):
    found = explain(**data, metric="ndcg", conventions="sklearn", gain="linear")
    assert found.rules["sklearn"] == []
    weight = 1.0 + data["qid"]
    found = explain(**data, metric="ndcg", conventions="ranx", sample_weight=weight)
    assert found.values["skrank"] == ndcg_score(**data, sample_weight=weight)


@pytest.mark.parametrize("library", CONVENTIONS)
def test_every_rule_of_every_convention_can_be_explained(data, library):
    for name in ("mrr", "hits@2", "precision@20", "map", "ndcg", "dcg", "rbp", "err"):
        found = explain(**data, metric=name, conventions=library, doc_id=IDS)
        shown = repr(found)
        assert shown.startswith(name)
        for rule in found.rules.get(library, ()):
            assert str(rule) in shown
        if found.rules.get(library) == []:
            assert found.n_differing == 0


def test_every_shape_of_the_input_is_explained(data):
    grades, scores = (data[name].reshape(30, 10) for name in ("y_true", "y_score"))
    flat = explain(**data, metric="ndcg", conventions="sklearn")
    matrix = explain(grades, scores, "ndcg", "sklearn")
    assert matrix.values == pytest.approx(flat.values)
    assert matrix.qid.tolist() == flat.qid.tolist()
    found = explain([0, 1], [[2, 2, 1], [1, 1, 1]], "mrr", ["pykeen", "ogb"])
    assert found.values["pykeen"] == (2 / 3 + 1 / 2) / 2


def test_a_definition_of_the_user_is_explained(data):
    def led(ranking):
        return ranking.expected_at_first(lambda rank: rank == 1)

    found = explain(**data, metric=led, conventions="ranx")
    assert [rule.parameters for rule in found.rules["ranx"]] == [{"ties": "first"}]


@pytest.mark.parametrize(
    ("params", "error", "match"),
    [
        ({"conventions": "lightgmb"}, ValueError, "'lightgbm'"),
        ({"convention": "lightgbm"}, TypeError, "'convention' itself"),
        ({"average": None}, TypeError, "'average' itself"),
        ({"gian": "linear"}, TypeError, "'gian'"),
        ({"metric": "ndgc"}, ValueError, "Did you mean 'ndcg'"),
    ],
)
def test_what_explain_does_not_take_raises(data, params, error, match):
    with pytest.raises(error, match=match):
        explain(**{**data, "metric": "ndcg", **params})


def test_an_order_by_ids_is_needed_where_columns_depend_on_ties():
    given = {"metric": "neg_popularity@2", "conventions": "trec_eval"}
    given["popularity"] = [1, 2, 3]
    refused = explain(None, [3, 1, 1], **given).refused["trec_eval"]
    assert refused == "it orders tied documents by their ids; pass `doc_id`"
    found = explain(None, [3, 1, 1], doc_id=["a", "b", "c"], **given)
    assert found.values == {"skrank": -(1 + 2.5) / 2, "trec_eval": -(1 + 3) / 2}
    found = explain(None, [3, 2, 1], **given)
    assert found.values == {"skrank": -1.5, "trec_eval": -1.5}


# How far tied scores can move a metric.


COUNTS = ("n_queries", "n_documents", "n_tied_queries", "n_tied_documents")


def counts(report):
    return tuple(getattr(report, name) for name in COUNTS)


def test_the_values_are_those_of_the_worst_of_all_and_of_the_ideal_ranking():
    report = tie_report([1, 0, 0], [1, 1, 1], ["mrr", "precision@1", "map"])
    assert counts(report) == (1, 3, 1, 3)
    expected = (1 / 3, (1 + 1 / 2 + 1 / 3) / 3, 1)
    assert report.values["mrr"] == pytest.approx(expected)
    assert report.values["map"] == pytest.approx(expected)
    assert report.values["precision@1"] == pytest.approx((0, 1 / 3, 1))


def test_only_documents_of_one_query_are_tied_with_each_other():
    y_true, y_score = [1, 0, 1, 0, 1], [1, 1, 1, 2, 3]
    assert counts(tie_report(y_true, y_score, qid=[0, 1, 2, 3, 4])) == (5, 5, 0, 0)
    assert counts(tie_report(y_true, y_score, qid=[7, 8, 7, 8, 8])) == (2, 5, 1, 2)
    assert counts(tie_report(y_true, y_score)) == (1, 5, 1, 3)


def test_the_counts_are_those_of_a_loop():
    rng = np.random.default_rng(0)
    qid, y_score = rng.integers(0, 30, 200), rng.integers(0, 6, 200)
    tied = [
        ((qid == query) & (y_score == score)).sum() > 1
        for query, score in zip(qid, y_score, strict=True)
    ]
    report = tie_report(rng.integers(0, 3, 200), y_score, qid=qid)
    n_tied = len(set(qid[tied].tolist()))
    assert counts(report) == (len(set(qid.tolist())), 200, n_tied, sum(tied))


def test_every_shape_of_the_input_is_counted():
    y_score = np.array([[2.0, 2.0, 1.0, 1.0], [1.0, 3.0, 1.0, 1.0]])
    y_true = np.array([[1, 0, 0, 0], [0, 0, 1, 1]])
    flat = tie_report(y_true.ravel(), y_score.ravel(), qid=[0] * 4 + [1] * 4)
    assert counts(flat) == (2, 8, 2, 7)
    for grades in (y_true, sparse.csr_matrix(y_true)):
        assert tie_report(grades, y_score) == flat
    exclude = np.array([[False, True, False, True], [True, False, False, False]])
    assert counts(tie_report([0, 3], y_score)) == (2, 8, 2, 7)
    assert counts(tie_report([0, 3], y_score, exclude=exclude)) == (2, 5, 1, 2)
    assert counts(tie_report(y_true, y_score, exclude=exclude)) == (2, 5, 1, 2)
    # The right candidate is never taken out.
    assert counts(tie_report([0, 0], y_score, exclude=exclude)) == (2, 6, 1, 3)


def test_documents_that_were_not_returned_are_not_tied():
    returned = np.array([True, False, True])
    report = tie_report([1, 1, 0], [1, 1, 1], "mrr", returned=returned)
    assert counts(report) == (1, 2, 1, 2)
    report = tie_report([1, 1, 0], [1, 1, 2], "mrr", returned=returned)
    assert counts(report) == (1, 2, 0, 0)


def test_ties_are_those_of_the_precision_in_which_scores_are_compared():
    y_score = [1.0, 1.0 + 1e-9]
    assert counts(tie_report([1, 0], y_score)) == (1, 2, 0, 0)
    report = tie_report([1, 0], y_score, "mrr", score_dtype="float32")
    assert counts(report) == (1, 2, 1, 2)
    assert report.values == {"mrr": (0.5, 0.75, 1.0)}


# Documents are judged or not, and counted, whatever their scores.
@pytest.mark.parametrize("name", sorted(set(LISTED) - {"cg"}))
def test_a_constant_scorer_gets_the_chance_level(name):
    if name.startswith(("judged", "num_")):
        return
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(12), 20)
    y_true = rng.integers(0, 4, (12, 20)) * (rng.random((12, 20)) < 0.3)
    y_true[:, :2] = [0, 3]
    constant = np.zeros(len(qid))
    report = tie_report(y_true.ravel(), constant, name, qid=qid)
    worst, chance, best = report.values[name]
    if name.removeprefix("neg_") in ADJUSTABLE:
        adjusted = evaluate(y_true.ravel(), constant, name, qid=qid, adjusted=True)
        assert adjusted[name] == pytest.approx(0, abs=1e-12)
    assert worst <= chance <= best
    if name.partition("@")[0].removeprefix("neg_") in POOLED:
        return
    # It is the mean over random scores.
    n_draws = 30
    drawn = {str(i): rng.random(len(qid)) for i in range(n_draws)}
    draws = score_queries(y_true.ravel(), drawn, name, qid=qid).values.mean(axis=2)
    error = np.std(draws) / np.sqrt(n_draws)
    assert abs(np.mean(draws) - chance) < 4.5 * error + 1e-12


# Their value of many queries is not a mean, so it has no expectation either.
POOLED = {
    name
    for name, metric in METRICS.items()
    if metric.pool is not mean_of_queries or metric.inverse
}


def test_a_tie_report_prints_as_a_table_and_refuses_bad_input():
    report = tie_report([1, 0, 0, 1], [2, 2, 1, 3], "mrr", qid=[7, 7, 8, 8])
    assert repr(report).splitlines() == [
        "1 of 2 queries are tied (50.0%)",
        "2 of 4 documents are tied (50.0%)",
        "",
        "     pessimistic  expected  optimistic      span",
        "mrr     0.750000  0.875000    1.000000  0.250000",
    ]

    for params, error, message in (
        ({"ties": "first"}, TypeError, "tie_report sets .ties. itself"),
        ({"average": None}, ValueError, "'average' parameter of tie_report must be"),
        ({"gian": "linear"}, TypeError, "'gian'"),
    ):
        with pytest.raises(error, match=message):
            tie_report([1, 0], [1, 1], **params)
