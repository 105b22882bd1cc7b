"""
====================
Is it really better?
====================

The new model has the better score. Is it better, or was it lucky with these queries?
This example compares two models query by query, on queries that they were not trained
on, and computes how many queries would tell. The page :doc:`/is_it_better` goes further.
"""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# Score every query once
# ----------------------
#
# The queries are images of handwritten digits; a document is relevant if it shows the
# same digit. :func:`~skrank.model_selection.cross_val_query_scores` fits both models on
# the same folds of whole queries, and keeps the value of each query.
import matplotlib.pyplot as plt
import numpy as np
import sklearn
from lightgbm import LGBMRanker
from sklearn.linear_model import Ridge

from skrank.datasets import load_digits_retrieval
from skrank.model_selection import QueryKFold, cross_val_query_scores
from skrank.rankers import QueryRanker
from skrank.stats import ComparisonDisplay, compare_rankers, required_queries

sklearn.set_config(enable_metadata_routing=True)

X, y, qid = load_digits_retrieval(return_X_y=True)
models = {
    "ridge": QueryRanker(Ridge(alpha=1e4)),
    "lightgbm": QueryRanker(LGBMRanker(n_jobs=1, random_state=0, verbose=-1)),
}
scores = cross_val_query_scores(
    models,
    X,
    y,
    scoring=["mrr", "ndcg@10", "hits@1"],
    cv=QueryKFold(5),
    params={"qid": qid},
)
print(scores)

# %%
# LightGBM has the better mean of all three metrics. What would other queries say?
#
# The differences and their intervals
# -----------------------------------
#
# A line is the interval of a difference, which would cover the difference of the means
# over all queries like these in 95 of 100 samples. The
# colour of the point says what the test shows. An interval that contains 0 means
# that chance alone would often give as large a difference. It does **not** mean that the models are equal.
comparison = compare_rankers(scores, baseline="ridge")
display = ComparisonDisplay.from_comparison(comparison)

# %%
# The same as a table, in which ``detectable`` is the difference that these queries would
# show in 80 of 100 cases:
print(comparison)

# %%
# How many queries would tell?
# ----------------------------
#
# Decide which difference would matter to your users before you look at the result.
# :func:`~skrank.stats.required_queries` computes how many queries show it in 80 of 100
# cases. A difference half as large needs four times as many.
effects = np.geomspace(0.01, 0.1, 20)
figure, ax = plt.subplots(layout="constrained")
for metric, color in zip(scores.metrics, ["C0", "C1", "C2"], strict=True):
    required = [required_queries(scores[metric], effect) for effect in effects]
    ax.plot(effects, [one.n for one in required], color=color, label=metric)
    low, high = [one.low for one in required], [one.high for one in required]
    ax.fill_between(effects, low, high, color=color, alpha=0.15, linewidth=0)
ax.axhline(len(scores.keys["qid"]), color="gray", linestyle=":", label="queries here")
ax.set(xlabel="difference that would matter", ylabel="queries needed")
ax.loglog()
ax.legend()
plt.show()
