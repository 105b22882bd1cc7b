"""
========================
Is the new model better?
========================

The new model has a higher score. Is it better, or was it lucky with these queries? This
example compares two models query by query, on queries that they were not trained on,
and computes how many queries it takes to decide. The page :doc:`/is_it_better` explains
each step.
"""

# SPDX-License-Identifier: BSD-3-Clause

# sphinx_gallery_thumbnail_path = "thumbnails/is_it_better.svg"

# %%
# Score every query once
# ----------------------
#
# The queries are images of handwritten digits, and a document is relevant if it shows
# the same digit. :func:`~skrank.model_selection.cross_val_query_scores` fits both
# models on the same folds of whole queries and keeps the value of each query.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from lightgbm import LGBMRanker
from sklearn.linear_model import Ridge

from skrank.datasets import load_digits_retrieval
from skrank.model_selection import QueryKFold, cross_val_query_scores
from skrank.plot import ComparisonDisplay, MetricAtKDisplay
from skrank.rankers import QueryRanker
from skrank.stats import compare_rankers, required_queries

digits = load_digits_retrieval()
X = pd.DataFrame(digits.data, columns=digits.feature_names).assign(qid=digits.qid)
lightgbm = LGBMRanker(n_estimators=60, num_leaves=15, n_jobs=1, verbose=-1)
models = {
    "ridge": QueryRanker(Ridge(alpha=1e4)),
    "lightgbm": QueryRanker(lightgbm),
}
names = ["mrr", "ndcg@10", "hits@1"]
of_cutoffs = [f"ndcg@{k}" for k in [1, 2, 3, 5, 7, 15, 20]]
all_scores = cross_val_query_scores(
    models, X, digits.target, scoring=names + of_cutoffs, cv=QueryKFold(5)
)
scores = all_scores[names]
print(scores)

# %%
# LightGBM has the higher mean for all three metrics. Would it with other queries, too?
#
# The differences and their intervals
# -----------------------------------
#
# Read the picture like this. A point is the mean difference over these queries, and its
# line contains the differences that a test does not reject. If the line contains 0,
# these queries do not show which model is better by this metric. That does not prove
# that the models are equal. There are three comparisons, and one of three looks good by
# chance more easily than a single one; the lines are wide enough to allow for that.
comparison = compare_rankers(scores, baseline="ridge")
display = ComparisonDisplay.from_comparison(comparison)

# sphinx_gallery_start_ignore
assert min(row.difference for row in comparison.rows) > 0
by_metric = {row.metric: row for row in comparison.rows}
assert by_metric["ndcg@10"].low > 0 > by_metric["hits@1"].low
# sphinx_gallery_end_ignore

# %%
# So the new model is better by ``ndcg@10``. ``hits@1`` is inconclusive: for most
# queries the first results of both models are right, or both are wrong (``ties``).
# ``detectable`` is the difference that this many queries find in 80 of 100 cases.
columns = ["metric", "difference", "low", "high", "p_adjusted", "wins", "ties"]
comparison.to_frame().filter([*columns, "losses", "detectable"]).round(4)

# %%
# Which cutoff k?
# ---------------
#
# Here LightGBM is better from a cutoff of 2 on. Curves may also cross, because one
# ranker is best in the first places and another one in the longer list. Choose k by how
# the list is used, for example the number of results on the first screen, and before
# you look at the curves. Afterwards it is easy to choose the cutoff that happens to
# favour your ranker.
curves = all_scores[["ndcg@10", *of_cutoffs]]
display = MetricAtKDisplay.from_scores(curves, metric="ndcg", baseline="ridge")

# %%
# How many queries does it take?
# ------------------------------
#
# Decide which difference would matter before you look at the result.
# :func:`~skrank.stats.required_queries` returns how many queries find it in 80 of 100
# cases, and an interval for that number, which is drawn as a band. For half the
# difference you need about four times as many queries.
effects = np.geomspace(0.01, 0.1, 20)
figure, ax = plt.subplots(layout="constrained")
for metric, style in {"hits@1": "-", "mrr": "--", "ndcg@10": ":"}.items():
    required = required_queries(scores[metric], effects)
    (line,) = ax.loglog(effects, required.n, style, label=metric)
    color = line.get_color()
    ax.fill_between(effects, required.low, required.high, color=color, alpha=0.15)
ax.axhline(len(scores.keys["qid"]), color="gray", label="queries here")
ax.set(xlabel="difference that would matter", ylabel="queries needed")
ax.set_xticks([0.01, 0.02, 0.05, 0.1], [0.01, 0.02, 0.05, 0.1])
ax.set_yticks([50, 200, 1000, 5000], [50, 200, 1000, 5000])
ax.minorticks_off()
ax.grid(alpha=0.3)
ax.legend()
plt.show()

# sphinx_gallery_start_ignore
assert by_metric["hits@1"].ties > by_metric["hits@1"].n_queries / 2
# sphinx_gallery_end_ignore
