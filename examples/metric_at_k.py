"""
=====================
How many results: @k?
=====================

Which ranker is best, and at which cutoff k? The curves of a metric against k can cross:
one ranker is best in the first places, another one in the longer list. This example
draws NDCG@k of three rankers, and shows that the choice of k decides which one wins.
"""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

# %%
# Three rankers
# -------------
#
# Each query is an image of a digit with 100 other images; those of the same digit are
# relevant. None of the three rankers has seen a label. "nearest" compares the pixels of
# two images. "cluster" groups all images and compares the centres of their groups, so
# that images of one group are tied. "both" ranks the images of the group of the query
# first, and the nearest of them above the others.
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

from skrank.datasets import load_digits_retrieval
from skrank.metrics import MetricAtKDisplay, score_queries
from skrank.stats import ComparisonDisplay, compare_rankers

digits = load_digits_retrieval(n_queries=300, n_documents=100)
y, qid = digits.target, digits.qid

clusters = KMeans(15, n_init=1, random_state=0).fit(load_digits().data)
of_query = clusters.labels_[digits.query_index]
of_document = clusters.labels_[digits.document_index]
centre = clusters.cluster_centers_

nearest = -np.linalg.norm(digits.data, axis=1)
runs = {
    "nearest": nearest,
    "cluster": -np.linalg.norm(centre[of_query] - centre[of_document], axis=1),
    "both": np.where(of_query == of_document, nearest, nearest - 1000),
}

# %%
# The curves
# ----------
#
# A query has about ten relevant images. The first place is easy to fill; the tenth
# needs images that look different from the query.
ks = [1, 2, 3, 4, 5, 7, 10, 15, 20, 30]
display = MetricAtKDisplay.from_predictions(y, runs, "ndcg", ks=ks, qid=qid)

# %%
# Two answers
# -----------
#
# The bands are intervals of each ranker by itself. Whether two rankers differ is a
# question about the differences of the same queries:
scores = score_queries(y, runs, ["ndcg@1", "ndcg@10"], qid=qid)
comparison = compare_rankers(scores[["nearest", "cluster"]], baseline="nearest")
print(comparison)
display = ComparisonDisplay.from_comparison(comparison)

# %%
# Both answers are right. Choose k by what happens to the list: the number of results on
# the first screen, the one answer that an assistant reads out, the number of candidates
# that the next stage takes. Choose it before you look at the curves, or the best of
# many k will flatter the ranker that it was chosen for.
