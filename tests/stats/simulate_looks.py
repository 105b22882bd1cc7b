"""Simulate looks at a growing number of queries: how often one of them is wrong.

    python -m tests.stats.simulate_looks
    python -m tests.stats.simulate_looks --write

It takes some minutes. ``--write`` writes the tables to the documentation.
"""

# SPDX-License-Identifier: BSD-3-Clause

from functools import partial
from pathlib import Path

import numpy as np
from scipy.stats import t

from skrank.stats import confidence_interval
from skrank.stats.anytime import strict_level
from tests.stats import populations
from tests.stats.experiments import LEVEL, outcomes, percent
from tests.stats.populations import draw
from tests.stats.simulate import Row, Table, run

DOCS_TABLE = Path(__file__).parents[2] / "docs" / "tables/looks.rst"
N_LOOKS, FIRST = 20, (10, 20, 50)


def columns(sizes):
    return [f"every {n} queries" for n in sizes]


def significant(values, n_samples, test):
    """Return how often equal rankers differ at one of the looks, by what is between."""
    rng, found = np.random.default_rng(0), {}
    population = populations.differences_of_equal_rankers(rng)
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
    """Return how wide intervals are, as multiples of Student's t."""
    found = {}
    for n in (20, 50, 200, 1000, 20_000):
        strict = t.isf(strict_level(LEVEL / 2, n), n - 1)
        found[f"n = {n:,}"] = [strict / t.isf(LEVEL / 2, n - 1)]
    return found


def at_most(bar, columns):
    return dict.fromkeys(columns, (0, bar))


TABLES = {
    "errors": Table(
        f"{N_LOOKS} looks at a growing number of queries: wrong at any of them, in %",
        columns(FIRST),
        [
            Row("two equal rankers, t", partial(significant, test="t")),
            Row(
                "two equal rankers, anytime",
                partial(significant, test="anytime"),
                at_most(5, columns(FIRST)),
            ),
            *(
                Row(
                    f"mean of {name}, {method}",
                    partial(missed, population=population, method=method),
                    at_most(5, columns(FIRST[-1:])) if method == "anytime" else {},
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
    "widths": Table(
        "The width of intervals for all looks, divided by that of Student's t",
        [f"n = {n:,}" for n in (20, 50, 200, 1000, 20_000)],
        [Row("anytime", widths)],
        is_sampled=False,
    ),
}


if __name__ == "__main__":
    run(TABLES, DOCS_TABLE, __doc__)
