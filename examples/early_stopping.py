"""
Stop boosting early, by any metric
==================================

How many trees does a boosted ranker need? With ``early_stopping=True``,
:class:`~skrank.rankers.QueryRanker` holds out some queries of the training set, and
stops when a metric of your choice no longer improves on them: MRR or RBP as well as
NDCG, for LightGBM, XGBoost and CatBoost in the same way.
"""

# SPDX-License-Identifier: BSD-3-Clause

# sphinx_gallery_thumbnail_path = "thumbnails/early_stopping.svg"

# %%
# Two rankers that stop by two metrics
# ------------------------------------
#
# The data have so much noise that many trees learn the noise. A third of the queries is
# kept for a test. Training stops when 25 trees in a row have not improved
# the metric of the held-out queries; the model is that of the best round.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from lightgbm import LGBMRanker

from skrank.datasets import make_ranking
from skrank.metrics import evaluate, score_queries
from skrank.model_selection import query_train_test_split
from skrank.rankers import QueryRanker
from skrank.stats import compare_rankers

data = {"n_documents": 30, "n_grades": 2, "noise": 1.5}
X, y, qid = make_ranking(250, **data, random_state=0)
X, X_test, y, y_test, qid, qid_test = query_train_test_split(
    X, y, qid, qid=qid, test_size=0.33, random_state=0
)
boosting = LGBMRanker(
    n_estimators=150, num_leaves=7, random_state=0, n_jobs=1, verbose=-1
)
rankers = {}
for metric in ["mrr", "rbp(max_grade=1)"]:
    ranker = QueryRanker(
        boosting,
        early_stopping=True,
        scoring=metric,
        validation_fraction=0.25,
        n_iter_no_change=25,
        random_state=0,
    )
    rankers[metric] = ranker.fit(X, y, qid=qid)
    print(f"{metric}: {ranker.estimator_.best_iteration_} trees")

# %%
# The curves
# ----------
#
# LightGBM keeps the values of the held-out queries, in black. For comparison, a ranker
# that learns from all training queries and does not stop is scored after every fifth
# tree.
full = QueryRanker(boosting).fit(X, y, qid=qid).estimator_
n_trees = np.arange(5, 151, 5)


def curve(X, y, qid):
    scores = (full.predict(X, num_iteration=n) for n in n_trees)
    values = [evaluate(y, one, [*rankers], qid=qid) for one in scores]
    return pd.DataFrame(values)


training, test = curve(X, y, qid), curve(X_test, y_test, qid_test)
figure, axes = plt.subplots(1, 2, figsize=(8, 4.5), layout="constrained")
for ax, (metric, ranker) in zip(axes, rankers.items(), strict=True):
    ax.plot(n_trees, training[metric], "C1--", label="training, no stop")
    ax.plot(n_trees, test[metric], "C0", label="test, no stop")
    (held_out,) = ranker.estimator_.evals_result_["valid_0"].values()
    rounds = range(1, len(held_out) + 1)
    ax.plot(rounds, held_out, "k", label="held out")
    best = ranker.estimator_.best_iteration_
    ax.plot(best, held_out[best - 1], "ko")
    ax.axvline(best, color="0.5", linewidth=0.8)
    ax.set(title=f"{best} trees by {metric}", xlabel="trees", ylabel=metric)
axes[0].legend(loc="lower right")
plt.show()

# %%
# On the training queries the metric stays high; on the test queries it falls again.
#
# Was stopping early worth it?
# ----------------------------
#
# No decision used the test queries. The ranker that stopped early held out some
# queries, so it learned from fewer. A second one learned from all of them, and is cut
# to the same number of trees. Both are compared with the ranker that has all 150 trees,
# with 95% intervals:
tables = []
for metric, ranker in rankers.items():
    best = ranker.estimator_.best_iteration_
    runs = {
        "all trees": full.predict(X_test),
        "stopped": ranker.predict(X_test),
        "as many trees": full.predict(X_test, num_iteration=best),
    }
    scores = score_queries(y_test, runs, metric, qid=qid_test)
    comparison = compare_rankers(scores, baseline="all trees")
    tables.append(comparison.to_frame())
columns = ["metric", "ranker", "difference", "low", "high"]
pd.concat(tables, ignore_index=True)[columns].round(3)

# %%
# By RBP, fewer trees are better: one interval is above 0, and the other one all but a
# little. MRR depends on one document of each query, and these queries are too few for a
# conclusion.
#
# A search stops early in each of its folds, using queries of the training part only:
# :doc:`/rankers` has an example.

# sphinx_gallery_start_ignore
for metric in rankers:
    assert training[metric].iloc[-1] == training[metric].max()
    assert test[metric].iloc[-1] < test[metric].max() - 0.01
of_mrr, of_rbp = tables
assert of_rbp["low"].iloc[1] > 0 > of_rbp["low"].iloc[0] > -0.001
assert (of_mrr["low"] < 0).all()
assert (of_mrr["high"] > 0).all()
# sphinx_gallery_end_ignore
