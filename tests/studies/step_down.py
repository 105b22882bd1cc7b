"""Step-down max-T: what it finds, and whether intervals that agree with it hold.

It takes some minutes.

The step-down procedure compares the largest statistic with the maximum of all, the next
one with the maximum of all others, and so on. Two kinds of intervals agree with it. One
moves the near end of a single-step interval to 0 where only the step-down rejects. The
other one cuts the near ends of all rejected differences at 0 unless all are rejected,
which is proven to hold if the p-values are exact (K. Strassburger, F. Bretz,
"Compatible Simultaneous Lower Confidence Bounds for the Holm Procedure", Statistics in
Medicine 27, 2008; O. Guilbaud, Biometrical Journal 50, 2008).
"""

# SPDX-License-Identifier: BSD-3-Clause

from functools import partial
from itertools import combinations

import numpy as np

from tests.studies.experiments import LEVEL, averaged
from tests.studies.populations import LARGE, draw, latent, mrr, ndcg
from tests.studies.tables import FOLDER, Table, rows_of

DOCS_TABLE = FOLDER / "step_down.rst"
NS = (20, 50, 100)
N_FLIPS = 999
SEED = 1993
SINGLE, STEPS = "found: single-step", "found: step-down"
RIGHT, MOVED, CUT = "all right: single-step", "moved ends", "cut ends"


def pairs(quality, rng, metric=mrr):
    """Return the differences of all pairs, (LARGE, n_pairs)."""
    values = metric(latent(rng, quality))
    return np.column_stack(
        [values[j] - values[i] for i, j in combinations(range(len(values)), 2)]
    )


def five_metrics(rng):
    logits = latent(rng, [0, 0.35])
    ranks = np.exp(1 - logits)
    metrics = [mrr(logits), ndcg(logits), 1 / np.log2(1 + np.ceil(ranks))]
    metrics += [(ranks <= 1).astype(float), (ranks <= 5).astype(float)]
    return np.column_stack([one[1] - one[0] for one in metrics])


def baseline_and_five(rng):
    values = mrr(latent(rng, [0, 0.2, 0.3, 0.4, 0.5, 0.6]))
    return (values[1:] - values[0]).T


FAMILIES = {
    "2 rankers, 5 metrics, all real": five_metrics,
    "a baseline and 5, all real, MRR": baseline_and_five,
    "6 graded rankers, 15 pairs, MRR": partial(pairs, 0.2 * np.arange(6)),
    "6 graded rankers, 15 pairs, NDCG": partial(pairs, 0.2 * np.arange(6), metric=ndcg),
    "3 equal and 3 better, 15 pairs, MRR": partial(pairs, [0, 0, 0, 0.4, 0.4, 0.4]),
    "6 equal rankers, 15 pairs, MRR": partial(pairs, [0] * 6),
}


def procedures(d, flips):
    """Return what each procedure rejects, and the single-step intervals of the means.

    `d` holds the differences of a sample, (n, n_differences).
    """
    n, norm = len(d), np.sqrt((d**2).sum(axis=0))
    norm[norm == 0] = 1
    t = np.abs(d.sum(axis=0)) / norm
    flipped = np.abs(flips @ d) / norm
    order = np.argsort(-t)
    # The maximum of a statistic and all smaller ones.
    largest = np.maximum.accumulate(flipped[:, order][:, ::-1], axis=1)[:, ::-1]
    p = np.empty(len(t))
    reached = (largest >= t[order] - 1e-9).mean(axis=0)
    p[order] = np.maximum.accumulate(reached)
    whole = np.sort(largest[:, 0])
    critical = whole[len(whole) - 1 - int(LEVEL * len(whole) + 1e-9)]
    # (sum d - n x)^2 = c^2 sum (d - x)^2, for x around the mean.
    variance = d.var(axis=0)
    spread = np.full(len(t), np.inf)
    if n > critical**2:
        spread = critical * np.sqrt(variance / (n - critical**2))
    mean = d.mean(axis=0)
    return t > critical + 1e-9, p <= LEVEL, mean - spread, mean + spread


def measured(values, n_samples, family):
    """Return the figures of a family by the number of queries."""
    rng = np.random.default_rng(SEED)
    population = family(rng)
    truth = population.mean(axis=0)
    is_real = np.abs(truth) > 0.01
    truth = np.where(is_real, truth, 0.0)
    population = population - np.where(is_real, 0.0, population.mean(axis=0))

    def samples(n):
        flips = rng.choice([-1.0, 1.0], size=(N_FLIPS + 1, n))
        flips[0] = 1
        for rows in draw(rng, n, n_samples, LARGE).T:
            yield population[rows], flips

    def decide(sample):
        single, steps, low, high = procedures(*sample)
        inside = (low <= truth) & (truth <= high)
        sign = np.sign(sample[0].mean(axis=0))
        beyond = sign * truth > 0  # of the half-line that begins at 0
        far = np.where(sign > 0, truth <= high, truth >= low)
        near = np.where(sign > 0, truth >= low, truth <= high)
        cut = np.where(steps, beyond & far, inside)
        if steps.all():
            cut = far & np.where(single, near, beyond)
        return {
            SINGLE: single[is_real],
            STEPS: steps[is_real],
            RIGHT: inside.all(),
            MOVED: np.where(steps & ~single, beyond & far, inside).all(),
            CUT: cut.all(),
        }

    return averaged(NS, samples, decide)


TABLES = {
    "step-down": Table(
        "Step-down max-T, with 20 / 50 / 100 queries, in %",
        [SINGLE, STEPS, RIGHT, MOVED, CUT],
        rows_of(measured, "family", FAMILIES),
    )
}
