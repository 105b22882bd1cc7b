"""Simulate whole tables of comparisons: their intervals, and what they can find.

It takes half an hour.
"""

# SPDX-License-Identifier: BSD-3-Clause

from functools import partial

import numpy as np
from scipy.special import expit

from skrank.stats import required_queries
from tests.stats.pilot import comparison_of
from tests.studies import populations
from tests.studies.experiments import LEVEL, averaged, covers, percent
from tests.studies.families import contradictions, random_family
from tests.studies.populations import draw
from tests.studies.tables import FOLDER, Row, Table, rows_of

DOCS_TABLE = FOLDER / "families.rst"
NS, PILOTS = (20, 50, 200), (20, 50, 200)
N_RESAMPLES, POWER = 1999, 0.8
TOGETHER, SINGLE = "simultaneous", "one by one"
WIDER = "times as wide"
STEPS, MAX_T = "step-down", "max-t"


def compared(values, **options):
    """Return the rows of a comparison of values of shape (n_rankers, n_queries)."""
    rankers = {str(i): one for i, one in enumerate(values)}
    return comparison_of(rankers, n_resamples=N_RESAMPLES, **options).rows


def pair_of(row):
    return int(row.ranker), int(row.baseline)


def contain_all(values, n_samples, n_rankers, gap=0.05):
    """Return how often all intervals of a table contain their true differences.

    The rankers are not equally good, so that the true differences are not all 0.
    """
    rng = np.random.default_rng(0)
    population = populations.equal_rankers(rng, n_rankers)
    population += gap * np.arange(n_rankers)[:, None]
    truth = population.mean(axis=1)
    found = {name: [] for name in (TOGETHER, SINGLE, WIDER)}
    for n in NS:
        corrections = {TOGETHER: "max-t", SINGLE: None}
        covered, widths = ({kind: [] for kind in corrections} for _ in range(2))
        for rows in draw(rng, n, n_samples, population.shape[1]).T:
            for kind, of_kind in covered.items():
                correction = corrections[kind]
                rows_of_kind = compared(population[:, rows], correction=correction)
                one, other = np.array([pair_of(row) for row in rows_of_kind]).T
                low, high = np.array([(row.low, row.high) for row in rows_of_kind]).T
                of_kind.append(covers(low, high, truth[one] - truth[other]).all())
                widths[kind].append(np.median(high - low))
        found[TOGETHER].append(percent(covered[TOGETHER]))
        found[SINGLE].append(percent(covered[SINGLE]))
        ratio = np.array(widths[TOGETHER]) / np.array(widths[SINGLE])
        found[WIDER].append(float(np.median(ratio)))
    return found


def step_down(values):
    """Return the p-values of the maximum over random flips in steps, by a loop.

    Also those of a single step, and the pairs.
    """
    pairs = [(j, i) for j in range(len(values)) for i in range(j)]
    d = np.array([values[j] - values[i] for j, i in pairs]).T
    signs = np.random.default_rng(0).choice([-1.0, 1.0], (N_RESAMPLES, len(d)))
    norm = np.sqrt((d**2).sum(axis=0))
    flipped = np.abs(np.vstack([np.ones(len(d)), signs]) @ d) / norm
    observed, left, before = flipped[0], list(range(len(pairs))), 0
    adjusted = np.empty(len(pairs))
    x = d - d.mean(axis=0)
    around = np.abs(signs @ x) / np.sqrt((x**2).sum(axis=0))
    largest = flipped.max(axis=1), around.max(axis=1)
    single = [(one[:, None] >= observed - 1e-9).mean(axis=0) for one in largest]
    for j in np.argsort(-observed):
        reached = (flipped[:, left].max(axis=1) >= observed[j] - 1e-9).mean()
        adjusted[j] = before = max(before, reached)
        left.remove(j)
    return adjusted, np.maximum(*single), pairs


def found_of_true(values, n_samples, n_better):
    """Return how many true differences of six rankers each procedure finds."""
    rng = np.random.default_rng(0)
    population = populations.equal_rankers(rng, 6)
    population[:n_better] += 0.12

    def decide(rows):
        adjusted, single, pairs = step_down(population[:, rows])
        is_true = np.array([(i < n_better) != (j < n_better) for j, i in pairs])
        both = {"single-step": single, STEPS: adjusted}
        return {name: (p <= LEVEL)[is_true] for name, p in both.items()}

    return averaged(
        NS, lambda n: draw(rng, n, n_samples, population.shape[1]).T, decide
    )


