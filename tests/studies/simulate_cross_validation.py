"""Simulate intervals and tests of cross-validated values.

How often do 95 % intervals of five-fold values of NDCG@10 cover the mean score of the
five fitted models on all queries there are? And how often does a test at 5 % find a
difference between two learners that are equal, from ten random splits? The learners are
least-squares fits, whose score on all queries depends on their correlation with the
relevance alone, so that it is known. It takes about a minute.
"""

# SPDX-License-Identifier: BSD-3-Clause

import sys
import warnings
from collections import defaultdict

import numpy as np
from scipy.stats import t as student
from scipy.stats import ttest_1samp

from skrank.metrics import QueryScores, score_queries
from skrank.model_selection import QueryKFold, QueryShuffleSplit
from skrank.stats import compare_rankers, confidence_interval

N_FEATURES, N_DOCUMENTS, N_FOLDS, N_SPLITS = 10, 10, 5, 10
WEIGHTS = np.tile([1.0, 0.5, 0.25, 0.125, 0.0625], 2)
NOISE = 1.5
RELEVANCE = np.sqrt(WEIGHTS @ WEIGHTS + NOISE**2)


def grade(relevance):
    """Return grades from 0 to 3 of standardized relevance."""
    return np.digitize(relevance, [0.5, 1.0, 1.5])


def draw(n_queries, rng):
    """Return features, grades and query ids."""
    X = rng.standard_normal((n_queries * N_DOCUMENTS, N_FEATURES))
    relevance = X @ WEIGHTS + NOISE * rng.standard_normal(len(X))
    return X, grade(relevance / RELEVANCE), np.repeat(np.arange(n_queries), N_DOCUMENTS)


def fit(X, y):
    """Return the weights of a least-squares fit."""
    return np.linalg.lstsq(X, y - y.mean(), rcond=None)[0]


def ndcg(y, y_score, qid, split=0):
    by = {"split": np.full(len(y), split)}
    options = {"qid": qid, "by": by, "replace_undefined_by": np.nan}
    return score_queries(y, y_score, "ndcg@10", **options)


def score_by_correlation(n_queries, rng):
    """Return the mean score of all queries as a function of some weights."""
    relevance, other = rng.standard_normal((2, n_queries * N_DOCUMENTS))
    qid = np.repeat(np.arange(n_queries), N_DOCUMENTS)
    grid = np.linspace(-0.2, 1, 49)
    scores = [
        ndcg(grade(relevance), rho * relevance + np.sqrt(1 - rho**2) * other, qid)
        for rho in grid
    ]
    means = [scores_of_one.summary()["ndcg@10"] for scores_of_one in scores]

    def score(weights):
        rho = weights @ WEIGHTS / np.linalg.norm(weights) / RELEVANCE
        return np.interp(rho, grid, means)

    return score


def intervals(X, y, qid, score):
    """Return the truth and the intervals of one five-fold cross-validation."""
    models, folds = [], []
    for train, test in QueryKFold(N_FOLDS).split(X, qid=qid):
        models.append(fit(X[train], y[train]))
        folds.append(ndcg(y[test], X[test] @ models[-1], qid[test]))
    of_queries = confidence_interval(QueryScores.concat(folds))["ndcg@10"]
    means = np.array([fold.summary()["ndcg@10"] for fold in folds])
    middle, error = means.mean(), means.std(ddof=1) / np.sqrt(N_FOLDS)
    ends = {
        "confidence_interval, over queries": (of_queries.low, of_queries.high),
        "Student's t over folds": middle + error * student.ppf([0.025, 0.975], 4),
        "mean ± 1.96 errors of folds": middle + error * np.array([-1.96, 1.96]),
    }
    return np.mean([score(weights) for weights in models]), ends


def pvalues(X, y, qid, seed):
    """Return p-values of the difference of two equal learners, by ten random splits.

    One sees the first half of the features, the other one the second half, which is as
    good.
    """
    halves = {"first": slice(0, 5), "second": slice(5, 10)}
    splits = []
    splitter = QueryShuffleSplit(N_SPLITS, test_size=0.2, random_state=seed)
    for i, (train, test) in enumerate(splitter.split(X, qid=qid)):
        y_score = {
            name: X[test, half] @ fit(X[train, half], y[train])
            for name, half in halves.items()
        }
        splits.append(ndcg(y[test], y_score, qid[test], split=i))
    means = [split.summary() for split in splits]
    differences = [one["first"]["ndcg@10"] - one["second"]["ndcg@10"] for one in means]
    # A query in several test sets is one cluster: one observation.
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The p-value may be too small")
        (row,) = compare_rankers(QueryScores.concat(splits), test="t").rows
    return {
        "ten splits as independent": ttest_1samp(differences, 0).pvalue,
        "compare_rankers, over queries": row.pvalue,
    }


def main(n_samples=1000, n_of_all=30_000):
    rng = np.random.default_rng(0)
    score = score_by_correlation(n_of_all, rng)
    print(f"{'queries':>7}  {'interval':<34}{'covers':>7}{'width':>8}{'± sd':>7}")
    for n_queries in (30, 100, 300):
        found = defaultdict(list)
        for _ in range(n_samples):
            truth, ends = intervals(*draw(n_queries, rng), score)
            for name, (low, high) in ends.items():
                found[name].append((low <= truth <= high, high - low))
        for name, of_name in found.items():
            (covered, width), (_, sd) = (
                np.mean(of_name, axis=0),
                np.std(of_name, axis=0),
            )
            print(f"{n_queries:>7}  {name:<34}{covered:7.1%}{width:8.3f}{sd:7.3f}")
    print(f"\n{'queries':>7}  {'test of two equal learners':<34}{'p < .05':>7}")
    for n_queries in (30, 100, 300):
        found = defaultdict(list)
        for seed in range(n_samples):
            for name, p in pvalues(*draw(n_queries, rng), seed).items():
                found[name].append(p < 0.05)
        for name, rejected in found.items():
            print(f"{n_queries:>7}  {name:<34}{np.mean(rejected):7.1%}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
