"""Simulate what no test can know: how equal rankers come to look different.

It takes a few minutes.
"""

# SPDX-License-Identifier: BSD-3-Clause

from functools import partial

import numpy as np

from skrank.metrics import QueryScores
from skrank.model_selection import QueryKFold
from skrank.stats import compare_rankers
from tests.studies import populations
from tests.studies.experiments import LEVEL, holds, outcomes, percent
from tests.studies.populations import draw
from tests.studies.simulate_cross_validation import N_FEATURES, fit, ndcg
from tests.studies.simulate_cross_validation import draw as draw_documents
from tests.studies.tables import FOLDER, Row, Table, rows_of

DOCS_TABLE = FOLDER / "pitfalls.rst"
N_PER_LOOK, N_SEEDS = 50, 5
LOOKS, CANDIDATES, DATASETS = (1, 2, 5, 10, 20), (1, 5, 29), (5, 10, 20, 40)
# The standard deviation of the difference within and between data sets, and its mean.
WITHIN, BETWEEN, MEAN = 0.25, 0.03, 0.02


def significant(samples):
    """Return which samples, the columns of differences, the t test rejects."""
    return outcomes(samples, test="t")[0] <= LEVEL


def looks(values, n_samples):
    """Return how often one of the looks at a growing number of queries rejects."""
    rng = np.random.default_rng(0)
    ranks = populations.equal_rankers(rng, 2)
    rows = draw(rng, N_PER_LOOK * LOOKS[-1], n_samples, ranks.shape[1])
    samples = (ranks[1] - ranks[0])[rows]
    found, rejected = {}, np.zeros(n_samples, dtype=bool)
    for look in range(1, LOOKS[-1] + 1):
        rejected |= significant(samples[: look * N_PER_LOOK])
        if look in LOOKS:
            found[of_number(look, "look")] = [percent(rejected)]
    return found


def of_number(n, thing):
    return f"{n} {thing}{'s' if n > 1 else ''}"


def best_of(values, n_samples, n, other_queries):
    """Return how often the best of equal candidates is better than the baseline.

    It is compared on the n queries on which it was the best, or on n others.
    """
    found = {}
    for n_candidates in CANDIDATES:
        rng = np.random.default_rng(0)
        ranks = populations.equal_rankers(rng, 1 + n_candidates)
        rows = draw(rng, n, n_samples, ranks.shape[1])
        best = 1 + ranks[1:, rows].mean(axis=1).argmax(axis=0)
        if other_queries:
            rows = draw(rng, n, n_samples, ranks.shape[1])
        samples = ranks[best, rows] - ranks[0, rows]
        better = significant(samples) & (samples.mean(axis=0) > 0)
        found[of_number(n_candidates, "candidate")] = [percent(better)]
    return found


def equal_learners(values, n_samples, n_units, n_seeds=1, clusters="qid"):
    """Return how often learners that differ by their seeds alone are different.

    The learner is a network whose hidden units are drawn by its seed and whose output
    is fitted by least squares. The same seeds are used in all five folds.
    """
    found = {}
    for n in (40, 100):
        rng, rejected = np.random.default_rng(0), []
        for _ in range(n_samples):
            X, y, qid = draw_documents(n, rng)
            parts = {"one": [], "other": []}
            for seed in range(n_seeds):
                for scores in parts.values():
                    y_score = out_of_fold(hidden(X, n_units, rng), y, qid)
                    scores.append(ndcg(y, y_score, qid, split=seed))
            joined = {name: QueryScores.concat(parts[name]) for name in parts}
            options = {"clusters": clusters, "test": "t", "correction": None}
            (row,) = compare_rankers(joined, **options).rows
            rejected.append(row.pvalue <= LEVEL)
        found[f"{n} queries"] = [percent(rejected)]
    return found


def hidden(X, n_units, rng):
    """Return the values of some hidden units."""
    weights = rng.normal(scale=N_FEATURES**-0.5, size=(N_FEATURES, n_units))
    return np.tanh(X @ weights + rng.normal(size=n_units))


