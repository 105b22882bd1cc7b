"""Tune LightGBM by NDCG@10, and compare it with its defaults.

Which images show the digit of a query image? LGBMRanker learns it from the pixels.
GridSearchCV selects its parameters by NDCG@10, in folds of whole queries. Whether the
selected ranker is better than one with LightGBM's defaults is asked on queries that the
search has not seen.
"""

# SPDX-License-Identifier: BSD-3-Clause

import pandas as pd
import sklearn
from lightgbm import LGBMRanker
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import skrank
from skrank.datasets import load_digits_retrieval
from skrank.metrics import score_queries
from skrank.model_selection import QueryKFold, query_train_test_split
from skrank.rankers import QueryRanker
from skrank.stats import compare_rankers

# The first value of each is LightGBM's default.
GRID = {
    "estimator__n_estimators": [100, 300],
    "estimator__min_child_samples": [20, 5],
    "estimator__extra_trees": [False, True],
}


def main():
    """Search, compare and print."""
    digits = load_digits_retrieval(n_queries=600)
    X = pd.DataFrame(digits.data, columns=digits.feature_names).assign(qid=digits.qid)
    y = digits.target
    print(f"skrank {skrank.__version__}, scikit-learn {sklearn.__version__}")
    print(f"{X['qid'].nunique()} queries, {len(y)} documents, {y.sum()} relevant\n")
    X_train, X_test, y_train, y_test = query_train_test_split(
        X, y, test_size=0.75, random_state=0
    )

    ranker = QueryRanker(LGBMRanker(n_jobs=1, verbose=-1, random_state=0))
    search = GridSearchCV(ranker, GRID, scoring="ndcg@10", cv=QueryKFold(3))
    search.fit(X_train, y_train)
    print("NDCG@10 of each candidate, in three folds of whole queries")
    table = pd.DataFrame(search.cv_results_).sort_values("rank_test_score")
    table = table.filter(regex="^param_|mean_test_score").round(4)
    table.columns = [name.rpartition("__")[2] for name in table.columns]
    print(table.to_string(index=False))

    print(f"\nOn {X_test['qid'].nunique()} queries that the search has not seen")
    default = clone(ranker).fit(X_train, y_train)
    runs = {"default": default.predict(X_test), "tuned": search.predict(X_test)}
    names = ["ndcg@10", "map", "hits@3"]
    scores = score_queries(y_test, runs, names, qid=X_test["qid"])
    print(compare_rankers(scores, baseline="default"))


if __name__ == "__main__":
    main()
