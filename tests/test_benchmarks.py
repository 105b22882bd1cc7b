"""The benchmark runs, row by row, on arrays a thousandth of its own."""

# SPDX-License-Identifier: BSD-3-Clause

import ast
import io
import itertools
import math
import sys
from contextlib import redirect_stdout
from types import SimpleNamespace

import pytest
from pyarrow import parquet

from tests.benchmarks import bench_files, bench_metrics, bench_stats, billion_rows
from tests.benchmarks.speed import libraries, workloads
from tests.benchmarks.speed.rows import Row, Task, beside_minimal, same_number, speedup
from tests.benchmarks.speed.table import Result, as_line, as_rst, measure

TINY = 1 / 1000
READY = [group for group in bench_metrics.GROUPS if group.is_ready()]
ROWS = [row for group in bench_metrics.GROUPS for row in group.rows]


def each_takes_one():
    """Return a clock by which every call takes one second: tests measure no time."""
    return itertools.count().__next__


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:All rows are ranked as one query")
@pytest.mark.parametrize("group", READY, ids=lambda group: group.title)
def test_every_row_is_measured(group):
    results = measure(group, group.rows, 1, scale=TINY, clock=each_takes_one())
    assert [result.row for result in results] == group.rows
    for result in results:
        assert math.isfinite(result.figure)
        assert result.peak > 0
        assert result.row.name in as_line(result)
        # The table of the documentation divides by it.
        assert result.n_bytes > 0 or result.row.unit == "ms"


def test_the_documentation_holds_every_ratio():
    table = bench_metrics.DOCS_TABLE.read_text("utf-8")
    listed = {line[4:].strip("- ") for line in table.splitlines() if "* -" in line}
    listed -= {"Workload", "Library"}
    assert listed == {row.name for row in ROWS if row.unit != "ms"}


def test_the_documentation_holds_times_beside_ratios():
    rows = {
        Row("a call", ("ours",), "ms"): 3.25,
        Row("a library", ("ours", "theirs"), "x faster", figure=speedup): 30.4,
        Row("a workload", ("ours", "half"), "x half"): 2.5,
        beside_minimal("a list", "ours"): 0.75,
    }
    text = as_rst([Result(*of, 0.0125, 8, 4, 1, "") for of in rows.items()])
    assert "a call" not in text  # ratios are to be compared
    assert "a library\n     - 30.4" in text
    assert (
        "a workload\n     - 12.5 ms\n     - 2.50 \N{MULTIPLICATION SIGN} half" in text
    )
    assert "a list\n     - 12.5 ms\n     - 0.75" in text


def test_a_minimal_program_with_another_number_is_not_timed():
    ours = Task(lambda: {"mrr": 0.5, "map": 0.25})
    assert same_number(ours, lambda: [0.5, 0.25]).work == ours.work
    with pytest.raises(AssertionError, match=r"computes \[0.5, 0.3\], skrank \[0.5, "):
        same_number(ours, lambda: [0.5, 0.3])


def test_a_library_with_another_number_is_not_timed(monkeypatch):
    lists = workloads.make_l(TINY)
    ways = {"wrong": libraries.Way(lambda: 2.0, lists.n_queries())}
    monkeypatch.setitem(libraries.LIBRARIES, "sklearn", lambda lists: ways)
    with pytest.raises(AssertionError, match=r"wrong computes 2\.0, skrank 0"):
        libraries.ways_of("sklearn", lists)


def test_files_of_trec_are_timed_with_equal_numbers(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["bench_files.py", "--queries", "2", "--runs=1"])
    monkeypatch.setattr(bench_files, "cpu_seconds", each_takes_one())
    bench_files.main()
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert names == ["skrank", "pytrec_eval"]


@pytest.mark.slow
@pytest.mark.parametrize("group", bench_stats.GROUPS, ids=lambda group: group.title)
def test_resampling_is_timed_beside_libraries_with_close_numbers(group):
    if not group.is_ready():
        pytest.skip(f"{group.needs} is not installed")
    results = measure(group, group.rows, 1, scale=1 / 50, clock=each_takes_one())
    assert [result.row for result in results] == group.rows
    assert all(result.figure > 0 and result.peak > 0 for result in results)


def test_the_documentation_holds_every_library_that_resampling_is_timed_beside():
    table = bench_stats.DOCS_TABLE.read_text("utf-8")
    rows = [row for group in bench_stats.GROUPS for row in group.rows]
    assert all(row.name in table for row in rows if row.unit == "x faster")


def test_the_rows_of_the_billion_are_the_same_in_both_orders(tmp_path):
    paths = billion_rows.make(tmp_path, 10**4)
    grouped, shuffled = (parquet.read_table(path) for path in paths.values())
    assert grouped["qid"].to_pylist() == [row // 100 for row in range(10**4)]
    assert shuffled["qid"] != grouped["qid"]
    every = [(name, "ascending") for name in grouped.column_names]
    assert shuffled.sort_by(every) == grouped.sort_by(every)


@pytest.mark.slow
def test_a_billion_rows_are_scored_and_sorted_with_equal_numbers(
    tmp_path, monkeypatch, capsys
):
    def run_here(command, **options):
        with monkeypatch.context() as patch, redirect_stdout(io.StringIO()) as printed:
            patch.setattr(sys, "argv", list(map(str, command[2:])))
            billion_rows.main()
        return SimpleNamespace(stdout=printed.getvalue())

    monkeypatch.setattr(billion_rows.processes, "run", run_here)
    arguments = ["--rows", "10000", "--memory-limit", "1GB"]
    monkeypatch.setattr(sys, "argv", ["billion_rows.py", str(tmp_path), *arguments])
    billion_rows.main()
    lines = capsys.readouterr().out.splitlines()
    steps = ["score_table", "intervals", "DuckDB", "polars"]
    named = [line.split()[0].rstrip(",") for line in lines[:12]]
    assert named == ["grouped", *steps, "shuffled", *steps, "ORDER", "score"]
    found = [ast.literal_eval(line) for line in lines if line.startswith("{")]
    assert all(one == pytest.approx(found[0], rel=1e-9) for one in found)
    assert len(found) == 3
