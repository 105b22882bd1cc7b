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
from skrank.tables import align


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

# %%
# Metrics that people ask for
# ---------------------------
#
# A log of 50 searches has lists of different lengths, some without a sale. ``grade`` is
# 2 for what was bought, and 1 for what was put into the cart.
rng = np.random.default_rng(0)
qid = np.repeat(np.arange(50), rng.integers(1, 12, 50))
shop = pd.DataFrame({"qid": qid, "price": rng.integers(1, 100, len(qid))})
shop["grade"] = rng.choice([0, 1, 2], len(qid), p=[0.7, 0.2, 0.1])
shop["is_book"] = rng.random(len(qid)) < 0.4
score = rng.permutation(len(qid))


# %%
# **Context precision** is the average precision, divided by the number of relevant
# documents in the top k instead of all. ``above`` and ``relevant_above`` say how many
# documents are ranked above a relevant one, and how many of these are relevant. This
# is meant for scores without ties; the other metrics are exact with ties, too.
def context_precision(ranking, *, k=None):
    found = ranking.mean_over_places(np.ones_like, k)
    precision = found * (ranking.relevant_above + 1) / (ranking.above + 1)
    n_found = ranking.document_total(found)
    return ranking.document_total(precision) / np.maximum(n_found, 1)


# %%
# **The reciprocal rank of all relevant documents**, not of the first one, is what the
# news data set MIND calls MRR. Their **mean rank** is similar:
def mind_mrr(ranking):
    total = ranking.document_total(ranking.mean_over_places(lambda rank: 1 / rank))
    return ranking.where_relevant(total / np.maximum(ranking.n_relevant, 1))


def mean_rank_of_all(ranking):
    total = ranking.document_total(ranking.mean_over_places(lambda rank: rank))
    return total / np.where(ranking.n_found > 0, ranking.n_found, np.nan)


# %%
# **The proportion of queries without an answer**, and **the value of the relevant
# documents in the top k**, which reads a column with prices from
# ``ranking.documents(k)``:
def unanswered(ranking):
    return ranking.n_relevant == 0


def value_of_top(ranking, *, k=None):
    top = ranking.documents(k)
    is_sold = top.relevant * top.mean_over_places(np.ones_like)
    return top.total(is_sold * top.column("price"))


add_scorer("value_of_top", value_of_top, columns="price")
add_scorer("context_precision", context_precision)
metrics = ["context_precision", "context_precision@3", mind_mrr, unanswered]
metrics += ["value_of_top@3"]
of_shop = {"y_true": shop["grade"], "y_score": score, "qid": shop["qid"]}
found = evaluate(metrics=metrics, price=shop["price"], **of_shop)
# A query without a relevant document counts as 0, which is not a rank: leave it out.
found |= evaluate(metrics=mean_rank_of_all, replace_undefined_by=np.nan, **of_shop)
pd.Series(found).round(3)

# %%
# Some need no function. **Precision over what was returned**, where a list may be
# shorter than k, is a parameter. **The recall of one category** takes the other
# documents as not relevant. **A hit rate weighted by grade** has the highest grade of
# each query as its weight:
highest = shop.groupby("qid")["grade"].transform("max")
books = of_shop | {"y_true": shop["grade"] * shop["is_book"]}
found |= evaluate(metrics="precision(normalize='length')@5", **of_shop)
found["recall@3 of books"] = evaluate(metrics="recall@3", **books)["recall@3"]
weighted = evaluate(metrics="hits@3", sample_weight=highest, **of_shop)
found["hits@3 by grade"] = weighted["hits@3"]
pd.Series(found).round(3)

# %%
# **The ceiling of a reranker** is the value of the best order of what a run returned.
# The grades are the scores then. ``d9`` was not returned, so no order finds it:
qrels = {"q1": {"d1": 1, "d2": 2, "d9": 2}, "q2": {"d3": 1}}
run = {"q1": {"d4": 0.9, "d1": 0.5, "d2": 0.1}, "q2": {"d5": 0.7, "d3": 0.6}}
aligned = align(qrels, run)
best = aligned | {"y_score": aligned.y_true}
now, ceiling = (
    evaluate(metrics=["mrr", "recall@2"], **rows) for rows in [aligned, best]
)
pd.DataFrame({"now": now, "ceiling": ceiling}).round(3)

# sphinx_gallery_start_ignore
loop = {name: [] for name in found} | {"weight": []}
for _, rows in shop.assign(score=score).groupby("qid"):
    rows = rows.sort_values("score", ascending=False)
    grade, is_book, price = (
        rows[name].tolist() for name in ["grade", "is_book", "price"]
    )
    ranks = [rank for rank, g in enumerate(grade, 1) if g > 0]
    precision = [n / rank for n, rank in enumerate(ranks, 1)]
    for name, k in [("context_precision", len(grade)), ("context_precision@3", 3)]:
        terms = [p for p, rank in zip(precision, ranks, strict=True) if rank <= k]
        loop[name].append(sum(terms) / len(terms) if terms else 0)
    loop["mind_mrr"].append(sum(1 / r for r in ranks) / len(ranks) if ranks else 0)
    if ranks:  # the mean rank of none is left out of the mean
        loop["mean_rank_of_all"].append(sum(ranks) / len(ranks))
    loop["unanswered"].append(not ranks)
    sold = [p for p, g in zip(price[:3], grade[:3], strict=True) if g > 0]
    loop["value_of_top@3"].append(sum(sold))
    top = [g > 0 for g in grade[:5]]
    loop["precision(normalize='length')@5"].append(sum(top) / len(top) if ranks else 0)
    bought = [g > 0 and b for g, b in zip(grade, is_book, strict=True)]
    loop["recall@3 of books"].append(sum(bought[:3]) / max(sum(bought), 1))
    loop["weight"].append(max(grade))
    loop["hits@3 by grade"].append(max(grade) * any(g > 0 for g in grade[:3]))
weight = np.mean(loop.pop("weight"))
expected = {name: np.mean(values) for name, values in loop.items()}
expected["hits@3 by grade"] /= weight
assert found.keys() == expected.keys()
for name, value in found.items():
    assert np.isclose(value, expected[name], rtol=1e-12), name
assert now == {"mrr": (1 / 2 + 1 / 2) / 2, "recall@2": (1 / 3 + 1) / 2}
assert ceiling == {"mrr": 1, "recall@2": (2 / 3 + 1) / 2}
# sphinx_gallery_end_ignore
