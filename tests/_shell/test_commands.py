"""The command line."""

# SPDX-License-Identifier: BSD-3-Clause

import csv
import io
import json
import os
import signal
import sys
import threading
import warnings
from math import log2
from pathlib import Path

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest

from skrank._shell.commands import main
from skrank.stats import compare_rankers
from skrank.tables import fuse, score_runs, write_run
from tests import processes
from tests.command import (
    BEIR,
    MRR,
    OF_ROWS,
    QRELS,
    ROWS,
    RUN,
    TIED,
    run,
    tagged,
    write_files,
)
from tests.count_calls import count_all_calls


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path)


def test_runs_are_the_rows_of_a_table(capsys):
    status, output, error = run(capsys, "evaluate qrels a.run tied.run -m mrr -m map@1")
    assert (status, error) == (0, "")
    # With ties a is first or second in query 1.
    assert output.splitlines() == [
        "ranker       mrr   map@1",
        f"a.run     {MRR:.4f}  0.3333",
        f"tied.run  {(3 / 4 + 1 + 1) / 3:.4f}  {(1 / 2 + 1 + 1) / 3:.4f}",
    ]


def test_names_and_cutoffs_are_those_of_trec_eval(capsys):
    command = "evaluate qrels a.run --csv -m recip_rank -m P.1,2 -m success_1"
    _, output, _ = run(capsys, command)
    header, values = csv.reader(io.StringIO(output))
    assert header == ["ranker", "recip_rank", "P_1", "P_2", "success_1"]
    assert [float(x) for x in values[1:]] == [MRR, 1 / 3, (1 / 2 + 1 / 2) / 3, 1 / 3]


LOW, HIGH = (1 / 2 + 1 + 1) / 3, 1.0
# Options, and the MRR of the run with ties. The relevant document of query 1 is the
# second line, and only the document of query 3 has a grade of 2.
OPTIONS = {
    "": (3 / 4 + 1 + 1) / 3,
    "--ties first": LOW,
    "--ties optimistic": HIGH,
    "--ties pessimistic": LOW,
    "-l 2": 1 / 3,
    "-l 1.5": 1 / 3,
    "--threshold 1": 1 / 3,
    "--convention trec_eval": LOW,
    "--convention trec_eval -l 2": 1 / 3,
    "--missing-queries zero": ((3 / 4 + 1 + 1) + 0) / 4,
    "--missing-queries drop": (3 / 4 + 1 + 1) / 3,
}


@pytest.mark.parametrize(("options", "mrr"), OPTIONS.items(), ids=OPTIONS)
def test_options_are_those_of_the_metrics_and_the_runs(capsys, options, mrr):
    if "missing" in options:
        Path("qrels").write_text(QRELS + "4 0 a 1\n")
    command = f"evaluate qrels tied.run -m mrr --json {options}"
    assert json.loads(run(capsys, command)[1]) == {"t": {"mrr": mrr}}


@pytest.mark.slow
def test_one_table_has_rows_instead_of_runs(capsys, tmp_path):
    (tmp_path / "rows.csv").write_text(ROWS)
    one = f"evaluate rows.csv {OF_ROWS} --json --y-score bm25"
    assert json.loads(run(capsys, one)[1]) == {"rows.csv": {"mrr": (1 + 1 / 2) / 2}}
    pyarrow.parquet.write_table(pyarrow.csv.read_csv("rows.csv"), "rows.parquet")
    two = f"evaluate rows.parquet {OF_ROWS} --json --y-score bm25 --y-score dense"
    both = {"bm25": {"mrr": (1 + 1 / 2) / 2}, "dense": {"mrr": (1 / 2 + 1) / 2}}
    assert json.loads(run(capsys, two)[1]) == both
    output = run(capsys, f"{two} --by-query".replace("--json", "--csv"))[1]
    rows = csv.reader(io.StringIO(output))
    assert [*rows][1:] == [
        *(["bm25", "1", "1.0"], ["bm25", "2", "0.5"]),
        *(["dense", "1", "0.5"], ["dense", "2", "1.0"]),
    ]


