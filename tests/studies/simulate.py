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
import re
import time
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
    """Rows with the same columns, whose figures come from samples or are computed."""

    title: str
    columns: list
    rows: list
    is_sampled: bool = True


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


ANY = experiments.any_of_family
NS = [f"n = {n}" for n in (10, 20, 50, 200)]
TABLES = [
    Table(
        "Coverage of the difference of two rankers by compare_rankers, in %",
        [
            *(f"n = {n:,}" for n in (20, 50, 200, 1000)),
            "effective of 20",
            "p and interval disagree",
        ],
        of_pairs(
            PAIRS,
            experiments.coverage_of_differences,
            {f"n = {n:,}": (93, 97) for n in (20, 50, 200, 1000)},
        ),
    ),
    Table(
        "Coverage of the mean of one ranker by confidence_interval, in %",
        [*NS, "Student's t, n = 20"],
        [
            *(
                Row(
                    f"movielens {metric}, {ranker}",
                    partial(
                        experiments.coverage_of_means,
                        population=("movielens", ranker, metric),
                    ),
                    {"n = 20": (93, 100)},
                    needs="movielens",
                )
                for metric in ("mrr@20", "ndcg@10", "map@20")
                for ranker in ("pop", "puresvd")
            ),
            *(
                Row(name, partial(experiments.coverage_of_means, population=population))
                for name, population in {
                    "reciprocal ranks, skewness 3": populations.reciprocal_ranks,
                    "beta, skewness 0.7": populations.average_precisions,
                    "hits, 5 % of them": populations.hits,
                    "ranks, lognormal": populations.ranks,
                }.items()
            ),
            Row("ranks, lognormal: their median", experiments.coverage_of_medians),
        ],
    ),
    Table(
        "Coverage where queries are undefined and count as 0, n = 20 / 50 / 200, in %",
        [*experiments.UNDEFINED],
        [
            Row(
                name,
                partial(experiments.coverage_of_undefined, covers_all=covers_all),
                dict.fromkeys(experiments.UNDEFINED, (bar, 100)),
            )
            for name, covers_all, bar in [
                (
                    "mean, skewness 0.7",
                    partial(
                        experiments.means_with_undefined,
                        population=populations.average_precisions,
                    ),
                    93.5,
                ),
                (
                    "mean of hits, 5 % of them",
                    partial(
                        experiments.means_with_undefined, population=populations.hits
                    ),
                    90,
                ),
                (
                    "difference of two rankers",
                    experiments.differences_with_undefined,
                    93.5,
                ),
            ]
        ],
    ),
    Table(
        "Coverage where the units are not queries of equal weight, in %",
        [HEEDED, IGNORED],
        [
            Row(
                "20 / 50 / 200 users of 1 to 20 queries",
                partial(
                    experiments.coverage_of_units,
                    sizes=(20, 50, 200),
                    one=experiments.of_users,
                ),
                {HEEDED: (92, 100)},
            ),
            *(
                Row(
                    name,
                    partial(
                        experiments.coverage_of_units, sizes=(20, 50, 200), one=one
                    ),
                    {HEEDED: (92, 100)},
                )
                for name, one in {
                    "the same, up to 300 queries": experiments.of_uneven_users,
                    "hits, 97 %, of users of 1 to 5": experiments.hits_of_users,
                    "weights, Pareto 2.2": experiments.of_pareto_weights,
                }.items()
            ),
            Row(
                "1 to 20 queries, difference of two rankers",
                partial(
                    experiments.coverage_of_differences_of_users, sizes=(20, 50, 200)
                ),
                {HEEDED: (92, 100)},
            ),
            Row(
                "up to 300 queries, difference of two rankers",
                partial(
                    experiments.coverage_of_units,
                    sizes=(20, 50, 200),
                    one=experiments.difference_of_uneven_users,
                ),
                {HEEDED: (92, 100)},
            ),
            Row(
                "100 queries x 3 / 5 / 10 seeds",
                partial(
                    experiments.coverage_of_units,
                    sizes=(3, 5, 10),
                    one=experiments.of_seeds,
                ),
                {HEEDED: (92, 100)},
            ),
            Row(
                "20 / 50 / 200 queries with weights",
                partial(
                    experiments.coverage_of_units,
                    sizes=(20, 50, 200),
                    one=partial(
                        experiments.of_weights,
                        population=populations.weighted_values(
                            np.random.default_rng(0)
                        ),
                    ),
                ),
                {HEEDED: (92, 100)},
            ),
        ],
    ),
    Table(
        "Rejections of equal means at 5 %, with n = 20 / 200 / 1,000, in %",
        ["permutation", "t", "wilcoxon", "sign"],
        of_pairs(
            [*PAIRS, HITS],
            experiments.errors_of_tests,
            {"permutation": (0, 6), "t": (4, 6)},
        ),
    ),
    Table(
        "Families of 16 comparisons, with n = 20 / 50 / 200, in %",
        ["none", "holm", "max-t"],
        [
            Row(
                f"{text}, {null}",
                partial(
                    experiments.rejections, measure=measure, null=null, shift=shift
                ),
                {"max-t": bar} if bar else {},
                needs="movielens",
            )
            for text, null, measure, shift, bar in [
                ("any rejection", "exchangeable", ANY, 0, (0, 5.5)),
                ("any rejection", "equal means", ANY, 0, (0, 5.5)),
                (
                    "power at 3 se",
                    "exchangeable",
                    experiments.percent,
                    3,
                    None,  # Holm's steps find more where all differences are real
                ),
            ]
        ],
    ),
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
        with warnings.catch_warnings():  # of samples that say nothing of the mean
            warnings.simplefilter("ignore", UserWarning)
            figures = row.measure(values, n_samples)
        name, *others = cells(row, table.columns, figures)
        lines.append([name, *others])
        misses = ", ".join(missed(row, figures))
        verdict = f"  missed: {misses}" if misses else "  met" if row.bars else ""
        print(f"{name:44}" + "".join(f"{c:>24}" for c in others) + verdict, flush=True)
    return lines


def as_rst(table, lines, n_samples, sizes=" of each size up to 200"):
    """Return a table of the documentation."""
    text = [f".. list-table:: {table.title}", "   :header-rows: 1", ""]
    for line in lines:
        text += [f"   {' ' if i else '*'} - {cell}" for i, cell in enumerate(line)]
    if table.is_sampled:
        text += ["", f"{n_samples:,} samples{sizes}."]
    return "\n".join(line.rstrip() for line in text) + "\n\n"


def write(texts):
    """Write some tables of the documentation, by their place, and keep the others."""
    old = DOCS_TABLE.read_text("utf-8") if DOCS_TABLE.exists() else ""
    parts = re.split(r"(?=^\.\. list-table)", old, flags=re.MULTILINE)[1:]
    kept = {part.splitlines()[0]: part for part in parts}
    kept |= {text.splitlines()[0]: text for text in texts}
    titles = [f".. list-table:: {table.title}" for table in TABLES]
    DOCS_TABLE.write_text("".join(kept[t] for t in titles if t in kept), "utf-8")


def run(tables, path, description):
    """Simulate the tables that the command line names, or all, and write all of them.

    `tables` holds each :class:`Table` by its name; `path` is where they are written.
    """
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(tables))
    parser.add_argument("--samples", type=int, default=2000, help="of each size")
    parser.add_argument(
        "--write",
        action="store_true",
        help=f"write all to docs/**/{path.name}",
    )
    options = parser.parse_args()
    if unknown := {*options.names} - {*tables}:
        parser.error(f"the names are {', '.join(tables)}. Got {sorted(unknown)}.")
    if options.write and options.names:
        parser.error("--write writes all tables: pass no names")
    texts = []
    for table in (tables[name] for name in options.names or tables):
        lines = simulate(table, {}, options.samples)
        texts.append(as_rst(table, lines, options.samples, sizes=""))
    if options.write:
        path.write_text("".join(texts), "utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--values", nargs="+", default=[], metavar="FILE")
    parser.add_argument("--samples", type=int, default=2000, help="of each size")
    parser.add_argument(
        "--tables", type=int, nargs="+", default=range(len(TABLES)), help="from 0"
    )
    parser.add_argument(
        "--write", action="store_true", help=f"write them to docs/{DOCS_TABLE.name}"
    )
    options = parser.parse_args()
    values = populations.read_values(options.values)
    tables = [TABLES[i] for i in options.tables]
    needed = {row.needs for table in tables for row in table.rows if row.needs}
    if options.write and needed - {*values}:
        parser.error(f"--write needs the values of {sorted(needed)}")
    start = time.perf_counter()
    for table in tables:
        lines = simulate(table, values, options.samples)
        if options.write:
            write([as_rst(table, lines, options.samples)])
    print(f"\nAll this took {(time.perf_counter() - start) / 60:.1f} minutes.")


if __name__ == "__main__":
    main()
