"""CPU time and memory of resampling, as ratios to SciPy and ranx.

Run ``python -m tests.benchmarks.bench_stats``; it takes minutes. 10,000 random
flips of 10,000 queries and 10 metrics, in turns: a comparison of two rankers by all
metrics with all that `compare_rankers` returns. The other libraries compute p-values
without a correction, which have to be close to those of skrank. They draw a part of the
flips only, and their times are multiplied. ``--write`` writes the table of the
documentation.
"""

# SPDX-License-Identifier: BSD-3-Clause

import argparse
import importlib
import time
from functools import partial

import numpy as np
import scipy.stats

from skrank.metrics import QueryScores
from tests.benchmarks.speed.rows import Group, Row, Task, faster
from tests.benchmarks.speed.table import HEAD, as_line, environment, measure, shown
from tests.stats.pilot import comparison_of
from tests.studies.tables import FOLDER, list_table

DOCS_TABLE = FOLDER / "stats_speed.rst"
N_METRICS = 10
N_RESAMPLES = 10_000
OF_SCIPY = {"axis": -1, "batch": 10, "vectorized": True, "random_state": 0}


def make_scores(scale):
    """Return the scores of two rankers, which are similar on the same queries."""
    rng = np.random.default_rng(0)
    n = max(int(10_000 * scale), 20)
    base = rng.beta(0.8, 2.0, size=(N_METRICS, n))
    new = np.clip(base + rng.normal(0.001, 0.1, size=base.shape), 0, 1)
    both = np.hstack([base, new])
    columns = {f"metric {i}": values for i, values in enumerate(both)}
    frame = {"qid": np.tile(np.arange(n), 2), "ranker": np.repeat(["old", "new"], n)}
    return QueryScores.from_frame(frame | columns, ranker="ranker")


def seconds(ours):
    return ours


def permutations(scale, library):
    """Return the tasks of comparing two rankers by all metrics."""
    scores = make_scores(scale)
    old, new = scores.values
    n = max(int(N_RESAMPLES * scale), 100)
    ours = partial(comparison_of, scores, n_resamples=n - 1)
    part = 0.05 if scale == 1 else 1
    their_n = round(n * part)

    def by_ranx():
        ranx = importlib.import_module("ranx.statistical_tests")
        return [
            ranx.fisher_randomization_test(a, b, their_n)[0]
            for a, b in zip(new, old, strict=True)
        ]

    def by_scipy():
        options = OF_SCIPY | {"n_resamples": their_n, "permutation_type": "samples"}
        difference = lambda a, b, axis: np.mean(a - b, axis=axis)  # noqa: E731
        return scipy.stats.permutation_test((new, old), difference, **options).pvalue

    theirs = {"ranx": by_ranx, "SciPy": by_scipy}[library]
    if library == "ranx":
        importlib.import_module("numba").set_num_threads(1)
    pvalues = np.array([row.pvalue for row in ours().rows])
    far = np.abs(pvalues - theirs()) / np.sqrt((pvalues + 0.01) / their_n)
    if far.max() > 5:
        raise AssertionError(f"A p-value is {far.max():.1f} standard errors away.")
    tasks = {"skrank": Task(ours, n_bytes=2 * new.nbytes)}
    return tasks | {library: Task(theirs, work=part)}


GROUPS = [
    Group(
        "Permutation test of 10 differences, with max-T and intervals",
        partial(permutations, library="ranx"),
        [
            Row("compare_rankers", ("skrank",), "s", figure=seconds),
            faster("ranx's Fisher test", "ranx", 100),
        ],
        needs="ranx",
    ),
    Group(
        "The same beside SciPy",
        partial(permutations, library="SciPy"),
        [faster("scipy.stats.permutation_test", "SciPy")],
        runs=0.4,
    ),
]


def as_rst(results):
    """Return the table of the documentation, which holds ratios alone."""
    times = "\N{MULTIPLICATION SIGN}"
    rows = [["Beside", "skrank is faster by", "Its peak memory"]]
    for result in results:
        if result.row.unit == "x faster":
            memory = f"{result.peak / 2**20:.0f} MB"
            rows.append([result.row.name, f"{shown(result.figure)} {times}", memory])
    return f"{list_table(rows)}\n{environment()}.\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5, help="counted runs of each")
    parser.add_argument("--write", action="store_true", help=f"write {DOCS_TABLE.name}")
    options = parser.parse_args()
    if options.write and not all(map(Group.is_ready, GROUPS)):
        parser.error("--write needs the libraries beside skrank")
    print(f"{environment()}\nMedian CPU seconds of interleaved runs\n\n{HEAD}")
    results = []
    for group in filter(Group.is_ready, GROUPS):
        print(f"-- {group.title}", flush=True)
        for result in measure(group, group.rows, options.runs, clock=time.process_time):
            print(as_line(result), flush=True)
            results.append(result)
    if options.write:
        DOCS_TABLE.write_text(as_rst(results), "utf-8")


if __name__ == "__main__":
    main()
