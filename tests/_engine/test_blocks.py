"""Long input is cut into blocks of whole queries, and no number changes."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import polars as pl
import pytest

from skrank._engine import answer
from skrank._engine.request import METRICS
from skrank.metrics import evaluate, ndcg_score, score_queries
from tests.brute_force import ADJUSTABLE, full_name

ROWS = 50


@pytest.fixture
def calls(monkeypatch):
    """The number of blocks of each call, with few rows in each."""
    found = []
    blocks_of = answer._blocks_of_queries

    def spy(arrays):
        blocks = list(blocks_of(arrays))
        found.append(len(blocks))
        return iter(blocks)

    monkeypatch.setattr(answer, "_blocks_of_queries", spy)
    monkeypatch.setattr(answer, "ROWS", ROWS)
    return found


def make_rows(seed, n_queries=60):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 20, n_queries)
    n_rows = lengths.sum()
    return {
        "y_true": rng.integers(0, 4, n_rows) * (rng.random(n_rows) < 0.5),
        "y_score": rng.integers(0, 9, n_rows) / 8,
        "qid": np.repeat(rng.permutation(n_queries), lengths),
    }


def at_once(monkeypatch, **arguments):
    """Return what `evaluate` returns of all rows together."""
    with monkeypatch.context() as patched:
        patched.setattr(answer, "ROWS", 10**9)
        return evaluate(**arguments)


def all_names():
    return [
        metric.full_name + ("@3" if metric.cutoff == "required" else "")
        for metric in METRICS.values()
        if not metric.columns
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "weighted"),
    [
        ({}, False),
        ({}, True),
        ({"average": "weighted"}, False),
        ({"replace_undefined_by": 0.5}, True),
        ({"ties": "pessimistic"}, False),
        ({"ties": "first"}, True),
        ({"adjusted": True}, False),
        ({"adjusted": True}, True),
    ],
    ids=str,
)
def test_every_metric_is_the_same_to_the_last_bit(
    calls, monkeypatch, options, weighted
):
    rows = make_rows(0)
    if weighted:
        weights = np.random.default_rng(1).integers(0, 3, rows["qid"].max() + 1)
        rows["sample_weight"] = weights[rows["qid"]]
    names = [*map(full_name, ADJUSTABLE)] if "adjusted" in options else all_names()
    expected = at_once(monkeypatch, **rows, metrics=names, **options)
    assert not calls
    assert evaluate(**rows, metrics=names, **options) == expected
    assert calls[0] > 5


@pytest.mark.slow
@pytest.mark.parametrize("convention", ["trec_eval", "pykeen", "rax", "ranx"])
def test_conventions_masks_and_document_ids_are_the_same(
    calls, monkeypatch, convention
):
    rows, rng = make_rows(3), np.random.default_rng(4)
    n_rows = len(rows["qid"])
    metrics = ["mrr", "neg_median_rank"]
    if convention != "pykeen":
        rows["judged"], rows["returned"] = rng.random((2, n_rows)) < 0.8
        metrics += ["map", "ndcg@3"]
    ids = rng.permutation(n_rows).astype(str)
    for doc_id in (ids, pd.Series(ids, rng.permutation(n_rows)), pl.Series(ids)):
        arguments = {**rows, "metrics": metrics, "convention": convention}
        arguments["doc_id"] = doc_id
        assert evaluate(**arguments) == at_once(monkeypatch, **arguments)
    assert len(calls) == 3


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"threshold": 1},
        {"threshold": "max"},
        {"threshold": 9},
        {"judged": "some"},
        {"judged_from": 2},
        {"judged_from": 7},
    ],
    ids=str,
)
def test_the_highest_grade_is_that_of_all_rows(calls, monkeypatch, options):
    rows = make_rows(5)
    rows["y_true"][-1] = 7  # in the last block alone
    if "judged" in options:
        options = {"judged": np.arange(len(rows["qid"])) < len(rows["qid"]) - 1}
    arguments = {**rows, "metrics": ["err", "rbp@3"], **options}
    assert evaluate(**arguments) == at_once(monkeypatch, **arguments)
    assert calls


def test_with_negative_grades_all_rows_are_compared_at_once(calls, monkeypatch):
    rows = make_rows(6)
    judged = np.random.default_rng(6).random(len(rows["qid"])) < 0.5
    metrics = ["spearman", "rank_correlation", "rbo"]
    for lowest, n_calls in ((0, 1), (-1, 1)):
        rows["y_true"][-1], judged[-1] = lowest, True
        arguments = {**rows, "metrics": metrics, "judged": judged}
        assert evaluate(**arguments) == at_once(monkeypatch, **arguments)
        assert len(calls) == n_calls


@pytest.mark.slow
def test_the_ids_may_be_text_or_in_the_index_of_the_grades(calls, monkeypatch):
    rows = make_rows(7)
    metrics = ["map", "mrr"]
    expected = at_once(monkeypatch, **rows, metrics=metrics)
    y_true, y_score, qid = rows.values()
    text = qid.astype(str).astype(object)
    with_index = pd.Series(y_true, index=pd.Index(text, name="qid"))
    for arguments in (
        (pd.Series(y_true), pd.Series(y_score), metrics),
        (pl.Series(y_true), pl.Series(y_score), metrics),
    ):
        found = evaluate(*arguments, qid=pl.Series(text))
        assert found == pytest.approx(expected, rel=1e-15)  # in another order
    assert evaluate(with_index, y_score, metrics) == pytest.approx(expected, rel=1e-15)
    assert len(calls) == 3


def test_a_metric_function_and_half_ranks_take_blocks_too(calls):
    rows = make_rows(8)
    each = ndcg_score(**rows, average=None)
    assert ndcg_score(**rows) == each.mean()
    options = {"ties": "realistic", "metrics": ["neg_median_rank", "neg_mean_rank"]}
    scores = score_queries(**rows, **options)
    assert scores.summary() == evaluate(**rows, **options)
    assert len(calls) == 2


def test_other_input_is_evaluated_at_once(calls):
    rows = make_rows(9)
    order = np.random.default_rng(0).permutation(len(rows["qid"]))
    shuffled = {name: values[order] for name, values in rows.items()}
    evaluate(**shuffled, metrics="map")
    evaluate(**rows, metrics=lambda ranking: ranking.n_relevant / ranking.n_queries)
    few = {name: values[:ROWS] for name, values in rows.items()}
    evaluate(**few, metrics="map")
    assert not calls


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"judged": np.ones(3, bool)}, r"'judged'.*boolean array of shape"),
        ({"doc_id": [1, 2]}, r"'doc_id'.*one value per row"),
        ({"sample_weight": np.zeros(10**3)}, r"at least one non-zero|shape"),
        ({"y_true": np.zeros(7)}, "inconsistent numbers of samples"),
    ],
)
def test_what_does_not_fit_is_refused_as_it_is_at_once(
    calls, monkeypatch, changed, message
):
    rows = make_rows(10)
    arguments = {**rows, "metrics": "mrr", "convention": "trec_eval", **changed}
    arguments.setdefault("doc_id", np.arange(len(rows["qid"])))
    with pytest.raises(ValueError, match=message) as of_blocks:
        evaluate(**arguments)
    with pytest.raises(ValueError, match=message) as of_all:
        at_once(monkeypatch, **arguments)
    assert str(of_blocks.value) == str(of_all.value)


def test_several_rankers_are_cut_into_blocks(monkeypatch, calls):
    rows = make_rows(3)
    runs = {"a": rows["y_score"], "b": -rows["y_score"]}
    how = {"metrics": ["ndcg@3", "mrr"], "y_true": rows["y_true"], "qid": rows["qid"]}
    expected = at_once(monkeypatch, y_score=runs, **how)
    assert evaluate(y_score=runs, **how) == expected
    assert len(calls) == 2
    assert min(calls) > 1
