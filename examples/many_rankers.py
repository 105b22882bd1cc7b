"""
==================================
Which of many rankers is the best?
==================================

Eight rankers make 28 pairs. Which rankers are really different, and which of them could
be the best? This example compares all of them at once, draws their means in one picture
and shows how to read its letters.
"""

# SPDX-License-Identifier: BSD-3-Clause

# sphinx_gallery_thumbnail_path = "thumbnails/many_rankers.svg"

# %%
# Eight rankers without training
# ------------------------------
#
# Each query is an image of a digit, and its documents are 100 other images. Those that
# show the same digit are relevant. Each ranker orders the images by their distance from
# the query, measured in its own way: by all pixels, pairs of pixels, or the first
# principal components.
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.metrics.pairwise import paired_distances

from skrank.datasets import load_digits_retrieval
from skrank.metrics import score_queries
from skrank.plot import ComparisonDisplay
from skrank.stats import compare_rankers

digits = load_digits_retrieval(n_queries=200, n_documents=100)
images = load_digits().data
halves = images.reshape(-1, 8, 4, 2).mean(axis=3).reshape(len(images), -1)
spaces = {
    "pixels, Euclidean": (images, "euclidean"),
    "pixels, Manhattan": (images, "manhattan"),
    "pixels, cosine": (images, "cosine"),
    "half the pixels": (halves, "euclidean"),
}
for n in (20, 10, 5, 3):
    space = PCA(n, random_state=0).fit_transform(images)
    spaces[f"PCA, {n} components"] = space, "euclidean"
runs = {
    name: -paired_distances(
        space[digits.query_index], space[digits.document_index], metric=metric
    )
    for name, (space, metric) in spaces.items()
}
names = ["ndcg@10", "map"]
scores = score_queries(digits.target, runs, names, qid=digits.qid)

# %%
# All rankers in one picture
# --------------------------
#
# All pairs by both metrics are one family of 56 comparisons, and their p-values are
# adjusted together. For more than four rankers, the picture has a row for each ranker
# instead of one for each pair. A point is a mean over the queries, and its line is the
# interval of that mean.
comparison = compare_rankers(scores)
display = ComparisonDisplay.from_comparison(comparison)

# sphinx_gallery_start_ignore
assert len(display.axes_) == 2
letters = comparison.letters["ndcg@10"]
assert [*letters.values()].count("a") == 4
assert letters["pixels, Manhattan"] == "b"
rows = {row.ranker: row for row in comparison.intervals.rows if row.metric == "ndcg@10"}
assert rows["pixels, Manhattan"].high > rows["pixels, cosine"].low
# sphinx_gallery_end_ignore

# %%
# Read the letters, not the lines
# -------------------------------
#
# Two rankers that share a letter are not significantly different. So by ``ndcg@10`` any
# of the four blue ones may be the best. The Manhattan distance is significantly worse
# than these four, although its line overlaps with theirs. All rankers are scored on the
# same queries, and a query that is hard for one of them is usually hard for all. This
# makes the means uncertain, but not their differences.
#
# If one of the rankers is already in use, compare all others with this one only. There
# are fewer comparisons, and the picture has one row for each ranker:
baseline = compare_rankers(scores["ndcg@10"], baseline="pixels, Euclidean")
display = ComparisonDisplay.from_comparison(baseline)

# %%
# A table for a paper
# -------------------
#
# A comparison can also be written as a table, with the same letters. The caption names
# the test, the correction and the number of queries.
print(comparison.to_latex())

# sphinx_gallery_start_ignore
latex = comparison.to_latex()
assert r"\begin{tabular}" in latex
assert all(name in latex for name in runs)
# sphinx_gallery_end_ignore
