"""
Judgements from clicks
======================

Nobody has judged your search, but users click. Can their clicks serve as grades? They
can, if you allow for the rank at which a document was shown: users look at the top more
often, so raw click rates praise whatever the old ranker put there.
"""

# SPDX-License-Identifier: BSD-3-Clause

# %%
# A log of clicks
# ---------------
#
# The log is simulated, so that the right grades are known. The old ranker shows each of
# 60 queries 200 times, with some variation, as most systems do. A user looks at rank r
# with probability 1 / r, and clicks on what is seen with a probability that grows with
# the true grade, from 0 to 3.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from skrank.metrics import score_queries
from skrank.stats import compare_rankers

rng = np.random.default_rng(0)
qid, doc = np.repeat(np.arange(60), 10), np.tile(np.arange(10), 60)
pages = pd.DataFrame({"qid": qid, "doc": doc, "grade": rng.integers(4, size=600)})
runs = {
    name: pages["grade"] + rng.normal(0, sd, 600)
    for name, sd in [("old", 2), ("new", 1)]
}

shown = runs["old"].to_numpy().reshape(60, 10) + rng.normal(size=(200, 60, 10))
rank = 1 + (-shown).argsort(axis=-1).argsort(axis=-1)
grade = pages["grade"].to_numpy().reshape(60, 10)
is_click = rng.random(rank.shape) < (0.05 + 0.25 * grade) / rank
log = pd.DataFrame({"qid": np.tile(qid, 200), "doc": np.tile(doc, 200)})
log = log.assign(rank=rank.ravel(), click=is_click.ravel())
log.head(3)

# %%
# How often is a rank looked at?
# ------------------------------
#
# A document that was shown at several ranks tells ranks apart, and a rank at which
# several documents were shown tells documents apart. The **position-based model** says
# that the click rate is a product: how often users look at the rank, times how
# attractive the document is. Each factor follows from the other, in turns.
seen = log.groupby(["qid", "doc", "rank"])["click"].agg(["size", "sum"]).reset_index()
document, seen["look"] = [seen["qid"], seen["doc"]], 1.0
for _ in range(30):
    looks = (seen["size"] * seen["look"]).groupby(document).transform("sum")
    seen["attractive"] = seen.groupby(["qid", "doc"])["sum"].transform("sum") / looks
    expected = (
        (seen["size"] * seen["attractive"]).groupby(seen["rank"]).transform("sum")
    )
    seen["look"] = seen.groupby("rank")["sum"].transform("sum") / expected
look = seen.groupby("rank")["look"].first()
look = look / look[1]

fig, ax = plt.subplots(figsize=(5, 3), layout="constrained")
ax.plot(look.index, 1 / look.index, "o", color="0.5", label="truth")
ax.plot(look.index, look, label="model")
ax.plot(look.index, log.groupby("rank")["click"].mean(), ":", label="click rate")
ax.set(xlabel="rank", ylabel="looks")
ax.legend()
plt.show()

# %%
# Grades of four levels are easier to read than rates. Their limits are yours to choose;
# here each grade goes to a quarter of the documents.
by_document = seen.groupby(["qid", "doc"])
pages["attractive"] = by_document["attractive"].first().to_numpy()
pages["click rate"] = (by_document["sum"].sum() / by_document["size"].sum()).to_numpy()
for name in ["click rate", "attractive"]:
    order = pages[name].rank(method="first")
    pages[f"grade by {name}"] = pd.qcut(order, 4, labels=False)

# %%
# Are these grades right?
# -----------------------
#
# Ask what a metric says of two rankers. By the true grades, the new one is better. By
# the click rate it looks worse than the old one, whose lists were those that users saw.
# The model puts them in the right order.
values = {}
for name in ["grade", "grade by click rate", "grade by attractive"]:
    scores = score_queries(pages[name], runs, "ndcg@5", qid=qid)
    values[name] = {run: of["ndcg@5"] for run, of in scores.summary().items()}
table = pd.DataFrame(values).T.assign(gain=lambda frame: frame["new"] - frame["old"])
table.round(3)

# %%
# With known propensities you need no grades: :doc:`/clicks` estimates the DCG of a new
# ranker from single clicks, with intervals. ``look`` is such a propensity.
#
# Interleaving
# ------------
#
# A server that interleaves two rankers in one list credits each click to one of them.
# The ranker with more credits wins the list, and the values are 1, 0 or 1/2 for both.
# The sign-flip test of these values is that of preferences between lists:
old, new = np.array([[0, 1, 0, 2, 1, 0, 0, 1, 0, 0], [1, 1, 2, 1, 2, 1, 1, 1, 1, 3]])
wins = (np.sign(new - old) + 1) / 2
comparison = compare_rankers({"qid": range(10), "old": 1 - wins, "new": wins})
comparison

# sphinx_gallery_start_ignore
row = comparison.rows[0]
assert (row.wins, row.ties, row.losses, round(row.pvalue, 3)) == (7, 2, 1, 0.07)
gain = table["gain"]
assert gain["grade by click rate"] < 0 < gain["grade by attractive"]
assert np.abs(look - 1 / look.index).max() < 0.05
# sphinx_gallery_end_ignore
