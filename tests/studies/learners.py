"""Simulate tests of two learners that are equal, from cross-validated values.

One learner sees the first half of the features, the other one the second half, which is
as good. The grades and the features are drawn anew for each sample, so that a test at
5 % should find a difference in 5 % of the samples. It takes some minutes.
"""

# SPDX-License-Identifier: BSD-3-Clause

from functools import cache, partial

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student

from skrank.metrics import ndcg_score
from tests.studies.experiments import LEVEL, outcomes, percent
from tests.studies.simulate_cross_validation import N_DOCUMENTS, N_FOLDS, draw, fit
from tests.studies.tables import DOCS, Table, rows_of

DOCS_TABLE = DOCS / "tables/learners.rst"
SIZES = (40, 200, 600)
COLUMNS = [f"n = {n}" for n in SIZES]
HALVES = slice(0, 5), slice(5, 10)
THRESHOLDS = norm.ppf(np.linspace(0, 1, 17)[1:-1])


def least_squares(X, y):
    """Return the scores of a least-squares fit."""
    weights = fit(X, y)
    return lambda X: X @ weights


def best_feature(X, y):
    """Return the feature with the largest correlation, with its sign."""
    slopes = X.T @ (y - y.mean())
    best = np.argmax(np.abs(slopes))
    return lambda X: np.sign(slopes[best]) * X[:, best]


def stump(X, y):
    """Return the tree with one split that explains most of the variance."""
    error = y - y.mean()
    above = X[:, :, np.newaxis] > THRESHOLDS
    n_above = above.sum(axis=0)
    gain = np.tensordot(error, above, 1)
    explained = gain**2 / np.maximum(n_above * (len(y) - n_above), 1)
    feature, place = np.unravel_index(np.argmax(explained), explained.shape)
    sign = np.sign(gain[feature, place])
    return lambda X: sign * (X[:, feature] > THRESHOLDS[place])


@cache
def differences(learner, n_queries, n_samples):
    """Return the differences of NDCG by query and by fold, a column per sample."""
    rng = np.random.default_rng(11)
    by_query = np.empty((n_queries, n_samples))
    fold = np.arange(n_queries) % N_FOLDS
    for sample in by_query.T:
        X, y, _ = draw(n_queries, rng)
        X, y = X.reshape(n_queries, N_DOCUMENTS, -1), y.reshape(n_queries, -1)
        for i in range(N_FOLDS):
            train, test = fold != i, fold == i
            values = []
            for half in HALVES:
                rows = X[train][:, :, half].reshape(-1, 5)
                model = learner(rows, y[train].ravel())
                y_score = model(X[test][:, :, half].reshape(-1, 5))
                y_score = y_score.reshape(-1, N_DOCUMENTS).astype(float)
                values.append(ndcg_score(y[test], y_score, average=None))
            sample[test] = values[0] - values[1]
    of_folds = np.array([by_query[fold == i].mean(axis=0) for i in range(N_FOLDS)])
    return by_query, of_folds


def by_queries(by_query, of_folds):
    """Return the p-values of `compare_rankers` for the values of the queries."""
    return outcomes(by_query)[0]


def by_folds(by_query, of_folds, share=0.0):
    """Return the p-values of Student's t over the folds.

    The variance of the mean is that of the folds times 1 / n_folds + `share`.
    """
    variance = of_folds.var(axis=0, ddof=1) * (1 / N_FOLDS + share)
    statistic = of_folds.mean(axis=0) / np.sqrt(variance)
    return 2 * student.sf(np.abs(statistic), N_FOLDS - 1)


TESTS = {
    "compare_rankers": by_queries,
    "t over folds": by_folds,
    # C. Nadeau, Y. Bengio, "Inference for the Generalization Error", Machine Learning
    # 52 (2003): the share is that of test to training queries.
    "corrected t": partial(by_folds, share=1 / (N_FOLDS - 1)),
}


def rejected(values, n_samples, learner, test):
    """Return how often a test finds a difference of equal learners, by their number."""
    return {
        column: [percent(test(*differences(learner, n, n_samples)) <= LEVEL)]
        for column, n in zip(COLUMNS, SIZES, strict=True)
    }


LEARNERS = {
    "least squares": least_squares,
    "best feature": best_feature,
    "tree with one split": stump,
}
TABLES = {
    "learners": Table(
        "Equal learners with a significant difference from five folds, in %",
        COLUMNS,
        [
            row
            for name, learner in LEARNERS.items()
            for row in rows_of(
                rejected,
                "test",
                {f"{name}, {of_test}": test for of_test, test in TESTS.items()},
                learner=learner,
            )
        ],
    )
}
