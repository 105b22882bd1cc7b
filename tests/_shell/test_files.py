"""What commands read, print and write."""

# SPDX-License-Identifier: BSD-3-Clause

import csv
import io
import json
import os
import sys
from functools import partial

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest

from skrank._shell.commands import main
from skrank._shell.files import as_json, top_of_queries
from skrank.tables.trec_text import Triples
from tests.command import BEIR, MRR, QRELS, RUN, TIED, run, tagged, write_files


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path)


@pytest.mark.slow
def test_runs_are_named_by_their_tags_if_these_are_different(capsys, tmp_path):
    (tmp_path / "b.run").write_text(tagged(TIED, "dense v2"))
    both = "evaluate qrels a.run b.run -m mrr --json"
    named = {"t": {"mrr": MRR}, "dense v2": {"mrr": (3 / 4 + 1 + 1) / 3}}
    assert json.loads(run(capsys, both)[1]) == named
    (tmp_path / "b.run").write_text(TIED)
    assert [*json.loads(run(capsys, both)[1])] == ["a.run", "b.run"]


def test_judgements_or_a_run_come_from_the_standard_input(capsys, monkeypatch):
    for command, text in {"qrels -": RUN, "- a.run": QRELS}.items():
        stdin = io.TextIOWrapper(io.BytesIO(text.encode()))
        monkeypatch.setattr(sys, "stdin", stdin)
        status, output, error = run(capsys, f"evaluate {command} -m mrr --json")
        assert (status, error) == (0, "")
        assert json.loads(output) == {"t": {"mrr": MRR}}
        assert not stdin.closed
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1 Q0 a\n")))
    _, _, error = run(capsys, "evaluate qrels -")
    assert error.startswith("skrank: standard input, line 1: 6 fields expected")
    monkeypatch.setattr(sys, "stdin", None)
    assert "closed" in run(capsys, "evaluate qrels -")[2]


def test_a_depth_leaves_out_what_stands_below_it(capsys):
    _, output, error = run(capsys, "evaluate qrels a.run -m mrr --json -M 1")
    assert (json.loads(output), error) == ({"t": {"mrr": (0 + 1 + 0) / 3}}, "")
    status, output, error = run(capsys, "evaluate qrels tied.run -m mrr --json -M 1")
    # b stays, since it is the last id.
    assert (status, json.loads(output)) == (0, {"t": {"mrr": (0 + 1 + 1) / 3}})
    assert error == (
        "skrank: -M 1 leaves out some of the tied documents of 1 query of tied.run: "
        "the last ids stay, as in trec_eval.\n"
    )
    as_trec_eval = "evaluate qrels tied.run -m mrr -M 1 --convention trec_eval"
    assert run(capsys, as_trec_eval)[2] == ""


@pytest.mark.parametrize("single", [False, True])
def test_the_top_of_queries_is_that_of_a_sort(single):
    rng = np.random.default_rng(0)
    pairs = rng.permutation(600)[:400]
    qid, doc_id = np.char.mod("q%d", pairs % 20).astype("S8"), pairs // 20
    score = rng.integers(4, size=400) + 1e-9 * rng.integers(2, size=400)
    read = np.float32 if single else float
    for depth in (1, 3, 100):
        kept, n_cut = set(), 0
        for q in set(qid):
            rows = [(read(score[i]), doc_id[i], i) for i in np.flatnonzero(qid == q)]
            rows.sort(reverse=True)
            kept |= {i for *_, i in rows[:depth]}
            n_cut += len(rows) > depth and rows[depth - 1][0] == rows[depth][0]
        top, found = top_of_queries(Triples(qid, doc_id, score), depth, single)
        rows = sorted(kept)
        assert found == n_cut
        for column, all_rows in zip(top, (qid, doc_id, score), strict=True):
            assert column.tolist() == all_rows[rows].tolist()


@pytest.mark.slow
def test_judgements_of_beir_are_read_by_their_columns(capsys, tmp_path):
    (tmp_path / "test.tsv").write_text(BEIR)
    (tmp_path / "a.run").write_text(tagged(RUN, "t"))
    status, output, error = run(capsys, "evaluate test.tsv a.run -m mrr --json")
    assert (status, json.loads(output), error) == (0, {"t": {"mrr": MRR}}, "")
    (tmp_path / "test.tsv").write_text(BEIR, encoding="utf-8-sig")
    (tmp_path / "a.json").write_text('{"1": ["b", "a"], "2": {"a": 1}}')
    text = "evaluate test.tsv a.json -m mrr --json --qid query-id"
    assert "no column 'grade'" in run(capsys, text)[2]
    status, output, error = run(capsys, "evaluate test.tsv a.json -m mrr --json")
    assert (status, json.loads(output), error) == (0, {"a.json": {"mrr": MRR}}, "")
    columns = "--qid query-id --doc-id corpus-id --y-true score"
    assert run(capsys, f"evaluate test.tsv a.run -m mrr --json {columns}")[0] == 0


