"""
===============
Which cutoff k?
===============

Which ranker is best, and at which cutoff k? The curves of a metric against k can cross:
one ranker is best in the first places, and another one in the longer list. This example
plots the NDCG of three rankers, and shows that the choice of k decides which one wins.
"""

# SPDX-License-Identifier: BSD-3-Clause

# sphinx_gallery_thumbnail_path = "thumbnails/metric_at_k.svg"

# %%
# Three rankers
# -------------
#
# Each query is an image of a digit, and its documents are 100 other images. About ten
# of them show the same digit and are relevant. None of the rankers has seen a label:
#
# - "nearest" ranks by the distance between the pixels.
# - "cluster" groups all images, and ranks by the distance between group centres.
#   Images of one group are tied, and skrank takes the mean over their orders.
# - "both" puts the group of the query first, and the nearest images first within it.
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

from skrank.datasets import load_digits_retrieval
from skrank.metrics import score_queries
from skrank.plot import ComparisonDisplay, MetricAtKDisplay
from skrank.stats import compare_rankers

digits = load_digits_retrieval(n_queries=300, n_documents=100)
y, qid = digits.target, digits.qid

clusters = KMeans(15, n_init=10, random_state=0).fit(load_digits().data)
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
# The first result of "nearest" is mostly right, but its curve falls fast: the other
# relevant images look different from the query. The groups contain those as well. From
# about k = 10 on, the ideal ranking has no more relevant images to add, and the curves
# rise.
ks = [1, 2, 3, 4, 5, 7, 10, 15, 20, 30]
display = MetricAtKDisplay.from_predictions(y, runs, "ndcg", ks=ks, qid=qid)

# %%
# The differences
# ---------------
#
# The bands are intervals of each ranker by itself, and they overlap. With a baseline,
# the lines are the differences from it on the same queries, and the bands are the
# intervals of these differences. Where a band does not contain 0, the ranker differs
# from "nearest" at this cutoff.
display = MetricAtKDisplay.from_predictions(
    y, runs, "ndcg", ks=ks, qid=qid, baseline="nearest"
)

# %%
# Two cutoffs, two answers
# ------------------------
#
# By ``ndcg@1``, "cluster" is worse than "nearest". By ``ndcg@10``, it is better:
scores = score_queries(y, runs, ["ndcg@1", "ndcg@10"], qid=qid)
comparison = compare_rankers(scores, baseline="nearest")
display = ComparisonDisplay.from_comparison(comparison)

# sphinx_gallery_start_ignore
found = {(row.metric, row.ranker): row for row in comparison.rows}
assert found["ndcg@1", "cluster"].high < 0 < found["ndcg@10", "cluster"].low
# sphinx_gallery_end_ignore

# %%
# Both answers are right. Choose k by how the list is used: the number of results on
# the first screen, or the number of candidates that the next stage reads. Choose it
# before you look at the curves. Afterwards it is easy to choose the one that happens to
# favour your ranker.
