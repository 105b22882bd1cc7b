"""Simulate decisions of a gate about a candidate that loses exactly the margin.

It takes some minutes.
"""

# SPDX-License-Identifier: BSD-3-Clause

from functools import cache, partial

import numpy as np

from skrank.metrics import QueryScores
from skrank.stats import gate
from tests.studies import populations
from tests.studies.experiments import percent
from tests.studies.populations import draw
from tests.studies.tables import FOLDER, Row, Table

DOCS_TABLE = FOLDER / "gate.rst"
MARGIN = 0.02
N_QUERIES = (20, 50, 200)
SIZES = [f"n = {n:,}" for n in N_QUERIES]


@cache
def decisions(population, n, n_samples, n_metrics):
    """Return what a gate decides about a loss equal to the margin, by sample."""
    rng, found = np.random.default_rng(0), []
    pairs = [population(rng) for _ in range(n_metrics)]
    for sample in draw(rng, n, n_samples, len(pairs[0][0])).T:
        parts = [
            {f"m{i}": pair[place][sample] for i, pair in enumerate(pairs)}
            for place in (0, 1)
        ]
        parts = [QueryScores.from_frame({"qid": np.arange(n)} | one) for one in parts]
        scored = dict(zip(("main", "branch"), parts, strict=True))
        found.append(gate(scored, baseline="main", margin=MARGIN).decision)
    return np.array(found)


def errors_of_gate(values, n_samples, population, decision, n_metrics=1):
    """Return how often a gate comes to a decision, by the number of queries."""
    found = [decisions(population, n, n_samples, n_metrics) for n in N_QUERIES]
    return {
        name: [percent(of_size == decision)]
        for name, of_size in zip(SIZES, found, strict=True)
    }


def losing(old, new):
    """Return the values of two rankers, the second of which loses the margin."""
    return old, new - (new - old).mean() - MARGIN


def reciprocal_ranks(rng):
    return losing(*1 / populations.ranks_of_equal_rankers(rng, 2))


def precisions(rng):
    """Return average precisions, whose differences are skewed."""
    return losing(*rng.beta([[1.2], [0.8]], 3.0, size=(2, populations.LARGE)))


def hits(rng):
    """Return hits: 6 % of the queries are won and 8 % lost."""
    share = np.arange(populations.LARGE) / populations.LARGE
    old = np.where((share >= 0.06) & (share < 0.6), 1.0, 0.0)
    return old, np.where(share < 0.06, 1.0, np.where(share < 0.14, 0.0, old))


TABLES = {
    "decisions": Table(
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
                dict.fromkeys(SIZES, (0, 6.6)),
            )
            for name, population, n_metrics in [
                ("reciprocal ranks", reciprocal_ranks, 1),
                ("average precisions", precisions, 1),
                ("hits, 6 % gained and 8 % lost", hits, 1),
                ("three metrics", reciprocal_ranks, 3),
            ]
            for decision in ("passed", "worse")
        ],
    )
}
