"""
A ranker of your own
====================

How do I try a new way to learn a ranking? Write ``fit``, which gets the query ids, and
``predict``. With the mixin :class:`~skrank.base.RankingEstimator` the scorers, searches
and splitters of scikit-learn and skrank then work with the ranker. Here it is ListNet
(Cao et al., 2007) with a linear score, in NumPy.
"""

# SPDX-License-Identifier: BSD-3-Clause

# sphinx_gallery_thumbnail_path = "thumbnails/own_ranker.svg"

# %%
# ListNet
# -------
#
# The softmax of the scores of a query is the probability of each document to be first.
# ListNet fits it to the softmax of the grades, by the cross entropy, whose gradient is
# the difference of the two. The estimator passes scikit-learn's checks of estimators
# and :func:`~skrank.base.check_ranker`, which checks the laws of rankers.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.utils.validation import check_is_fitted, validate_data

from skrank.base import RankingEstimator
from skrank.datasets import load_digits_retrieval
from skrank.metrics import evaluate
from skrank.model_selection import QueryKFold, query_train_test_split
from skrank.rankers import QueryRanker


class ListNet(RankingEstimator, BaseEstimator):
    def __init__(self, alpha=0.001, max_iter=200, missing_qid="raise"):
        self.alpha = alpha
        self.max_iter = max_iter
        self.missing_qid = missing_qid

    def fit(self, X, y, *, qid=None):
        qid = self.find_qid(qid, "fit", X=X, y=y)  # raises if there are none
        X, y = validate_data(self, X, y, y_numeric=True, dtype=np.float64)
        qid = np.zeros(len(y)) if qid is None else qid
        _, query = np.unique(qid, return_inverse=True)
        self.scale_ = X.std(axis=0) + (X.std(axis=0) == 0)
        X = X / self.scale_
        target = probability_to_be_first(y.astype(float), query)
        self.coef_, self.loss_ = np.zeros(X.shape[1]), []
        for step in range(self.max_iter):
            probability = probability_to_be_first(X @ self.coef_, query)
            entropy = -(target * np.log(probability + 1e-300)).sum()
            penalty = self.alpha / 2 * (self.coef_**2).sum()
            self.loss_.append(entropy / (query.max() + 1) + penalty)
            gradient = X.T @ (probability - target) / (query.max() + 1)
            gradient += self.alpha * self.coef_
            self.coef_ = self.coef_ - 0.3 * gradient / np.sqrt(1 + step)
        return self

    def predict(self, X):
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return X / self.scale_ @ self.coef_


def probability_to_be_first(score, query):
    highest = np.full(query.max() + 1, -np.inf)
    np.maximum.at(highest, query, score)
    power = np.exp(score - highest[query])
    return power / np.bincount(query, weights=power)[query]


# %%
# In a search
# -----------
#
# :class:`~skrank.rankers.QueryRanker` takes the query ids from the column ``"qid"``,
# sorts the rows by query, and passes the ids on. The queries are images of digits; a
# document is relevant if it shows the same digit, and its features are differences of
# pixels.
digits = load_digits_retrieval(n_queries=300)
X = pd.DataFrame(digits.data, columns=digits.feature_names).assign(qid=digits.qid)
X, X_test, y, y_test = query_train_test_split(
    X, digits.target, test_size=0.3, random_state=0
)
grid = {"estimator__alpha": [0.0001, 0.001, 0.01, 0.1]}
search = GridSearchCV(
    QueryRanker(ListNet()), grid, scoring="ndcg@10", cv=QueryKFold(5)
).fit(X, y)
table = pd.DataFrame(search.cv_results_)
table[["param_estimator__alpha", "mean_test_score"]].round(4)

# %%
# Does a lower loss rank better?
# ------------------------------
#
# The loss of ListNet is not a ranking metric. While it falls, NDCG\@10 of the test
# queries should rise. Before the first step all scores are equal, and NDCG is that of a
# random order.
steps = [0, 1, 2, 3, 5, 10, 20, 50, 100, 200]
alpha = search.best_params_["estimator__alpha"]
ndcg = []
for n in steps:
    ranker = QueryRanker(ListNet(alpha, max_iter=n)).fit(X, y)
    values = evaluate(y_test, ranker.predict(X_test), "ndcg@10", qid=X_test["qid"])
    ndcg.append(values["ndcg@10"])
loss = ranker.estimator_.loss_
figure, axes = plt.subplots(1, 2, figsize=(8, 4), layout="constrained")
axes[0].plot(loss, "C1")
axes[0].set(xlabel="steps", ylabel="loss", title="Training queries")
axes[1].plot(steps, ndcg, "C0o-")
axes[1].set(xlabel="steps", ylabel="NDCG@10", title="Test queries")
for ax in axes:
    ax.set_xscale("symlog")
plt.show()

# %%
# It does, but nearly all of the rise comes with the first step. After that the loss
# keeps falling, while the order at the top hardly changes.
#
# What has it learned?
# --------------------
#
# The left plot shows the weight of each pixel of the image, times the standard
# deviation of its differences. A negative weight means that documents that differ in
# this pixel are less relevant. On the right are the weights of a ridge regression,
# which learns from single documents.

ridge = QueryRanker(Ridge()).fit(X, y).estimator_
listnet = ranker.estimator_
weights = {"ListNet": listnet.coef_, "ridge": ridge.coef_ * listnet.scale_}
figure, axes = plt.subplots(1, 2, figsize=(8, 4), layout="constrained")
for ax, (name, weight) in zip(axes, weights.items(), strict=True):
    weight = weight.reshape(8, 8) / abs(weight).max()
    image = ax.imshow(weight, cmap="PuOr", vmin=-1, vmax=1)
    ax.set(title=name, xticks=[], yticks=[])
figure.colorbar(image, ax=axes, label="weight, largest = 1")
plt.show()

# sphinx_gallery_start_ignore
assert (np.diff(loss) <= 0).all()
assert ndcg[-1] > ndcg[1] > ndcg[0] + 0.5
assert ndcg[-1] - ndcg[1] < 0.03
# sphinx_gallery_end_ignore
