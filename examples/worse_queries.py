"""
========================
Which queries got worse?
========================

The new model is better on average. Which queries did it make worse, and what went wrong
there? This example sorts the queries by their differences, and then looks at what both
models rank first for those that lost most.
"""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

# sphinx_gallery_thumbnail_number = 2

# %%
# Two models
# ----------
#
# A query is an image of a handwritten digit, its documents are other images, and those
# of the same digit are relevant. The old model adds up the differences of all pixels.
# The new one learns from half of the queries. The other half is for the comparison.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingRegressor

from skrank.datasets import load_digits_retrieval
from skrank.metrics import QueryDifferenceDisplay, score_queries
from skrank.model_selection import query_train_test_split
from skrank.rankers import QueryRanker
from skrank.stats import compare_rankers

digits = load_digits_retrieval(n_queries=400)
X_train, X, y_train, y, qid_train, qid, _, query_image, _, image = (
    query_train_test_split(
        *(digits.data, digits.target, digits.qid),
        *(digits.query_index, digits.document_index),
        qid=digits.qid,
        test_size=0.5,
        random_state=0,
    )
)
new = QueryRanker(HistGradientBoostingRegressor(random_state=0))
new.fit(X_train, y_train, qid=qid_train)
runs = {"old": -X.sum(axis=1), "new": new.predict(X)}

# %%
# The differences, sorted
# -----------------------
#
# More than half of the queries won. The display names the five that lost most.
scores = score_queries(y, runs, "ndcg@10", qid=qid)
display = QueryDifferenceDisplay.from_scores(scores, baseline="old", n_worst=5)

# sphinx_gallery_start_ignore
assert display.n_wins > len(display.difference) / 2
# sphinx_gallery_end_ignore

# %%
# The same five as a table, from the comparison of the two models:
comparison = compare_rankers(scores, baseline="old")
comparison.worst_queries(5)

# %%
# What went wrong?
# ----------------
#
# Each row shows a query, in grey, and the images that one model ranks first. Blue ones
# are relevant, orange ones are not.
pixels = load_digits().images
figure, axes = plt.subplots(6, 8, figsize=(8, 6.5), layout="constrained")
worst = comparison.worst_queries(3)["qid"]
lines = [(query, model) for query in worst for model in runs]
for line, (query, model) in zip(axes, lines, strict=True):
    rows = np.flatnonzero(qid == query)
    best = rows[np.argsort(-runs[model][rows], kind="stable")][:7]
    line[0].imshow(pixels[query_image[rows[0]]], cmap="gray_r")
    line[0].set_ylabel(f"query {query}\n{model} model")
    for ax, row in zip(line[1:], best, strict=True):
        ax.imshow(pixels[image[row]], cmap="Blues" if y[row] else "Oranges")
for ax, title in zip(axes[0], ["query", *range(1, 8)], strict=True):
    ax.set_title(title)
for ax in axes.ravel():
    ax.set(xticks=[], yticks=[])
plt.show()

# %%
# The new model mistakes digits of a similar shape for one another. Two cautions: these
# queries were chosen because they lost most, so a part of their loss is chance. And
# they are few beside those that won; whether the mean is better is another question,
# which :ref:`sphx_glr_gallery_is_it_better.py` answers.
