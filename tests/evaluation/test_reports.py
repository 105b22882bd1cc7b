"""Why the same metric has another value in another library."""

# SPDX-License-Identifier: BSD-3-Clause

import math

import numpy as np
import pytest

from skrank.metrics import CONVENTIONS, evaluate, explain, ndcg_score


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
    found = explain(
        **data, metric="ndcg@5", conventions=["lightgbm", "sklearn"], n_queries=4
    )
    values = [
        evaluate(**data, metrics="ndcg@5", convention=library, average=None)["ndcg@5"]
        for library in (None, "lightgbm", "sklearn")
    ]
    spread = np.ptp(values, axis=0)
    assert found.n_differing == (spread > 1e-9).sum()
    assert spread[found.qid].tolist() == sorted(spread, reverse=True)[:4]
    for name, expected in zip(("skrank", "lightgbm", "sklearn"), values, strict=True):
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


@pytest.mark.slow_rows
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
    y_true = data["y_true"].reshape(30, 10)
    y_score = data["y_score"].reshape(30, 10)
    flat = explain(**data, metric="ndcg", conventions="sklearn")
    matrix = explain(y_true, y_score, "ndcg", "sklearn")
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
    views = {"popularity": [1, 2, 3]}
    found = explain(None, [3, 1, 1], "neg_popularity@2", "trec_eval", **views)
    assert found.refused == {
        "trec_eval": "it orders tied documents by their ids; pass `doc_id`"
    }
    found = explain(
        None,
        [3, 1, 1],
        "neg_popularity@2",
        "trec_eval",
        doc_id=["a", "b", "c"],
        **views,
    )
    assert found.values == {"skrank": -(1 + 2.5) / 2, "trec_eval": -(1 + 3) / 2}
    found = explain(None, [3, 2, 1], "neg_popularity@2", "trec_eval", **views)
    assert found.values == {"skrank": -1.5, "trec_eval": -1.5}
