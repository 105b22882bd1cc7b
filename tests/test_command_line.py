"""The command line."""

# SPDX-License-Identifier: BSD-3-Clause

import csv
import io
import json
import os
import signal
import subprocess
import sys
import warnings

import pyarrow.parquet
import pytest

from skrank.__main__ import main

pytestmark = pytest.mark.slow


QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 1\n3 0 a 2\n"
RUN = "1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n2 Q0 a 1 1 t\n"
TIED = "1 Q0 b 1 1 t\n1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n3 Q0 a 1 1 t\n"

MRR = (1 / 2 + 1 + 0) / 3


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {"qrels": QRELS, "a.run": RUN, "tied.run": TIED}.items():
        (tmp_path / name).write_text(text)


def run(capsys, command):
    """Return the exit status, the output and the errors of a command."""
    try:
        status = main(command.split())
    except SystemExit as stop:
        status = stop.code
    return status, *capsys.readouterr()


def test_runs_are_the_rows_of_a_table(capsys):
    status, output, error = run(capsys, "evaluate qrels a.run tied.run -m mrr -m map@1")
    assert (status, error) == (0, "")
    # With ties a is first or second in query 1.
    assert output.splitlines() == [
        "run          mrr   map@1",
        f"a.run     {MRR:.4f}  0.3333",
        f"tied.run  {(3 / 4 + 1 + 1) / 3:.4f}  {(1 / 2 + 1 + 1) / 3:.4f}",
    ]


def test_json_has_all_digits(capsys):
    status, output, _ = run(capsys, "evaluate qrels a.run -m mrr --json")
    assert status == 0
    assert json.loads(output) == {"a.run": {"mrr": MRR}}


def test_a_convention_orders_ties_and_reads_low_grades_as_its_library_does(
    capsys, tmp_path
):
    (tmp_path / "qrels").write_text(QRELS + "1 0 z -1\n")
    status, output, _ = run(
        capsys, "evaluate qrels tied.run -m recip_rank --convention trec_eval --json"
    )
    assert status == 0
    assert json.loads(output)["tied.run"] == {"recip_rank": (1 / 2 + 1 + 1) / 3}
    status, _, error = run(capsys, "evaluate qrels tied.run -m recip_rank")
    assert status == 2
    assert "Got -1 for document 'z' of query '1'" in error


@pytest.mark.parametrize(("missing", "n"), [("zero", 3), ("drop", 2)])
def test_missing_queries_count_0_or_are_dropped(capsys, missing, n):
    _, output, _ = run(
        capsys, f"evaluate qrels a.run -m mrr --json --missing-queries {missing}"
    )
    assert json.loads(output)["a.run"]["mrr"] == (1 / 2 + 1) / n


def test_values_of_queries_are_written_as_csv(capsys, tmp_path):
    status, _, _ = run(capsys, "evaluate qrels a.run tied.run -m mrr --by-query q.csv")
    assert status == 0
    with (tmp_path / "q.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows[:3] == [
        ["ranker", "qid", "mrr"],
        ["a.run", "1", "0.5"],
        ["a.run", "2", "1.0"],
    ]
    assert len(rows) == 1 + 3 + 3