@pytest.mark.slow
def test_columns_of_a_table_are_read_by_metrics(capsys, tmp_path):
    table = {
        "qid": [1, 1, 2, 2],
        "one": [2.0, 1.0, 2.0, 1.0],
        "two": [1.0, 2.0, 1.0, 1.0],
        "views": [8, 2, 4, 1],
        "vector": [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 2.0]],
    }
    pyarrow.parquet.write_table(pyarrow.table(table), tmp_path / "rows.parquet")
    rows = "rows.parquet --y-score one --y-score two --column popularity=views"
    metrics = "-m neg_popularity@1 --json"
    status, output, _ = run(capsys, f"evaluate {rows} {metrics}")
    means = {"one": -(8 + 4) / 2, "two": -(2 + (4 + 1) / 2) / 2}
    assert status == 0
    expected = {name: {"neg_popularity@1": mean} for name, mean in means.items()}
    assert json.loads(output) == expected
    status, output, _ = run(capsys, f"compare {rows} {metrics}")
    (difference,) = json.loads(output)["differences"]
    assert abs(difference["difference"]) == means["two"] - means["one"]
    both = "-m ild -m novelty@1 --column features=vector --column popularity=views"
    status, output, error = run(capsys, f"evaluate rows.parquet --y-score one {both}")
    assert (status, output) == (2, "")
    assert "'popularity' must hold shares above 0 and at most 1" in error
    ild = "-m ild --column features=vector"
    one = "rows.parquet --y-score one"
    status, output, _ = run(capsys, f"evaluate {one} {ild} --json")
    ((value,),) = (of.values() for of in json.loads(output).values())
    assert value == pytest.approx((1 + 0) / 2)  # at right angles, and of one direction


@pytest.mark.parametrize(
    "command",
    [
        "evaluate qrels a.run b.run -m mrr --csv",
        "evaluate -m mrr qrels a.run b.run --csv",
        "evaluate qrels -m mrr a.run --csv b.run",
        "evaluate qrels a.run -m mrr b.run --csv",
        "evaluate qrels [ab].run -m mrr --csv",  # as the shell leaves it
    ],
)
def test_options_may_stand_anywhere(capsys, tmp_path, command):
    (tmp_path / "b.run").write_text(tagged(RUN, "b"))
    expected = f"ranker,mrr\nt,{MRR}\nb,{MRR}\n"
    assert run(capsys, command) == (0, expected, "")


@pytest.mark.slow
def test_a_convention_reads_grades_as_its_library_does(capsys):
    Path("qrels").write_text(QRELS + "1 0 z -1\n")
    command = "qrels tied.run --convention trec_eval"
    _, output, _ = run(capsys, f"evaluate {command} -m recip_rank --json")
    assert json.loads(output)["t"] == {"recip_rank": LOW}
    # The level does not change its NDCG, which reads all grades.
    for level in ("1", "3"):
        _, output, _ = run(capsys, f"evaluate {command} -m ndcg --json -l {level}")
        assert json.loads(output)["t"]["ndcg"] == pytest.approx((1 / log2(3) + 2) / 3)
    status, _, error = run(capsys, "evaluate qrels tied.run -m recip_rank")
    assert status == 2
    assert "Got -1 for document 'z' of query '1'" in error


@pytest.fixture
def _two_runs(tmp_path):
    """Twelve queries of two documents; "new" is better for all but the last."""
    qrels, old, new = [], [], []
    for i in range(12):
        qrels.append(f"{i} 0 a 1\n")
        old += [f"{i} Q0 b 1 2 old\n", f"{i} Q0 a 2 1 old\n"]
        first, second = "ab" if i < 11 else "ba"
        new += [f"{i} Q0 {first} 1 2 new\n", f"{i} Q0 {second} 2 1 new\n"]
    for name, lines in {"qrels": qrels, "old.run": old, "new.run.x": new}.items():
        (tmp_path / name).write_text("".join(lines))


BASELINES = ["old", "old.run", "./old.run"]


