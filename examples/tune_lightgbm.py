"""
====================
Tune LightGBM by MRR
====================

How many trees rank best? Scikit-learn can select them by ROC AUC. But ROC AUC compares
all rows with one another, also those of different queries, while a user sees the
documents of one query and looks at the top. This example selects the number of trees by
the mean reciprocal rank (MRR) and by ROC AUC in one grid search, in a simulated shop,
and then measures what the choice by ROC AUC loses.
"""

# SPDX-License-Identifier: BSD-3-Clause

# sphinx_gallery_thumbnail_path = "thumbnails/tune_lightgbm.svg"

# %%
# A simulated shop
# ----------------
#
# A session asks for offers in one category, and is shown 6 to 16 of them. Customers
# click what matches their words, is well rated and costs less than the other offers. In
# expensive categories they click more. So between sessions, a higher price goes with
# more clicks. Within a session, a higher price goes with fewer.
import matplotlib.pyplot as plt
from lightgbm import LGBMRanker
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from skrank.datasets import load_shop
from skrank.metrics import score_queries
from skrank.model_selection import QueryKFold, query_train_test_split
from skrank.plot import ComparisonDisplay
from skrank.rankers import QueryRanker
from skrank.stats import compare_rankers

shop = load_shop()
shop.frame.head(3)

# %%
# One grid search, three metrics
# ------------------------------
#
# :class:`~skrank.rankers.QueryRanker` takes the column ``"qid"`` out of the features
# and passes the ids to LightGBM in the form that its ``fit`` takes,
# :class:`~skrank.model_selection.QueryKFold` keeps whole queries in each fold, and the
# names of ranking metrics are scorer names, like those of scikit-learn.
X_train, X_test, y_train, y_test = query_train_test_split(
    shop.data, shop.target, test_size=1 / 3, random_state=0
)
metrics = ["mrr", "query_auc", "roc_auc"]
n_trees = [1, 3, 10, 30, 100, 300]
model = LGBMRanker(num_leaves=7, n_jobs=1, verbose=-1)
grid = {"estimator__n_estimators": n_trees}
search = GridSearchCV(
    QueryRanker(model), grid, scoring=metrics, refit="mrr", cv=QueryKFold(5)
)
search = search.fit(X_train, y_train)

# %%
# The plots show the mean over the folds against the number of trees. A star marks the
# choice:
choice = {}
figure, axes = plt.subplots(1, 3, figsize=(8, 4), layout="constrained")
for ax, metric, color in zip(axes, metrics, ["C0", "C0", "C1"], strict=True):
    mean = search.cv_results_[f"mean_test_{metric}"]
    choice[metric] = n_trees[mean.argmax()]
    ax.semilogx(n_trees, mean, "o-", color=color)
    ax.plot(choice[metric], mean.max(), "*", color=color, markersize=20)
    ax.set_title(f"{metric}\nchooses {choice[metric]} trees")
    ax.set_xlabel("n_estimators")
    ax.set_xticks(n_trees, n_trees)
    ax.minorticks_off()
    ax.grid(alpha=0.3)
axes[0].set_ylabel("mean over 5 folds")
plt.show()

# %%
# The ROC AUC within each query, ``query_auc``, agrees with the MRR: more trees learn to
# prefer low prices within a query. The ROC AUC of all rows falls for the same reason,
# since almost all pairs of rows that it compares belong to different queries:
clicks = y_train.groupby(X_train["qid"]).agg(["sum", "size"])
n_clicked, n_left = clicks["sum"], clicks["size"] - clicks["sum"]
fraction = (n_clicked * n_left).sum() / (n_clicked.sum() * n_left.sum())
print(f"{fraction:.1%} of the pairs belong to one query")

# %%
# What the choice by ROC AUC costs
# --------------------------------
#
# Both choices are fitted on all training queries. On queries that the grid search has
# not seen, the choice by ROC AUC is worse in all three metrics:
runs = {}
for metric in ["mrr", "roc_auc"]:
    ranker = clone(search.best_estimator_)
    ranker.set_params(estimator__n_estimators=choice[metric])
    ranker.fit(X_train, y_train)
    runs[f"choice by {metric}"] = ranker.predict(X_test)
names = ["mrr", "ndcg@10", "hits@1"]
scores = score_queries(y_test, runs, names, qid=X_test["qid"])
comparison = compare_rankers(scores, baseline="choice by mrr")
display = ComparisonDisplay.from_comparison(comparison)

# sphinx_gallery_start_ignore
assert choice["roc_auc"] < min(choice["mrr"], choice["query_auc"])
assert fraction < 0.05
assert max(row.high for row in comparison.rows) < 0
# sphinx_gallery_end_ignore

# %%
# In numbers, with 95% intervals:
comparison.to_frame().filter(["metric", "difference", "low", "high"]).round(3)
