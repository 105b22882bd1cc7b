"""Runs fused into one, by hand, by a loop and beside the numbers of ranx."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import polars as pl
import pytest

from skrank._ranking.fusion import FUSION_METHODS
from skrank.tables import fuse, score_runs

RUNS = {
    "bm25": {"q1": {"d1": 9.0, "d2": 7.5, "d3": 2.0}, "q2": {"d5": 3.0, "d6": 1.0}},
    "dense": {
        "q1": {"d4": 0.8, "d2": 0.7, "d5": 0.1},
        "q2": {"d6": 0.9, "d7": 0.4, "d5": 0.2},
    },
    "splade": {"q1": {"d3": 12.0, "d1": 11.0}, "q2": {"d7": 5.0, "d8": 4.0, "d9": 1.0}},
}


def values(fused):
    """Return the scores of a fused run by query and document."""
    pairs = zip(fused.qid.tolist(), fused.doc_id.tolist(), strict=True)
    return dict(zip(pairs, fused.score.tolist(), strict=True))


def test_the_best_document_of_each_query_stands_first_and_ties_are_in_order_of_ids():
    runs = {"a": {2: {"n": 1.0, "m": 1.0, "o": 3.0}, 1: {"p": 0.5, "q": 0.9}}}
    fused = fuse(runs, "sum")
    assert fused.qid.tolist() == [1, 1, 2, 2, 2]
    assert fused.doc_id.tolist() == ["q", "p", "o", "m", "n"]


@pytest.mark.parametrize("method", FUSION_METHODS)
def test_a_run_with_weight_0_is_left_out_with_its_documents(method):
    norm = "min-max" if method in ("sum", "mnz", "max") else None
    some, weights = dict(RUNS), {"splade": 2, "bm25": 1, "dense": 0}
    del some["dense"]
    expected = fuse(some, method, norm=norm, weights=[1, 2])
    assert values(fuse(RUNS, method, norm=norm, weights=weights)) == values(expected)


@pytest.mark.parametrize("library", [pd, pl])
def test_frames_and_files_are_runs(library, tmp_path):
    frames, names = {}, {"qid": "user", "doc_id": "item", "score": "value"}
    for name, of_run in RUNS.items():
        rows = [(q, d, s) for q, run in of_run.items() for d, s in run.items()]
        columns = zip(names.values(), zip(*rows, strict=True), strict=True)
        frames[name] = library.DataFrame(dict(columns))
        lines = [f"{q} Q0 {d} 1 {s} tag\n" for q, d, s in rows]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    assert values(fuse(frames, **names)) == values(fuse(RUNS))
    assert values(fuse({**RUNS, "bm25": tmp_path / "bm25.run"})) == values(fuse(RUNS))


def test_text_ids_of_a_trec_file_meet_integers(tmp_path):
    path = tmp_path / "a.run"
    path.write_text("301 Q0 7 1 2.0 a\n301 Q0 8 2 1.0 a\n")
    for runs in ({"a": path, "b": {301: {7: 0.5}}}, {"b": {301: {7: 0.5}}, "a": path}):
        assert values(fuse(runs, "isr")) == {("301", "7"): 4.0, ("301", "8"): 0.25}


def test_ids_beyond_ascii_are_kept():
    runs = {"a": {"älg": {"żółw": 1.0, "x": 0.5}}, "b": {"älg": {"żółw": 2.0}}}
    frame = pd.DataFrame({"qid": "älg", "doc_id": ["żółw", "x"], "score": [1.0, 0.5]})
    assert values(fuse(runs | {"a": frame})) == values(fuse(runs))
    assert fuse(runs).doc_id.tolist() == ["żółw", "x"]


def test_a_fused_run_is_a_run():
    qrels = {"q1": {"d2": 1}, "q2": {"d7": 1}}
    scores = score_runs(qrels, {**RUNS, "fused": fuse(RUNS, "borda")}, "mrr")
    # d2 is second of q1 and d7 first of q2, as the numbers of ranx say.
    assert scores.summary()["fused"]["mrr"] == (1 / 2 + 1) / 2


BELOW, INFINITE = ({"a": {"q": {"d": score}}} for score in (-1.0, np.inf))


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        (({"q": {"d": 1.0}},), TypeError, "must be a dict of names to runs"),
        ((RUNS, "condorcet"), ValueError, "must be a str among {'borda', 'isr'"),
        ((RUNS, "rff"), ValueError, "Got 'rff' instead. Did you mean 'rrf'?"),
        ((RUNS, "zscore"), ValueError, "Did you mean norm='z'?"),
        ((RUNS, "CombSUM"), ValueError, "Did you mean method='sum'?"),
        ((RUNS, "comb_mnz"), ValueError, "Did you mean method='mnz'?"),
        ((RUNS, "sum", "minmax"), ValueError, "Did you mean norm='min-max'?"),
        ((RUNS, "sum", "z-score"), ValueError, "Did you mean norm='z'?"),
        ((RUNS, "sum", "l2"), ValueError, "The 'norm' parameter of fuse must be"),
        ((RUNS, "rrf", None, [1, 2]), ValueError, "a number >= 0 for each of 3 runs"),
        ((RUNS, "rrf", None, [0, 0, 0]), ValueError, "and one above 0"),
        ((RUNS, "rrf", None, {"bm25": 1}), ValueError, "a weight for each of"),
        ((RUNS, "rrf", None, None, -1), ValueError, "'rrf_k' parameter of fuse"),
        ((BELOW, "sum", "max"), ValueError, "norm='max' divides by the highest score"),
        ((INFINITE, "sum"), ValueError, "reads scores, which must be finite"),
        (
            ({"a": {"q": [("d", 1.0), ("d", 2.0)]}},),
            ValueError,
            r"once for each query in runs\['a'\]. Got document 'd' of query 'q'",
        ),
        (({"a": {1: ["d"]}, "b": {"01": ["d"]}},), TypeError, "must be of one type"),
    ],
)
def test_errors_say_what_is_wrong(arguments, kind, words):
    runs, *rest = arguments
    names = ["method", "norm", "weights", "rrf_k"]
    with pytest.raises(kind, match=words):
        fuse(runs, **dict(zip(names, rest, strict=False)))


def test_dbsf_maps_three_standard_deviations_to_0_and_1():
    runs = {"a": {"q": {"x": 3.0, "y": 1.0}}, "b": {"q": {"x": 5.0}}}
    fused = fuse(runs, "sum", norm="dbsf")
    # The standard deviation is 1: x is one above the mean, y one below.
    assert dict(zip(fused.doc_id, fused.score, strict=True)) == pytest.approx(
        {"x": (1 + 3) / 6 + 3 / 6, "y": (-1 + 3) / 6}
    )
