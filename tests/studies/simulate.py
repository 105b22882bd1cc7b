"""Coverage of the intervals, errors of the tests, and their power, by simulation.

Run ``python -m tests.studies.simulate --values movielens.csv msweb.csv nations.csv``;
it takes a quarter of an hour. The files hold values of real rankers, which the project
may not ship; `populations.py` says how they look. Without them, only synthetic
populations are drawn from. ``--write`` writes the tables of the documentation.

Single means are given to `confidence_interval`, one sample after the other. For
differences `run_tests` is called, which `compare_rankers` calls. A test checks that
this gives the numbers of `compare_rankers`.
"""

# SPDX-License-Identifier: BSD-3-Clause

import argparse
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tests.studies import experiments, populations
from tests.studies.experiments import HEEDED, IGNORED

DOCS_TABLE = Path(__file__).parents[2] / "docs" / "development/tables/coverage.rst"


class Row(NamedTuple):
    """What is measured on a population, and the bars of some columns as (low, high).

    `measure(values, n_samples)` returns figures by column, from the values of the
    collection `needs`. A bar can be the name of another column.
    """

    name: str
    measure: Callable
    bars: dict = {}
    needs: str | None = None


class Table(NamedTuple):
    """Rows with the same columns."""

    title: str
    columns: list
    rows: list


# The collection, the metric, the ranker and its baseline.
PAIRS = [
    ("msweb", "mrr@20", "itemknn", "pop"),
    ("movielens", "mrr@20", "puresvd", "pop"),
    ("movielens", "map@20", "puresvd", "pop"),
    ("movielens", "ndcg@10", "itemknn", "pop"),
    ("movielens", "ndcg@10", "puresvd", "itemknn"),
    ("movielens", "recall@10", "itemknn", "pop"),
    ("nations", "mrr", "rotate", "transe"),
]
HITS = ("msweb", "hits@1", "itemknn", "pop")


def of_pairs(pairs, measure, bars):
    return [
        Row(
            "{} {}, {} and {}".format(*pair),
            partial(measure, pair=pair),
            bars,
            needs=pair[0],
        )
        for pair in pairs
    ]


UP_TO_1000 = [f"n = {n:,}" for n in (20, 50, 200, 1000)]


def of_mean(name, population, bars=None, needs=None):
    measure = partial(experiments.coverage_of_means, population=population)
    return Row(name, measure, bars or {}, needs)


def of_undefined(name, covers_all, bar):
    measure = partial(experiments.coverage_of_undefined, covers_all=covers_all)
    return Row(name, measure, dict.fromkeys(experiments.UNDEFINED, (bar, 100)))


def of_undefined_mean(name, population, bar):
    one = partial(experiments.means_with_undefined, population=population)
    return of_undefined(name, one, bar)


def of_units(name, one, sizes=(20, 50, 200)):
    measure = partial(experiments.coverage_of_units, sizes=sizes, one=one)
    return Row(name, measure, {HEEDED: (92, 100)})


def of_family(text, measure, null, shift=0, bars=None):
    options = {"measure": measure, "null": null, "shift": shift}
    return Row(
        f"{text}, {null}",
        partial(experiments.rejections, **options),
        bars or {},
        "movielens",
    )


