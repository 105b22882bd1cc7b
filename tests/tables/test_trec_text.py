"""Files of TREC."""

# SPDX-License-Identifier: BSD-3-Clause

import gzip
import re

import numpy as np
import pandas as pd
import pytest

from skrank.tables import align, read_qrels, read_run, trec_text

RUN = [("0301", "NA", 2.5), ("0301", "d#1", -1e-3), ("x", '"ä"', np.inf)]
LINES = [f"{q} Q0 {d} {i} {s!r} tag" for i, (q, d, s) in enumerate(RUN)]

SPELLINGS = {
    "one space": "\n".join(LINES) + "\n",
    "no newline at the end": "\n".join(LINES),
    "tabs": "\n".join(LINES).replace(" ", "\t"),
    "mixed space": "\n".join("  " + line.replace(" ", " \t ") + " " for line in LINES),
    "CRLF": "\r\n".join(LINES) + "\r\n",
    "CR": "\r".join(LINES) + "\r",
    "no CR at the end": "\r".join(LINES),
    "mixed ends": "\r\n".join(LINES[:2]) + "\r\r\n" + LINES[2] + "\n\r",
    "empty lines": "\n\n" + "\n \n".join(LINES) + "\n\n",
    "comments": "# run 7\n" + "\n# a b c d e f\n".join(LINES) + "\n#\n",
    "comments of six words": "# run of today 1 2\n" + "\n".join(LINES) + "\n",
    "words in the tag": "\n".join(line + " of today" for line in LINES),
    "byte order mark": "\ufeff" + "\n".join(LINES),
}


def write(path, text):
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("chunk", [2**18, 40, 5])
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


@pytest.mark.parametrize("chunk", [2**18, 20])
@pytest.mark.parametrize(("line", "error"), BAD_RUNS.items(), ids=BAD_RUNS)
def test_a_bad_line_of_a_run_is_named(tmp_path, monkeypatch, line, error, chunk):
    monkeypatch.setattr(trec_text, "_CHUNK", chunk)
    text = f"# comment\n1 Q0 e 1 3 t\n{line}\n1 Q0 x y z\n"
    with pytest.raises(ValueError, match=error):
        read_run(write(tmp_path / "a.run", text))


BAD_QRELS = {
    "1 0 d": "line 2: 4 fields expected .* Got 3: '1 0 d'",
    "1 0 d 1 2 0 d 1": "line 2: 4 fields expected .* Got 8",
    "1 0 d yes": "line 2: the grade must be a number",
    "1 0 d inf": "line 2: the grade must be a number",
}


@pytest.mark.parametrize(("line", "error"), BAD_QRELS.items(), ids=BAD_QRELS)
def test_a_bad_line_of_judgements_is_named(tmp_path, line, error):
    with pytest.raises(ValueError, match=error):
        read_qrels(write(tmp_path / "qrels", f"1 0 e 1\n{line}\n"))


TOO_LONG = {
    "a document": (f"1 Q0 {'x' * 4097} 1 2 t", "fields must have at most 4,096 bytes"),
    "a score": (f"1 Q0 d 1 {'9' * 4097} t", r"4,096 bytes\. Got '1 Q0 d 1 9+'\.$"),
    "no line end": ("x" * 7000, "fields must have at most 4,096 bytes"),
    "a tag": (f"1 Q0 d 1 2 {'t' * 7000}", "a line must have at most 5,000 bytes"),
    "a comment": ("#" * 7000, "a line must have at most 5,000 bytes"),
}


@pytest.mark.parametrize(("line", "error"), TOO_LONG.values(), ids=TOO_LONG)
def test_a_field_or_a_line_that_would_fill_the_memory_is_named(
    tmp_path, monkeypatch, line, error
):
    monkeypatch.setattr(trec_text, "_LONGEST_LINE", 5000)
    monkeypatch.setattr(trec_text, "_CHUNK", 100)
    text = f"1 Q0 e 1 3 t\n{line}\n1 Q0 f 1 3 t\n"
    with pytest.raises(ValueError, match=rf"a\.run, line 2: .*{error}"):
        read_run(write(tmp_path / "a.run", text))


