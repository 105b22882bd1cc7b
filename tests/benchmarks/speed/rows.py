"""What the table of measurements is made of: tasks, rows and groups of rows."""

# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np


class Task(NamedTuple):
    """A function to time, how much work it does, and the bytes of its scores.

    Times are divided by the work before they are compared: rows, or the share of the
    queries that a sample holds.
    """

    function: Callable
    work: float = 1
    n_bytes: int = 0


def task_on(metric, lists, **params):
    """Return the task of calling a metric with lists."""
    function = partial(metric, lists.y_true, lists.y_score, qid=lists.qid, **params)
    return Task(function, n_bytes=lists.y_score.nbytes)


def same_number(ours, minimal):
    """Return the task of a minimal program, having seen that its number is skrank's.

    It may not look for ties, of which few are in numbers of 32 bits.
    """
    found = ours.function()
    found = [*found.values()] if isinstance(found, dict) else found
    if not np.allclose(found, minimal(), rtol=1e-6, atol=0):
        raise AssertionError(f"A minimal program computes {minimal()}, skrank {found}")
    return Task(minimal, ours.work)


def ratio(ours, other):
    return ours / other


def speedup(ours, other):
    return other / ours


def growth(*per_row):
    return max(per_row) / min(per_row)


class Row(NamedTuple):
    """A line of the table: the tasks that it compares, skrank's first, and targets."""

    name: str
    tasks: tuple
    unit: str  # what the figure counts, such as "x F"
    at_most: float | None = None
    at_least: float | None = None  # where more is better
    figure: Callable = ratio  # of the times of the tasks
    megabytes: float | None = None  # for the peak of the memory

    def missed(self, figure, peak):
        """Return by which share of its target the figure, or the memory, is off."""
        shortfalls = [0.0]
        if self.at_most:
            shortfalls.append(figure / self.at_most - 1)
        if self.at_least:
            shortfalls.append(1 - figure / self.at_least)
        if self.megabytes:
            shortfalls.append(peak / (self.megabytes * 2**20) - 1)
        return max(shortfalls)


def faster(name, theirs, at_least=None, ours="skrank"):
    """Return the row of a library that skrank is faster than."""
    return Row(name, (ours, theirs), "x faster", None, at_least, speedup)


MINIMAL = "x a minimal program"


def beside_minimal(name, ours, minimal="minimal", at_most=None):
    """Return the row of what is measured beside a minimal NumPy program."""
    return Row(name, (ours, minimal), MINIMAL, at_most)


class Group(NamedTuple):
    """Rows of the table that are timed in turns.

    `build` maps a scale, 1 or a small fraction of it, to the tasks by name.
    """

    title: str
    build: Callable
    rows: list
    runs: float = 1  # for each run that was asked for: fewer where one takes seconds
    needs: str = "skrank"  # the module that has to be installed

    def is_ready(self):
        return find_spec(self.needs) is not None

    def n_runs(self, asked):
        return max(1, round(self.runs * asked))
