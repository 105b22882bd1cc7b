"""
A recommender against popularity
================================

Does the recommender know what each user likes, or only what everybody likes? Users are
the queries here, and items the documents. A factor model is compared with a list of the
most popular items, on what users watched last.
"""

# SPDX-License-Identifier: BSD-3-Clause

# %%
# A log of users and items
# ------------------------
#
# One row for each item that a user watched, with its time, as in MovieLens. The log is
# simulated: items have popularities by Zipf's law, and users and items share genres.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from sklearn.decomposition import NMF

from skrank.metrics import score_queries
from skrank.model_selection import LeaveLastOut
from skrank.plot import MetricAtKDisplay
from skrank.stats import compare_rankers, confidence_interval

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
log["time"] = rng.random(len(log))
log.head(3)

# %%
# Past and future
# ---------------
#
# :class:`~skrank.model_selection.LeaveLastOut` tests the last five items of each user,
# as many papers do: a factor model needs a past of every user. The last item of one
# user may be older than training rows of another, which is a little too kind to all
# models; :doc:`/model_selection` has splitters without this. The rows of the log become
# tables with a row per user and a column per item.
((train, test),) = LeaveLastOut(5).split(log, qid=log["user"])


def as_table(rows):
    part = log.iloc[rows]
    ones = np.ones(len(part))
    return coo_array((ones, (part["user"], part["item"])), shape).tocsr()


seen, future = as_table(train), as_table(test)

# %%
# Three recommenders
# ------------------
#
# Each one gives a table of scores. All metrics take such tables directly: a row is a
# query. ``exclude`` removes the items that a user has seen, which are not recommended
# again.
nmf = NMF(10, init="nndsvda", max_iter=400, random_state=0)
tables = {
    "factors": nmf.fit_transform(seen) @ nmf.components_,
    "popularity": np.tile(seen.sum(axis=0), (n_users, 1)),
    "random": rng.random(shape),
}
ks = [1, 2, 3, 5, 10, 20, 30, 50]
scores = score_queries(
    future.toarray(),
    tables,
    ["mrr", "ndcg@10", *[f"recall@{k}" for k in ks]],
    exclude=seen.toarray().astype(bool),
)
chosen = scores[["mrr", "ndcg@10", "recall@10", "recall@50"]]
pd.DataFrame(chosen.summary()).T.round(3)

# %%
# If your scores are rows of user, item and score, :func:`~skrank.tables.align` joins
# them with what users watched: see :doc:`/your_data`.
#
# Recall at every cutoff
# ----------------------
#
# The fraction of the five items that is among the first k, with intervals over users.
display = MetricAtKDisplay.from_scores(scores, metric="recall")

# %%
# For whom is it better?
# ----------------------
#
# Both models were scored for the same users, so what counts is the difference for each
# user. Its mean is drawn by how many items users have watched, with a quarter of the
# users in each group.
recall = scores["recall@10"]
difference = (recall["factors"].values - recall["popularity"].values)[0, 0]
groups = pd.qcut(n_watched, 4, precision=0)
figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
for place, group in enumerate(groups.categories):
    mean = confidence_interval(difference[groups == group])
    ax.plot([place, place], [mean.low, mean.high], "C0", linewidth=2)
    ax.plot(place, mean.estimate, "C0o", markersize=8)
names = [f"{one.left + 1:.0f} to {one.right:.0f}" for one in groups.categories]
ax.set_xticks(range(4), names)
ax.axhline(0, color="black", linewidth=0.8)
ax.set(xlabel="items watched", ylabel="difference in recall@10")
ax.set_title("Factors less popularity: mean and 95% interval")
plt.show()

# sphinx_gallery_start_ignore
means = [confidence_interval(difference[groups == one]) for one in groups.categories]
assert min(mean.low for mean in means) > 0
assert means[-1].low > max(mean.high for mean in means[:-1])
# sphinx_gallery_end_ignore

# %%
# The factors are better in every group, and by most for the users who watched most:
# more is known of their taste. Over all users, with p-values that are adjusted for the
# number of metrics:
chosen = scores[["mrr", "ndcg@10", "recall@10"]][["factors", "popularity"]]
compare_rankers(chosen, baseline="popularity")
