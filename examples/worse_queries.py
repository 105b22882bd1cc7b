"""
========================
Which queries got worse?
========================

The new model is better on average. Which queries did it make worse, and what went wrong
there? This example sorts the queries by their differences and debugs the worst one
document by document. It then shows what both models rank first for the queries that
lost most.
"""

# SPDX-License-Identifier: BSD-3-Clause

# sphinx_gallery_thumbnail_path = "thumbnails/worse_queries.svg"

# %%
# Two models
# ----------
#
# A query is an image of a handwritten digit, its documents are other images, and those
# of the same digit are relevant. The old model adds up the differences of all pixels.
# The new model learns from half of the queries. Both are compared on the other half.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingRegressor

from skrank.datasets import load_digits_retrieval
from skrank.metrics import query_report, score_queries
from skrank.plot import QueryDifferenceDisplay
from skrank.rankers import QueryRanker
from skrank.stats import compare_rankers

digits = load_digits_retrieval(n_queries=400)
train, test = digits.qid < 200, digits.qid >= 200
X, y, qid = digits.data[test], digits.target[test], digits.qid[test]

new = QueryRanker(HistGradientBoostingRegressor(random_state=0))
new.fit(digits.data[train], digits.target[train], qid=digits.qid[train])
runs = {"old": -X.sum(axis=1), "new": new.predict(X)}

# %%
# The differences, sorted
# -----------------------
#
# The new model is better for more than half of the queries. The display names the five
# that lost most.
scores = score_queries(y, runs, "ndcg@10", qid=qid)
display = QueryDifferenceDisplay.from_scores(scores, baseline="old", n_worst=5)

# sphinx_gallery_start_ignore
assert display.n_wins > len(display.difference) / 2
assert np.nanmean(display.difference) > 0
# sphinx_gallery_end_ignore

# %%
# The same five as a table, from the comparison of the two models:
comparison = compare_rankers(scores, baseline="old")
comparison.worst_queries(5)

# %%
# The worst query, document by document
# -------------------------------------
#
# The report shows what each document adds to NDCG\@10, and what is lost there compared
# with the ideal ranking. An extra column shows the digit of each image.
shown = {"digit": load_digits().target[digits.document_index[test]]}
worst = comparison.worst_queries(3)["qid"]
report = query_report(y, runs, worst[0], qid=qid, columns=shown, k=7)

# sphinx_gallery_start_ignore
new, ideal = report.rankings["new"], report.rankings["new"].ideal[:4]
assert report.values["new"] < report.values["old"]
assert set(new.columns["digit"][new.grade == 1]) == {3}
assert new.columns["digit"][:5].tolist() == [9, 3, 8, 8, 3]
assert (new.best_rank[ideal] > 10).sum() == 2
assert (report.rankings["old"].grade[:10] == 1).sum() == 4
# sphinx_gallery_end_ignore
report

# %%
# The sums in the last row are the values of both models. The relevant images show a 3.
# The new model puts a 9 first, and two 8s above its second 3. The block of the ideal
# ranking shows where the 3s went: two of them fell below rank 10. Which digits took
# their places? The data frame has all documents:
documents = report.to_frame()
top = documents.query("ranker == 'new' and rank <= 10")
top["digit"].value_counts()

# %%
# What went wrong?
# ----------------
#
# Each row shows a query, in grey, and the images that one model ranks first. Blue ones
# are relevant, and orange ones are not.
images = load_digits().images
query_image = images[digits.query_index[test]]
document_image = images[digits.document_index[test]]

figure, axes = plt.subplots(6, 8, figsize=(8, 6.5), layout="constrained")
lines = [(query, model) for query in worst for model in runs]
for line, (query, model) in zip(axes, lines, strict=True):
    rows = np.flatnonzero(qid == query)
    best = rows[np.argsort(-runs[model][rows], kind="stable")][:7]
    line[0].imshow(query_image[rows[0]], cmap="gray_r")
    line[0].set_ylabel(f"query {query}\n{model} model")
    for ax, row in zip(line[1:], best, strict=True):
        ax.imshow(document_image[row], cmap="Blues" if y[row] else "Oranges")
for ax, title in zip(axes[0], ["query", *range(1, 8)], strict=True):
    ax.set_title(title)
for ax in axes.ravel():
    ax.set(xticks=[], yticks=[])
plt.show()

# %%
# The pictures show which digits took the place of the right ones. Two cautions: these
# queries were chosen because they lost most, so part of their loss is chance. And fewer
# queries lost than won: whether the new model is better on average is a different
# question, see :ref:`sphx_glr_gallery_is_it_better.py`.
#
# You can compare two runs in files without Python:
#
# .. code-block:: console
#
#    $ skrank compare qrels old.run new.run -m ndcg@10
#
# See :doc:`/shell`.
