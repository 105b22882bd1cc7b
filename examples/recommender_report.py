"""
Same NDCG, different lists
==========================

Two recommenders have the same NDCG, but one of them shows all users nearly the same
areas of a web site. This report shows what else differs between their lists: how
surprising and how different the areas are, and how much of the site is recommended at
all.
"""

# SPDX-License-Identifier: BSD-3-Clause

# sphinx_gallery_thumbnail_path = "thumbnails/recommender_report.svg"

# %%
# Three recommenders
# ------------------
#
# 32,710 users visited 285 areas of www.microsoft.com in a week of 1998 [1]_. For 2,500
# of them, two visits are held out. "popular" recommends the areas with the most visits.
# The other two add up how often an area was visited together with the areas that the
# user knows. They divide this sum by a power of the area's number of visits; "rare"
# uses a higher power.
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.sparse import coo_array

from skrank.metrics import catalogue_scores, of_items, score_queries
from skrank.stats import compare_rankers, confidence_interval

visitor, visited, is_test = np.loadtxt("msweb.tsv.gz", int, skiprows=1, unpack=True)
areas = pd.Series(Path("msweb_areas.txt").read_text("utf-8").splitlines())
users = np.unique(visitor[is_test == 1])
train, test = (
    coo_array((part, (visitor, visited)), (32_710, len(areas)), dtype=float).tocsr()
    for part in (1 - is_test, is_test)
)
n_visits = np.maximum(train.sum(axis=0), 0.5)
together = (train.T @ train).toarray() / np.sqrt(n_visits[:, np.newaxis])
known = train[users].toarray()
tables = {
    "popular": np.tile(n_visits, (len(users), 1)),
    "neighbours": known @ together / n_visits**0.5,
    "rare": known @ together / n_visits**0.7,
}

# %%
# Properties of areas
# -------------------
#
# The title of an area shows its topic. Areas that a user knows are left out of the
# lists. ``of_items`` takes a table by area, and the area of each row.
words = {
    "support": "support|knowledge|reference",
    "developers": "develop|visual|java|vb|activex|ole|odbc|site ?builder|workshop",
    "office": "office|word|excel|access|point|outlook|project|publisher|works|schedule",
    "internet": "internet|ie|net|web|free|search|site|download",
    "windows": "windows|nt |server|exchange|sql",
}
titles = areas.str.lower()
topic = np.select([titles.str.contains(one) for one in words.values()], list(words), "")
has_topic = pd.get_dummies(topic, dtype=float).to_numpy()

place, area = np.nonzero(known == 0)
columns = {
    "popularity": of_items(n_visits / 32_710, area),
    "features": of_items(has_topic, area),
}
runs = {name: table[known == 0] for name, table in tables.items()}

# %%
# The lists of each user
# ----------------------
#
# ``novelty`` is 1 bit for an area that half of the users know. ``ild`` is the
# probability that two areas of the list have different topics.
names = ["ndcg@10", "novelty@10", "ild@10"]
y_true = test[users].toarray()[known == 0]
scores = score_queries(y_true, runs, names, qid=place, **columns)
confidence_interval(scores)

# %%
# "popular" and "rare" have nearly the same NDCG but differ in all other metrics:
chosen = scores[["popular", "rare"]]
comparison = compare_rankers(chosen, baseline="popular")

# sphinx_gallery_start_ignore
ndcg, novelty, ild = comparison.rows
assert ndcg.low < 0 < ndcg.high
assert min(novelty.low, -ild.high) > 0
# sphinx_gallery_end_ignore
comparison

# %%
# The lists of "rare" are more surprising. Those of "popular" are more diverse, because
# they ignore the user. So more diversity is not always better.
#
# The site as a whole
# -------------------
#
# These scores are not means over users. They count how often each area is recommended
# in all lists together.
site = catalogue_scores(runs, qid=place, item=area, k=10, items=len(areas))
site


# %%
# "popular" recommends 8 % of the areas. More lists show more areas, so coverage depends
# on the number of lists, here 2,500. This is the coverage of fewer lists:
def coverage(n_lists):
    few = place < n_lists
    part = {name: run[few] for name, run in runs.items()}
    rows = {"qid": place[few], "item": area[few]}
    found = catalogue_scores(part, **rows, k=10, items=len(areas)).summary()
    return {name: of_ranker["coverage"] for name, of_ranker in found.items()}


n_lists = [10, 30, 100, 300, 1000, 2500]
curves = pd.DataFrame(map(coverage, n_lists), index=n_lists)
ax = curves.plot(logx=True, marker="o", xlabel="lists", ylabel="coverage")
ax.set_xticks(n_lists, n_lists)
ax.minorticks_off()
plt.show()

# sphinx_gallery_start_ignore
assert 0.08 < curves["popular"].iloc[-1] < 0.09
assert curves.loc[100, "rare"] < curves["neighbours"].iloc[-1]
# sphinx_gallery_end_ignore

# %%
# 100 lists of "rare" cover less than 2,500 lists of "neighbours". Compare coverage only
# for equal numbers of lists.
#
# .. [1] J. S. Breese, D. Heckerman and C. M. Kadie, `Anonymous Microsoft Web Data
#    <https://doi.org/10.24432/C5VS3Q>`_, UCI Machine Learning Repository, 1998,
#    licensed under `CC BY 4.0 <https://creativecommons.org/licenses/by/4.0/>`_.
#    Visitors and areas are numbered from 0, and the visits that are held out are
#    marked.