@pytest.mark.slow
def test_the_longest_id_and_what_is_not_read_are_no_error(tmp_path):
    long, longer = "x" * 4096, "y" * 5000
    text = f"#{longer}\n{long} {longer} {long} {longer} 2.5 {longer}\n"
    run = read_run(write(tmp_path / "a.run", text))
    assert (run.qid[0], run.doc_id[0], run.score[0]) == (long, long, 2.5)


CONTROL = [byte for byte in (*range(32), 127) if bytes([byte]) not in b"\t\n\r"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("byte", CONTROL, ids=hex)
def test_a_control_byte_is_an_error_with_its_line(tmp_path, monkeypatch, byte, end):
    monkeypatch.setattr(trec_text, "_CHUNK", 20)
    for id in (f"d{chr(byte)}1", f"d{chr(byte)}", f"d {chr(byte)}"):
        lines = ["# run", "q1 Q0 e 1 3 t", f"q1 Q0\t{id} 2 2.5 t", "q1 Q0 f 3 1 t"]
        path = write(tmp_path / "a.run", end.join(lines))
        error = rf"a\.run, line 3: .* control characters\. Got the byte 0x{byte:02x}: "
        with pytest.raises(ValueError, match=error):
            read_run(path)


def test_text_in_utf_16_is_recognized(tmp_path):
    path = tmp_path / "a.run"
    path.write_bytes("\n".join(LINES).encode("utf-16"))
    with pytest.raises(ValueError, match=r"line 1: .* 0x00: .* Save it as UTF-8"):
        read_run(path)


def test_only_space_and_tab_separate_fields(tmp_path):
    ids = ["a\u00a0b", "a\u0085b", "a\u2028b", "a\u2029b", "a\u3000b", "\u0085"]
    text = "".join(f"{id} Q0 {id} 1 {i} t\n" for i, id in enumerate(ids))
    run = read_run(write(tmp_path / "a.run", text))
    assert run.qid.tolist() == ids
    assert run.doc_id.tolist() == ids


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_the_line_of_an_error_is_counted_in_files_of_every_kind(
    tmp_path, monkeypatch, end
):
    text = end.join(["1 0 a 1"] * 7 + ["", "1 0 a", "1 0 a 1"])
    for chunk in range(1, 40):
        monkeypatch.setattr(trec_text, "_CHUNK", chunk)
        with pytest.raises(ValueError, match=r"line 9: 4 fields expected"):
            read_qrels(write(tmp_path / "qrels", text))


RANKED = "1 Q0 a 2 7 t\n1 Q0 b 1 7 t\n2 Q0 a 1 3 t\n1 Q0 c 2 7 t\n"


def test_a_run_is_ordered_by_its_ranks_if_that_is_asked(tmp_path):
    path = write(tmp_path / "a.run", RANKED)
    assert read_run(path, order="rank").score.tolist() == [-2, -1, -1, -2]
    with pytest.raises(ValueError, match="'order' parameter of read_run must be"):
        read_run(path, order="ranks")


@pytest.mark.parametrize("rank", ["x", "nan", "inf", "1_0"])
def test_a_rank_that_is_not_a_number_is_an_error_only_where_it_is_read(tmp_path, rank):
    path = write(tmp_path / "a.run", f"1 Q0 a 1 7 t\n1 Q0 b {rank} 7 t\n")
    assert read_run(path).score.tolist() == [7, 7]
    with pytest.raises(ValueError, match=r"line 2: the rank must be a number"):
        read_run(path, order="rank")


ONLY_RANKED = {
    "a query apart": RANKED,
    "ranks before scores of minus infinity": RANKED.replace(" 7 t", " -inf t"),
    "the ranks of one query of two": "1 Q0 a 1 7 t\n1 Q0 b 1 7 t\n" + RANKED[:26],
    "ranks that differ late": "1 Q0 a 1 7 t\n" * 20 + "1 Q0 b 2 7 t\n",
}


@pytest.mark.parametrize("chunk", [2**18, 40, 1])
@pytest.mark.parametrize("text", ONLY_RANKED.values(), ids=ONLY_RANKED)
def test_a_run_that_only_ranks_order_is_read_with_a_warning(
    tmp_path, monkeypatch, text, chunk
):
    monkeypatch.setattr(trec_text, "_CHUNK", chunk)
    path = write(tmp_path / "a.run", text)
    with pytest.warns(UserWarning, match=r"a\.run are equal.*order='rank'\)") as seen:
        read_run(path)
    assert [warning.filename for warning in seen] == [__file__]
    read_run(path, order="rank")


@pytest.mark.parametrize("n_queries", [1, 200])
def test_a_run_whose_scores_rise_with_its_ranks_is_read_with_a_warning(
    tmp_path, n_queries
):
    lines = "{0} Q0 a 1 0.1 t\n{0} Q0 b 2 0.5 t\n{0} Q0 c 3 0.7 t\n{0}x Q0 a 1 7 t\n"
    text = "".join(map(lines.format, range(n_queries)))
    path = write(tmp_path / "a.run", text)
    with pytest.warns(UserWarning, match=r"a\.run rise.*distances.*order='rank'\)"):
        read_run(path)
    read_run(path, order="rank")
    read_run(write(path, f"{text}x Q0 a 2 7 t\nx Q0 b 1 8 t\n"))  # one that falls


ORDERED_BY_SCORES = {
    "ranks that fall with the scores": "1 Q0 a 1 7 t\n1 Q0 b 2 6 t\n",
    "ranks of a file from the worst": "1 Q0 a 2 6 t\n1 Q0 b 1 7 t\n",
    "equal ranks, rising scores": "1 Q0 a 0 6 t\n1 Q0 b 0 7 t\n",
    "one query with two scores": RANKED + "2 Q0 b 2 2 t\n",
    "two scores far apart": RANKED + "3 Q0 x 1 1 t\n" * 20 + "1 Q0 d 3 6 t\n",
    "equal ranks": "1 Q0 a 1 7 t\n1 Q0 b 1 7 t\n2 Q0 a 2 3 t\n",
    "one document for each query": "1 Q0 a 1 7 t\n2 Q0 a 2 7 t\n",
    "only comments at first": "# a\n" * 20 + "1 Q0 a 1 7 t\n1 Q0 b 2 6 t\n",
}


@pytest.mark.parametrize("chunk", [2**18, 40, 1])
@pytest.mark.parametrize("text", ORDERED_BY_SCORES.values(), ids=ORDERED_BY_SCORES)
def test_other_runs_are_read_without_a_warning(tmp_path, monkeypatch, text, chunk):
    monkeypatch.setattr(trec_text, "_CHUNK", chunk)
    read_run(write(tmp_path / "a.run", text))  # warnings are errors


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n"])
def test_a_file_without_lines_raises(tmp_path, text):
    with pytest.raises(ValueError, match=r"must hold lines of 6 fields .* Got no line"):
        read_run(write(tmp_path / "a.run", text))


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("q1 d1 3\nq1 d2 0\n", r"pandas\.read_csv\(.*\)"),
        ("q1 d1 d3 d4 d5 d6 d7\n", r"\{qid.*\}"),
    ],
)
def test_the_error_of_other_fields_has_a_line_that_reads_them(tmp_path, text, read):
    path = tmp_path / "rows.txt"
    path.write_text(text)
    with pytest.raises(ValueError, match="4 fields expected") as error:
        read_qrels(path)
    line = re.search(read, str(error.value))[0]
    found = align(
        eval(line, {"pandas": pd, "path": path, "Path": type(path)}), {"q1": ["d1"]}
    )
    assert found.doc_id[found.y_true > 0][0] == "d1"
