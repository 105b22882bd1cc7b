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
from tests.benchmarks.speed.rows import MINIMAL, Row
from tests.studies.tables import list_table


class Result(NamedTuple):
    """A row as measured; the peak memory and the scores are in bytes."""

    row: Row
    figure: float
    seconds: float  # of skrank's own task
    peak: int
    n_bytes: int
    n_runs: int
    time_in: str  # where the time goes, if the target is missed


def measure(group, rows, asked_runs, scale=1, clock=time.perf_counter):
    """Return the results of some rows of a group, timed in turns."""
    tasks = group.build(scale)
    names = {name: None for row in rows for name in row.tasks}
    n_runs = group.n_runs(asked_runs)
    functions = {name: tasks[name].function for name in names}
    times = interleaved_medians(functions, n_runs, clock)
    peaks = {
        one: peak_memory(tasks[one].function) for one in {row.tasks[0] for row in rows}
    }
    results = []
    for row in rows:
        ours = row.tasks[0]
        per_work = {name: times[name] / tasks[name].work for name in row.tasks}
        figure = row.figure(*per_work.values())
        is_missed = row.missed(figure, peaks[ours]) > 0
        time_in = largest_shares(tasks[ours].function) if is_missed else ""
        n_bytes = tasks[ours].n_bytes
        given = row, figure, times[ours], peaks[ours], n_bytes, n_runs, time_in
        results.append(Result(*given))
    return results


HEAD = f"{'':<53}{'':>12}{'':>28}{'target':>15}  {'':<14}{'peak memory':>24}{'runs':>6}"


def as_line(result):
    """Return a line of the table on the screen."""
    row, targets = result.row, []
    if row.at_most:
        targets.append(f"<= {row.at_most:g}")
    if row.at_least:
        targets.append(f">= {row.at_least:g}")
    if row.megabytes:
        targets.append(f"<= {row.megabytes:g} MB")
    missed = row.missed(result.figure, result.peak)
    verdict = f"missed by {missed:.0%}" if missed > 0 else "met"
    figure = f"{shown(result.figure)} {row.unit}"
    return (
        f"{row.name:<53}{milliseconds(result):>12}{figure:>28}"
        f"{', '.join(targets) or '-':>15}  {verdict if targets else '':<14}"
        f"{memory(result):>24}{result.n_runs:>6}"
    ) + (f"\n    time in {result.time_in}" if result.time_in else "")


def shown(figure):
    """Return a figure as text, with fewer decimals where it is large."""
    return f"{figure:.{2 if figure < 10 else 1 if figure < 100 else 0}f}"


def milliseconds(result):
    """Return the time of skrank's own task as text."""
    return f"{shown(1000 * result.seconds)} ms"


def memory(result):
    """Return the peak memory as text, in MB and as a multiple of the scores."""
    text = f"{result.peak / 2**20:.1f} MB"
    if result.n_bytes:
        text += f", {result.peak / result.n_bytes:.2f} x scores"
    return text


def as_rst(results):
    """Return the tables of the documentation.

    The times are those of one machine, and say how long a call takes at all; the ratios
    are to be compared.
    """
    times = "\N{MULTIPLICATION SIGN}"
    rows = [["Workload", "Time", "Ratio", "Peak memory"]]
    minimal = [["Workload", "skrank", "Over a minimal NumPy program"]]
    beside = [["Library", "skrank is faster by"]]
    for result in results:
        unit, ratio = result.row.unit, f"{shown(result.figure)} {times}"
        if unit == MINIMAL:
            minimal.append([result.row.name, milliseconds(result), ratio])
        elif unit == "x faster":
            beside.append([result.row.name, ratio])
        elif unit != "ms":
            memory = f"{result.peak / result.n_bytes:.2f}"
            of = unit.removeprefix("x")
            rows.append([result.row.name, milliseconds(result), ratio + of, memory])
    # The page on performance includes what follows the comments.
    return (
        f"{list_table(rows)}\n.. minimal\n\n{list_table(minimal)}\n.. libraries\n\n"
        f"{list_table(beside)}\n{environment()}.\n"
    )


def environment():
    """Say what the figures depend on."""
    return (
        f"NumPy {np.__version__} with {vectors()}, Python "
        f"{'.'.join(map(str, sys.version_info[:3]))}"
    )