@pytest.mark.parametrize(
    ("options", "mrr"),
    [
        ("", 1 / 2),
        ("--exclude-same-id", 1.0),
        ("--exclude-same-id -M 1", 1.0),
        ("-M 1", 0.0),
        ("--convention beir", 1.0),
        ("--convention beir --no-exclude-same-id", 1 / 2),
    ],
)
def test_the_document_that_is_the_query_is_taken_out(capsys, tmp_path, options, mrr):
    (tmp_path / "qrels").write_text("1 0 2 1\n")
    (tmp_path / "a.run").write_text("1 Q0 1 1 9 t\n1 Q0 2 2 8 t\n")
    _, output, _ = run(capsys, f"evaluate qrels a.run -m mrr --json {options}")
    assert json.loads(output) == {"t": {"mrr": mrr}}


FORMS = {
    "evaluate qrels a.run b.run -m mrr -m map@1 --csv": (
        f"ranker,mrr,map@1\nt,{MRR!r},{1 / 3!r}\nb,{(3 / 4 + 2) / 3!r},{2.5 / 3!r}\n"
    ),
    "evaluate qrels a.run b.run -m mrr --markdown": (
        "| ranker | mrr |\n| :-- | --: |\n| t | 0.5000 |\n| b | 0.9167 |\n"
    ),
    "evaluate qrels a.run -m mrr --by-query": (
        "ranker  qid     mrr\nt       1    0.5000\nt       2    1.0000\n"
        "t       3    0.0000\n"
    ),
    "evaluate qrels a.run -m mrr --by-query - --csv": (
        "ranker,qid,mrr\nt,1,0.5\nt,2,1.0\nt,3,0.0\n"
    ),
    "evaluate qrels a.run -m mrr --markdown --by-query": (
        "| ranker | qid | mrr |\n| :-- | --: | --: |\n| t | 1 | 0.5000 |\n"
        "| t | 2 | 1.0000 |\n| t | 3 | 0.0000 |\n"
    ),
}


@pytest.mark.parametrize(("command", "expected"), FORMS.items(), ids=FORMS)
def test_values_are_printed_in_several_forms(capsys, tmp_path, command, expected):
    (tmp_path / "b.run").write_text(tagged(TIED, "b"))
    assert run(capsys, command) == (0, expected, "")


def test_json_has_values_of_queries_and_null_for_what_is_undefined(capsys, tmp_path):
    _, output, _ = run(capsys, "evaluate qrels a.run -m mrr --by-query --json")
    values = {"1": {"mrr": 0.5}, "2": {"mrr": 1.0}, "3": {"mrr": 0.0}}
    assert json.loads(output) == {"t": values}
    (tmp_path / "qrels").write_text("1 0 a 0\n2 0 a 0\n")
    _, output, _ = run(capsys, "evaluate qrels a.run --json -m neg_mean_rank")
    assert json.loads(output) == {"t": {"neg_mean_rank": None}}
    assert as_json([np.nan, np.inf, -np.inf, 1]) == json.dumps(
        [None, "inf", "-inf", 1], indent=2
    )


@pytest.mark.slow
def test_smaller_values_are_printed_as_they_are_and_said_to_be_better(capsys, tmp_path):
    (tmp_path / "b.run").write_text(RUN.replace("Q0 b 2 8", "Q0 b 2 10"))
    command = "qrels a.run b.run -m mean_rank"
    for form in ("", "--markdown"):
        _, output, _ = run(capsys, f"evaluate {command} {form}")
        assert output.endswith("\n\n(smaller values of mean_rank are better)\n")
    status, output, _ = run(capsys, f"gate {command} --margin 50")
    words = "smaller values of mean_rank are better"
    assert words in output.replace("\n", " ")
    *_, row = output.strip().split("\n")
    assert row.startswith("mean_rank  1.5000")
    status, output, _ = run(capsys, "evaluate qrels a.run -m mrr,map")
    assert status == 2


def test_values_of_queries_are_written_as_they_count(capsys, tmp_path):
    (tmp_path / "qrels").write_text(QRELS + "4 0 a 0\n")
    for name in ("q.parquet", "q.csv"):
        command = f"evaluate qrels a.run tied.run -m mrr --by-query {name}"
        status, printed, _ = run(capsys, command)
        assert status == 0
        assert f" {MRR * 3 / 4:.4f}" in printed  # where the last query counts 0
    columns = pyarrow.parquet.read_table(tmp_path / "q.parquet").to_pydict()
    assert columns == {
        "ranker": ["a.run"] * 4 + ["tied.run"] * 4,
        "qid": ["1", "2", "3", "4"] * 2,
        "mrr": [0.5, 1.0, 0.0, 0.0, 0.75, 1.0, 1.0, 0.0],
    }
    with (tmp_path / "q.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    values = zip(*columns.values(), strict=True)
    assert header == list(columns)
    assert rows == [[ranker, qid, str(value)] for ranker, qid, value in values]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a named pipe")
def test_values_of_queries_are_written_to_a_pipe(capsys, tmp_path):
    os.mkfifo(path := tmp_path / "q.csv")
    pipe = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    assert run(capsys, "evaluate qrels a.run -m mrr --by-query q.csv")[0] == 0
    assert path.is_fifo()
    assert os.read(pipe, 10**6) == b"ranker,qid,mrr\nt,1,0.5\nt,2,1.0\nt,3,0.0\n"
    os.close(pipe)


def test_no_file_is_written_before_all_runs_are_scored(capsys, tmp_path):
    for name in ("q.csv", "q.parquet"):
        bad = f"evaluate qrels a.run nothing -m mrr --by-query {name}"
        assert run(capsys, bad)[0] == 2
        assert not (tmp_path / name).exists()


@pytest.mark.parametrize("name", ["q.csv", "q.parquet"])
def test_a_file_that_cannot_be_written_whole_is_not_there(capsys, tmp_path, name):
    resource = pytest.importorskip("resource")
    for file, line in {"many": "{} 0 a 1\n", "many.run": "{} Q0 a 1 1 t\n"}.items():
        (tmp_path / file).write_text("".join(map(line.format, range(5000))))
    (tmp_path / name).write_text("old")
    before = sorted(tmp_path.iterdir())
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        command = f"evaluate many many.run -m mrr --by-query {name}"
        status, output, error = run(capsys, command)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (status, output) == (2, "")
    assert error == f"skrank: File too large: '{tmp_path / name}'\n"
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / name).read_text() == "old"


