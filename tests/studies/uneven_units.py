"""Differences of rankers for users, or weights, of which few count most.

It takes some minutes.
"""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank.stats.compare import MOST_UNEVEN
from skrank.stats.inference import effective_units
from tests.studies.experiments import averaged, covers, outcome_of
from tests.studies.families import family_of
from tests.studies.tables import FOLDER, Table, rows_of

DOCS_TABLE = FOLDER / "uneven_units.rst"
NS = (8, 20, 50, 200)
MANY = 200_000
AUTO, FLIPS, STUDENT = "auto", "permutation", "t"
SEED = 70


def half(rng, n):
    """Return numbers of queries of users, the first of whom has half of them."""
    sizes = rng.geometric(0.2, n)
    sizes[0] = sizes[1:].sum()
    return sizes


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
    many = sizes_of(rng, MANY)
    truth = served * (many * np.log(many)).sum() / many.sum()

    def samples(n):
        for _ in range(n_samples):
            bottom = sizes_of(rng, n).astype(np.float64)
            yield draw(rng, bottom, served), bottom

    def decide(sample):
        top, bottom = sample
        order, found = np.lexsort((bottom, np.abs(top))), {}
        family = family_of(top[order, None], bottom[order, None])
        for test in (FLIPS, STUDENT):
            outcome = outcome_of(family, test, n_resamples=999, seed=SEED)
            found[test] = covers(outcome.low, outcome.high, truth)[0]
        is_uneven = effective_units(bottom) < MOST_UNEVEN * len(bottom)
        return found | {AUTO: found[STUDENT if is_uneven else FLIPS]}

    return averaged(NS, samples, decide)


SIZES = {
    "1 to 20": lambda rng, n: np.minimum(rng.geometric(0.2, n), 20),
    "1 to 100": lambda rng, n: rng.geometric(0.05, n),
    "up to 300": lambda rng, n: np.minimum(rng.zipf(1.7, n), 300),
}
USERS = {
    "users of 1 to 20 queries": SIZES["1 to 20"],
    "users of 1 to 100 queries": SIZES["1 to 100"],
    "users of up to 300, Zipf": SIZES["up to 300"],
    "one user has half of them": half,
}
SERVED = {f"{name}, heavy users are served better": SIZES[name] for name in SIZES}
WEIGHTS = {"queries with weights, Pareto 1.5": lambda rng, n: 1 + rng.pareto(1.5, n)}
TABLES = {
    "uneven": Table(
        "Coverage of a difference with 8 / 20 / 50 / 200 uneven units, in %",
        [AUTO, FLIPS, STUDENT],
        [
            *rows_of(coverage, "sizes_of", USERS),
            *rows_of(coverage, "sizes_of", SERVED, served=0.15),
            *rows_of(coverage, "sizes_of", WEIGHTS, draw=weighted),
        ],
    )
}
