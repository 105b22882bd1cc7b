"""Differences of rankers for users, or weights, of which few count most.

    python -m tests.studies.uneven_units
    python -m tests.studies.uneven_units --write

It takes some minutes. ``--write`` writes the table to the documentation.
"""

# SPDX-License-Identifier: BSD-3-Clause

from functools import partial
from pathlib import Path

import numpy as np

from skrank.stats.compare import MOST_UNEVEN
from skrank.stats.inference import effective_units
from tests.studies.experiments import covers, outcome_of, percent
from tests.studies.families import family_of
from tests.studies.simulate import Row, Table, run

DOCS_TABLE = Path(__file__).parents[2] / "docs" / "development/tables/uneven_units.rst"
NS = (8, 20, 50, 200)
MANY = 200_000
AUTO, FLIPS, STUDENT = "auto", "permutation", "t"
SEED = 70


def even(rng, n):
    return np.minimum(rng.geometric(0.2, n), 20)


def uneven(rng, n):
    return rng.geometric(0.05, n)


def zipf(rng, n):
    return np.minimum(rng.zipf(1.7, n), 300)


def half(rng, n):
    """Return numbers of queries of users, the first of whom has half of them."""
    sizes = rng.geometric(0.2, n)
    sizes[0] = sizes[1:].sum()
    return sizes


def pareto(rng, n):
    return 1 + rng.pareto(1.5, n)


def differences(rng, sizes, served):
    """Return the sums of users: of their own effect, and of the queries.

    With `served`, an effect grows with the logarithm of the number of queries.
    """
    effect = rng.normal(0, 0.3, len(sizes)) + served * np.log(sizes)
    return sizes * effect + rng.normal(0, 0.5, len(sizes)) * np.sqrt(sizes)


def weighted(rng, sizes, served):
    """Return differences of average precisions times their weights."""
    one, other = rng.beta(1.2, 3.0, size=(2, len(sizes)))
    return sizes * (one - other)


def coverage(values, n_samples, sizes_of, draw=differences, served=0.0):
    """Return the coverage with 8, 20, 50 and 200 units by test."""
    rng = np.random.default_rng(SEED)
    found = {name: [] for name in (AUTO, FLIPS, STUDENT)}
    many = sizes_of(rng, MANY)
    truth = served * (many * np.log(many)).sum() / many.sum()
    for n in NS:
        covered = {name: [] for name in found}
        for _ in range(n_samples):
            bottom = sizes_of(rng, n).astype(np.float64)
            top = draw(rng, bottom, served)
            order = np.lexsort((bottom, np.abs(top)))
            family = family_of(top[order, None], bottom[order, None])
            for test in (FLIPS, STUDENT):
                options = {"test": test, "n_resamples": 999, "seed": SEED}
                outcome = outcome_of(family, **options)
                covered[test].append(covers(outcome.low, outcome.high, truth)[0])
            is_uneven = effective_units(bottom) < MOST_UNEVEN * n
            covered[AUTO].append(covered[STUDENT if is_uneven else FLIPS][-1])
        for name, of_test in covered.items():
            found[name].append(percent(of_test))
    return found


TABLES = {
    "uneven": Table(
        "Coverage of a difference with 8 / 20 / 50 / 200 uneven units, in %",
        [AUTO, FLIPS, STUDENT],
        [
            Row("users of 1 to 20 queries", partial(coverage, sizes_of=even)),
            Row("users of 1 to 100 queries", partial(coverage, sizes_of=uneven)),
            Row("users of up to 300, Zipf", partial(coverage, sizes_of=zipf)),
            Row("one user has half of them", partial(coverage, sizes_of=half)),
            *(
                Row(
                    f"{name}, heavy users are served better",
                    partial(coverage, sizes_of=sizes, served=0.15),
                )
                for name, sizes in {
                    "1 to 20": even, "1 to 100": uneven, "up to 300": zipf
                }.items()
            ),
            Row(
                "queries with weights, Pareto 1.5",
                partial(coverage, sizes_of=pareto, draw=weighted),
            ),
        ],
    )
}  # fmt: skip


if __name__ == "__main__":
    run(TABLES, DOCS_TABLE, __doc__)
