"""The command line."""

# SPDX-License-Identifier: BSD-3-Clause

import csv
import json
import subprocess
import sys

import pyarrow.parquet
import pytest

from skrank.__main__ import main

pytestmark = pytest.mark.slow


QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 1\n3 0 a 2\n"
RUN = "1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n2 Q0 a 1 1 t\n"
TIED = "1 Q0 b 1 1 t\n1 Q0 a 2 1 t\n2 Q0 a 1 1 t\n3 Q0 a 1 1 t\n"

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
        capsys, f"evaluate qrels a.run -m mrr --json --missing {missing}"
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
    "evaluate a.run a.run": "a.run, line 1: 4 fields expected",
    "evaluate qrels a.run -m nonsense": "'nonsense' is not a valid scoring value",
    "evaluate qrels a.run --convention trec": "Did you mean 'trec_eval'?",
    "evaluate qrels a.run --by-query q.txt": "must end in .csv or .parquet",
    "evaluate qrels a.run --missing raise": "1 of 3 queries of qrels lack a row",
    "evaluate qrels": "skrank evaluate: the following arguments are required: RUN",
    "explain qrels a.run -m precision": "Did you mean 'precision@10'?",
    "": "the following arguments are required: COMMAND",
}


@pytest.mark.parametrize(("command", "expected"), BAD.items(), ids=BAD)
def test_bad_input_ends_with_status_2_and_one_line(capsys, tmp_path, command, expected):
    status, output, error = run(capsys, command)
    assert (status, output) == (2, "")
    assert expected in error
    assert error.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "a.run",
        "qrels",
        "tied.run",
    ]


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


@pytest.mark.slow
def test_the_package_is_a_command(tmp_path):
    command = [sys.executable, "-m", "skrank", "evaluate", "qrels", "none"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "skrank: [Errno 2] No such file or directory: 'none'\n"