def out_of_fold(X, y, qid):
    """Return the scores of the fits that have not seen the query."""
    y_score = np.empty(len(y))
    for train, test in QueryKFold(5).split(X, qid=qid):
        y_score[test] = X[test] @ fit(X[train], y[train])
    return y_score


def rare_gains(values, n_samples, measure):
    """Return a figure of samples whose mean is 0, by n."""
    rng, found = np.random.default_rng(0), {}
    population = populations.rare_gains(rng)
    for n in (10, 20, 50, 200, 1000):
        samples = population[draw(rng, n, n_samples, len(population))]
        found[f"n = {n:,}"] = [percent(measure(samples))]
    return found


def rejected(samples):
    return outcomes(samples)[0] <= LEVEL


def datasets(values, n_samples, of_new=True, weighted=True, clustered=True):
    """Return how often an interval covers the mean over data sets, by their number.

    The mean is that of new data sets, or of those that were drawn.
    """
    found = {}
    for n_datasets in DATASETS:
        rng, covered = np.random.default_rng(0), []
        for _ in range(n_samples):
            difference, dataset, means = draw_datasets(rng, n_datasets)
            weight = 1 / np.bincount(dataset)[dataset]
            options = {"sample_weight": weight} if weighted else {}
            options |= {"clusters": dataset} if clustered else {}
            truth = MEAN if of_new else means.mean()
            covered.append(holds(truth, difference, **options))
        found[f"{n_datasets} data sets"] = [percent(covered)]
    return found


def draw_datasets(rng, n_datasets):
    """Return differences of queries, their data sets, and the mean of each of these.

    A data set has 20 to 500 queries, the logarithm of which is uniform.
    """
    means = rng.normal(MEAN, BETWEEN, size=n_datasets)
    sizes = np.exp(rng.uniform(np.log(20), np.log(500), size=n_datasets)).astype(int)
    dataset = np.repeat(np.arange(n_datasets), sizes)
    return rng.normal(means[dataset], WITHIN), dataset, means


BY_DATASETS = dict.fromkeys((f"{n} data sets" for n in DATASETS), (93.5, 97.5))
BY_QUERIES = [f"{n} queries" for n in (40, 100)]


HIDDEN = {f"{n} hidden units, one seed each": n for n in (40, 20, 10)}
SEEDS = f"10, {N_SEEDS} seeds each, queries"
OF_SEEDS = partial(equal_learners, n_units=10, n_seeds=N_SEEDS)
OF_THESE = partial(datasets, of_new=False, clustered=False)
AS_QUERIES = partial(datasets, weighted=False, clustered=False)
TABLES = {
    "looks": Table(
        "Two equal rankers, tested after every 50 queries: significant at some look, "
        "in %",
        [of_number(n, "look") for n in LOOKS],
        [Row("paired t test at 5 %", looks, {"1 look": (4, 6)})],
    ),
    "tuning": Table(
        "The best of equal candidates is significantly better than an equal baseline, "
        "in %",
        [of_number(n, "candidate") for n in CANDIDATES],
        [
            Row(
                f"{n} queries, selected on {'others' if other else 'them'}",
                partial(best_of, n=n, other_queries=other),
                {"29 candidates": (1.5, 3.5)} if other else {},
            )
            for other in (False, True)
            for n in (50, 200)
        ],
    ),
    "seeds": Table(
        "A small network, trained with two seeds and compared with itself: "
        "significant, in %",
        BY_QUERIES,
        [
            *rows_of(equal_learners, "n_units", HIDDEN),
            Row(f"{SEEDS} are the units", OF_SEEDS),
        ],
    ),
    "gains": Table(
        "Equal means: large gains in 5 % of the queries, small losses in the others, "
        "in %",
        [f"n = {n:,}" for n in (10, 20, 50, 200, 1000)],
        rows_of(rare_gains, "measure", {"significant": rejected}),
    ),
    "datasets": Table(
        "Coverage of the mean difference over data sets, in %",
        [*BY_DATASETS],
        [
            Row("these: sample_weight", OF_THESE, BY_DATASETS),
            Row("new ones: sample_weight, clusters", datasets, BY_DATASETS),
            Row("new ones: queries as units", AS_QUERIES),
        ],
    ),
}
