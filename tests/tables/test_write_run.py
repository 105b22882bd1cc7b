"""Runs written in the format of TREC, and read back by skrank and by trec_eval."""

# SPDX-License-Identifier: BSD-3-Clause

import gzip

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.utils import Bunch

from skrank.tables import fuse, read_run, score_runs, write_run

EXTREME = [5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308]
EXTREME += [0.1 + 0.2, 1 / 3, -0.0, 1e23, np.inf, -np.inf]


def drawn_run(seed, ids):
    """Return a run with many ties and scores of several types, as a dict."""
    rng = np.random.default_rng(seed)
    scores = [*EXTREME, *rng.normal(size=5), *rng.normal(size=5).astype(np.float32)]
    scores += [np.int64(3), 2**53]
    found = {}
    for query in rng.permutation(12).tolist():
        documents = rng.permutation(40)[: rng.integers(1, 40)].tolist()
        drawn = rng.integers(len(scores), size=len(documents))
        found[ids(query)] = {
            ids(document): scores[i]
            for document, i in zip(documents, drawn, strict=True)
        }
    return found


IDS = {
    "integers": lambda i: i - 3,
    "text": lambda i: f"d{i}",
    "unicode": lambda i: "aéż漢🙂"[i % 5] * (i + 1),
    "no-break spaces": lambda i: f"d\u00a0{i}#",
}


def lines_by_hand(run, tag):
    """Return the lines of a run by a loop over sorted tuples."""
    lines = []
    for query in sorted(run, key=lambda id: id if isinstance(id, int) else id.encode()):
        rows = [(float(s), str(d).encode(), d) for d, s in run[query].items()]
        for rank, (score, _, document) in enumerate(sorted(rows, reverse=True), 1):
            lines.append(f"{query} Q0 {document} {rank} {score!r} {tag}\n")
    return lines


@pytest.mark.parametrize("ids", IDS.values(), ids=IDS)
@pytest.mark.parametrize("seed", range(5))
def test_what_is_written_is_read_back(tmp_path, seed, ids):
    run, path = drawn_run(seed, ids), tmp_path / "a.run"
    write_run(run, path, tag="µ")
    assert path.read_text("utf-8") == "".join(lines_by_hand(run, "µ"))
    found = read_run(path)
    rows = zip(found.qid.tolist(), found.doc_id.tolist(), found.score, strict=True)
    read = {(q, d): score.tobytes() for q, d, score in rows}
    assert read == {
        (str(q), str(d)): np.float64(score).tobytes()
        for q, scores in run.items()
        for d, score in scores.items()
    }


def test_the_best_document_is_first_and_the_last_id_of_tied_ones(tmp_path):
    run = {10: {"b": 1, "a": 1, "c": np.float64(0.1)}, 9: {"x": np.float32(0.5)}}
    write_run(run, tmp_path / "a.run")
    assert (tmp_path / "a.run").read_text() == (
        "9 Q0 x 1 0.5 skrank\n"
        "10 Q0 b 1 1.0 skrank\n"
        "10 Q0 a 2 1.0 skrank\n"
        "10 Q0 c 3 0.1 skrank\n"
    )


def test_all_forms_of_a_run_are_written_alike(tmp_path):
    rows = [("q1", "d1", 2.0), ("q1", "d2", 1.0), ("q2", "d3", 1.0)]
    frame = pd.DataFrame(rows, columns=["qid", "doc_id", "score"])
    forms = [
        {"q1": ["d1", "d2"], "q2": ["d3"]},
        {"q2": {"d3": 1}, "q1": {"d2": 1, "d1": 2}},
        rows,
        frame,
        pl.from_pandas(frame),
        fuse({"one": rows}, "sum"),
        tmp_path / "read.run",
    ]
    (tmp_path / "read.run").write_text(
        "q2 Q0 d3 7 1 x\nq1 Q0 d2 7 1 x\nq1 Q0 d1 7 2.0 x\n"
    )
    for form in forms:
        write_run(form, tmp_path / "a.run", tag="t")
        assert (tmp_path / "a.run").read_text() == (
            "q1 Q0 d1 1 2.0 t\nq1 Q0 d2 2 1.0 t\nq2 Q0 d3 1 1.0 t\n"
        )


