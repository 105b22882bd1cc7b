"""Intervals and tests of differences of graded metrics, most of which may be 0.

It takes some minutes.
"""

# SPDX-License-Identifier: BSD-3-Clause

from functools import cache, partial

import numpy as np

from tests.stats.pilot import comparison_of
from tests.studies.experiments import LEVEL, averaged, covers
from tests.studies.populations import LARGE, draw, latent, mrr, ndcg
from tests.studies.tables import FOLDER, Table, rows_of
from tests.studies.unseen_losses import breaks, ceiling, easy, gains_of_two, recalls

DOCS_TABLE = FOLDER / "few_differ.rst"
NS = (10, 20, 50, 200)
TESTS = ("auto", "permutation", "t")
SEED = 51


@cache
def compared(population, n_samples):
    """Return whether intervals contain the true difference, and tests find one.

    By test, with a row of each size.
    """
    rng = np.random.default_rng(SEED)
    pair = np.stack(population(rng))
    truth = float((pair[1] - pair[0]).mean())

    def samples(n):
        return (pair[:, rows] for rows in draw(rng, n, n_samples, LARGE).T)

    def decide(sample):
        found = {}
        for test in TESTS:
            (row,) = comparison_of(sample, test=test, n_resamples=999).rows
            found[test, "covers"] = covers(row.low, row.high, truth)
            found[test, "found"] = row.pvalue <= LEVEL
        return found

    return averaged(NS, samples, decide)


def measured(values, n_samples, population, what):
    found = compared(population, n_samples)
    return {test: found[test, what] for test in TESTS}


def ordinary(rng, metric, gain=0.25):
    """Return the values of two rankers, the second of which is better."""
    return metric(latent(rng, [0.0, gain]))


def copies(rng, share):
    """Return the values of a ranker, and of one that swaps neighbours in some lists."""
    ranks = np.ceil(1 / easy(rng))
    moved = np.maximum(ranks + rng.choice([-1, 1], LARGE), 1)
    return 1 / ranks, 1 / np.where(rng.random(LARGE) < share, moved, ranks)


def gains(rng, share):
    """Return values, some of which rise to 1."""
    old = gains_of_two(rng)
    return old, np.where(rng.random(LARGE) < share, 1.0, old)


def noisy_breaks(rng, share, noise):
    old, new = breaks(rng, gains_of_two, share, least=0.5)
    return old, np.clip(new + noise * rng.normal(size=LARGE), 0, 1)


POPULATIONS = {
    "ordinary, MRR": partial(ordinary, metric=mrr),
    "ordinary, NDCG": partial(ordinary, metric=ndcg),
    "ordinary, NDCG, much better": partial(ordinary, metric=ndcg, gain=0.8),
    "ordinary, AP": lambda rng: rng.beta([[1.2], [1.4]], 3.0, size=(2, LARGE)),
    "MRR: a rank up or down in 10 %": partial(copies, share=0.1),
    "MRR: a rank up or down in 3 %": partial(copies, share=0.03),
    "MRR: 4 % lose three quarters": partial(breaks, values=easy, share=0.04, to=0.25),
    "MRR: 10 % lose half": partial(breaks, values=easy, share=0.1, to=0.5),
    "recall .08: 2 % lose all": partial(breaks, values=recalls, share=0.02),
    "NDCG: 5 % gain to 1": partial(gains, share=0.05),
    "both near the ceiling": lambda rng: (ceiling(rng), ceiling(rng)),
    "NDCG: noise .02, 3 % lose all": partial(noisy_breaks, share=0.03, noise=0.02),
}


def table(title, what, bars):
    of = "with 10 / 20 / 50 / 200 queries, in %"
    rows = rows_of(measured, "population", POPULATIONS, bars, what=what)
    return Table(f"{title} {of}", list(TESTS), rows)


TABLES = {
    "few": table("Coverage of the difference", "covers", {"auto": (92, 100)}),
    "found": table("Differences that are significant at 5 %", "found", {}),
}
