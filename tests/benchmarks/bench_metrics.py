"""Speed and memory of the metrics, as ratios measured in one run.

Run ``python -m tests.benchmarks.bench_metrics``. Each workload is timed in turns with
what it is compared with, on the same arrays and in one thread; another library has to
compute the same number first. Times are CPU times: other work changes them less.
`docs/development/performance_figures.rst` says what the figures are. All takes some
eight minutes, 8 GB of memory, and 1.2 GB of disk in the folder for temporary files.

The sort of NumPy depends on the instruction sets that the first line names. By the
names of NumPy 2.4, this leaves AVX2, and with "X86_V3" too, none:

    NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL AVX512_SPR" python ...
"""

# SPDX-License-Identifier: BSD-3-Clause

import argparse
import time

from tests.benchmarks.speed import on_lists, on_other_shapes, on_trec
from tests.benchmarks.speed.measuring import instruction_sets, print_profile
from tests.benchmarks.speed.rows import Group
from tests.benchmarks.speed.table import HEAD, as_line, as_rst, environment, measure
from tests.studies.tables import FOLDER

GROUPS = on_lists.GROUPS + on_trec.GROUPS + on_other_shapes.GROUPS
DOCS_TABLE = FOLDER / "speed.rst"


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=15, help="of functions of 10 ms")
    parser.add_argument("--rows", nargs="+", metavar="NAME", help="only those with it")
    parser.add_argument("--write", action="store_true", help=f"write {DOCS_TABLE.name}")
    parser.add_argument("--profile", metavar="NAME", help="profile the rows with it")
    options = parser.parse_args()
    if options.write and (options.rows or not all(map(Group.is_ready, GROUPS))):
        parser.error("--write needs all rows, and the libraries beside them")
    return options


def chosen(group, names):
    """Return the rows of a group whose name contains one of `names`."""
    if names is None:
        return group.rows
    return [row for row in group.rows if any(name in row.name for name in names)]


def profile(name):
    """Print where skrank spends the time of the rows of a name."""
    for group in filter(Group.is_ready, GROUPS):
        for row in chosen(group, [name]):
            print(row.name)
            print_profile(group.build(1)[row.tasks[0]].function)


def print_table(n_runs, names=None):
    """Print the table, each row as soon as it is measured, and return the results."""
    print(f"{environment()} ({' '.join(instruction_sets()) or 'none'})")
    print("Median CPU times of interleaved runs; each beside what its unit names")
    print(f"\n{HEAD}")
    start, results = time.perf_counter(), []
    for group in GROUPS:
        rows = chosen(group, names)
        if not rows:
            continue
        print(f"-- {group.title}", flush=True)
        if not group.is_ready():
            print(*(f"{row.name:<53}{'not installed':>28}" for row in rows), sep="\n")
            continue
        for result in measure(group, rows, n_runs, clock=time.process_time):
            print(as_line(result), flush=True)
            results.append(result)
    print(f"\nAll this took {(time.perf_counter() - start) / 60:.1f} minutes.")
    return results


def main():
    options = read_options()
    if options.profile:
        profile(options.profile)
        return
    results = print_table(options.runs, options.rows)
    if options.write:
        DOCS_TABLE.write_text(as_rst(results), "utf-8")


if __name__ == "__main__":
    main()
