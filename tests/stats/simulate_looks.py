"""Simulate decisions that are made again, or at the edge of a margin.

    python -m tests.stats.simulate_looks looks
    python -m tests.stats.simulate_looks gate
    python -m tests.stats.simulate_looks --write

The names are those of `TABLES`; without one, both are simulated, in some minutes.
``--write`` writes them to the documentation.
"""

# SPDX-License-Identifier: BSD-3-Clause

import argparse
from functools import cache, partial
from pathlib import Path

import numpy as np
from scipy.stats import t

from skrank._shell.gate import decide
from skrank.metrics import QueryScores
from skrank.stats import confidence_interval
from skrank.stats.anytime import strict_level
from tests.stats import populations
from tests.stats.experiments import LEVEL, outcomes, percent
from tests.stats.populations import draw
from tests.stats.simulate import Row, Table, as_rst, simulate

FOLDER = Path(__file__).parents[2] / "docs" / "tables"
N_LOOKS, FIRST = 20, (10, 20, 50)
MARGIN = 0.02
N_QUERIES = (20, 50, 200)


def columns(sizes):
    return [f"every {n} queries" for n in sizes]


def differences(rng):
    one, other = populations.equal_rankers(rng, 2)
    return other - one


def significant(values, n_samples, test):
    """Return how often equal rankers differ at one of the looks, by what is between."""
    rng, found = np.random.default_rng(0), {}
    population = differences(rng)
    for size in FIRST:
        samples = population[draw(rng, size * N_LOOKS, n_samples, len(population))]
        rejected = np.zeros(n_samples, dtype=bool)
        for look in range(1, N_LOOKS + 1):
            rejected |= outcomes(samples[: look * size], test=test)[0] <= LEVEL
        found[f"every {size} queries"] = [percent(rejected)]
    return found


def missed(values, n_samples, population, method):
    """Return how often the interval of one of the looks does not contain the mean."""
    rng, found = np.random.default_rng(0), {}
    values = population(rng)
    for size in FIRST:
        samples = values[draw(rng, size * N_LOOKS, n_samples, len(values))]
        n_missed = 0
        for sample in samples.T:
            n_missed += any(
                not one.low <= values.mean() <= one.high
                for one in (
                    confidence_interval(sample[: look * size], method=method)
                    for look in range(1, N_LOOKS + 1)
                )
            )
        found[f"every {size} queries"] = [100 * n_missed / n_samples]
    return found


def widths(values, n_samples):
    """Return how wide intervals are, as multiples of Student's t; nothing is drawn."""
    found = {}
    for n in (20, 50, 200, 1000, 20_000):
        strict = t.isf(strict_level(LEVEL / 2, n), n - 1)
        found[f"n = {n:,}"] = [strict / t.isf(LEVEL / 2, n - 1)]
    return found


@cache
def decisions(population, n, n_samples, n_metrics):
    """Return what a gate decides about a loss equal to the margin, by sample."""
    rng, found = np.random.default_rng(0), []
    pools = [population(rng) for _ in range(n_metrics)]
    pools = [pool - pool.mean() - MARGIN for pool in pools]
    for sample in draw(rng, n, n_samples, len(pools[0])).T:
        columns = {f"m{i}": pool[sample] for i, pool in enumerate(pools)}
        qid = {"qid": np.arange(n)}
        scored = {
            "main": QueryScores.from_frame(qid | dict.fromkeys(columns, np.zeros(n))),
            "branch": QueryScores.from_frame(qid | columns),
        }
        found.append(decide(scored, [MARGIN], 1 - LEVEL).decision)
    return np.array(found)


def errors_of_gate(values, n_samples, population, decision, n_metrics=1):
    """Return how often a gate comes to a decision, by the number of queries.

    Several metrics have a quarter of the samples.
    """
    m = n_samples if n_metrics == 1 else max(n_samples // 4, 1)
    return {
        f"n = {n:,}": [percent(decisions(population, n, m, n_metrics) == decision)]
        for n in N_QUERIES
    }


def precisions(rng):
    """Return differences of average precisions, which are skewed."""
    one, other = rng.beta([[1.2], [0.8]], 3.0, size=(2, populations.LARGE))
    return other - one


def hits(rng):
    """Return differences of hits: 15 % of the queries win and 5 % lose."""
    share = np.arange(populations.LARGE) / populations.LARGE
    return np.where(share < 0.15, 1.0, np.where(share < 0.2, -1.0, 0.0))


def of_sizes(bar, sizes):
    return dict.fromkeys(sizes, (0, bar))


SIZES = [f"n = {n:,}" for n in N_QUERIES]
TABLES = {
    "looks": [
        Table(
            f"{N_LOOKS} looks at a growing number of queries: wrong at any of them, "
            "in %",
            columns(FIRST),
            [
                Row("two equal rankers, t", partial(significant, test="t")),
                Row(
                    "two equal rankers, anytime",
                    partial(significant, test="anytime"),
                    of_sizes(5, columns(FIRST)),
                ),
                *(
                    Row(
                        f"mean of {name}, {method}",
                        partial(missed, population=population, method=method),
                        of_sizes(5, columns(FIRST[-1:])) if method == "anytime" else {},
                    )
                    for name, population in {
                        "hits of 5 %": populations.hits,
                        "average precisions": populations.average_precisions,
                        "reciprocal ranks": populations.reciprocal_ranks,
                    }.items()
                    for method in ("auto", "anytime")
                ),
            ],
        ),
        Table(
            "The width of intervals for all looks, divided by that of Student's t",
            [f"n = {n:,}" for n in (20, 50, 200, 1000, 20_000)],
            [Row("anytime", widths)],
        ),
    ],
    "gate": [
        Table(
            "Decisions of a gate about a candidate that loses exactly the margin, in %",
            SIZES,
            [
                Row(
                    f"{name}: {decision}",
                    partial(
                        errors_of_gate,
                        population=population,
                        decision=decision,
                        n_metrics=n_metrics,
                    ),
                    of_sizes(6, SIZES),
                )
                for name, population, n_metrics in [
                    ("reciprocal ranks", differences, 1),
                    ("average precisions", precisions, 1),
                    ("hits, 15 % gained and 5 % lost", hits, 1),
                    ("three metrics", differences, 3),
                ]
                for decision in ("passed", "worse")
            ],
        )
    ],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(TABLES))
    parser.add_argument("--samples", type=int, default=2000, help="of each size")
    parser.add_argument(
        "--write", action="store_true", help="write them to docs/tables"
    )
    options = parser.parse_args()
    if unknown := {*options.names} - {*TABLES}:
        parser.error(f"the names are {', '.join(TABLES)}. Got {sorted(unknown)}.")
    for name in options.names or TABLES:
        text = ""
        for table in TABLES[name]:
            lines = simulate(table, {}, options.samples)
            text += as_rst(table.title, lines, options.samples, sizes="")
        if options.write:
            (FOLDER / f"{name}.rst").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