def found_of_detectable(values, n_samples, n_rankers, correction):
    """Return how often a difference of the size of `detectable` is found, by n."""
    rng, found = np.random.default_rng(0), {}
    population = populations.equal_rankers(rng, n_rankers)
    for n in (50, 100, 200):
        size = np.median(
            [
                compared(population[:, rows], correction=correction)[0].detectable
                for rows in draw(rng, n, 50, population.shape[1]).T
            ]
        )
        rejected = []
        for rows in draw(rng, n, n_samples, population.shape[1]).T:
            sample = population[:, rows]
            sample[1] += size
            row = compared(sample, correction=correction)[0]
            assert pair_of(row) == (1, 0)
            rejected.append(row.p_adjusted <= LEVEL)
        found[f"n = {n}"] = [percent(rejected)]
    return found


def contain_the_deviation(values, n_samples, differences):
    """Return how often the interval of `required_queries` contains what is needed."""
    rng, found = np.random.default_rng(0), {}
    population = differences(rng)
    effect = population.std() / 8
    (needed,) = required_queries(population, [effect]).n
    for n in PILOTS:
        pilots = population[draw(rng, n, n_samples, len(population))].T
        required = [required_queries(pilot, effect) for pilot in pilots]
        ends = np.array([(one.low, one.high) for one in required]).T
        found[f"pilot of {n}"] = [percent(covers(*ends, needed))]
    return found


def disagreements(values, n_samples):
    """Return in how many rows of random families p and interval disagree."""
    counts = np.zeros(2, dtype=int)
    for seed in range(n_samples):
        odd, rows = contradictions(*random_family(np.random.default_rng(seed)))
        counts += len(odd), len(rows)
    return {"rows that disagree": counts.tolist()}


def difference_of(kind):
    """Return a function that draws differences of two rankers by a kind of metric."""

    def differences(rng):
        ranks = populations.ranks_of_equal_rankers(rng, 2)
        if kind == "MRR":
            return 1 / ranks[1] - 1 / ranks[0]
        if kind == "hits@1":
            return 1.0 * (ranks[1] == 1) - (ranks[0] == 1)
        # Average precisions of queries that are hard or easy for both.
        logits = rng.normal(-1.5, 1.5, ranks.shape[1]) + 0.6 * rng.normal(
            size=ranks.shape
        )
        return expit(logits[1]) - expit(logits[0])

    return differences


def number_of_pairs(k):
    return f"{k} rankers, {k * (k - 1) // 2} pairs"


DETECTED = [f"n = {n}" for n in (50, 100, 200)]
OF_PILOTS = [f"pilot of {n}" for n in PILOTS]
KINDS = {kind: difference_of(kind) for kind in ("MRR", "hits@1", "AP")}
GAINS = {"rare large gains": populations.rare_gains}
TABLES = {
    "intervals": Table(
        "All intervals of a table contain their true differences, in %, with 20 / 50 / "
        "200 queries",
        [TOGETHER, SINGLE, WIDER],
        rows_of(
            contain_all,
            "n_rankers",
            {number_of_pairs(k): k for k in (6, 12)},
            {TOGETHER: (94, 98)},
        )
        + rows_of(
            contain_all,
            "gap",
            {"6 rankers, each better by 0.5": 0.5},
            {TOGETHER: (93, 97)},
            n_rankers=6,
        ),
    ),
    "power": Table(
        "True differences of 0.12 in MRR that max-T finds among 15, in %, with 20 / 50 "
        "/ 200 queries",
        ["single-step", STEPS],
        rows_of(
            found_of_true,
            "n_better",
            {f"{k} of six rankers are better": k for k in (1, 3)},
        ),
    ),
    "detectable": Table(
        "A true difference as large as `detectable` is found by the adjusted p-value, "
        "in %",
        DETECTED,
        [
            Row(
                f"{number_of_pairs(k)}, {correction}",
                partial(found_of_detectable, n_rankers=k, correction=correction),
                dict.fromkeys(DETECTED, (76, 84)),
            )
            for k, correction in [(3, MAX_T), (6, MAX_T), (12, MAX_T)]
        ],
    ),
    "pilots": Table(
        "The interval of `required_queries` contains the number that is needed, in %",
        OF_PILOTS,
        [
            *rows_of(
                contain_the_deviation,
                "differences",
                KINDS,
                dict.fromkeys(OF_PILOTS, (84, 100)),
            ),
            *rows_of(contain_the_deviation, "differences", GAINS),
        ],
    ),
    "agreement": Table(
        "Random families: an interval excludes 0 exactly if the adjusted p-value is "
        "small",
        ["rows that disagree"],
        [Row("max-T, any number of queries", disagreements)],
    ),
}