@pytest.mark.usefixtures("_two_runs")
@pytest.mark.parametrize("baseline", BASELINES)
def test_compare_says_how_likely_a_difference_is_by_chance(capsys, baseline):
    command = f"compare qrels ./old.run new.run.x -m mrr --json --baseline {baseline}"
    status, output, error = run(capsys, command)
    assert (status, error) == (0, "")
    (row,) = json.loads(output)["differences"]
    assert (row["ranker"], row["baseline"], row["n_queries"]) == ("new", "old", 12)
    assert row["difference"] == pytest.approx((11 * 1 + 1 / 2) / 12 - 1 / 2)
    # Eleven differences have the same sign: 2 of 2 ** 11 signs are as extreme.
    assert row["pvalue"] == pytest.approx(2 / 2**11)
    assert (row["wins"], row["ties"], row["losses"]) == (11, 1, 0)
    names = [one["ranker"] for one in json.loads(output)["rankers"]]
    assert sorted(names) == ["new", "old"]


@pytest.mark.slow
@pytest.mark.usefixtures("_two_runs")
@pytest.mark.filterwarnings("ignore:The p-value may be too small")
def test_compare_takes_several_baselines(capsys):
    Path("a.run").write_text(Path("old.run").read_text().replace("old", "a"))
    command = "compare qrels a.run old.run new.run.x -m mrr"
    names = ("a.run", "old.run", "new.run.x")
    scores = score_runs("qrels", {name: name for name in names}, "mrr")
    scores = {name.partition(".")[0]: scores[name] for name in scores.rankers}
    expected = compare_rankers(scores, baseline=["old", "a"])
    options = " --baseline old --baseline a.run --baseline old.run --markdown"
    assert run(capsys, command + options)[:2] == (0, f"{expected.to_markdown()}\n")


@pytest.mark.slow
@pytest.mark.usefixtures("_two_runs")
def test_compare_prints_what_python_prints(capsys):
    scores = score_runs("qrels", {"old": "old.run", "new": "new.run.x"}, ["mrr", "map"])
    expected = compare_rankers(scores, test="t", correction=None, margin=0.1)
    command = "compare qrels old.run new.run.x -m mrr -m map --test t --correction none"
    forms = {"": str(expected), "--markdown": expected.to_markdown()}
    forms["--latex"] = expected.to_latex()
    for form, text in forms.items():
        status, output, _ = run(capsys, f"{command} --margin 0.1 {form}")
        assert (status, output) == (0, f"{text}\n")
    _, output, _ = run(capsys, f"{command} --margin 0.1 --csv")
    rows = [*csv.DictReader(io.StringIO(output))]
    assert [float(row["low"]) for row in rows] == [row.low for row in expected.rows]
    assert [row["metric"] for row in rows] == ["mrr", "map"]


@pytest.mark.slow
def test_compare_takes_the_columns_of_a_table_as_rankers(capsys, tmp_path):
    rows = ["qid,y_true,one,two"]
    rows += [f"{i},{j},{j},{-j}" for i in range(10) for j in (0, 1)]
    (tmp_path / "rows.csv").write_text("\n".join(rows))
    command = "compare rows.csv --y-score one --y-score two -m mrr --json"
    _, output, _ = run(capsys, command)
    (row,) = json.loads(output)["differences"]
    assert row["difference"] == -0.5
    assert row["pvalue"] == pytest.approx(2 / 2**10)


FUSIONS = ["", "--method borda", "--method sum --norm min-max", "--method mnz --norm z"]


@pytest.mark.parametrize("options", FUSIONS)
def test_fuse_prints_the_run_that_python_writes(capsysbinary, tmp_path, options):
    (tmp_path / "b.run").write_text("1 Q0 ä 1 2 n\n1 Q0 b 2 1 n\n1 Q0 a 3 0 n\n")
    status, output, error = run(capsysbinary, f"fuse a.run b.run {options}")
    assert (status, error) == (0, b"")
    _, method, _, norm = [*options.split(), *[None] * 4][:4]
    method = method or "rrf"
    fused = fuse({"a": "a.run", "b": "b.run"}, method, norm=norm)
    write_run(fused, "fused.run", tag=method)
    assert output == (tmp_path / "fused.run").read_bytes()
    found = score_runs("qrels", {"run": "fused.run", "dict": fused}, "mrr")
    assert found.summary()["run"] == found.summary()["dict"]