def test_an_undefined_value_of_a_query_is_written_as_it_counts(capsys, tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 0\n2 0 a 1\n")
    status, printed, _ = run(capsys, "evaluate qrels a.run -m mrr --by-query q.csv")
    assert status == 0
    assert f"{(0 + 1) / 2:.4f}" in printed  # where it counts 0
    lines = (tmp_path / "q.csv").read_text().split()
    assert lines == ["ranker,qid,mrr", "a.run,1,0.0", "a.run,2,1.0"]


def test_values_of_queries_are_written_as_parquet(capsys, tmp_path):
    assert run(capsys, "evaluate qrels a.run -m mrr --by-query q.parquet")[0] == 0
    table = pyarrow.parquet.read_table(tmp_path / "q.parquet")
    assert table.to_pydict() == {
        "ranker": ["a.run"] * 3,
        "qid": ["1", "2", "3"],
        "mrr": [0.5, 1.0, 0.0],
    }


def test_no_file_is_written_before_all_runs_are_scored(capsys, tmp_path):
    for name in ("q.csv", "q.parquet"):
        bad = f"evaluate qrels a.run nothing -m mrr --by-query {name}"
        assert run(capsys, bad)[0] == 2
        assert not (tmp_path / name).exists()


def test_explain_prints_the_rules_that_make_a_difference(capsys):
    status, output, _ = run(
        capsys, "explain qrels tied.run -m mrr --convention trec_eval"
    )
    assert status == 0
    assert "trec_eval differs by" in output
    assert "doc_order='descending'" in output


def test_ties_prints_how_many_documents_are_tied(capsys):
    status, output, _ = run(capsys, "ties qrels tied.run -m mrr")
    assert status == 0
    assert output.startswith("1 of 3 queries are tied (33.3%)\n2 of 4 documents")


BAD = {
    "evaluate nothing a.run": "No such file or directory: 'nothing'",
    "evaluate qrels nothing": "No such file or directory: 'nothing'",
    "evaluate . a.run": "Is a directory: '.'",
    "evaluate qrels .": "Is a directory: '.'",
    "evaluate qrels bytes": "bytes, line 1: fields must be separated by",
    "evaluate qrels bytes.gz": "bytes.gz cannot be unpacked",
    "evaluate qrels bytes.parquet": "bytes.parquet",
    "evaluate qrels empty": "empty must hold lines of 6 fields",
    "evaluate qrels twice": "Got document 'a' of query '1' more than once",
    "evaluate qrels other": "Got queries such as '1' and 'x'",
    "evaluate qrels a.run --judged-from low": "invalid float value: 'low'",
    "evaluate qrels a.run --judged-from nan": "--judged-from",
    "evaluate qrels a.run --missing-queries none": "invalid choice: 'none'",
    "evaluate qrels a.run --wrong": "unrecognized arguments: --wrong",
    "evaluate qrels a.run --by-query none/q.csv": "No such file or directory",
    "evaluate qrels a.run -m mrr@x": "'mrr@x' is not a valid scoring value",
    "evaluate qrels a.run -m mrr@0": "mrr@0",
    "explain qrels a.run": "required: -m/--metric",
    "explain qrels a.run -m mrr --convention no": "'no'",
    "ties qrels a.run -m nonsense": "'nonsense' is not a valid scoring value",
    "ties qrels": "the following arguments are required: RUN",
    "measure qrels a.run": "invalid choice: 'measure'",
    "evaluate a.run a.run": "a.run, line 1: 4 fields expected",
    "evaluate qrels a.run -m nonsense": "'nonsense' is not a valid scoring value",
    "evaluate qrels a.run --convention trec": "Did you mean 'trec_eval'?",
    "evaluate qrels a.run --by-query q.txt": "must end in .csv or .parquet",
    "evaluate qrels a.run --missing-queries raise": "1 of 3 queries of qrels lack",
    "evaluate qrels": "skrank evaluate: the following arguments are required: RUN",
    "explain qrels a.run -m precision": "Did you mean 'precision@10'?",
    "": "the following arguments are required: COMMAND",
}


@pytest.mark.parametrize(("command", "expected"), BAD.items(), ids=BAD)
def test_bad_input_ends_with_status_2_and_one_line(capsys, tmp_path, command, expected):
    for name in ("bytes", "bytes.gz", "bytes.parquet"):
        (tmp_path / name).write_bytes(bytes(range(256)))
    (tmp_path / "empty").write_text("")
    (tmp_path / "twice").write_text(RUN + "1 Q0 a 3 0 t\n")
    (tmp_path / "other").write_text("x Q0 a 1 1 t\n")
    before = sorted(tmp_path.iterdir())
    status, output, error = run(capsys, command)
    assert (status, output) == (2, "")
    assert expected in error
    assert error.startswith("skrank")
    assert error.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything"
)
def test_a_file_that_may_not_be_read_ends_with_status_2(capsys, tmp_path):
    (tmp_path / "a.run").chmod(0)
    status, output, error = run(capsys, "evaluate qrels a.run")
    assert (status, output) == (2, "")
    assert error == "skrank: [Errno 13] Permission denied: 'a.run'\n"


