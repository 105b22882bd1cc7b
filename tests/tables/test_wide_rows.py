"""Several runs side by side: rows that a search fuses as `fuse` does the runs."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import polars as pl
import pytest

from skrank._ranking.fusion import FUSION_METHODS, NORMS
from skrank.metrics import evaluate
from skrank.rankers import FusionRanker
from skrank.tables import align, fuse, read_qrels, score_runs
from tests._ranking.test_fusion import by_loop, draw

QRELS = {"q1": {"d1": 2, "d3": 1, "d9": 1}, "q2": {"d5": 0}}
RUNS = {
    "bm25": {"q1": {"d1": 9.0, "d2": 7.0}},
    "dense": {"q1": ["d3", "d1"], "q2": {"d5": 0.5}},
}


def judge(runs, seed):
    """Return judgements of some documents, of which not all are in a run."""
    rng = np.random.default_rng(seed)
    queries = {query for run in runs.values() for query in run}
    return {
        query: dict(zip(range(15), rng.integers(0, 3, 15).tolist(), strict=True))
        for query in sorted(queries)
    }


def test_every_document_has_a_row_with_a_column_for_each_run():
    rows = align(QRELS, RUNS, wide=True)
    columns = [rows.data[name].tolist() for name in rows.data]
    masks = rows.judged.tolist(), rows.returned.tolist()
    columns = *columns, rows.doc_id.tolist(), rows.target.tolist(), *masks
    found, nan = zip(*columns, strict=True), "nan"
    assert list(rows.data) == ["qid", "bm25", "dense"]
    assert rows.qid.tolist() == columns[0]
    found = [tuple(nan if one != one else one for one in row) for row in found]
    assert sorted(found, key=lambda row: (row[0], row[3])) == [
        ("q1", 9.0, 1.0, "d1", 2, True, True),
        ("q1", 7.0, nan, "d2", 0, False, True),
        ("q1", nan, 2.0, "d3", 1, True, True),
        ("q1", nan, nan, "d9", 1, True, False),
        ("q2", nan, 0.5, "d5", 0, True, True),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("weights", [None, [1, 0, 3]], ids=str)
@pytest.mark.parametrize("method", FUSION_METHODS)
def test_the_rows_are_fused_as_the_runs_are(method, weights):
    runs = draw(0, n_levels=4)
    qrels = judge(runs, 0)
    rows = align(qrels, runs, wide=True)
    pairs = list(zip(rows.qid.tolist(), rows.doc_id.tolist(), strict=True))
    kept = [name for name, w in zip(runs, weights or [1] * 3, strict=True) if w]
    of_kept = {name: runs[name] for name in kept}, [w for w in weights or [1] * 3 if w]
    for norm in NORMS:
        rule = {"norm": norm, "weights": weights}
        ranker = FusionRanker(method=method, **rule).fit(rows.data)
        scores = ranker.predict(rows.data)
        expected = by_loop(of_kept[0], method, norm, of_kept[1], 60)
        found = dict(zip(pairs, scores.tolist(), strict=True))
        found = {pair: found[pair] for pair in pairs if pair in expected}
        assert found.keys() == expected.keys()
        for pair, value in expected.items():
            assert found[pair] == pytest.approx(value, abs=1e-12)
        # What nothing returned is below all others, and left out of the metrics.
        returned = np.array([pair in expected for pair in pairs])
        assert scores[~returned].max() < scores[returned].min()
        names = ["ndcg@10", "map"]
        masks = {"judged": rows.judged, "returned": returned}
        ours = evaluate(rows.target, scores, names, qid=rows.qid, **masks)
        theirs = score_runs(qrels, fuse(runs, method, **rule), names).summary()
        assert ours == pytest.approx(theirs, abs=1e-12)


def test_the_frame_is_of_the_library_of_the_runs():
    columns = {"qid": [1, 1], "doc_id": [7, 8], "score": [0.5, 0.4]}
    runs = {"a": {1: [7]}, "b": pl.DataFrame(columns)}
    rows = align({1: {7: 0, 8: 1}}, runs, wide=True)
    assert isinstance(rows.data, pl.DataFrame)
    assert rows.data.to_dict(as_series=False)["b"] == [0.5, 0.4]
    scores = FusionRanker(missing_qid="single").fit(rows.data).predict(rows.data)
    assert scores.tolist() == [1 / 61 + 1 / 61, 1 / 62]
    runs["b"] = pd.DataFrame(columns)
    assert isinstance(align({1: {7: 1}}, runs, wide=True).data, pd.DataFrame)


def test_other_rules_apply_as_they_do_to_one_run(tmp_path):
    qrels = {"a": {"a": 1, "b": -1, "e": 1, "f": 0}, "c": {"d": 1}}
    run = {"a": ["a", "b", "f"]}
    path = tmp_path / "a.run"
    path.write_text("a Q0 a 1 9 t\na Q0 e 1 8 t\n")
    rules = {"missing_queries": "drop", "judged_from": 0, "exclude_same_id": True}
    rows = align(qrels, {"x": run, "y": path}, wide=True, **rules)
    assert rows.qid.tolist() == ["a"] * 4
    assert rows.doc_id.tolist() == ["b", "f", "e", "a"]
    assert rows.judged.tolist() == [False, True, True, True]
    assert rows.returned.tolist() == [True, True, True, False]
    assert rows.data["x"].fillna(-1).tolist() == [2, 1, -1, -1]
    assert rows.data["y"].fillna(-1).tolist() == [-1, -1, 8, -1]


def test_subtopics_are_those_of_the_rows(tmp_path):
    (tmp_path / "qrels").write_text("1 1 a 1\n1 2 a 1\n1 2 b 1\n1 1 c 0\n")
    qrels = read_qrels(tmp_path / "qrels", subtopics=True)
    rows = align(qrels, {"x": {"1": ["b", "a"]}, "y": {"1": ["z", "a"]}}, wide=True)
    subtopics = rows.subtopics.toarray().tolist()
    assert dict(zip(rows.doc_id.tolist(), subtopics, strict=True)) == {
        "a": [True, True],
        "b": [False, True],
        "c": [False, False],
        "z": [False, False],
    }
    assert rows.target.tolist() == [1 if any(found) else 0 for found in subtopics]


@pytest.mark.parametrize(
    ("run", "kind", "words"),
    [
        (RUNS["bm25"], TypeError, r"With wide=True .* dict of names to runs. Got {'q1"),
        ({"qid": RUNS["bm25"]}, ValueError, "not 'qid', which is the column"),
        ({3: RUNS["bm25"]}, ValueError, "of type str, .* Got 3"),
        ({"a": [("q1", "d1", 1.0)] * 2}, ValueError, r"in run\['a'\]. Got document"),
    ],
)
def test_errors_say_what_is_wrong(run, kind, words):
    with pytest.raises(kind, match=words):
        align(QRELS, run, wide=True)


@pytest.mark.parametrize("norm", ["z", "sum", None])
def test_a_document_that_nothing_returned_is_below_negative_sums(norm):
    X = np.array([[-5.0, np.nan], [np.nan, np.nan], [-2.0, -1.0], [-3.0, -4.0]])
    for method in ("borda", "sum", "mnz", "max"):
        ranker = FusionRanker(method=method, norm=norm, missing_qid="single").fit(X)
        scores = ranker.predict(X)
        assert scores[1] < scores[[0, 2, 3]].min()
        others = ranker.predict(X[[0, 2, 3]])
        np.testing.assert_array_equal(scores[[0, 2, 3]], others)
