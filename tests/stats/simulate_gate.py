"""Simulate decisions of a gate about a candidate that loses exactly the margin.

    python -m tests.stats.simulate_gate
    python -m tests.stats.simulate_gate --write

It takes some minutes. ``--write`` writes the table to the documentation.
"""

# SPDX-License-Identifier: BSD-3-Clause

from functools import cache, partial
from pathlib import Path

import numpy as np

from skrank._shell.gate import decide
from skrank.metrics import QueryScores
from tests.stats import populations
from tests.stats.experiments import LEVEL, percent
from tests.stats.populations import draw
from tests.stats.simulate import Row, Table, run

DOCS_TABLE = Path(__file__).parents[2] / "docs" / "tables/gate.rst"
MARGIN = 0.02
N_QUERIES = (20, 50, 200)
SIZES = [f"n = {n:,}" for n in N_QUERIES]


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
    """Return how often a gate comes to a decision, by the number of queries."""
    found = [decisions(population, n, n_samples, n_metrics) for n in N_QUERIES]
    return {
        name: [percent(of_size == decision)]
        for name, of_size in zip(SIZES, found, strict=True)
    }


def precisions(rng):
    """Return differences of average precisions, which are skewed."""
    one, other = rng.beta([[1.2], [0.8]], 3.0, size=(2, populations.LARGE))
    return other - one


def hits(rng):
    """Return differences of hits: 15 % of the queries win and 5 % lose."""
    share = np.arange(populations.LARGE) / populations.LARGE
    return np.where(share < 0.15, 1.0, np.where(share < 0.2, -1.0, 0.0))


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
                dict.fromkeys(SIZES, (0, 6)),
            )
            for name, population, n_metrics in [
                ("reciprocal ranks", populations.differences_of_equal_rankers, 1),
                ("average precisions", precisions, 1),
                ("hits, 15 % gained and 5 % lost", hits, 1),
                ("three metrics", populations.differences_of_equal_rankers, 3),
            ]
            for decision in ("passed", "worse")
        ],
    )
}


if __name__ == "__main__":
    run(TABLES, DOCS_TABLE, __doc__)
