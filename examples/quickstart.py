"""Select a ranker by MRR with scikit-learn's grid search.

Which images show the digit of a query image? A pipeline learns it from the pixels.
GridSearchCV selects its parameters by mean reciprocal rank and, for comparison, by
built-in metrics, which ignore queries. cross_validate then computes ranking and
built-in metrics of each selected model in one call.
"""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import sklearn
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skrank
from skrank.datasets import load_digits_retrieval
from skrank.model_selection import QueryKFold
from skrank.rankers import QueryRanker

RANKING = ["mrr", "ndcg@10", "map", "hits@3"]
BUILT_IN = ["roc_auc", "neg_mean_absolute_error"]


def choose(scoring, X, y, qid):
    """Search for the best parameters of the ranker by one scorer name."""
    ranker = QueryRanker(make_pipeline(StandardScaler(), Ridge()))
    grid = {
        "estimator__standardscaler": [StandardScaler(), "passthrough"],
        "estimator__ridge__alpha": [1.0, 1e3, 1e4, 1e5],
    }
    search = GridSearchCV(ranker, grid, scoring=scoring, cv=QueryKFold(5))
    return search.fit(X, y, qid=qid)


def describe(search):
    """Describe the selected parameters in a few words."""
    scaler = search.best_params_["estimator__standardscaler"]
    scaled = "raw" if scaler == "passthrough" else "scaled"
    return f"{scaled} pixels, alpha={search.best_params_['estimator__ridge__alpha']:g}"


def main():
    """Search, compare and print."""
    sklearn.set_config(enable_metadata_routing=True)
    X, y, qid = load_digits_retrieval(return_X_y=True)
    print(f"skrank {skrank.__version__}, scikit-learn {sklearn.__version__}")
    print(f"{len(set(qid))} queries, {len(y)} documents, {y.sum()} of them relevant\n")

    searches = {name: choose(name, X, y, qid) for name in ["mrr", *BUILT_IN]}
    print("Chosen by grid search, 5 folds of whole queries")
    for name, search in searches.items():
        print(f"  by {name:<24} {describe(search)}")

    print("\nCross-validated metrics of each choice")
    print(f"  {'chosen by':<24}" + "".join(f"{name:>25}" for name in searches))
    results = [
        cross_validate(
            search.best_estimator_,
            X,
            y,
            scoring=RANKING + BUILT_IN,
            cv=QueryKFold(5),
            params={"qid": qid},
        )
        for search in searches.values()
    ]
    for metric in RANKING + BUILT_IN:
        means = [result[f"test_{metric}"].mean() for result in results]
        print(f"  {metric:<24}" + "".join(f"{mean:25.4f}" for mean in means))

    print()
    for name in BUILT_IN:
        same = describe(searches[name]) == describe(searches["mrr"])
        verdict = "agrees with" if same else "differs from"
        print(f"The choice by mrr {verdict} the choice by {name}.")


if __name__ == "__main__":
    main()
