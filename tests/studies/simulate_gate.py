"""Simulate decisions of a gate about a candidate that loses exactly the margin.

It takes some minutes.
"""

# SPDX-License-Identifier: BSD-3-Clause

from functools import cache, partial

import numpy as np

from skrank.metrics import QueryScores
from skrank.stats import gate
from skrank.stats.paired_tests import fraction_lacked
from skrank.stats.sign_flips import most_at
from tests.studies import populations
from tests.studies.experiments import LEVEL, percent
from tests.studies.populations import LARGE, draw
from tests.studies.tables import FOLDER, Row, Table, rows_of

DOCS_TABLE = FOLDER / "gate.rst"
MARGIN = 0.02
N_QUERIES = (20, 50, 200)
SIZES = [f"n = {n:,}" for n in N_QUERIES]
N_OF_KINDS = (*N_QUERIES, 1000)
SIZES_OF_KINDS = [f"n = {n:,}" for n in N_OF_KINDS]
N_FLIPS, AT_A_TIME, SEED = 999, 100, 61


@cache
def decisions(population, n, n_samples, n_metrics):
    """Return what a gate decides about a loss equal to the margin, by sample."""
    rng, found = np.random.default_rng(0), []
    pairs = [population(rng) for _ in range(n_metrics)]
    margin = float(np.subtract(*pairs[0]).mean())
    for sample in draw(rng, n, n_samples, len(pairs[0][0])).T:
        parts = [
            {f"m{i}": pair[place][sample] for i, pair in enumerate(pairs)}
            for place in (0, 1)
        ]
        parts = [QueryScores.from_frame({"qid": np.arange(n)} | one) for one in parts]
        scored = dict(zip(("main", "branch"), parts, strict=True))
        found.append(gate(scored, baseline="main", margin=margin).decision)
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
    return losing(*rng.beta([[1.2], [0.8]], 3.0, size=(2, LARGE)))


def hits(rng):
    """Return hits: 6 % of the queries are won and 8 % lost."""
    share = np.arange(LARGE) / LARGE
    old = np.where((share >= 0.06) & (share < 0.6), 1.0, 0.0)
    return old, np.where(share < 0.06, 1.0, np.where(share < 0.14, 0.0, old))


@cache
def of_all(population, n, n_samples):
    """Return whether samples pass, and are worse, by random flips of all at once.

    The ends are the means of random subsets (:mod:`skrank.stats.sign_flips`).
    """
    rng = np.random.default_rng(SEED)
    old, new = population(rng)
    margin, unseen = float((old - new).mean()), fraction_lacked(LEVEL, n)
    signs = rng.choice([-1.0, 1.0], size=(N_FLIPS, n))
    subsets = np.vstack([signs < 0, signs > 0, np.ones(n, bool)]).astype(float)
    subsets /= subsets.sum(axis=1, keepdims=True)
    place, found = most_at(LEVEL, len(subsets)), []
    for rows in draw(rng, n, n_samples, LARGE).T.reshape(-1, AT_A_TIME, n):
        difference = new[rows] - old[rows]
        means = difference @ subsets.T
        mean, ends = means[:, -1], np.partition(means, [place, -1 - place])
        radius = [np.hypot(mean - ends[:, i], unseen) for i in (place, -1 - place)]
        decides = margin < old[rows].mean(axis=1)
        passed, worse = mean - radius[0] > -margin, mean + radius[1] < -margin
        found.append([passed & decides, worse & decides])
    return np.hstack(found)


def errors_of_kind(values, n_samples, population):
    """Return how often a candidate passes, and is worse, by the number of queries."""
    n_samples = -(-n_samples // AT_A_TIME) * AT_A_TIME
    return {
        name: [percent(one) for one in of_all(population, n, n_samples)]
        for name, n in zip(SIZES_OF_KINDS, N_OF_KINDS, strict=True)
    }


def chance(rng, share, where=True):
    """Return a random share of all queries, of those that are allowed."""
    return where & (rng.random(LARGE) < share / np.mean(where))


def near_one(rng, least, share):
    old = 1 - (1 - least) * rng.random(LARGE) ** 2
    return old, np.where(chance(rng, share), 0, old)


def near_zero(rng):
    old = 0.1 * rng.random(LARGE) ** 0.5
    return old, np.where(chance(rng, 0.02), 1, np.maximum(old - 0.04, 0))


def of_five(rng):
    rate = rng.beta(2, 3, size=LARGE)
    return rng.binomial(5, [rate, 0.95 * rate]) / 5


def zeta_ranks(rng):
    ranks = rng.zipf(1.6, size=LARGE).astype(float)
    fall = rng.zipf(1.5, size=LARGE) * chance(rng, 0.08)
    return 1 / ranks, 1 / (ranks + fall)


def cubes(rng):
    old = rng.random(LARGE) ** 3
    return old, np.where(chance(rng, 0.04, old > 0.6), 0, old)


def thirds(rng):
    old = rng.hypergeometric(3, 5, 4, size=LARGE) / 3
    return old, np.where(chance(rng, 0.05, old > 0), 0, old)


def exponential_gains(rng):
    old = np.exp(-rng.exponential(0.8, size=LARGE))
    return old, np.where(chance(rng, 0.03), 0, np.minimum(1.02 * old, 1))


def exponential_losses(rng):
    old = np.exp(-rng.exponential(0.8, size=LARGE))
    new = np.maximum(old - 0.05 * rng.random(LARGE), 0)
    return old, np.where(chance(rng, 0.015, old < 0.3), 1, new)


def three_values(rng):
    old = rng.choice([0, 0.5, 1], size=LARGE, p=[0.3, 0.3, 0.4])
    new = old - 0.5 * chance(rng, 0.06, old == 1) + 0.5 * chance(rng, 0.03, old == 0.5)
    return old, np.where(chance(rng, 0.01, old == 1), 0, new)


def heavy_noise(rng):
    old = 1 / (1 + np.exp(-rng.logistic(size=LARGE)))
    return old, np.clip(old - 0.01 + 0.03 * rng.standard_t(2, size=LARGE), 0, 1)


KINDS = {
    "0.9 to 1, 2 % fall to 0": partial(near_one, least=0.9, share=0.02),
    "0.6 to 1, 0.3 % fall to 0": partial(near_one, least=0.6, share=0.003),
    "0 to 0.1, lose 0.04, 2 % rise to 1": near_zero,
    "precisions of five": of_five,
    "zeta ranks, 8 % fall": zeta_ranks,
    "cubes, 4 % fall to 0": cubes,
    "thirds, 5 % fall to 0": thirds,
    "exponential, gain 2 %, 3 % fall to 0": exponential_gains,
    "exponential, lose to 0.05, 1.5 % rise to 1": exponential_losses,
    "0, a half or 1, up and down": three_values,
    "logistic, noise of t with 2 df": heavy_noise,
}


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
    ),
    "kinds": Table(
        "A candidate that loses exactly the margin passes / is called worse, in %",
        SIZES_OF_KINDS,
        rows_of(
            errors_of_kind, "population", KINDS, dict.fromkeys(SIZES_OF_KINDS, (0, 7.5))
        ),
    ),
}
