"""Gates and losses in a few queries, which most samples do not contain.

    python -m tests.studies.unseen_losses
    python -m tests.studies.unseen_losses --write

It takes some minutes. ``--write`` writes the table to the documentation.
"""

# SPDX-License-Identifier: BSD-3-Clause

from functools import cache, partial
from pathlib import Path

import numpy as np

from skrank.stats import gate
from tests.studies.experiments import LEVEL, outcome_of, percent
from tests.studies.families import family_of
from tests.studies.populations import LARGE, draw, ranks_of_equal_rankers
from tests.studies.simulate import Row, Table, run

DOCS_TABLE = Path(__file__).parents[2] / "docs" / "development/tables/unseen_losses.rst"
NS = (20, 50, 100, 200, 500)
COLUMNS = [f"n = {n}" for n in NS]
SEED = 37


@cache
def passes_of_hits(n, wins, losses, margin):
    """Return whether the test alone passes, and the gate, as do all such samples."""
    both = np.arange(n - wins - losses) % 2
    old = np.r_[np.zeros(wins), np.ones(losses), both]
    new = np.r_[np.ones(wins), np.zeros(losses), both]
    found = gate({"old": old, "new": new}, baseline="old", margin=margin)
    return by_flips(old, new, margin)[0], found.decision == "passed"


def by_flips(old, new, margin):
    """Return whether the sign-flip test alone passes, and with unseen falls to 0."""
    difference = new - old
    family = family_of(difference[:, None], np.ones((len(old), 1)))
    options = {"alternative": "greater", "margin": margin}
    outcome = outcome_of(family, n_resamples=1999, seed=SEED, **options)
    spread, fall = 0.0, (1 - LEVEL ** (1 / len(old))) * old.mean()
    if difference.any():
        spread = difference.mean() - outcome.low[0]
    passed = [
        difference.mean() - loss > -margin for loss in (spread, np.hypot(spread, fall))
    ]
    return tuple(map(bool, passed))


def of_hits(values, n_samples, wins, losses, margin):
    """Return how often hits pass, by the number of queries: alone, and the gate."""
    rng, found = np.random.default_rng(SEED), {}
    for n, column in zip(NS, COLUMNS, strict=True):
        counts = rng.multinomial(n, [wins, losses, 1 - wins - losses], size=n_samples)
        passed = [passes_of_hits(n, *one[:2].tolist(), margin) for one in counts]
        found[column] = [percent(each) for each in zip(*passed, strict=True)]
    return found


def of_values(values, n_samples, population, margin=None):
    """Return how often a candidate of a population passes, as `of_hits` does.

    Without a margin, the margin is what the candidate loses.
    """
    rng, found = np.random.default_rng(SEED), {}
    old, new = population(rng)
    if margin is None:
        margin = float((old - new).mean())
    for n, column in zip(NS, COLUMNS, strict=True):
        passed = [
            by_flips(old[rows], new[rows], margin)
            for rows in draw(rng, n, n_samples, LARGE).T
        ]
        found[column] = [percent(each) for each in zip(*passed, strict=True)]
    return found


def falls(rng, share, to, noise=0.0, gain=0.0, ranks=False):
    """Return values of a baseline, and a candidate that falls in some queries."""
    old = 1 / ranks_of_equal_rankers(rng, 1)[0] if ranks else rng.beta(4, 2, size=LARGE)
    new = np.clip(old + gain + noise * rng.normal(size=LARGE), 0, 1)
    return old, np.where(rng.random(LARGE) < share, to * old, new)


def equal(rng, noise, share=1.0):
    """Return values of two rankers that differ by noise, in a share of the queries."""
    old = rng.beta(4, 2, size=LARGE)
    other = rng.normal(scale=noise, size=LARGE) * (rng.random(LARGE) < share)
    new = old + other
    return old, np.clip(new - (new - old).mean(), 0, 1)


TABLES = {
    "unseen": Table(
        "A candidate passes a gate, in %: by the sign-flip test alone / by the gate",
        COLUMNS,
        [
            *(
                Row(
                    f"hits: loses {100 * losses:g} %, gains {100 * wins:g} %, margin "
                    f"{margin:g}",
                    partial(of_hits, wins=wins, losses=losses, margin=margin),
                )
                for wins, losses, margin in [
                    (0, 0.01, 0.01),
                    (0, 0.02, 0.02),
                    (0.01, 0.03, 0.02),
                    (0, 0.05, 0.05),
                    (0.06, 0.08, 0.02),
                ]
            ),
            *(
                Row(name, partial(of_values, population=partial(falls, **options)))
                for name, options in {
                    "MRR: 4 % fall to a quarter": {
                        "share": 0.04, "to": 0.25, "ranks": True
                    },
                    "NDCG: 3 % fall to 0, noise 0.02": {
                        "share": 0.03, "to": 0.0, "noise": 0.02
                    },
                    "NDCG: 4 % fall to 0, others gain 0.01": {
                        "share": 0.04, "to": 0.0, "noise": 0.02, "gain": 0.01
                    },
                }.items()
            ),
            Row(
                "as good, hits: 3 % lost and gained, margin 0.02",
                partial(of_hits, wins=0.03, losses=0.03, margin=0.02),
            ),
            *(
                Row(
                    f"as good, NDCG: {text}, margin {margin:g}",
                    partial(
                        of_values, population=partial(equal, **options), margin=margin
                    ),
                )
                for text, options, margin in [
                    ("noise 0.2 in 60 %", {"noise": 0.2, "share": 0.6}, 0.03),
                    ("noise 0.02", {"noise": 0.02}, 0.01),
                    ("noise 0.02", {"noise": 0.02}, 0.03),
                ]
            ),
        ],
    )
}  # fmt: skip


if __name__ == "__main__":
    run(TABLES, DOCS_TABLE, __doc__)