def test_fuse_reads_tables_and_the_standard_input(capsys, monkeypatch, tmp_path):
    (tmp_path / "b.csv").write_text("q,item,s\n1,7,0.5\n1,8,0.5\n")
    text = "1 Q0 8 1 2 t\n1 Q0 9 2 1 t\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    _, output, _ = run(capsys, "fuse - b.csv --qid q --doc-id item --y-score s")
    lines = [line.split() for line in output.splitlines()]
    assert [line[2:4] for line in lines] == [["8", "1"], ["7", "2"], ["9", "3"]]
    of_tied = (1 / 61 + 1 / 62) / 2
    expected = [1 / 61 + of_tied, of_tied, 1 / 62]
    assert [float(line[4]) for line in lines] == pytest.approx(expected, rel=1e-15)


@pytest.mark.slow
def test_many_runs_are_read_once_and_compared_with_few_calls(capsys, tmp_path):
    rng, statuses = np.random.default_rng(0), []
    pairs = [(query, document) for query in range(50) for document in range(10)]
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {d % 3}\n" for q, d in pairs))
    for i in range(15):
        lines = [f"{q} Q0 {d} 1 {d % 3 + rng.normal()} run{i}\n" for q, d in pairs]
        (tmp_path / f"{i}.run").write_text("".join(lines))
    command = "compare qrels [0-9]*.run -m ndcg@10 -m rbp(p=0.5)"
    n_calls = count_all_calls(lambda: statuses.append(run(capsys, command)[0]))
    assert statuses == [0]
    assert n_calls["skrank._shell.files.load_judgements"] == 1
    assert n_calls["skrank._shell.files.load_run"] == 15
    # Two metrics of 105 pairs.
    assert 210 < n_calls.total() < 60 * 210


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
    "evaluate qrels a.run --by country": "unrecognized arguments: --by",
    # The folder is looked for before anything is read.
    "evaluate nothing a.run --by-query none/q.csv": "such file or directory: 'none'",
    "evaluate nothing a.run --by-query folder.csv": "Is a directory: 'folder.csv'",
    "evaluate qrels a.run -M 0": "-M == 0, must be >= 1",
    "evaluate qrels a.run -l 1 --threshold 1": "not allowed with argument -l",
    "evaluate qrels a.run --ties random": "--ties must be a str among {'expected',",
    "evaluate qrels a.run --json --csv": "--csv: not allowed with argument --json",
    "evaluate qrels none*.run": "No such file or directory: 'none*.run'",
    "evaluate - -": "Only one of QRELS and RUN can be '-'",
    "evaluate rows.csv -m mrr": "no column 'qid'. Got ['user', 'bought', 'bm25', 'dens",
    "evaluate rows.csv --missing-queries zero": "--missing-queries goes with runs",
    "evaluate rows.csv --exclude-same-id": "--exclude-same-id goes with runs",
    "evaluate rows.csv -M 3 -m mrr": "-M goes with runs. Got a table, rows.csv",
    "evaluate rows.csv -l 1 --convention trec_eval -m mrr": "-l of trec_eval goes with",
    "evaluate qrels rows.csv -m mrr --y-score x --y-score y": "Got --y-score y too",
    "evaluate beir a.run": "Got 3: 'query-id\\tcorpus-id\\tscore'. Is it a table",
    "evaluate rows.csv -m ild@3": "metric 'ild@3' reads the column 'features'. Name it",
    "evaluate qrels a.run -m ild": "by --column features=COLUMN, of one table with a r",
    "fuse a.run": "skrank fuse: two runs are required. See",
    "fuse a.run ./a.run": "two runs are required. Got the same file twice: a.run",
    "fuse a.run nothing": "No such file or directory: 'nothing'",
    "fuse a.run twice": "once for each query in runs['twice']. Got document 'a'",
    "fuse a.run b.run --method x": "argument --method: invalid choice: 'x'",
    "fuse a.run b.run --method sum --norm x": "argument --norm: invalid choice: 'x'",
    "fuse a.run b.run -m mrr": "unrecognized arguments: -m mrr",
    "evaluate rows.csv -m mrr --column group=x": "None of ['mrr'] reads the column 'gr",
    "evaluate rows.csv -m ild --column features": "NAME=COLUMN, such as popularity=n_r",
    "evaluate qrels a.run -m mrr --column group=x": "Got 'group=x' for judgements",
    "compare qrels a.run": "skrank compare: two runs are required",
    "compare qrels a.run a.run": "Got the same file twice: a.run",
    "compare a.run qrels b.run": "This looks like a run. The judgements come first.",
    "evaluate qrels qrels": "These look like judgements, which come first.",
    f"compare rows.csv --y-score bm25 {OF_ROWS}": "skrank compare: two runs are req",
    "compare qrels a.run b.run --baseline c": "a run among ['t', 'b']. Got 'c'.",
    "compare qrels a.run b.run --test f": "--test must be a str among {'auto', 'perm",
    "evaluate qrels a.run -m mrr@x": "'mrr@x' is not a valid scoring value",
    "evaluate qrels a.run -m mrr@0": "mrr@0",
    "explain qrels a.run": "invalid choice: 'explain'",
    "evaluate a.run a.run": "a.run, line 1: 4 fields expected",
    "evaluate qrels a.run -m nonsense": "'nonsense' is not a valid scoring value",
    "evaluate qrels a.run --convention trec": "mean 'trec_eval' or 'trec_fair'?",
    "evaluate qrels a.run --by-query q.txt": "must end in .csv or .parquet",
    "evaluate qrels a.run --missing-queries raise": "Pass --missing-queries='zero' to",
    "evaluate qrels": "skrank evaluate: the following arguments are required: RUN",
    "": "the following arguments are required: COMMAND",
}


