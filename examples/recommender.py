"""
A recommender against popularity
================================

Does the recommender know what each user likes, or only what everybody likes? Users are
the queries here, and items the documents. A factor model is compared with a list of the
most popular items, on what users watched in the last two weeks: by NDCG and recall, by
how surprising and how diverse the lists are, and by how many items they show.
"""

# SPDX-License-Identifier: BSD-3-Clause

# sphinx_gallery_thumbnail_path = "thumbnails/recommender.svg"

# %%
# A log of users and items
# ------------------------
#
# The log has one row for each item that a user watched, with the time, as in MovieLens.
# It is simulated: the popularity of items follows Zipf's law, and each user prefers
# some genres.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from sklearn.decomposition import NMF

from skrank.metrics import catalogue_scores, of_items, score_queries
from skrank.model_selection import TimeRangeSplit
from skrank.plot import MetricAtKDisplay
from skrank.stats import compare_rankers, confidence_interval, mean_interval
from skrank.tables import align

rng = np.random.default_rng(0)
n_users, n_items = shape = 600, 500
taste = rng.dirichlet(np.full(6, 0.2), n_users)
genre = rng.dirichlet(np.full(6, 0.05), n_items)
wish = (taste @ genre.T + 0.01) / np.arange(1, n_items + 1) ** 0.7
n_watched = np.minimum(12 + rng.geometric(0.03, n_users), 150)
watched = [
    rng.choice(n_items, n, replace=False, p=of_user / of_user.sum())
    for of_user, n in zip(wish, n_watched, strict=True)
]
user = np.repeat(np.arange(n_users), n_watched)
log = pd.DataFrame({"user": user, "item": np.concatenate(watched)})
seconds = rng.integers(90 * 24 * 60 * 60, size=len(log))
log["time"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(seconds, unit="s")
log.head(3)

# %%
# Past and future
# ---------------
#
# :class:`~skrank.model_selection.TimeRangeSplit` trains on all days before the last 14
# and tests on these, as in production: the model never sees the future. Most users have
# rows on both sides. A factor model needs past rows of each user, so users and items
# that are new in the last days are left out. The log is then turned into tables with a
# row for each user and a column for each item.
((train, test),) = TimeRangeSplit(test_size="14D").split(log)
train, test = log.iloc[train], log.iloc[test]
test = test[test["user"].isin(train["user"]) & test["item"].isin(train["item"])]


def as_table(part):
    ones = np.ones(len(part), dtype=bool)
    return coo_array((ones, (part["user"], part["item"])), shape).tocsr()


seen, future = as_table(train), as_table(test)
tested = np.unique(test["user"])
len(tested)

# %%
# Three recommenders
# ------------------
#
# Each recommender returns a table of scores for the users who watched something in the
# last days. All metrics take such tables: each row is a query. ``exclude`` removes the
# items that a user had seen before, because they would not be recommended again.
nmf = NMF(10, init="nndsvda", max_iter=400, random_state=0)
tables = {
    "factors": nmf.fit_transform(seen.astype(float))[tested] @ nmf.components_,
    "popularity": np.tile(seen.sum(axis=0), (len(tested), 1)),
    "random": rng.random((len(tested), n_items)),
}
ks = [1, 2, 3, 5, 10, 20, 30, 50]
scores = score_queries(
    future[tested],
    tables,
    ["mrr", "ndcg@10", *[f"recall@{k}" for k in ks]],
    exclude=seen[tested],
)
chosen = scores[["mrr", "ndcg@10", "recall@10", "recall@50"]]
pd.DataFrame(chosen.summary()).T.round(3)

# %%
# Same NDCG, different lists
# --------------------------
#
# "niche" divides the scores of the factor model by a power of the number of users who
# know the item. Most recommenders return lists instead of a table of all scores.
# :func:`~skrank.tables.align` joins them with what users watched, which needs no
# grades. Then metrics can read what is known of the items: ``novelty`` is 1 bit for an
# item that half of the users know, ``ild`` is the distance of the genres within a list,
# and ``serendipity`` counts relevant items that few users know.
known = np.maximum(seen.sum(axis=0), 0.5) / n_users
lists = {}
for name, table in (tables | {"niche": tables["factors"] / known**0.7}).items():
    unseen = np.where(seen[tested].toarray(), -np.inf, table)
    best = np.argsort(-unseen, axis=1, kind="stable")[:, :10]
    lists[name] = dict(zip(tested.tolist(), best, strict=True))
rows = align(test[["user", "item"]], lists, qid="user", doc_id="item")
report = score_queries(
    metrics=["ndcg@10", "novelty@10", "ild@10", "serendipity@10"],
    popularity=of_items(known, "doc_id"),
    expected=of_items(known, "doc_id"),
    features=of_items(genre, "doc_id"),
    **rows,
)
confidence_interval(report)

# sphinx_gallery_start_ignore
summary = report.summary()
assert summary["factors"]["ndcg@10"] == chosen.summary()["factors"]["ndcg@10"]
serendipity = {name: one["serendipity@10"] for name, one in summary.items()}
assert max(serendipity, key=serendipity.get) == "factors"
pair = compare_rankers(report[["popularity", "niche"]], baseline="popularity")
ndcg, novelty, ild, _ = pair.rows
assert ndcg.low < 0 < ndcg.high
assert min(novelty.low, -ild.high) > 0
# sphinx_gallery_end_ignore

# %%
# "niche" and "popularity" have nearly the same NDCG. But the lists of "niche" are more
# surprising, and those of "popularity" are more diverse, because they ignore the user.
# Random lists are the most novel, but nobody wants them. The factor model has the
# highest serendipity.
#
# Coverage is not a mean over users: it counts how many items all lists show together.
# More lists show more items, so compare coverage only for equal numbers of lists.
of_lists = {"qid": rows.qid, "item": rows.doc_id, "returned": rows.returned}
shop = catalogue_scores(rows.y_score, k=10, items=n_items, **of_lists)

# sphinx_gallery_start_ignore
coverage = {name: one["coverage"] for name, one in shop.summary().items()}
assert coverage["random"] > coverage["niche"] > coverage["popularity"]
# sphinx_gallery_end_ignore
shop

# %%
# Recall at every cutoff
# ----------------------
#
# How many of the items that a user watched are among the first k? The bands are
# intervals over users.
display = MetricAtKDisplay.from_scores(scores, metric="recall")

# %%
# For whom is it better?
# ----------------------
#
# Both models were scored for the same users, so compare them user by user. The picture
# shows the mean difference by the number of items that users had watched before, with a
# quarter of the users in each group.
recall = scores["recall@10"]
difference = (recall["factors"].values - recall["popularity"].values)[0, 0]
groups = pd.qcut(np.diff(seen.indptr)[tested], 4, precision=0)
figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
for place, group in enumerate(groups.categories):
    mean = mean_interval(difference[groups == group])
    ax.plot([place, place], [mean.low, mean.high], "C0", linewidth=2)
    ax.plot(place, mean.estimate, "C0o", markersize=8)
names = [f"{one.left + 1:.0f} to {one.right:.0f}" for one in groups.categories]
ax.set_xticks(range(4), names)
ax.axhline(0, color="black", linewidth=0.8)
ax.set(xlabel="items watched before", ylabel="difference in recall@10")
ax.set_title("Factors minus popularity: mean and 95% interval")
plt.show()

# sphinx_gallery_start_ignore
means = [mean_interval(difference[groups == one]) for one in groups.categories]
assert min(mean.low for mean in means) > 0
# sphinx_gallery_end_ignore

# %%
# The factor model is better in every group, even for users of whom little is known.
# Here is the comparison for all users, with p-values that are adjusted for the number
# of metrics:
chosen = scores[["mrr", "ndcg@10", "recall@10"]][["factors", "popularity"]]
compare_rankers(chosen, baseline="popularity")
