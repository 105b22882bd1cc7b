"""What the simulations measure: coverage, errors of tests, and power, in per cent.

Each function returns lists of figures by the column of its table.
"""

# SPDX-License-Identifier: BSD-3-Clause

from collections import defaultdict
from functools import partial

import numpy as np

from skrank.metrics import QueryScores
from skrank.stats import confidence_interval, mean_interval
from skrank.stats.compare import order_units
from skrank.stats.inference import seed_of, sum_clusters
from skrank.stats.paired_tests import run_tests
from tests.stats.pilot import comparison_of
from tests.studies import populations
from tests.studies.families import family_of
from tests.studies.populations import draw, tilted

LEVEL = 0.05
# Columns of the coverage of units.
HEEDED, IGNORED = "with clusters or weights", "without them"
# Columns of the coverage with undefined queries: their share.
UNDEFINED = {"none": 0.0, "5 %": 0.05, "20 %": 0.2, "50 %": 0.5}


def percent(condition):
    return float(100 * np.mean(condition)) if np.size(condition) else 0.0


def averaged(sizes, samples, decide, average=percent):
    """Return figures by column and size, of what `decide` says of samples.

    `samples(n)` are those of a size; `decide(sample)` returns a value for each column.
    """
    found = defaultdict(list)
    for n in sizes:
        decided = defaultdict(list)
        for sample in samples(n):
            for column, value in decide(sample).items():
                decided[column].append(value)
        for column, values in decided.items():
            found[column].append(average(np.array(values)))
    return dict(found)


def outcome_of(family, test="permutation", **options):
    """Return what `compare_rankers` finds of a family, without a correction."""
    defaults = {"correction": None, "margin": 0.0, "level": LEVEL, "n_resamples": 9999}
    return run_tests(family, test=test, **defaults | {"seed": seed_of(0)} | options)


def outcomes(top, bottom=None, test="permutation"):
    """Return the p-values, adjusted ones and intervals of samples (n, n_samples)."""
    bottom = np.ones_like(top) if bottom is None else bottom
    found = []
    for one, weight in zip(top.T, bottom.T, strict=True):
        of_pair = one[:, None]
        order, _ = order_units(of_pair, weight[:, None])  # as compare_rankers does
        family = family_of(of_pair[order], weight[order, None])
        found.append(outcome_of(family, test)[:4])
    return [np.concatenate(x) for x in zip(*found, strict=True)]


def covers(low, high, truth):
    return (low <= truth) & (truth <= high)


# The difference of two rankers.


def coverage_of_differences(values, n_samples, pair):
    """Return the coverage by n, and in how many samples p and interval disagree.

    Also the median of the effective number of differences, of which `compare_rankers`
    warns below 10.
    """
    population = values[pair[0]].difference(*pair[1:])
    rng, found, n_apart, n_all = np.random.default_rng(0), {}, 0, 0
    for n in (20, 50, 200, 1000):
        m = at_most(n_samples, n)
        samples = population[draw(rng, n, m, len(population))]
        pvalue, _, low, high = outcomes(samples)
        found[f"n = {n:,}"] = [percent(covers(low, high, population.mean()))]
        n_apart += int(((pvalue <= LEVEL) == covers(low, high, 0)).sum())
        n_all += m
        if n == 20:
            squares, fourths = (samples**2).sum(axis=0), (samples**4).sum(axis=0)
            effective = np.median(squares**2 / np.maximum(fourths, 1e-300))
    found["effective of 20"] = [float(effective)]
    return found | {"p and interval disagree": [n_apart, n_all]}


def errors_of_tests(values, n_samples, pair):
    """Return how often each test rejects equal means."""
    population = values[pair[0]].difference(*pair[1:])
    weights = tilted(population[:, None])
    rng = np.random.default_rng(0)
    found = {name: [] for name in ("permutation", "t")}
    for n in (20, 200, 1000):
        m = at_most(n_samples, n)
        samples = population[draw(rng, n, m, len(population), weights)]
        for test, errors in found.items():
            errors.append(percent(outcomes(samples, test=test)[0] <= LEVEL))
    return found


