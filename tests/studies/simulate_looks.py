"""Simulate looks at a growing number of queries: how often one of them is wrong.

It takes some minutes.
"""

# SPDX-License-Identifier: BSD-3-Clause

from functools import partial

import numpy as np
from scipy.stats import t

from skrank.stats.anytime import BETS, Counted, bets, in_limits, level_of_interval
from skrank.stats.inference import hall
from tests.studies import populations
from tests.studies.experiments import LEVEL, outcomes, percent
from tests.studies.populations import LARGE, draw
from tests.studies.tables import FOLDER, Row, Table

DOCS_TABLE = FOLDER / "looks.rst"
N_LOOKS, FIRST = 20, (10, 20, 50)
NS = (10, 50, 200, 1000)
COLUMNS = [f"every {n} queries" for n in FIRST]


def near_the_ceiling(rng):
    return rng.choice([1.0, 0.99, 0.0], p=[0.9, 0.08, 0.02], size=LARGE)


def rare_losses(rng):
    return rng.choice([-1.0, 0.0], p=[0.02, 0.98], size=LARGE)


def rare_gains(rng):
    return rng.choice([0.5, 0.0], p=[0.05, 0.95], size=LARGE)


# The values of queries, and their limits.
POPULATIONS = {
    "hits of 5 %": (populations.hits, (0, 1)),
    "average precisions": (populations.average_precisions, (0, 1)),
    "reciprocal ranks": (populations.reciprocal_ranks, (0, 1)),
    "90 % are 1, 8 % .99, 2 % 0": (near_the_ceiling, (0, 1)),
    "differences, 2 % lose 1": (rare_losses, (-1, 1)),
    "differences, 5 % gain .5": (rare_gains, (-1, 1)),
    "differences of two equal rankers": (
        populations.differences_of_equal_rankers,
        (-1, 1),
    ),
    "ranks, lognormal": (populations.ranks, None),
}


def significant(values, n_samples):
    """Return how often a t test finds that equal rankers differ at one of the looks."""
    rng, found = np.random.default_rng(0), {}
    population = populations.differences_of_equal_rankers(rng)
    for size, column in zip(FIRST, COLUMNS, strict=True):
        samples = population[draw(rng, size * N_LOOKS, n_samples, len(population))]
        rejected = np.zeros(n_samples, dtype=bool)
        for look in range(1, N_LOOKS + 1):
            rejected |= outcomes(samples[: look * size], test="t")[0] <= LEVEL
        found[column] = [percent(rejected)]
    return found


def missed(values, n_samples, population, limits):
    """Return how often the interval of one of the looks does not contain the mean."""
    rng, found = np.random.default_rng(0), {}
    values = population(rng)
    for size, column in zip(FIRST, COLUMNS, strict=True):
        samples = values[draw(rng, size * N_LOOKS, n_samples, len(values))]
        looks = size * np.arange(1, N_LOOKS + 1)
        if limits is None:
            wrong = missed_by_moments(samples, looks, values.mean())
        else:
            wrong = missed_by_bets(samples, looks, values.mean(), limits)
        found[column] = [percent(wrong)]
    return found


def missed_by_bets(samples, looks, mean, limits):
    """Return True where the bets refute the mean at a look, from their definition."""
    low, high = limits
    x, m = (samples - low) / (high - low), (mean - low) / (high - low)
    wrong = np.zeros(samples.shape[1], dtype=bool)
    for of_side, mean_of_side in ((x, m), (1 - x, 1 - m)):
        wealth = np.zeros((len(looks), samples.shape[1]))
        for fraction in BETS:
            gains = np.log1p(fraction * (of_side / mean_of_side - 1))
            wealth += np.exp(np.cumsum(gains, axis=0)[looks - 1]) / len(BETS)
        wrong |= (wealth >= 2 / LEVEL).any(axis=0)
    return wrong


def missed_by_moments(samples, looks, mean):
    """Return True where Hall's interval at the strict level misses at a look."""
    wrong = np.zeros(samples.shape[1], dtype=bool)
    for n in looks:
        level = level_of_interval(1 - LEVEL, n)
        for place, sample in enumerate(samples[:n].T):
            low, high = hall_of_sample(sample, level)
            wrong[place] |= not low <= mean <= high
    return wrong


def hall_of_sample(sample, level):
    n, centred = len(sample), sample - sample.mean()
    deviation = np.sqrt((centred**2).mean())
    skewness = (centred**3).mean() / deviation**3 / np.sqrt(n) if deviation else 0.0
    error = deviation / np.sqrt(n - 1)
    return hall(sample.mean(), error, n - 1, skewness, level)


def widths(values, n_samples, population, limits):
    """Return how wide intervals are, as multiples of Student's t: the median."""
    rng, found = np.random.default_rng(0), {}
    values = population(rng)
    for n in NS:
        ratios = []
        for sample in values[draw(rng, n, min(n_samples, 100), len(values))].T:
            if limits is None:
                ends = hall_of_sample(sample, level_of_interval(1 - LEVEL, n))
            else:
                counted = Counted.of(sample, limits)
                ends = in_limits(limits, bets, counted, LEVEL / 2)
            radius = t.isf(LEVEL / 2, n - 1) * sample.std(ddof=1) / np.sqrt(n)
            if radius > 0:
                ratios.append((ends[1] - ends[0]) / (2 * radius))
        found[f"n = {n:,}"] = [np.median(ratios) if ratios else np.nan]
    return found


TABLES = {
    "errors": Table(
        f"{N_LOOKS} looks at a growing number of queries: wrong at any of them, in %",
        COLUMNS,
        [
            Row("differences of two equal rankers, t", significant),
            *(
                Row(
                    f"{name}, anytime",
                    partial(missed, population=population, limits=limits),
                    {} if limits is None else dict.fromkeys(COLUMNS, (0, 5)),
                )
                for name, (population, limits) in POPULATIONS.items()
            ),
        ],
    ),
    "widths": Table(
        "The width of intervals for all looks, divided by that of Student's t",
        [f"n = {n:,}" for n in NS],
        [
            Row(name, partial(widths, population=population, limits=limits))
            for name, (population, limits) in POPULATIONS.items()
        ],
    ),
}
