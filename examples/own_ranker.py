"""Write a ranker: ListNet with a linear score, in NumPy.

The softmax of the scores of a query is fitted to the softmax of its grades.
"""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import sklearn
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.utils.validation import check_is_fitted, validate_data

from skrank.base import RankingEstimator
from skrank.datasets import make_ranking
from skrank.model_selection import QueryKFold
from skrank.rankers import QueryRanker


class ListNet(RankingEstimator, BaseEstimator):
    def __init__(self, alpha=0.001, max_iter=200):
        self.alpha = alpha
        self.max_iter = max_iter

    def fit(self, X, y, *, qid=None):
        X, y = validate_data(self, X, y, y_numeric=True, dtype=np.float64)
        qid = np.zeros(len(y)) if qid is None else qid
        _, query = np.unique(qid, return_inverse=True)
        self.scale_ = X.std(axis=0) + (X.std(axis=0) == 0)
        X, target = X / self.scale_, _probability_to_be_first(y.astype(float), query)
        self.coef_ = np.zeros(X.shape[1])
        for step in range(self.max_iter):
            excess = _probability_to_be_first(X @ self.coef_, query) - target
            gradient = X.T @ excess / (query.max() + 1) + self.alpha * self.coef_
            self.coef_ = self.coef_ - gradient / np.sqrt(1 + step)
        return self

    def predict(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return X / self.scale_ @ self.coef_


def _probability_to_be_first(score, query):
    highest = np.full(query.max() + 1, -np.inf)
    np.maximum.at(highest, query, score)
    power = np.exp(score - highest[query])
    return power / np.bincount(query, weights=power)[query]


if __name__ == "__main__":
    X, y, qid = make_ranking(200, random_state=0)
    ranker, grid = QueryRanker(ListNet()), {"estimator__alpha": [0.01, 0.1, 1.0]}
    search = GridSearchCV(ranker, grid, scoring="ndcg@10", cv=QueryKFold(5))
    with sklearn.config_context(enable_metadata_routing=True):
        search.fit(X, y, qid=qid)
    print(f"NDCG@10 {search.best_score_:.4f} with {search.best_params_}")