def at_most(n_samples, n):
    """Return half as many samples of a thousand queries."""
    return max(n_samples // 2, 1) if n >= 1000 else n_samples


# Families: two rankers and eight metrics beside one baseline.


def rejections(values, n_samples, measure, null, shift=0):
    """Return `measure` of what is rejected, (n_samples, 16), by correction.

    All differences are shifted by `shift` standard errors.
    """
    movielens = values["movielens"].values
    differences = against_first(movielens)
    errors = differences.std(axis=0, ddof=1)
    weights = tilted(differences) if null == "equal means" else None
    rng = np.random.default_rng(0)

    def samples(n):
        for rows in draw(rng, n, n_samples, len(differences), weights).T:
            sample = movielens[..., rows]
            if null == "exchangeable":
                sample = exchanged(rng, sample)
            yield against_first(sample) + shift * errors / np.sqrt(n)

    def decide(top):
        family = family_of(top, np.ones_like(top))
        outcome = outcome_of(family, correction="max-t", n_resamples=1999)
        p = {"none": outcome.pvalue, "max-t": outcome.adjusted}
        return {name: values <= LEVEL for name, values in p.items()}

    return averaged((20, 50, 200), samples, decide, measure)


def any_of_family(rejected):
    return percent(rejected.any(axis=1))


def against_first(values):
    """Return the differences from the first ranker, (n_queries, n_differences)."""
    found = (values[1:] - values[0]).reshape(-1, values.shape[-1]).T
    return np.where(np.abs(found) < 1e-12, 0, found)


def exchanged(rng, values):
    """Return the values with the rankers of each query in a random order."""
    order = rng.permuted(np.tile(np.arange(len(values)), (values.shape[2], 1)), axis=1)
    return np.take_along_axis(values, order.T[:, None, :], axis=0)


# The mean of one ranker.


def coverage_of_means(values, n_samples, population):
    """Return the coverage of `confidence_interval` by n, and that of Student's t."""
    rng, found = np.random.default_rng(0), {}
    if callable(population):
        population = population(rng)
    else:
        population = values[population[0]].of(*population[1:])
    if not np.isin(population, (0, 1)).all():
        population = 1 + population  # from 1 to 2: limits that nobody knows
    truth = population.mean()
    for n in (10, 20, 50, 200):
        samples = population[draw(rng, n, n_samples, len(population))].T
        found[f"n = {n}"] = [percent([holds(truth, sample) for sample in samples])]
        if n == 20:
            by_t = [holds(truth, sample, method="t") for sample in samples]
    return found | {"Student's t, n = 20": [percent(by_t)]}


def coverage_of_undefined(values, n_samples, covers_all):
    """Return the coverage with 20, 50 and 200 queries, by the share of undefined ones.

    ``covers_all(rng, n, n_samples, share)`` returns which intervals cover the truth.
    """
    rng = np.random.default_rng(0)
    return {
        name: [percent(covers_all(rng, n, n_samples, share)) for n in (20, 50, 200)]
        for name, share in UNDEFINED.items()
    }


def means_with_undefined(rng, n, n_samples, share, population):
    """Return which intervals of the mean cover it; an undefined query counts as 0."""
    population, found = population(rng), []
    truth = (1 - share) * population.mean()
    for rows in draw(rng, n, n_samples, len(population)).T:
        sample = np.where(rng.random(n) < share, np.nan, population[rows])
        frame = {"qid": np.arange(n), "ndcg": sample}
        interval = confidence_interval(QueryScores.from_frame(frame))["ndcg"]
        found.append(covers(interval.low, interval.high, truth))
    return found


def differences_with_undefined(rng, n, n_samples, share):
    """Return which intervals of a difference cover it, 0 of undefined queries."""
    one, other = populations.average_precisions(rng), populations.reciprocal_ranks(rng)
    rows = draw(rng, n, n_samples, len(one))
    defined = rng.random((n, n_samples)) >= share
    _, _, *ends = outcomes((one - other)[rows] * defined)
    return covers(*ends, (1 - share) * (one - other).mean())


def holds(truth, sample, **options):
    """Return whether the interval of a sample covers the truth."""
    interval = mean_interval(sample, **options)
    return covers(interval.low, interval.high, truth)


# Units that are not queries of equal weight.


def coverage_of_units(values, n_samples, sizes, one):
    """Return the coverage with the units and without, of `one(rng, size)`."""
    rng = np.random.default_rng(0)
    samples = lambda size: (one(rng, size) for _ in range(n_samples))  # noqa: E731
    return averaged(sizes, samples, lambda x: {HEEDED: x[0], IGNORED: x[1]})


def of_users(rng, n_users, draw_users=populations.queries_of_users):
    sample, user = draw_users(rng, n_users)
    return holds(0.5, sample, clusters=user), holds(0.5, sample, method="t")


of_uneven_users = partial(of_users, draw_users=populations.queries_of_uneven_users)


def difference_of_uneven_users(rng, n_users):
    sample, user = populations.queries_of_uneven_users(rng, n_users)
    values, found = {"old": np.full(len(sample), 0.5), "new": sample}, []
    for clusters in (user, None):
        options = {"clusters": clusters, "n_resamples": 999}
        (row,) = comparison_of(values, **options).rows
        found.append(covers(row.low, row.high, 0))
    return found


def hits_of_users(rng, n_users):
    sample, user = populations.hits_of_users(rng, n_users)
    truth = populations.HITS_OF_USERS
    return holds(truth, sample, clusters=user), holds(truth, sample)


def of_pareto_weights(rng, n_queries):
    sample, weight = rng.beta(1.2, 3.0, size=n_queries), 1 + rng.pareto(2.2, n_queries)
    truth = 1.2 / 4.2
    return holds(truth, sample, sample_weight=weight), holds(truth, sample)


def of_weights(rng, n_queries, population):
    sample, weight = population[:, rng.integers(population.shape[1], size=n_queries)]
    truth = np.average(population[0], weights=population[1])
    return holds(truth, sample, sample_weight=weight), holds(truth, sample)


def coverage_of_differences_of_users(values, n_samples, sizes, one):
    """Return the coverage of the difference of rankers with users and without."""
    rng, found = np.random.default_rng(0), {HEEDED: [], IGNORED: []}
    for n_users in sizes:
        sums, covered = [], []
        for _ in range(n_samples):
            sample, user = one(rng, n_users)
            difference = (sample - 0.5)[:, None]
            sums.append(sum_clusters(difference[:, 0], np.ones(len(user)), user))
            if len(covered) < n_samples / 10:  # each has another number of queries
                _, _, *ends = outcomes(difference)
                covered.append(covers(*ends, 0))
        _, _, *ends = outcomes(*np.array(sums).transpose(1, 2, 0))
        found[HEEDED].append(percent(covers(*ends, 0)))
        found[IGNORED].append(percent(covered))
    return found