def test_warnings_for_developers_are_not_shown(capsys, monkeypatch):
    def warn(*_, **__):
        warnings.warn("old", DeprecationWarning, stacklevel=1)
        warnings.warn("open", ResourceWarning, stacklevel=1)
        raise ValueError("reason")

    monkeypatch.setattr("skrank.__main__.align_run", warn)
    assert run(capsys, "evaluate qrels a.run") == (2, "", "skrank: reason\n")


RAISED = {
    MemoryError(): "MemoryError: ",
    MemoryError("Unable to allocate 7 GiB"): "MemoryError: Unable to allocate 7 GiB",
    KeyError("x"): "KeyError: 'x'",
    RuntimeError("two\nlines"): "RuntimeError: two lines",
    ZeroDivisionError("division by zero"): "ZeroDivisionError: division by zero",
    PermissionError(13, "Permission denied", "x"): "[Errno 13] Permission denied: 'x'",
    ValueError(): "ValueError: ",
}


@pytest.mark.parametrize(("error", "line"), RAISED.items(), ids=repr)
def test_any_other_error_is_one_line_without_a_traceback(
    capsys, monkeypatch, error, line
):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr("skrank.__main__.align_run", fail)
    assert run(capsys, "evaluate qrels a.run") == (2, "", f"skrank: {line.strip()}\n")


def test_an_interrupt_ends_with_status_130_and_no_words(capsys, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("skrank.__main__.align_run", stop)
    assert run(capsys, "evaluate qrels a.run") == (130, "", "")


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
    (tmp_path / name).write_text(RUN + "7 Q0 a 1 1 t\n")
    shown = name.encode(encoding, "backslashreplace")
    status, output, error = read_as(
        monkeypatch, encoding, f"evaluate qrels {name} -m mrr"
    )
    assert status == 0
    line = output.splitlines()[1]
    assert line.startswith(shown)
    assert line.endswith(b" 0.5000")
    status, output, error = read_as(
        monkeypatch, encoding, f"ties qrels {name} --{name}"
    )
    assert (status, output) == (2, b"")
    assert b"unrecognized arguments: --" + shown in error
    status, output, error = read_as(monkeypatch, encoding, f"evaluate {name}- {name}")
    assert (status, output) == (2, b"")
    assert b"No such file" in error
    status, output, error = read_as(
        monkeypatch, encoding, f"evaluate qrels {name} -m mrr --json --by-query q.csv"
    )
    assert status == 0
    assert json.loads(output) == {name: {"mrr": MRR}}
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
    assert json.loads(output) == {name: {"mrr": MRR}}


def test_integers_of_a_table_meet_the_ids_of_a_trec_file_with_a_sentence(
    capsys, tmp_path
):
    (tmp_path / "qrels.csv").write_text("qid,doc_id,grade\n301,a,1\n302,b,1\n")
    for name in ("a", "b"):
        (tmp_path / f"{name}.run").write_text("301 Q0 a 1 1 t\n302 Q0 a 1 1 t\n")
    status, output, error = run(capsys, "evaluate qrels.csv a.run b.run -m mrr --json")
    assert status == 0
    assert json.loads(output) == {"a.run": {"mrr": 0.5}, "b.run": {"mrr": 0.5}}
    assert error.splitlines() == [
        f"skrank: The query ids of qrels are integers, and those of run['{name}.run'], "
        "a TREC file, are text: they are compared as text."
        for name in ("a", "b")
    ]
    status, output, error = run(capsys, "evaluate qrels a.run tied.run -m mrr")
    assert (status, output) == (2, "")
    assert "must have queries in common" in error


def test_a_run_that_only_ranks_order_is_named_in_a_warning(capsys, tmp_path):
    (tmp_path / "flat.run").write_text(RUN.replace(" 2 t", " 1 t"))
    status, _, error = run(capsys, "evaluate qrels flat.run -m mrr")
    assert status == 0
    assert error.startswith("skrank: warning: The scores of flat.run are equal")
    assert error.count("\n") == 1


CLOSED = {
    "evaluate qrels a.run": ("stdout", 0),
    "evaluate --help": ("stdout", 0),
    "--version": ("stdout", 0),
    "evaluate qrels nothing": ("stderr", 2),
    "evaluate qrels": ("stderr", 2),
}


@pytest.mark.parametrize("command", CLOSED)
def test_a_closed_pipe_is_not_an_error(capsys, monkeypatch, command):
    stream, expected = CLOSED[command]
    end, start = os.pipe()
    os.close(end)
    with open(start, "w") as pipe:
        monkeypatch.setattr(sys, stream, pipe)
        assert run(capsys, command) == (expected, "", "")
        # As Python at its end, which must not fail either.
        pipe.write("more")


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_output_that_was_closed_before_is_not_written(capsys, monkeypatch, stream):
    monkeypatch.setattr(sys, stream, None)
    assert run(capsys, "evaluate qrels a.run tied.run")[0] == 0
    assert run(capsys, "evaluate qrels")[0] == 2


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full device")
def test_output_that_cannot_be_written_ends_with_status_2(capsys, monkeypatch):
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        status, _, error = run(capsys, "evaluate qrels a.run")
    assert (status, error) == (2, "skrank: [Errno 28] No space left on device\n")


def test_a_warning_is_one_line(capsys, tmp_path):
    (tmp_path / "b.run").write_text(RUN + "7 Q0 a 1 1 t\n")
    status, _, error = run(capsys, "evaluate qrels b.run -m mrr")
    assert status == 0
    assert error.startswith("skrank: warning: 1 of 3 queries of run['b.run'] lack")
    assert error.count("\n") == 1


@pytest.mark.parametrize("command", ["evaluate", "explain", "ties"])
def test_the_help_says_what_a_user_of_trec_eval_knows(capsys, command):
    status, output, _ = run(capsys, f"{command} --help")
    assert status == 0
    assert "ndcg_cut_10" in output
    assert "trec_eval -c" in output


def test_only_the_required_packages_are_imported():
    """scikit-learn imports pandas, and pandas pyarrow, where they are installed."""
    code = """
import sys
extras = ["duckdb", "matplotlib", "pandas", "polars", "pyarrow", "tqdm"]
sys.modules.update(dict.fromkeys(extras))  # to import one of them now raises
import sklearn.datasets, sklearn.metrics, sklearn.model_selection
before = {name.partition(".")[0] for name in sys.modules}
from skrank.__main__ import main
assert main("evaluate qrels a.run -m ndcg@10 --by-query q.csv".split()) == 0
added = {name.partition(".")[0] for name in sys.modules} - before
assert added - sys.stdlib_module_names == {"skrank"}, added
assert main("evaluate qrels a.run --by-query q.parquet".split()) == 2
"""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert 'pip install "skrank[tables]"' in done.stderr


COMMAND = [sys.executable, "-m", "skrank"]
PIPES = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}


