"""Measuring the rows of the table, and writing them on the screen and in the docs."""

# SPDX-License-Identifier: BSD-3-Clause

import sys
import time
from typing import NamedTuple

import numpy as np

from tests.benchmarks.speed.measuring import (
    interleaved_medians,
    largest_shares,
    peak_memory,
    vectors,
)
from tests.benchmarks.speed.rows import Row
from tests.studies.tables import list_table


class Result(NamedTuple):
    """A row as measured; the peak memory and the scores are in bytes."""

    row: Row
    figure: float
    peak: int
    n_bytes: int
    n_runs: int
    time_in: str  # where the time goes, if the target is missed
    floor: float | None = None  # the figure of a minimal program


def measure(group, rows, asked_runs, scale=1, clock=time.perf_counter):
    """Return the results of some rows of a group, timed in turns."""
    tasks = group.build(scale)
    names = {name: None for row in rows for name in (*row.tasks, row.floor) if name}
    n_runs = group.n_runs(asked_runs)
    functions = {name: tasks[name].function for name in names}
    times = interleaved_medians(functions, n_runs, clock)
    peaks = {}
    for row in rows:
        for name in row.tasks if row.of_memory else row.tasks[:1]:
            if name not in peaks:
                peaks[name] = peak_memory(tasks[name].function)
    results = []
    for row in rows:
        measured = peaks if row.of_memory else times
        ours, *others = row.tasks
        per_work = {name: measured[name] / tasks[name].work for name in row.tasks}
        figure, floor = row.figure(*per_work.values()), None
        if row.floor:
            others = (per_work[name] for name in others)
            floor = row.figure(times[row.floor] / tasks[row.floor].work, *others)
        is_missed = row.missed(figure, peaks[ours], vectors()) > 0
        time_in = largest_shares(tasks[ours].function) if is_missed else ""
        n_bytes = tasks[ours].n_bytes
        given = row, figure, peaks[ours], n_bytes, n_runs, time_in, floor
        results.append(Result(*given))
    return results


HEAD = (
    f"{'':<53}{'':>28}{'target':>15}{'minimal':>9}  {'':<14}{'peak memory':>24}"
    f"{'runs':>6}"
)


def as_line(result):
    """Return a line of the table on the screen."""
    row, level = result.row, vectors()
    targets = []
    if row.at_most:
        targets.append(f"<= {row.limit(level):g}")
    if row.at_least:
        targets.append(f">= {row.at_least:g}")
    if row.megabytes:
        targets.append(f"<= {row.megabytes:g} MB")
    missed = row.missed(result.figure, result.peak, level)
    verdict = f"missed by {missed:.0%}" if missed > 0 else "met"
    figure = f"{shown(result.figure)} {row.unit}"
    floor = "" if result.floor is None else shown(result.floor)
    return (
        f"{row.name:<53}{figure:>28}{', '.join(targets) or '-':>15}{floor:>9}  "
        f"{verdict if targets else '':<14}{memory(result):>24}{result.n_runs:>6}"
    ) + (f"\n    time in {result.time_in}" if result.time_in else "")


def shown(figure):
    """Return a figure as text, with fewer decimals where it is large."""
    return f"{figure:.{2 if figure < 10 else 1 if figure < 100 else 0}f}"


def memory(result):
    """Return the peak memory as text, in MB and as a multiple of the scores."""
    text = f"{result.peak / 2**20:.1f} MB"
    if result.n_bytes:
        text += f", {result.peak / result.n_bytes:.2f} x scores"
    return text


def as_rst(results):
    """Return the tables of the documentation, which hold ratios alone."""
    libraries = [r for r in results if r.row.unit == "x faster"]
    others = [r for r in results if r.row.unit not in ("x faster", "ms")]
    times = "\N{MULTIPLICATION SIGN}"
    rows = [["Workload", "Time", "Minimal program", "Peak memory"]]
    for result in others:
        text = f"{shown(result.figure)} {result.row.unit.replace('x', times, 1)}"
        floor = "" if result.floor is None else f"{shown(result.floor)} {times}"
        memory = f"{result.peak / result.n_bytes:.2f}"
        rows.append([result.row.name, text, floor, memory])
    beside = [["Library", "skrank is faster by"]]
    for result in libraries:
        beside.append([result.row.name, f"{shown(result.figure)} {times}"])
    # The page on performance includes what follows the comment.
    return (
        f"{list_table(rows)}\n.. libraries\n\n{list_table(beside)}\n{environment()}.\n"
    )


def environment():
    """Say what the figures depend on."""
    return (
        f"NumPy {np.__version__} with {vectors()}, Python "
        f"{'.'.join(map(str, sys.version_info[:3]))}"
    )