weighted = populations.weighted_values(np.random.default_rng(0))
TABLES = {
    "differences": Table(
        "Coverage of the difference of two rankers by compare_rankers, in %",
        [*UP_TO_1000, "effective of 20", "p and interval disagree"],
        of_pairs(
            PAIRS,
            experiments.coverage_of_differences,
            dict.fromkeys(UP_TO_1000, (93, 97)),
        ),
    ),
    "means": Table(
        "Coverage of the mean of one ranker by confidence_interval, in %",
        [*(f"n = {n}" for n in (10, 20, 50, 200)), "Student's t, n = 20"],
        [
            *(
                of_mean(
                    f"movielens {metric}, {ranker}",
                    ("movielens", ranker, metric),
                    {"n = 20": (93, 100)},
                    "movielens",
                )
                for metric in ("mrr@20", "ndcg@10", "map@20")
                for ranker in ("pop", "puresvd")
            ),
            of_mean("reciprocal ranks, skewness 3", populations.reciprocal_ranks),
            of_mean("beta, skewness 0.7", populations.average_precisions),
            of_mean("hits, 5 % of them", populations.hits),
            of_mean("ranks, lognormal", populations.ranks),
            Row("ranks, lognormal: their median", experiments.coverage_of_medians),
        ],
    ),
    "undefined": Table(
        "Coverage where queries are undefined and count as 0, n = 20 / 50 / 200, in %",
        [*experiments.UNDEFINED],
        [
            of_undefined_mean(
                "mean, skewness 0.7", populations.average_precisions, 93.5
            ),
            of_undefined_mean("mean of hits, 5 % of them", populations.hits, 90),
            of_undefined(
                "difference of two rankers",
                experiments.differences_with_undefined,
                93.5,
            ),
        ],
    ),
    "units": Table(
        "Coverage where the units are not queries of equal weight, in %",
        [HEEDED, IGNORED],
        [
            of_units("20 / 50 / 200 users of 1 to 20 queries", experiments.of_users),
            of_units("the same, up to 300 queries", experiments.of_uneven_users),
            of_units("hits, 97 %, of users of 1 to 5", experiments.hits_of_users),
            of_units("weights, Pareto 2.2", experiments.of_pareto_weights),
            Row(
                "1 to 20 queries, difference of two rankers",
                partial(
                    experiments.coverage_of_differences_of_users, sizes=(20, 50, 200)
                ),
                {HEEDED: (92, 100)},
            ),
            of_units(
                "up to 300 queries, difference of two rankers",
                experiments.difference_of_uneven_users,
            ),
            of_units(
                "100 queries x 3 / 5 / 10 seeds", experiments.of_seeds, (3, 5, 10)
            ),
            of_units(
                "20 / 50 / 200 queries with weights",
                partial(experiments.of_weights, population=weighted),
            ),
        ],
    ),
    "tests": Table(
        "Rejections of equal means at 5 %, with n = 20 / 200 / 1,000, in %",
        ["permutation", "t", "wilcoxon", "sign"],
        of_pairs(
            [*PAIRS, HITS],
            experiments.errors_of_tests,
            {"permutation": (0, 6), "t": (4, 6)},
        ),
    ),
    "families": Table(
        "Families of 16 comparisons, with n = 20 / 50 / 200, in %",
        ["none", "holm", "max-t"],
        [
            *(
                of_family(
                    "any rejection",
                    experiments.any_of_family,
                    null,
                    bars={"max-t": (0, 5.5)},
                )
                for null in ("exchangeable", "equal means")
            ),
            # Holm's steps find more where all differences are real.
            of_family("power at 3 se", experiments.percent, "exchangeable", shift=3),
        ],
    ),
}


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
        with warnings.catch_warnings():  # of samples that say nothing of the mean
            warnings.simplefilter("ignore", UserWarning)
            figures = row.measure(values, n_samples)
        name, *others = cells(row, table.columns, figures)
        lines.append([name, *others])
        misses = ", ".join(missed(row, figures))
        verdict = f"  missed: {misses}" if misses else "  met" if row.bars else ""
        print(f"{name:44}" + "".join(f"{c:>24}" for c in others) + verdict, flush=True)
    return lines


def as_rst(table, lines, n_samples, sizes):
    """Return a table of the documentation."""
    text = [f".. list-table:: {table.title}", "   :header-rows: 1", ""]
    for line in lines:
        text += [f"   {' ' if i else '*'} - {cell}" for i, cell in enumerate(line)]
    text += ["", f"{n_samples:,} samples{sizes}."]
    return "\n".join(line.rstrip() for line in text) + "\n\n"


def run(tables, path, description, sizes=""):
    """Simulate the tables that the command line names, or all, and write all of them.

    `tables` holds each :class:`Table` by its name; `path` is where they are written.
    """
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(tables))
    parser.add_argument("--samples", type=int, default=2000, help="of each size")
    parser.add_argument("--values", nargs="+", default=[], help="files of some rankers")
    parser.add_argument("--write", action="store_true", help=f"write {path.name}")
    options = parser.parse_args()
    if unknown := {*options.names} - {*tables}:
        parser.error(f"the names are {', '.join(tables)}. Got {sorted(unknown)}.")
    if options.write and options.names:
        parser.error("--write writes all tables: pass no names")
    values, texts = populations.read_values(options.values), []
    needed = {row.needs for table in tables.values() for row in table.rows if row.needs}
    if options.write and needed - {*values}:
        parser.error(f"--write needs the values of {sorted(needed)}")
    for table in (tables[name] for name in options.names or tables):
        lines = simulate(table, values, options.samples)
        texts.append(as_rst(table, lines, options.samples, sizes))
    if options.write:
        path.write_text("".join(texts), "utf-8")


if __name__ == "__main__":
    run(TABLES, DOCS_TABLE, __doc__, sizes=" of each size up to 200")