def test_a_process_with_a_closed_pipe_exits_0_quietly():
    command = [*COMMAND, "evaluate", "qrels", "a.run"]
    with subprocess.Popen(command, **PIPES) as process:
        process.stdout.close()  # before anything is written
        error = process.stderr.read()
    assert (process.returncode, error) == (0, b"")


@pytest.mark.parametrize(
    ("settings", "written"),
    [
        ({"PYTHONIOENCODING": "ascii"}, b"l\\xe4uf"),
        ({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, b"l"),
    ],
    ids=str,
)
@pytest.mark.skipif(sys.platform == "win32", reason="sets the locale of POSIX")
def test_a_process_writes_names_whatever_its_locale(tmp_path, settings, written):
    (tmp_path / "läuf").write_text(RUN)
    command = [*COMMAND, "evaluate", "qrels", "läuf", "-m", "mrr"]
    environment = os.environ | settings
    done = subprocess.run(command, capture_output=True, check=False, env=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    line = done.stdout.splitlines()[1]
    assert line.startswith(written)
    assert line.endswith(b" 0.5000")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a named pipe")
def test_a_process_that_is_interrupted_exits_130_quietly(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    command = [*COMMAND, "evaluate", "qrels", "pipe"]
    # The pipe opens when the process reads.
    with (
        subprocess.Popen(command, **PIPES) as process,
        (tmp_path / "pipe").open("w"),
    ):
        process.send_signal(signal.SIGINT)
        output, error = process.communicate()
    assert (process.returncode, output, error) == (130, b"", b"")


@pytest.mark.slow
def test_the_package_is_a_command(tmp_path):
    command = [sys.executable, "-m", "skrank", "evaluate", "qrels", "none"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "skrank: [Errno 2] No such file or directory: 'none'\n"
