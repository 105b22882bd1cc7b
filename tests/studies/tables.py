"""Tables of simulated figures: their rows, on the screen and in the documentation.

``python -m tests.studies STUDY`` measures the tables of a study, or some, by their
names. ``--write`` writes all of them to the documentation.
"""

# SPDX-License-Identifier: BSD-3-Clause

import argparse
import importlib
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tests.studies.populations import read_values

DOCS = Path(__file__).parents[2] / "docs"
FOLDER = DOCS / "development" / "tables"


class Row(NamedTuple):
    """What is measured on a population, and the bars of some columns as (low, high).

    `measure(values, n_samples)` returns figures by column, from the values of the
    collection `needs`. A bar can be the name of another column.
    """

    name: str
    measure: Callable
    bars: dict = {}
    needs: str | None = None

    def figures(self, values, n_samples):
        with warnings.catch_warnings():  # of samples that say nothing of the mean
            warnings.simplefilter("ignore", UserWarning)
            return self.measure(values, n_samples)


class Table(NamedTuple):
    """Rows with the same columns."""

    title: str
    columns: list
    rows: list


def rows_of(measure, option, cases, bars=None, /, **options):
    """Return a row for each case: its name, and what `option` of the measure is."""
    return [
        Row(name, partial(measure, **{option: case}, **options), bars or {})
        for name, case in cases.items()
    ]


def missed(row, figures):
    """Return the columns that miss their bars."""
    return [
        column
        for column, (low, high) in row.bars.items()
        for i, figure in enumerate(figures[column])
        if not (figures[low][i] if isinstance(low, str) else low) <= figure <= high
    ]


def cells(row, columns, figures):
    """Return the cells of a row; counts are a part of a whole."""
    texts = [
        f"{x[0]:,} of {x[1]:,}"
        if x and isinstance(x[0], int)
        else " / ".join(f"{figure:.1f}" for figure in x)
        for x in (figures.get(column, []) for column in columns)
    ]
    return [row.name, *texts]


def simulate(table, values, n_samples):
    """Print a table, each row as soon as it is measured, and return its cells."""
    print(f"\n{table.title}\n{'':44}" + "".join(f"{c:>24}" for c in table.columns))
    lines = [["", *table.columns]]
    for row in table.rows:
        if row.needs and row.needs not in values:
            print(f"{row.name:44} needs the values of {row.needs}")
            continue
        figures = row.figures(values, n_samples)
        lines.append(cells(row, table.columns, figures))
        misses = ", ".join(missed(row, figures))
        verdict = f"  missed: {misses}" if misses else "  met" if row.bars else ""
        texts = "".join(f"{cell:>24}" for cell in lines[-1][1:])
        print(f"{row.name:44}{texts}{verdict}", flush=True)
    return lines


def list_table(lines, title="", *options):
    """Return a table of the documentation."""
    text = [f".. list-table:: {title}", "   :header-rows: 1", *options, ""]
    for line in lines:
        text += [f"   {' ' if i else '*'} - {cell}" for i, cell in enumerate(line)]
    return "\n".join(line.rstrip() for line in text) + "\n"


def run(name, *arguments):
    """Simulate the tables of a study that are named, or all, and write all of them.

    The module has :class:`Table` by name in `TABLES`, and where they are written.
    """
    study = importlib.import_module(f"tests.studies.{name}")
    tables, path = study.TABLES, study.DOCS_TABLE
    parser = argparse.ArgumentParser(description=study.__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(tables))
    parser.add_argument("--samples", type=int, default=2000, help="of each size")
    parser.add_argument("--values", nargs="+", default=[], metavar="FILE")
    parser.add_argument("--write", action="store_true", help=f"write {path.name}")
    options = parser.parse_args(arguments)
    if unknown := {*options.names} - {*tables}:
        parser.error(f"the names are {', '.join(tables)}. Got {sorted(unknown)}.")
    values = read_values(options.values)
    needed = {row.needs for table in tables.values() for row in table.rows if row.needs}
    if options.write and (options.names or needed - {*values}):
        parser.error(f"--write takes no names and needs the values of {sorted(needed)}")
    texts = []
    for table in (tables[name] for name in options.names or tables):
        lines = simulate(table, values, options.samples)
        note = f"\n{options.samples:,} {getattr(study, 'SAMPLES', 'samples')}.\n\n"
        texts.append(list_table(lines, table.title) + note)
    if options.write:
        path.write_text("".join(texts), "utf-8")
