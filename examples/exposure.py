"""
Which sellers are seen?
=======================

A model that has learned from clicks ranks large sellers above small ones. How much
attention do the offers of small sellers get, and how much should they get? Is the model
fairer without the size of the seller, and what does that cost?
"""

# SPDX-License-Identifier: BSD-3-Clause

# sphinx_gallery_thumbnail_path = "thumbnails/exposure.svg"

# %%
# Offers, clicks and grades
# -------------------------
#
# The data are simulated. A query has 20 offers, and about a quarter of them are from
# small sellers. Their quality is the same as that of the other offers, but in the log
# they were further down and got fewer clicks. The grades of the judges depend only on
# the quality. One model learns from all features; the other one does not see how much a
# seller sold.
import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor

from skrank.metrics import score_queries
from skrank.plot import MetricAtKDisplay
from skrank.rankers import QueryRanker
from skrank.stats import compare_rankers

rng = np.random.default_rng(0)
qid = np.repeat(np.arange(600), 20)
quality, is_small = rng.normal(size=len(qid)), rng.random(len(qid)) < 0.25
X = pd.DataFrame(
    {
        "reviews": quality + rng.normal(scale=0.7, size=len(qid)),
        "price": -quality + rng.normal(scale=0.7, size=len(qid)),
        "n_sold": rng.lognormal(sigma=0.5, size=len(qid)) * np.where(is_small, 1, 10),
    }
)
odds = np.exp(1.5 * quality - 2.5 - 1.5 * is_small)
is_clicked = rng.random(len(qid)) < odds / (1 + odds)
grade, train, test = np.digitize(quality, [1, 1.8]), qid < 300, qid >= 300

runs = {}
for name, features in [("all", X), ("without n_sold", X.drop(columns="n_sold"))]:
    model = HistGradientBoostingRegressor(max_iter=50, random_state=0)
    ranker = QueryRanker(model).fit(features[train], is_clicked[train], qid=qid[train])
    runs[name] = ranker.predict(features[test])

# %%
# Who is at the top?
# ------------------
#
# The picture shows the fraction of small sellers among the first k offers, with
# intervals over the queries. Among all 20 offers it is the same for both models.
ks = [1, 2, 3, 5, 10, 20]
names = ["ndcg@10", "awrf@10", "neg_eel", *[f"group_share@{k}" for k in ks]]
scores = score_queries(grade[test], runs, names, qid=qid[test], group=is_small[test])
display = MetricAtKDisplay.from_scores(scores, metric="group_share")

# sphinx_gallery_start_ignore
share = scores.summary()
assert share["all"]["group_share@1"] < 0.06 < 0.2 < share["all"]["group_share@20"]
assert share["without n_sold"]["group_share@1"] > 0.2
# sphinx_gallery_end_ignore

# %%
# The model with all features ranks a small seller first in fewer than one of 20
# queries, although about one of four offers is from a small seller.
#
# Exposure and its target
# -----------------------
#
# Offers further down are seen less. Two metrics compare the exposure of the two groups
# with a target, query by query:
#
# - For ``awrf@10`` the target is the fraction of the group among all 20 offers. The
#   best value is 1.
# - For ``neg_eel`` it is the exposure of the group in the ideal ranking, where offers
#   with equal grades get equal exposure. So this target depends on the grades. The best
#   value is 0.
comparison = compare_rankers(scores[names[:3]], baseline="all")

# sphinx_gallery_start_ignore
assert all(row.low > 0 for row in comparison.rows)
# sphinx_gallery_end_ignore
comparison

# %%
# Without ``n_sold``, the exposure is closer to both targets, and NDCG is higher as
# well: the clicks had taught the model a preference that the judges do not share.
#
# Three warnings. No metric can decide which target is the right one; you have to. In
# other data, a target may cost NDCG, or other features may reveal the one that you
# removed. And for tied offers, these two metrics use the expected exposure: a ranker
# that ties all offers comes close to the targets and is useless.
