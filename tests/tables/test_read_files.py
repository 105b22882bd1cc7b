"""Files of TREC and LETOR."""

# SPDX-License-Identifier: BSD-3-Clause

import gzip

import numpy as np
import pytest

from skrank.tables import read_letor, read_qrels, read_run, trec_text

RUN = [("0301", "NA", 2.5), ("0301", "d#1", -1e-3), ("x", '"ä"', np.inf)]
LINES = [f"{q} Q0 {d} {i} {s!r} tag" for i, (q, d, s) in enumerate(RUN)]

SPELLINGS = {
    "one space": "\n".join(LINES) + "\n",
    "no newline at the end": "\n".join(LINES),
    "tabs": "\n".join(LINES).replace(" ", "\t"),
    "mixed space": "\n".join("  " + line.replace(" ", " \t ") + " " for line in LINES),
    "CRLF": "\r\n".join(LINES) + "\r\n",
    "empty lines": "\n\n" + "\n \n".join(LINES) + "\n\n",
    "comments": "# run 7\n" + "\n# a b c d e f\n".join(LINES) + "\n#\n",
    "words in the tag": "\n".join(line + " of today" for line in LINES),
    "byte order mark": "\ufeff" + "\n".join(LINES),
}


def write(path, text):
    path.write_bytes(text.encode())
    return path


@pytest.mark.slow_rows
@pytest.mark.parametrize("chunk", [2**18, 40])
@pytest.mark.parametrize("text", SPELLINGS.values(), ids=SPELLINGS)
def test_a_run_is_read_however_its_words_are_separated(
    tmp_path, monkeypatch, text, chunk
):
    monkeypatch.setattr(trec_text, "_CHUNK", chunk)
    run = read_run(write(tmp_path / "a.run", text))
    assert run.qid.tolist() == [q for q, _, _ in RUN]
    assert run.doc_id.tolist() == [d for _, d, _ in RUN]
    assert run.score.tolist() == [s for _, _, s in RUN]


def test_a_packed_file_is_unpacked(tmp_path):
    path = tmp_path / "a.run.gz"
    path.write_bytes(gzip.compress("\n".join(LINES).encode()))
    assert read_run(str(path)).score.tolist() == [s for _, _, s in RUN]


def test_a_packed_file_that_breaks_off_raises(tmp_path):
    path = tmp_path / "a.run.gz"
    path.write_bytes(gzip.compress("\n".join(LINES * 99).encode())[:-20])
    with pytest.raises(ValueError, match=r"a\.run\.gz cannot be unpacked"):
        read_run(path)


def test_grades_are_integers_unless_one_is_not(tmp_path):
    qrels = read_qrels(write(tmp_path / "a", "1 0 a 2\n1 0 b -1\n"))
    assert qrels.grade.dtype.kind == "i"
    assert qrels.grade.tolist() == [2, -1]
    qrels = read_qrels(write(tmp_path / "b", "1 0 a .5\n1 0 b 1"))
    assert qrels.grade.tolist() == [0.5, 1]


def test_an_id_may_be_longer_than_what_is_read_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(trec_text, "_CHUNK", 100)
    ids = ["u" * 1000, "v", "w" * 257]
    text = "".join(f"{id} 0 {id}x 1\n" for id in ids)
    qrels = read_qrels(write(tmp_path / "qrels", text))
    assert qrels.qid.tolist() == ids
    assert qrels.doc_id.tolist() == [f"{id}x" for id in ids]


BAD_RUNS = {
    "1 Q0 d 1 2.5": "line 3: 6 fields expected .* Got 5: '1 Q0 d 1 2.5'",
    "1 Q0 d 1 2.5x t": "line 3: the score must be a number",
    "1 Q0 d 1 nan t": "line 3: the score must be a number",
    "1 Q0 d 1 1_000 t": "line 3: the score must be a number",
    "1 Q0 d 1 1,5 t": "line 3: the score must be a number",
}


@pytest.mark.slow_rows
@pytest.mark.parametrize("chunk", [2**18, 20])
@pytest.mark.parametrize(("line", "error"), BAD_RUNS.items(), ids=BAD_RUNS)
def test_a_bad_line_of_a_run_is_named(tmp_path, monkeypatch, line, error, chunk):
    monkeypatch.setattr(trec_text, "_CHUNK", chunk)
    text = f"# comment\n1 Q0 e 1 3 t\n{line}\n1 Q0 x y z\n"
    with pytest.raises(ValueError, match=error):
        read_run(write(tmp_path / "a.run", text))


BAD_QRELS = {
    "1 0 d": "line 2: 4 fields expected .* Got 3: '1 0 d'",
    "1 0 d 1 x": "line 2: 4 fields expected .* Got 5",
    "1 0 d 1 2 0 d 1": "line 2: 4 fields expected .* Got 8",
    "1 0 d yes": "line 2: the grade must be a number",
    "1 0 d inf": "line 2: the grade must be a number",
    "1 0 d 1e999": "line 2: the grade must be a number",
}


@pytest.mark.parametrize(("line", "error"), BAD_QRELS.items(), ids=BAD_QRELS)
def test_a_bad_line_of_judgements_is_named(tmp_path, line, error):
    with pytest.raises(ValueError, match=error):
        read_qrels(write(tmp_path / "qrels", f"1 0 e 1\n{line}\n"))


def test_lines_that_only_together_have_the_right_number_of_words_raise(tmp_path):
    with pytest.raises(ValueError, match=r"line 1: 4 fields expected .* Got 3"):
        read_qrels(write(tmp_path / "qrels", "1 0 d\n1 0 e 1 1\n"))


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n"])
def test_a_file_without_lines_raises(tmp_path, text):
    with pytest.raises(ValueError, match=r"must hold lines of 6 fields .* Got no line"):
        read_run(write(tmp_path / "a.run", text))


def test_letor_is_read_with_its_query_ids(tmp_path):
    text = "2 qid:7 1:0.5 3:1.25 # doc7\n0 qid:9 2:1\n"
    X, y, qid = read_letor(write(tmp_path / "a", text), n_features=4)
    assert X.toarray().tolist() == [[0.5, 0, 1.25, 0], [0, 1, 0, 0]]
    assert y.dtype.kind == "i"
    assert (y.tolist(), qid.tolist()) == ([2, 0], [7, 9])


BAD_LETOR = {
    "2 1:0.5\n": "must hold a query id on each line",
    "nan qid:1 1:0.5\n": "must hold finite grades",
    "1 qid:1 0:0.5\n": "Invalid index 0",
}


@pytest.mark.parametrize(("text", "error"), BAD_LETOR.items(), ids=BAD_LETOR)
def test_bad_letor_raises(tmp_path, text, error):
    with pytest.raises(ValueError, match=error):
        read_letor(write(tmp_path / "a", text))
