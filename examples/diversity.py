"""
How much relevance does diversity cost?
=======================================

The ten best results look alike. A second pass can make them more diverse, but it
removes relevant documents from the list. One search measures both, and a picture of all
candidates shows the price.
"""

# SPDX-License-Identifier: BSD-3-Clause

# sphinx_gallery_thumbnail_path = "thumbnails/diversity.svg"

# %%
# A ranker with a second pass
# ---------------------------
#
# Each query is an image of a digit, and images of the same digit are relevant. A model
# learns relevance from the differences of the pixels. The second pass then fills the
# ten places one by one. Each time it takes the image with the highest sum of its score
# and ``weight`` times its distance from the nearest image above it. This is maximal
# marginal relevance (Carbonell and Goldstein, 1998).
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import cosine_distances
from sklearn.model_selection import GridSearchCV

from skrank.base import RankingEstimator
from skrank.datasets import load_digits_retrieval
from skrank.metrics import evaluate, make_ranking_scorer, score_queries
from skrank.model_selection import QueryKFold
from skrank.stats import compare_rankers

digits, images = load_digits_retrieval(n_queries=400, n_documents=100), load_digits()
pixels, y = digits.feature_names, digits.target
X = pd.DataFrame(digits.data, columns=pixels)
X = X.assign(qid=digits.qid, image=digits.document_index)
train, test = digits.qid < 200, digits.qid >= 200


class DiverseRanker(RankingEstimator, BaseEstimator):
    def __init__(self, model, weight=0.0):
        self.model = model
        self.weight = weight

    def fit(self, X, y):
        self.model_ = clone(self.model).fit(X[pixels], y)
        return self

    def predict(self, X):
        score = self.model_.predict(X[pixels])
        for rows in X.groupby("qid").indices.values():
            apart = cosine_distances(images.data[X["image"].iloc[rows]])
            score[rows] = score[rows] - score[rows].max()
            left, nearest = score[rows], 1.0
            for place in range(10):
                best = np.argmax(left + self.weight * nearest)
                score[rows[best]] = 10 - place
                left[best], nearest = -np.inf, np.minimum(nearest, apart[best])
        return score


# %%
# One search, two metrics
# -----------------------
#
# ``ild@10`` is the mean distance between two of the ten images. It needs a column of
# features, and ``columns`` shows how to get it from ``X``. ``refit`` selects the most
# diverse candidate that costs at most 0.03 of NDCG. The search uses half of the
# queries.
def most_diverse(results):
    ndcg, ild = results["mean_test_ndcg@10"], results["mean_test_ild@10"]
    return np.argmax(np.where(ndcg >= ndcg.max() - 0.03, ild, 0))


boosting = HistGradientBoostingRegressor(max_iter=30, random_state=0)
weights = [0.0, 0.3, 0.5, 0.7, 1.0]
search = GridSearchCV(
    DiverseRanker(boosting),
    {"model": [Ridge(), boosting], "weight": weights},
    scoring=make_ranking_scorer(
        ["ndcg@10", "ild@10"], columns={"features": lambda X: images.data[X["image"]]}
    ),
    cv=QueryKFold(3),
    refit=most_diverse,
).fit(X[train], y[train])
search.best_params_

# %%
# The trade-off
# -------------
#
# Each point is a candidate, labelled with its weight. The dotted line is the diversity
# of lists of relevant images.
ndcg, ild = (
    search.cv_results_[f"mean_test_{name}"].reshape(2, len(weights))
    for name in ["ndcg@10", "ild@10"]
)
columns = {"qid": digits.qid, "features": images.data[X["image"]]}
figure, ax = plt.subplots(layout="constrained")
for place, name in enumerate(["ridge", "boosting"]):
    ax.plot(ndcg[place], ild[place], "o-", label=name)
    for point in zip(weights, ndcg[place], ild[place], strict=True):
        ax.annotate(point[0], point[1:], (6, 4), textcoords="offset points")
ideal = evaluate(y, y, "ild@10", **columns)["ild@10"]
ax.axhline(ideal, color="gray", linestyle=":", label="relevant images")
ax.set(xlabel="NDCG@10", ylabel="ILD@10")
ax.legend()
plt.show()

# %%
# For every weight, the better model is also the more diverse one. So look for a better
# model first. Along the line of one model, diversity costs relevance.
#
# The price on new queries
# ------------------------
#
# The selected candidate is compared with the same model without the second pass, on
# queries that the search has not seen.
plain = clone(search.best_estimator_).set_params(weight=0.0).fit(X[train], y[train])
runs = {"plain": plain.predict(X[test]), "diverse": search.predict(X[test])}
columns = {name: column[test] for name, column in columns.items()}
scores = score_queries(y[test], runs, ["ndcg@10", "ild@10"], **columns)
comparison = compare_rankers(scores, baseline="plain")

# sphinx_gallery_start_ignore
assert search.best_index_ == 7
assert (ndcg[1] > ndcg[0]).all()
assert (ild[1] > ild[0]).all()
price, gain = comparison.rows
assert price.high < 0 < gain.low
# sphinx_gallery_end_ignore
comparison

# %%
# Both the price and the gain are significant. No test can decide whether the gain is
# worth the price, so look at the lists. The picture shows the first two queries, in
# grey, and their ten images. The orange ones are not relevant.
figure, axes = plt.subplots(4, 11, figsize=(8, 3.2), layout="constrained")
for place, line in enumerate(axes):
    query, name = 200 + place // 2, list(runs)[place % 2]
    rows = np.flatnonzero(digits.qid == query)
    order = np.argsort(-runs[name][rows - test.argmax()])[:10]
    line[0].imshow(images.images[digits.query_index[rows[0]]], cmap="gray_r")
    line[0].set_ylabel(name)
    for ax, row in zip(line[1:], rows[order], strict=True):
        ax.imshow(images.images[X["image"][row]], cmap="Blues" if y[row] else "Oranges")
for ax in axes.ravel():
    ax.set(xticks=[], yticks=[])
plt.show()
