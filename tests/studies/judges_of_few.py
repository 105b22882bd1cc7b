"""Intervals from labels of people and of a machine, where few queries decide.

It takes half an hour.
"""

# SPDX-License-Identifier: BSD-3-Clause

from functools import partial

import numpy as np

from skrank.stats import confidence_interval
from tests.stats.pilot import comparison_of
from tests.studies.experiments import covers, percent
from tests.studies.populations import query_scores
from tests.studies.tables import FOLDER, Table, rows_of

DOCS_TABLE = FOLDER / "judges_of_few.rst"
SEED = 2024
POOL, N_JUDGED = 20_000, 500
NS = (10, 20, 30, 50, 100)
COLUMNS = ["with the judge", "people alone", "width, %"]


def flipped(rng, hits, misses, false_hits):
    """Return hits as a machine sees them: without some, and with others."""
    draws = rng.random(len(hits))
    return np.where(hits == 1, draws >= misses, draws < false_hits).astype(float)


def hits(rng, share, misses, false_hits):
    people = (rng.random(POOL) < share).astype(float)
    return people, flipped(rng, people, misses, false_hits)


def precision_near_the_ceiling(rng):
    """Precision@10, of which people find some documents wrong and the machine few."""
    p = rng.beta(12, 1, size=POOL)
    people = rng.binomial(10, p)
    return people / 10, (people + rng.binomial(10 - people, 0.7)) / 10


def sparse_reciprocal_ranks(rng):
    """Reciprocal ranks, 85 % of them 0, and a machine that finds more."""
    ranks = np.where(rng.random(POOL) < 0.15, rng.geometric(0.4, POOL), 99)
    more = np.where(rng.random(POOL) < 0.2, rng.geometric(0.3, POOL), 99)
    return tuple(np.where(x <= 10, 1 / x, 0) for x in (ranks, np.minimum(ranks, more)))


def reciprocal_ranks_near_the_ceiling(rng):
    ranks = np.where(rng.random(POOL) < 0.9, 1, 1 + rng.geometric(0.5, POOL))
    machine = np.where(rng.random(POOL) < 0.9, ranks, 1)
    return 1 / ranks, 1 / machine


def hard_reciprocal_ranks(rng):
    ranks = np.ceil(np.exp(rng.normal(2.0, 1.5, size=POOL)))
    people = np.where(ranks <= 20, 1 / ranks, 0)
    return people, (people + rng.normal(0, 0.3, POOL) > 0.3).astype(float)


def gains(rng):
    """NDCG, and a machine that agrees well."""
    people = 1 / (1 + np.exp(-rng.normal(0.5, 1.0, size=POOL)))
    machine = people + rng.normal(0, 0.07, size=POOL)
    return people, np.clip(machine, 0, 1)


POPULATIONS = {
    "precision near the ceiling, a lenient judge": precision_near_the_ceiling,
    "reciprocal ranks, 85 % are 0, a lenient judge": sparse_reciprocal_ranks,
    "reciprocal ranks near the ceiling": reciprocal_ranks_near_the_ceiling,
    "hits of 97 %": partial(hits, share=0.97, misses=0.02, false_hits=0.5),
    "hits of 5 %": partial(hits, share=0.05, misses=0.2, false_hits=0.05),
    "hits of 50 %": partial(hits, share=0.5, misses=0.1, false_hits=0.1),
    "reciprocal ranks, a judge who says yes or no": hard_reciprocal_ranks,
    "NDCG, a good judge": gains,
}


def measured(values, n_samples, population, level):
    """Return coverage with and without the judge, and how wide the interval is."""
    rng, found = np.random.default_rng(SEED), {column: [] for column in COLUMNS}
    n_rankers = 1 + (level == "difference")
    both = np.array([population(rng) for _ in range(n_rankers)]).swapaxes(0, 1)
    people, machine = both[:, :, None]
    truth = people[0].mean()
    if level == "difference":
        truth = people[1].mean() - truth
    metric = ["hits@1" if {*people[0, 0]} == {0, 1} else "ndcg"]
    for n in NS:
        ends = np.empty((2, n_samples, 2))
        for sample in range(n_samples):
            rows = rng.choice(POOL, N_JUDGED, replace=False)
            judge = query_scores(machine[..., rows], metric, rows)
            human = query_scores(people[..., rows[:n]], metric, rows[:n])
            for place, of_machine in enumerate((judge, None)):
                row = interval_of(human, of_machine, level)
                ends[place, sample] = row.low, row.high
        for place, column in enumerate(COLUMNS[:2]):
            found[column].append(percent(covers(*ends[place].T, truth)))
        width = np.ptp(ends, axis=2)
        ratio = np.divide(*width, where=width[1] > 0, out=np.ones(n_samples))
        found[COLUMNS[2]].append(float(100 * np.median(ratio)))
    return found


def interval_of(scores, judge, level):
    if level == "mean":
        return confidence_interval(scores, judge=judge).rows[0]
    options = {"baseline": "r0", "n_resamples": 999}
    return comparison_of(scores, judge=judge, **options).rows[0]


TABLES = {
    level: Table(
        f"Coverage of a {level} with {' / '.join(map(str, NS))} queries that people "
        f"judged and {N_JUDGED} of the machine, in %, and the width compared with "
        "people alone",
        COLUMNS,
        rows_of(measured, "population", POPULATIONS, level=level),
    )
    for level in ("mean", "difference")
}