@pytest.mark.parametrize(("command", "expected"), BAD.items(), ids=BAD)
def test_bad_input_ends_with_status_2_and_one_line(capsys, tmp_path, command, expected):
    for name in ("bytes", "bytes.gz", "bytes.parquet"):
        (tmp_path / name).write_bytes(bytes(range(256)))
    (tmp_path / "empty").write_text("")
    (tmp_path / "twice").write_text(RUN + "1 Q0 a 3 0 t\n")
    (tmp_path / "other").write_text("x Q0 a 1 1 t\n")
    (tmp_path / "b.run").write_text(RUN.replace(" t\n", " b\n"))
    (tmp_path / "rows.csv").write_text(ROWS)
    (tmp_path / "beir").write_text(BEIR)
    (tmp_path / "folder.csv").mkdir()
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

    monkeypatch.setattr("skrank._shell.files.align_triples", warn)
    assert run(capsys, "evaluate qrels a.run") == (2, "", "skrank: reason\n")


RAISED = {
    MemoryError(): "MemoryError: ",
    MemoryError("Unable to allocate 7 GiB"): "MemoryError: Unable to allocate 7 GiB",
    KeyError("x"): "KeyError: 'x'",
    RuntimeError("two\nlines"): "RuntimeError: two lines",
    ZeroDivisionError("division by zero"): "ZeroDivisionError: division by zero",
    PermissionError(13, "Permission denied", "x"): "Permission denied: 'x'",
    ValueError(): "ValueError: ",
}


@pytest.mark.parametrize(("error", "line"), RAISED.items(), ids=repr)
def test_any_other_error_is_one_line_without_a_traceback(
    capsys, monkeypatch, error, line
):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr("skrank._shell.files.align_triples", fail)
    assert run(capsys, "evaluate qrels a.run") == (2, "", f"skrank: {line.strip()}\n")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a named pipe")