@pytest.mark.parametrize("seed", range(3))
def test_trec_eval_reads_what_is_written(tmp_path, seed):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    run, rng = drawn_run(seed, str), np.random.default_rng(seed)
    qrels = {q: {d: int(rng.integers(3)) for d in run[q]} for q in run}
    write_run(run, tmp_path / "a.run")
    with open(tmp_path / "a.run") as file:
        read = pytrec_eval.parse_run(file)
    measures = {"map", "ndcg", "recip_rank", "P_5"}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, measures)
    floats = {q: {d: float(s) for d, s in one.items()} for q, one in run.items()}
    expected = evaluator.evaluate(floats)
    assert evaluator.evaluate(read) == expected
    scores = score_runs(
        qrels, tmp_path / "a.run", ["map", "mrr"], convention="trec_eval"
    )
    for i, query in enumerate(scores.keys["qid"].tolist()):
        theirs = [expected[query]["map"], expected[query]["recip_rank"]]
        assert scores.values[0, :, i].tolist() == pytest.approx(theirs, rel=1e-14)
    ours = score_runs(qrels, run, ["map", "mrr"], convention="trec_eval")
    assert (ours.values == scores.values).all()


def test_a_packed_file_is_the_same_each_time(tmp_path):
    for name in ("a.run.gz", "b.run.gz"):
        write_run({"q": ["d"]}, tmp_path / name)
    packed = (tmp_path / "a.run.gz").read_bytes()
    assert packed == (tmp_path / "b.run.gz").read_bytes()
    assert gzip.decompress(packed) == b"q Q0 d 1 1.0 skrank\n"
    assert read_run(tmp_path / "a.run.gz").doc_id.tolist() == ["d"]


BAD = {
    "query id of a TREC file": [{"q 1": ["d"]}, {"": ["d"]}, {"#1": ["d"]}],
    "begin its line with '#'. Got '\\ufeff1'": [{"\ufeff1": ["d"]}],
    "document id of a TREC file": [{"q": [bad]} for bad in ("a\tb", "", "a\x7f", "\n")],
    "at most 4,096 bytes": [{"q": ["d" * 4097]}],
    "must have 1 to 4,096 bytes": [
        Bunch(qid=[1], doc_id=np.array(["d" * 4097]), score=[1.0])
    ],
    "document 'd' of query 'q' more than once": [{"q": ["d", "d"]}],
    "Got nan for document 'd'": [{"q": {"d": np.nan}}],
    "one or more rows": [{}, {"q": {}}],
}


CASES = [(message, run) for message, runs in BAD.items() for run in runs]


@pytest.mark.parametrize(("message", "run"), CASES)
def test_what_a_file_cannot_hold_is_an_error_that_leaves_the_file(
    tmp_path, message, run
):
    path = tmp_path / "a.run"
    for before in (None, "as it was"):
        if before:
            path.write_text(before)
        with pytest.raises(ValueError, match=message.replace("\\", r"\\")):
            write_run(run, path)
        assert [one.read_text() for one in tmp_path.iterdir()] == [before] * bool(
            before
        )


@pytest.mark.parametrize("tag", ["", "my run", "a\n"])
def test_a_tag_is_one_word(tmp_path, tag):
    with pytest.raises(ValueError, match="A tag of a TREC file must have 1 to 4,096"):
        write_run({"q": ["d"]}, tmp_path / "a.run", tag)
    with pytest.raises(TypeError, match=r"'tag' parameter of write_run .* Got dict"):
        write_run({"q": ["d"]}, tmp_path / "a.run", tag={})


def test_several_runs_are_not_one(tmp_path):
    with pytest.raises(TypeError, match="write_run writes one run"):
        write_run({"bm25": {"q": ["d"]}, "dense": {"q": ["d"]}}, tmp_path / "a.run")
