"""
Metrics that people ask for, in a few lines each
================================================

Which metrics does skrank leave to you, and how do you write them? PFound, interpolated
precision and the recall-precision curve, context precision, the mean rank of all
relevant documents and the value of what was sold: each is a function of a ranking, and
here each is checked against a loop or another tool.
"""

# SPDX-License-Identifier: BSD-3-Clause

# %%
# A log of 50 searches has lists of different lengths, some without a sale. ``grade`` is
# 2 for what was bought, and 1 for what was put into the cart.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from skrank.metrics import add_scorer, evaluate
from skrank.tables import align

rng = np.random.default_rng(0)
qid = np.repeat(np.arange(50), rng.integers(1, 12, 50))
shop = pd.DataFrame({"qid": qid, "price": rng.integers(1, 100, len(qid))})
shop["grade"] = rng.choice([0, 1, 2], len(qid), p=[0.7, 0.2, 0.1])
shop["is_book"] = rng.random(len(qid)) < 0.4
score = rng.permutation(len(qid))
of_shop = {"y_true": shop["grade"], "y_score": score, "qid": shop["qid"]}


# %%
# PFound
# ------
#
# **PFound** is the probability that a reader finds something. At each document a
# reader stops with the probability of its grade, here 0.4 per grade, and otherwise goes
# on with probability 0.85. The ranking lists the relevant documents of each query in
# the order of rank, so the readers who are left are a cumulative product. This is meant
# for scores without ties.
def pfound(ranking, *, k=None):
    found = pd.Series(0.4 * ranking.grade)
    left = (1 - found).groupby(ranking.query)
    left = left.transform(lambda rest: rest.cumprod().shift(fill_value=1))
    seen = ranking.mean_over_places(lambda rank: 0.85 ** (rank - 1), k)
    return ranking.where_relevant(ranking.document_total(seen * left * found))


# %%
# Interpolated precision
# ----------------------
#
# **Interpolated precision** is the best precision at any cutoff that finds a given part
# of the relevant documents. trec_eval prints it at eleven levels of recall, which are
# the **recall-precision curve**; their mean is its ``11pt_avg``. The numbers are the
# same. ``above`` and ``relevant_above`` say how many documents are ranked above a
# relevant one, and how many of these are relevant.
def interpolated_precision(ranking, *, recall=0.0):
    rank_of_relevant = ranking.relevant_above + 1
    needed = np.floor(recall * ranking.n_relevant + 0.9)  # as in trec_eval
    is_enough = rank_of_relevant >= needed[ranking.query]
    precision = np.where(is_enough, rank_of_relevant / (ranking.above + 1), 0)
    best = np.zeros(ranking.n_queries)
    np.maximum.at(best, ranking.query, precision)
    return ranking.where_relevant(best)


add_scorer("interpolated_precision", interpolated_precision)
levels = np.arange(11) / 10
names = [f"interpolated_precision(recall={level})" for level in levels]
curve = evaluate(metrics=names, **of_shop)

fig, ax = plt.subplots(figsize=(5, 3.5), layout="constrained")
ax.plot(levels, list(curve.values()), "o-")
ax.set(xlabel="recall", ylabel="interpolated precision", ylim=(0, None))
plt.show()


# %%
# Context precision, MRR of all relevant documents
# ------------------------------------------------
#
# **Context precision** is the average precision, divided by the number of relevant
# documents in the top k instead of all; again for scores without ties.
def context_precision(ranking, *, k=None):
    found = ranking.mean_over_places(np.ones_like, k)
    precision = found * (ranking.relevant_above + 1) / (ranking.above + 1)
    n_found = ranking.document_total(found)
    return ranking.document_total(precision) / np.maximum(n_found, 1)


# %%
# **The reciprocal rank of all relevant documents**, not of the first one, is what the
# news data set MIND calls MRR. Their **mean rank** is similar, and both are exact with
# ties:
def mind_mrr(ranking):
    total = ranking.document_total(ranking.mean_over_places(lambda rank: 1 / rank))
    return ranking.where_relevant(total / np.maximum(ranking.n_relevant, 1))


def mean_rank_of_all(ranking):
    total = ranking.document_total(ranking.mean_over_places(lambda rank: rank))
    return total / np.where(ranking.n_found > 0, ranking.n_found, np.nan)


# %%
# What a shop counts
# ------------------
#
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
metrics = ["context_precision", "context_precision@3", mind_mrr, unanswered, pfound]
metrics += ["value_of_top@3"]
found = evaluate(metrics=metrics, price=shop["price"], **of_shop)
# A query without a relevant document counts as 0, which is not a rank: leave it out.
found |= evaluate(metrics=mean_rank_of_all, replace_undefined_by=np.nan, **of_shop)
pd.Series(found).round(3)

# %%
# Without a function
# ------------------
#
# **Precision over what was returned**, where a list may be shorter than k, is a
# parameter. **The recall of one category** takes the other documents as not relevant.
# **A hit rate weighted by grade** has the highest grade of each query as its weight:
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
found |= curve
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
    look, pfound_of_query = 1, 0
    for g in grade:
        pfound_of_query += look * 0.4 * g
        look *= 0.85 * (1 - 0.4 * g)
    loop["pfound"].append(pfound_of_query)
    sold = [p for p, g in zip(price[:3], grade[:3], strict=True) if g > 0]
    loop["value_of_top@3"].append(sum(sold))
    top = [g > 0 for g in grade[:5]]
    loop["precision(normalize='length')@5"].append(sum(top) / len(top) if ranks else 0)
    bought = [g > 0 and b for g, b in zip(grade, is_book, strict=True)]
    loop["recall@3 of books"].append(sum(bought[:3]) / max(sum(bought), 1))
    loop["weight"].append(max(grade))
    loop["hits@3 by grade"].append(max(grade) * any(g > 0 for g in grade[:3]))
    hits = np.cumsum(np.array(grade) > 0)
    for level, name in zip(levels, names, strict=True):
        enough = hits >= np.floor(level * hits[-1] + 0.9)
        at_cutoff = (hits / np.arange(1, len(hits) + 1))[enough]
        loop[name].append(at_cutoff.max() if hits[-1] else 0)
weight = np.mean(loop.pop("weight"))
expected = {name: np.mean(values) for name, values in loop.items()}
expected["hits@3 by grade"] /= weight
assert found.keys() == expected.keys()
for name, value in found.items():
    assert np.isclose(value, expected[name], rtol=1e-12), name
assert now == {"mrr": (1 / 2 + 1 / 2) / 2, "recall@2": (1 / 3 + 1) / 2}
assert ceiling == {"mrr": 1, "recall@2": (2 / 3 + 1) / 2}
# sphinx_gallery_end_ignore
