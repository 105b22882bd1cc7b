"""Tied documents are ordered by their ids, and no other ids are read."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from skrank._ranking import rank
from skrank.metrics import evaluate
from tests.brute_force import by_query

METRICS = ["map", "ndcg@3", "mrr", "bpref", "judged@5", "r_precision"]

COLUMNS = {
    "list": list,
    "tuple": tuple,
    "NumPy str": np.array,
    "NumPy object": lambda ids: np.array(ids, object),
    "pandas object": lambda ids: pd.Series(ids, range(len(ids), 0, -1), dtype=object),
    "pandas string": lambda ids: pd.Series(ids, dtype="string"),
    "pandas category": lambda ids: pd.Series(ids, dtype="category"),
    "pandas Index": pd.Index,
    "polars String": pl.Series,
    "polars Categorical": lambda ids: pl.Series(ids, dtype=pl.Categorical),
    "pyarrow string": pa.array,
    "pyarrow string in chunks": lambda ids: pa.chunked_array([ids[:3], ids[3:]]),
    "pyarrow dictionary": lambda ids: pa.array(ids).dictionary_encode(),
}


def make_tied(rng, n_rows=60, n_queries=5):
    return {
        "y_true": rng.integers(0, 3, n_rows),
        "y_score": rng.integers(0, 4, n_rows) / 4,
        "qid": rng.integers(0, n_queries, n_rows),
        "judged": rng.random(n_rows) < 0.8,
        "returned": rng.random(n_rows) < 0.8,
    }


def without_ties(y_score, ids, doc_order):
    """Return scores in which the document that comes first has a higher score."""
    place = {id: place for place, id in enumerate(sorted(ids))}
    place = np.array([place[id] for id in ids])
    sign = 1 if doc_order == "descending" else -1
    return y_score + sign * place / (8 * len(ids))


@pytest.mark.parametrize("doc_order", ["ascending", "descending"])
@pytest.mark.parametrize("kind", COLUMNS)
def test_ids_in_any_column_order_tied_documents(kind, doc_order):
    rng = np.random.default_rng(len(kind))
    rows = make_tied(rng)
    ids = [f"d{number:02d}" for number in rng.permutation(len(rows["y_true"]))]
    options = {"ties": "first", "doc_order": doc_order}
    doc_id = COLUMNS[kind](ids)
    found = by_query(**rows, metrics=METRICS, doc_id=doc_id, **options)
    rows["y_score"] = without_ties(rows["y_score"], ids, doc_order)
    expected = by_query(**rows, metrics=METRICS)
    for name in METRICS:
        np.testing.assert_array_equal(found[name], expected[name])


@pytest.mark.parametrize("seed", range(8))
def test_rankings_of_the_same_documents_agree_on_their_order(seed):
    """In whatever order the metrics ask: with cutoffs, the judged documents alone."""
    rng = np.random.default_rng(seed)
    rows = make_tied(rng)
    ids = rng.permutation(len(rows["y_true"]))
    metrics = rng.permutation(["map@2", "judged@1", "bpref", "ndcg@5", "map"]).tolist()
    options = {"ties": "first", "doc_order": "ascending"}
    found = evaluate(**rows, metrics=metrics, doc_id=ids, **options)
    rows["y_score"] = without_ties(rows["y_score"], ids, "ascending")
    assert found == pytest.approx(evaluate(**rows, metrics=metrics), rel=1e-15)


def test_documents_with_the_same_id_stay_in_the_order_of_input():
    y_true, y_score = [0, 0, 1, 0], [1, 1, 1, 1]
    ids = ["b", "a", "a", "a"]
    options = {"ties": "first", "metrics": "mrr"}
    ascending = evaluate(y_true, y_score, doc_order="ascending", doc_id=ids, **options)
    assert ascending == {"mrr": 1 / 2}
    found = evaluate(y_true, y_score, doc_order="descending", doc_id=ids, **options)
    assert found == {"mrr": 1 / 3}


def test_documents_with_a_score_of_minus_infinity_are_ordered():
    y_true, qid = [0, 1, 0, 1, 0], [1, 1, 1, 2, 2]
    y_score = [-np.inf, -np.inf, 1, -np.inf, 2]
    options = {"ties": "first", "doc_order": "ascending"}
    for ids, expected in [("abcde", 1 / 3), ("bacde", 1 / 2)]:
        found = by_query(y_true, y_score, "mrr", qid=qid, doc_id=list(ids), **options)
        assert found["mrr"].tolist() == [expected, 1 / 2]


def test_ids_are_read_of_documents_tied_with_a_relevant_one_only():
    y_true, y_score = [1, 0, 0, 0], [4, 3, 3, 1]
    options = {"convention": "trec_eval"}
    for ids in ([None, None, None, None], [{}, {}, {}, {}]):
        assert evaluate(y_true, y_score, "mrr", doc_id=ids, **options) == {"mrr": 1}
    with pytest.raises(ValueError, match=r"'doc_id' parameter.*Got missing"):
        evaluate([0, 1, 0, 0], y_score, "mrr", doc_id=["a", None, "b", "c"], **options)


@pytest.mark.parametrize(
    "ids",
    [
        pd.Series(["a", None], dtype="string"),
        pd.Series(["a", None], dtype="category"),
        pl.Series(["a", None]),
        pa.array(["a", None]),
        pa.chunked_array([["a"], [None]]),
    ],
    ids=lambda ids: type(ids).__name__,
)
def test_missing_ids_are_refused_where_the_column_knows_of_them(ids):
    with pytest.raises(ValueError, match=r"'doc_id' parameter.*Got missing"):
        evaluate([1, 0], [2, 1], "mrr", convention="trec_eval", doc_id=ids)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (["a"], r"samples: \[2, 1\].*'doc_id'.*one value per row"),
        (np.array([["a"], ["b"]]), r"'doc_id'.*\(n_samples,\).*Got .*\(2, 1\)"),
        ("ab", r"Got 'ab' instead: pass the column itself, X\['ab'\]"),
        (pd.DataFrame({"id": ["a", "b"]}), r"Got .*\(2, 1\)"),
        (pa.table({"id": ["a", "b"]}), r"Got .*\(2, 1\)"),
    ],
)
def test_what_is_no_list_of_ids_is_refused(ids, message):
    with pytest.raises(ValueError, match=message):
        evaluate([1, 0], [2, 1], "mrr", convention="trec_eval", doc_id=ids)


def test_lists_without_a_tied_relevant_document_are_sorted_once(monkeypatch):
    sorted_again = []

    def spy(lists, rows, width, ties):
        sorted_again.append(rows.tolist())
        return sort_indices(lists, rows, width, ties)

    sort_indices = rank.sort_indices
    monkeypatch.setattr(rank, "sort_indices", spy)
    # Two queries with ties, of which one has a relevant document that is tied.
    y_true, y_score = [1, 0, 0, 1, 0, 0], [3, 2, 2, 2, 2, 1]
    qid = [1, 1, 1, 2, 2, 2]
    assert evaluate(y_true, y_score, "map", qid=qid, ties="first") == {"map": 1}
    assert sorted_again == [[1]]