def read_as(monkeypatch, encoding, command):
    """Return the status and the bytes that a terminal of an encoding gets."""
    written = [io.BytesIO(), io.BytesIO()]
    for name, file in zip(("stdout", "stderr"), written, strict=True):
        monkeypatch.setattr(sys, name, io.TextIOWrapper(file, encoding=encoding))
    try:
        status = main(command.split())
    except SystemExit as stop:
        status = stop.code
    return status, *(file.getvalue() for file in written)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp932", "utf-8"])
@pytest.mark.parametrize("name", ["läuf-検索", "l\udce4uf"], ids=ascii)
def test_names_are_written_on_every_terminal(tmp_path, monkeypatch, encoding, name):
    for file, text in {"a.run": RUN, name: RUN + "7 Q0 a 1 1 t\n"}.items():
        (tmp_path / file).write_text(text)  # of one tag, so that paths are the names
    shown = name.encode(encoding, "backslashreplace")
    read = partial(read_as, monkeypatch, encoding)
    status, output, error = read(f"evaluate qrels {name} a.run -m mrr")
    assert status == 0
    line = output.splitlines()[1]
    assert line.startswith(shown)
    assert line.endswith(b" 0.5000")
    status, output, error = read(f"gate qrels {name} --margin 1 --{name}")
    assert (status, output) == (2, b"")
    assert b"unrecognized arguments: --" + shown in error
    status, output, error = read(f"evaluate {name}- {name}")
    assert (status, output) == (2, b"")
    assert b"No such file" in error
    command = f"evaluate qrels {name} a.run -m mrr --json --by-query q.csv"
    status, output, error = read(command)
    assert status == 0
    assert json.loads(output) == {name: {"mrr": MRR}, "a.run": {"mrr": MRR}}
    rows = (tmp_path / "q.csv").read_bytes().splitlines()
    assert rows[1] == os.fsencode(name) + b",1,0.5"


@pytest.mark.parametrize("name", ["a[1].run", "[ab].run", "a*.run", "a?.run", "*"])
@pytest.mark.skipif(sys.platform == "win32", reason="such names are not allowed")
def test_a_file_is_read_whose_name_looks_like_a_pattern(capsys, tmp_path, name):
    (tmp_path / "a1.run").write_text(TIED)
    (tmp_path / name).write_text(RUN)
    (tmp_path / f"{name}.qrels").write_text(QRELS)
    command = f"evaluate {name}.qrels {name} -m mrr --json"
    status, output, error = run(capsys, command)
    assert (status, error) == (0, "")
    assert json.loads(output) == {"t": {"mrr": MRR}}


@pytest.mark.slow
def test_ids_of_a_csv_file_are_text_as_those_of_a_trec_file_are(capsys, tmp_path):
    (tmp_path / "qrels.csv").write_text("qid,doc_id,grade\n301,a,1\n302,b,1\n")
    for name in ("a", "b"):
        (tmp_path / f"{name}.run").write_text("301 Q0 a 1 1 t\n302 Q0 a 1 1 t\n")
    status, output, error = run(capsys, "evaluate qrels.csv a.run b.run -m mrr --json")
    assert (status, error) == (0, "")
    assert json.loads(output) == {"a.run": {"mrr": 0.5}, "b.run": {"mrr": 0.5}}
    status, output, error = run(capsys, "evaluate qrels a.run tied.run -m mrr")
    assert (status, output) == (2, "")
    assert "must have queries in common" in error


def test_a_run_that_only_ranks_order_is_named_in_a_warning(capsys, tmp_path):
    (tmp_path / "flat.run").write_text(RUN.replace(" 2 t", " 1 t"))
    status, _, error = run(capsys, "evaluate qrels flat.run -m mrr")
    assert status == 0
    assert error.startswith("skrank: warning: The scores of flat.run are equal")
    assert error.count("\n") == 1
