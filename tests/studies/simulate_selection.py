"""Simulate the selection among nested rankers, by three rules.

The k-th of ten rankers is a least-squares fit on the first k of ten features, which
matter less and less. The complexity that each rule selects by five folds, and what its
NDCG@10 on new queries loses against the best of the ten, are averaged over samples. It
takes about a minute.
"""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank.metrics import score_queries
from skrank.model_selection import QueryKFold, one_standard_error

N_FEATURES, N_DOCUMENTS, N_FOLDS = 10, 10, 5
# The numbers of queries, with that of samples.
SAMPLES = {40: 300, 100: 300, 400: 100}


def draw(n_queries, rng):
    """Return features, grades from 0 to 3 and query ids."""
    X = rng.standard_normal((n_queries * N_DOCUMENTS, N_FEATURES))
    relevance = X @ 0.5 ** np.arange(N_FEATURES) + 1.5 * rng.standard_normal(len(X))
    y = np.digitize(relevance, [1, 2, 3])
    return X, y, np.repeat(np.arange(n_queries), N_DOCUMENTS)


def scores_of_rankers(X, y, X_test, y_test, qid_test):
    """Return NDCG@10 of the rankers with 1 to 10 features."""
    rankers = {}
    for k in range(1, N_FEATURES + 1):
        weights = np.linalg.lstsq(X[:, :k], y - y.mean(), rcond=None)[0]
        rankers[f"{k} features"] = X_test[:, :k] @ weights
    scores = score_queries(y_test, rankers, "ndcg@10", qid=qid_test).summary()
    return np.array([values["ndcg@10"] for values in scores.values()])


def best_mean(results):
    return int(results["mean_test_score"].argmax())


def unpaired(results):
    """Select the simplest within one standard error of the best mean."""
    mean, best = results["mean_test_score"], best_mean(results)
    of_best = [results[f"split{i}_test_score"][best] for i in range(N_FOLDS)]
    error = np.std(of_best, ddof=1) / np.sqrt(N_FOLDS)
    return int(np.flatnonzero(mean >= mean[best] - error)[0])


RULES = {
    "best mean": best_mean,
    "one standard error of the best mean": unpaired,
    "one_standard_error": one_standard_error(complexity="n_features"),
}


def cross_validate(X, y, qid):
    """Return the results of a search, as scikit-learn does."""
    folds = [
        scores_of_rankers(X[train], y[train], X[test], y[test], qid[test])
        for train, test in QueryKFold(N_FOLDS).split(X, qid=qid)
    ]
    return {
        "params": [{"n_features": k + 1} for k in range(N_FEATURES)],
        "mean_test_score": np.mean(folds, axis=0),
        **{f"split{i}_test_score": scores for i, scores in enumerate(folds)},
    }


def main():
    rng = np.random.default_rng(0)
    new = draw(4000, rng)
    print(f"{'queries':>7}  {'rule':<36}{'features':>8}  loss x 1000")
    for n_queries, n_samples in SAMPLES.items():
        selected, losses = ({rule: [] for rule in RULES} for _ in range(2))
        for _ in range(n_samples):
            X, y, qid = draw(n_queries, rng)
            results, scores = cross_validate(X, y, qid), scores_of_rankers(X, y, *new)
            for name, rule in RULES.items():
                candidate = rule(results)
                selected[name].append(candidate + 1)
                losses[name].append(1000 * (scores.max() - scores[candidate]))
        for name in RULES:
            error = np.std(losses[name]) / np.sqrt(n_samples)
            figures = f"{np.mean(losses[name]):.1f} ± {error:.1f}"
            features = np.mean(selected[name])
            print(f"{n_queries:>7}  {name:<36}{features:8.1f}  {figures}", flush=True)


if __name__ == "__main__":
    main()