def test_an_interrupt_ends_with_status_130_and_no_words(capsys):
    os.mkfifo("pipe")

    def interrupt():
        with open("pipe", "w"):  # which opens when the command reads
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            is_done.wait(5)  # at the end of the file the signal is seen at last

    is_done = threading.Event()
    # Otherwise a process that a script starts in the background ignores it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        assert run(capsys, "evaluate qrels pipe") == (130, "", "")
    finally:
        is_done.set()
        thread.join(processes.PATIENCE)
        signal.signal(signal.SIGINT, before)


CLOSED = {
    "evaluate qrels a.run": ("stdout", 0),
    "evaluate --help": ("stdout", 0),
    "fuse a.run tied.run": ("stdout", 0),
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
    for command in ("evaluate qrels a.run tied.run", "fuse a.run tied.run"):
        status, _, error = run(capsys, command)
        is_lost = stream == "stdout"
        assert status == 2 * is_lost
        assert error == "skrank: The standard output is closed.\n" * is_lost
    assert run(capsys, "evaluate qrels")[0] == 2


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full device")
def test_output_that_cannot_be_written_ends_with_status_2(capsys, monkeypatch):
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        status, _, error = run(capsys, "evaluate qrels a.run")
    assert (status, error) == (2, "skrank: No space left on device\n")


def test_a_warning_is_one_line(capsys, tmp_path):
    (tmp_path / "b.run").write_text(RUN + "7 Q0 a 1 1 t\n")
    status, _, error = run(capsys, "evaluate qrels b.run -m mrr")
    assert status == 0
    assert error.startswith("skrank: warning: 1 of 3 queries of b.run lack")
    assert error.count("\n") == 1


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_the_help_says_what_a_user_of_trec_eval_knows(capsys, command):
    status, output, _ = run(capsys, f"{command} --help")
    assert status == 0
    assert "ndcg_cut_10" in output
    assert "trec_eval -c" in output
    assert "skrank COMMAND --help describes a command." in run(capsys, "--help")[1]


@pytest.mark.slow
def test_a_process_exits_with_its_status_quietly_where_a_pipe_is_closed():
    reader, writer = os.pipe()
    os.close(reader)  # before anything is written
    with open(writer, "w") as stdout:
        command = [sys.executable, "-m", "skrank", "gate", "qrels", "a.run", "tied.run"]
        done = processes.run([*command, "-m=mrr", "--margin=0.1"], stdout=stdout)
    assert done.returncode == 3  # for the queries are too few to decide
    _, warning = done.stderr.splitlines()
    assert "No sign-flip test of 3 queries" in warning


def test_a_margin_of_a_gate_may_be_in_per_cent_of_the_baseline(capsys):
    command = "gate qrels a.run tied.run -m mrr --json --margin"
    status, output, error = run(capsys, f"{command} 20%")
    assert status == 3, error
    (row,) = json.loads(output)["rows"]
    assert row["margin"] == pytest.approx(0.2 * (1 / 2 + 1) / 3)
    for wrong in ("gate", "x%"), ("gate", "x"), ("compare", "1%"):
        status, output, error = run(
            capsys, f"{wrong[0]} qrels a.run tied.run --margin {wrong[1]}"
        )
        assert (status, output) == (2, "")
        assert "margin" in error
        assert error.count("\n") == 1


OF_SUBTOPICS = "1 1 a 1\n1 2 a 1\n1 1 b 1\n1 2 c 0\n2 1 a 1\n2 1 b 0\n2 2 d 1\n"


@pytest.mark.slow
def test_judgements_by_subtopic_are_read_for_metrics_of_subtopics(capsys, tmp_path):
    (tmp_path / "q").write_text(OF_SUBTOPICS)
    run_of = "1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n1 Q0 e 3 1 t\n2 Q0 b 1 3 t\n2 Q0 d 2 2 t\n"
    (tmp_path / "r").write_text(run_of)
    (tmp_path / "s").write_text(tagged(run_of.replace("3 t", "1.5 t"), "u"))
    command = "evaluate q r s -m subtopic_recall@1 -m alpha_ndcg@2 -m map --json"
    status, output, error = run(capsys, command)
    assert (status, error) == (0, "")
    found = json.loads(output)
    # a covers both subtopics of query 1, b one of them; of query 2 b covers none.
    assert found["t"]["subtopic_recall@1"] == (1 + 0) / 2
    assert found["u"]["subtopic_recall@1"] == (1 / 2 + 1 / 2) / 2
    # With alpha 1/2, b repeats subtopic 1: it gains 1/2 at rank 2. In query 2, d is at
    # rank 2, and ideally a and d are at ranks 1 and 2.
    gain = 1 / np.log2(3)
    one = (2 + gain / 2) / (2 + gain / 2)
    assert found["t"]["alpha_ndcg@2"] == pytest.approx((one + gain / (1 + gain)) / 2)
    # A document with a grade on any subtopic is relevant: a and b; d of a and d.
    assert found["t"]["map"] == pytest.approx((1 + 1 / 2 * 1 / 2) / 2)
    expected = score_runs("q", {"t": "r", "u": "s"}, ["alpha_ndcg@2", "map"]).summary()
    assert {name: dict([*row.items()][1:]) for name, row in found.items()} == expected
    command = "gate q r s -m alpha_ndcg@2 --margin 0.1"
    status, _, error = run(capsys, command)
    assert status == 3
    assert "2 queries" in error
    status, _, error = run(capsys, "evaluate - r -m alpha_ndcg@2")
    assert status == 2
    assert "write them to a file" in error
    status, _, error = run(capsys, "evaluate q r -m map")
    assert status == 2
    assert "must occur once" in error


def test_saved_scores_are_compared_and_decided(capsys, tmp_path):
    (tmp_path / "tied.run").write_text(tagged(TIED, "u"))
    for name in ("a", "tied"):
        command = f"evaluate qrels {name}.run -m mrr --save {name}.parquet"
        assert run(capsys, command)[0] == 0
    for command in ("evaluate", "compare --baseline t --csv", "gate --margin 0.1"):
        word, _, options = command.partition(" ")
        found = run(capsys, f"{word} a.parquet tied.parquet -m mrr {options}")
        expected = run(capsys, f"{word} qrels a.run tied.run -m mrr {options}")
        assert found == expected
    (tmp_path / "more").write_text(QRELS.replace("1 0 b 0", "1 0 b 1") + "2 0 z 0\n")
    assert run(capsys, "evaluate more tied.run -m mrr --save new.parquet")[0] == 0
    for command in ("compare", "gate --margin=0.1"):
        status, _, error = run(capsys, f"{command} a.parquet new.parquet")
        assert status == 2
        assert "have other judgements: evaluate the old run" in error
    status, _, error = run(capsys, "compare a.parquet")
    assert status == 2
    assert "two runs are required" in error


@pytest.mark.parametrize("command", ["evaluate", "compare", "gate", "fuse"])
def test_the_help_begins_with_an_example_that_runs(capsys, command):
    _, text, _ = run(capsys, f"{command} --help")
    example = next(line for line in text.splitlines() if line.startswith("skrank "))
    names = {"qrels.txt": "qrels", "bm25": "a", "main": "a", "dense": "tied"}
    for name, file in (names | {"branch": "tied", " > fused.run": ""}).items():
        example = example.replace(name, file)
    assert run(capsys, example.removeprefix("skrank "))[0] in (0, 3)
    assert max(map(len, text.splitlines())) <= 88
    assert ("QRELS" in text) == ("METRIC" in text) == (command != "fuse")


def test_a_line_says_how_many_queries_a_run_lacks(capsys):
    main(["evaluate", "qrels", "a.run", "tied.run", "-m=mrr"])
    _, error = capsys.readouterr()
    assert error == "skrank: a.run lacks 1 of 3 queries: they count 0.\n"
    for command in ("compare", "gate --margin .1"):
        main([*command.split(), "qrels", "a.run", "tied.run", "-m=mrr"])
        assert error in capsys.readouterr().err
    main(["evaluate", "qrels", "a.run", "--missing-queries=drop"])
    assert capsys.readouterr().err == ""
