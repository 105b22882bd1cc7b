"""
======================
How ties move a metric
======================

A model gives the same score to several documents. Which of them comes first? The
scores do not say, but the value of a metric depends on it. This example draws all
orders of one tied list with their values, and then shows how far ties move the metrics
of a ranker.
"""

# SPDX-License-Identifier: BSD-3-Clause

# sphinx_gallery_thumbnail_path = "thumbnails/ties.svg"

# %%
# All orders of one list
# ----------------------
#
# One document has the highest score and one the lowest; the five between them are tied.
# Two of these five are relevant. They can stand at ten pairs of ranks, and without any
# other information all ten are equally likely.
from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor

from skrank.datasets import load_digits_retrieval
from skrank.metrics import map_score, tie_report
from skrank.model_selection import query_train_test_split
from skrank.rankers import QueryRanker

y_true = np.array([0, 0, 1, 0, 1, 0, 0])
y_score = np.array([9, 5, 5, 5, 5, 5, 1])

orders = []
for pair in combinations(range(1, 6), 2):
    relevant = np.isin(np.arange(7), pair)
    orders.append((map_score(relevant, -np.arange(7)), relevant))
orders.sort(key=lambda order: order[0])
all_values = [value for value, _ in orders]

# %%
# The parameter ``ties`` of a metric sets which value it returns. The default,
# ``"expected"``, is the mean over all orders, which skrank computes without listing
# them. ``"first"`` keeps the order of the rows, so the same rows in a different order
# can give a different number.
looks = {
    "pessimistic": {"color": "tab:orange", "linestyle": "--"},
    "first": {"color": "tab:gray", "linestyle": ":"},
    "expected": {"color": "black"},
    "optimistic": {"color": "tab:blue", "linestyle": "--"},
}
values = {ties: map_score(y_true, y_score, ties=ties) for ties in looks}

assert np.isclose(values["expected"], np.mean(all_values))
assert np.isclose(values["pessimistic"], min(all_values))
assert np.isclose(values["optimistic"], max(all_values))

# %%
# On the left, each row is one order. The relevant documents are filled, and the ranks
# of the tied ones are grey. On the right is the average precision of this order.
figure, (left, right) = plt.subplots(1, 2, figsize=(8, 4.5), sharey=True)
figure.set_layout_engine("constrained")
for row, (value, relevant) in enumerate(orders):
    for rank, is_filled in enumerate(relevant, 1):
        color = "tab:blue" if is_filled else "white"
        left.plot(rank, row, "s", color=color, mec="gray", markersize=14)
    right.plot(value, row, "o", color="tab:blue", markersize=9)
for ties, look in looks.items():
    label = f"{ties} {values[ties]:.3f}"
    right.axvline(values[ties], **look, zorder=0, label=label)
figure.legend(loc="outside lower center", ncols=4, title="ties=")
left.axvspan(1.5, 6.5, color="0.9", zorder=0)
left.set(title="The ten orders", xlabel="rank", yticks=[])
right.set(title="Their values", xlabel="average precision")
plt.show()

# %%
# A real ranker
# -------------
#
# Ties come from trees with few leaves, from features that are counts and from rounded
# scores. Here boosted trees rank images by whether they show the same digit as a query
# image. Their scores are then rounded to one decimal.
# :func:`~skrank.metrics.tie_report` counts the tied documents, and shows how far their
# order can move each metric:
X, y, qid = load_digits_retrieval(return_X_y=True)
X_train, X_test, y_train, y_test, qid_train, qid_test = query_train_test_split(
    X, y, qid, qid=qid, test_size=0.5, random_state=0
)
trees = HistGradientBoostingRegressor(max_iter=50, random_state=0)
boosted = QueryRanker(trees)
scores = boosted.fit(X_train, y_train, qid=qid_train).predict(X_test)
metrics = ["mrr", "ndcg@10", "hits@1"]
tie_report(y_test, scores.round(1), metrics, qid=qid_test)

# %%
# The unrounded scores have almost the same expected values. But a library that puts
# tied documents into one order reports some value between the pessimistic and the
# optimistic one. The rounded scores then look better or worse than these by accident.
tie_report(y_test, scores, metrics, qid=qid_test)

# sphinx_gallery_start_ignore
whole = tie_report(y_test, scores, metrics, qid=qid_test)
rounded = tie_report(y_test, scores.round(1), metrics, qid=qid_test)
for name in metrics:
    low, expected, high = whole.values[name]
    assert rounded.values[name][0] < low
    assert abs(rounded.values[name][1] - expected) < 0.03
    assert rounded.values[name][2] > high
# sphinx_gallery_end_ignore
