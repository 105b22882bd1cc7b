"""Select a ranker by MRR with scikit-learn's grid search.

Which images show the digit of a query image? A pipeline learns it from the pixels.
GridSearchCV selects its parameters by mean reciprocal rank and, for comparison, by
built-in metrics, which ignore queries. cross_validate then computes ranking and
built-in metrics of each selected model in one call. Whether the choice by MRR is really
better is asked on queries that no search has seen.
"""

# SPDX-License-Identifier: BSD-3-Clause

import sklearn
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skrank
from skrank.datasets import load_digits_retrieval
from skrank.model_selection import QueryKFold, cross_val_query_scores
from skrank.rankers import QueryRanker
from skrank.stats import compare_rankers, confidence_interval

RANKING = ["mrr", "ndcg@10", "map", "hits@3"]
BUILT_IN = ["roc_auc", "neg_mean_absolute_error"]


def make_search(scoring):
    """Make a search for the best parameters of the ranker by one scorer name."""
    ranker = QueryRanker(make_pipeline(StandardScaler(), Ridge()))
    grid = {
        "estimator__standardscaler": [StandardScaler(), "passthrough"],
        # So wide that no choice is at an end.
        "estimator__ridge__alpha": [1e2, 1e3, 1e4, 1e5, 1e6],
    }
    return GridSearchCV(ranker, grid, scoring=scoring, cv=QueryKFold(5))


def describe(search):
    """Describe the selected parameters in a few words."""
    scaler = search.best_params_["estimator__standardscaler"]
    scaled = "raw" if scaler == "passthrough" else "scaled"
    return f"{scaled} pixels, alpha={search.best_params_['estimator__ridge__alpha']:g}"


def compare_on_unseen_queries(X, y, qid):
    """Say how much better the choice by MRR is, and how sure that is.

    Each search runs anew in each of five training sets, and is scored on the rest.
    """
    scores = cross_val_query_scores(
        {"chosen by mrr": make_search("mrr"), "by roc_auc": make_search("roc_auc")},
        X,
        y,
        scoring="mrr",
        cv=QueryKFold(5),
        params={"qid": qid},
    )
    mrr = confidence_interval(scores)["chosen by mrr"]["mrr"]
    (row,) = compare_rankers(scores, baseline="by roc_auc").rows
    meaning = "So select by the metric that counts: it is worth that much here."
    if row.low <= 0 <= row.high:
        meaning = "So the gain may be due to chance: more queries are needed."
    return "\n".join(
        [
            f"On {mrr.n_queries} queries that no search has seen, with 95% intervals",
            f"  MRR of the choice by mrr       {interval(mrr.estimate, mrr)}",
            f"  difference to that by roc_auc  {interval(row.difference, row)}",
            f"  p = {row.pvalue:.2f}. This many queries detect a difference of "
            f"{row.detectable:.3f} with 80% power.",
            meaning,
        ]
    )


def interval(value, ends):
    """Return a number with its interval as text."""
    return f"{value:6.3f} [{ends.low:.3f}, {ends.high:.3f}]"


def main():
    """Search, compare and print."""
    sklearn.set_config(enable_metadata_routing=True)
    X, y, qid = load_digits_retrieval(return_X_y=True)
    print(f"skrank {skrank.__version__}, scikit-learn {sklearn.__version__}")
    print(f"{len(set(qid))} queries, {len(y)} documents, {y.sum()} of them relevant\n")

    searches = {
        name: make_search(name).fit(X, y, qid=qid) for name in ["mrr", *BUILT_IN]
    }
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

    print(f"\n{compare_on_unseen_queries(X, y, qid)}")


if __name__ == "__main__":
    main()
