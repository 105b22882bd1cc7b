"""
A metric of your own in ten lines
=================================

Is the metric that you need missing, or does your company have its own? Write it as a
function of a ranking and give it a name. It then works like any other metric: in
``GridSearchCV``, in ``evaluate``, with a cutoff, with ties and with intervals.
"""

# SPDX-License-Identifier: BSD-3-Clause

# sphinx_gallery_thumbnail_path = "thumbnails/own_metric.svg"

# %%
# The definition
# --------------
#
# The average reciprocal hit rank sums 1 / rank over the relevant documents of a query.
# Documents with equal scores have no definite rank: ``mean_over_places`` takes the mean
# of 1 / rank over the ranks that they share, so that no order is preferred. A query
# without a relevant document is undefined.
from itertools import permutations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeRegressor

from skrank.datasets import load_digits_retrieval
from skrank.metrics import add_scorer, evaluate
from skrank.model_selection import QueryKFold, query_train_test_split
from skrank.plot import MetricAtKDisplay
from skrank.rankers import QueryRanker


def average_reciprocal_hit_rank(ranking, *, k=None):
    reciprocal = ranking.mean_over_places(lambda rank: 1 / rank, k)
    return ranking.where_relevant(ranking.document_total(reciprocal))


add_scorer("my_arhr", average_reciprocal_hit_rank)

# %%
# Is it right?
# ------------
#
# The tied scores of this list allow several orders. The value should be the mean over
# all of them. The code tries them one by one.
y_true = np.array([1, 0, 1, 0, 1])
y_score = np.array([2, 2, 2, 1, 1])
values = []
for order in permutations(range(5)):
    if (np.diff(y_score[list(order)]) <= 0).all():
        ranks = 1 + np.flatnonzero(y_true[list(order)])
        values.append((1 / ranks).sum())
print(f"mean over {len(values)} orders: {np.mean(values):.12f}")
value = evaluate(y_true, y_score, "my_arhr")["my_arhr"]
print(f"my_arhr:             {value:.12f}")

# %%
# In a search
# -----------
#
# ``"my_arhr@5"`` is a name for ``scoring=``, next to those of skrank and scikit-learn.
# The queries are images of digits, and a document is relevant if it shows the same
# digit. The documents in one leaf of a tree have the same score, so ties matter.
digits = load_digits_retrieval(n_queries=400)
X = pd.DataFrame(digits.data, columns=digits.feature_names).assign(qid=digits.qid)
X, X_test, y, y_test = query_train_test_split(
    X, digits.target, test_size=0.5, random_state=0
)
leaves = [2, 4, 8, 16, 32, 64, 128, 256]
names = ["my_arhr@5", "ndcg@5", "mrr"]
search = GridSearchCV(
    QueryRanker(DecisionTreeRegressor(random_state=0)),
    {"estimator__max_leaf_nodes": leaves},
    scoring=names,
    cv=QueryKFold(5),
    refit="my_arhr@5",
).fit(X, y)

# %%
# The figure shows the new metric next to NDCG and MRR, with a ring around the best
# value of each. The metric may exceed 1, because several documents of a query can be
# relevant.
figure, axes = plt.subplots(1, 3, figsize=(8, 4), layout="constrained")
for ax, name, color in zip(axes, names, ["C1", "C0", "C2"], strict=True):
    mean = search.cv_results_[f"mean_test_{name}"]
    ax.semilogx(leaves, mean, "o-", color=color)
    best = mean.argmax()
    ax.plot(leaves[best], mean[best], "o", ms=16, c=color, fillstyle="none")
    ax.set(title=name, xlabel="leaves of the tree")
    ax.set_xticks(leaves[::2], leaves[::2])
    ax.minorticks_off()
axes[0].set_ylabel("mean of five folds of queries")
plt.show()

# %%
# At every cutoff
# ---------------
#
# The name takes a cutoff because the function has a parameter ``k``. Displays and
# intervals need nothing else. On queries that the search has not seen, one tree is a
# weak ranker. The sum of all pixel differences is better, although it learns nothing.
pixels = X_test.drop(columns="qid")
runs = {"tree": search.predict(X_test), "sum of pixels": -pixels.sum(axis=1)}
ks = [1, 2, 3, 4, 5, 7, 10, 15, 20]
display = MetricAtKDisplay.from_predictions(
    y_test, runs, "my_arhr", ks=ks, qid=X_test["qid"]
)

# sphinx_gallery_start_ignore
assert np.isclose(np.mean(values), value)
assert (display.estimate[0] < display.estimate[1]).all()
assert display.estimate.max() > 1
# sphinx_gallery_end_ignore
