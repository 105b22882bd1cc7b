"""
==========================
Two retrievers, one result
==========================

Two retrievers see different parts of an image, and each returns its best fifteen
documents. This example fuses them by reciprocal ranks, by a weighted sum whose weights
a search chooses, and by a model that learns from the scores, and compares all of them
on the same held-out queries.
"""

# SPDX-License-Identifier: BSD-3-Clause

# sphinx_gallery_thumbnail_path = "thumbnails/fusion.svg"

# %%
# Two retrievers
# --------------
#
# A query is an image of a handwritten digit, its documents are other images, and those
# of the same digit are relevant. One retriever compares the upper three rows of pixels
# of two images, the other the lower five. Instead of these frames, judgements and runs
# may also be files, such as ``"bm25.run"``.
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import GridSearchCV

from skrank.datasets import load_digits_retrieval
from skrank.metrics import score_queries
from skrank.model_selection import QueryKFold, query_train_test_split
from skrank.plot import ComparisonDisplay
from skrank.rankers import FusionRanker, QueryRanker
from skrank.stats import compare_rankers
from skrank.tables import align

digits = load_digits_retrieval(n_queries=600)
pairs = pd.DataFrame({"qid": digits.qid, "doc_id": digits.document_index})
qrels = pairs.assign(grade=digits.target)
upper = pairs.assign(score=-digits.data[:, :24].sum(axis=1))
lower = pairs.assign(score=-digits.data[:, 24:].sum(axis=1))
runs = {
    name: run.sort_values("score").groupby("qid").tail(15)
    for name, run in {"upper": upper, "lower": lower}.items()
}

# %%
# :func:`~skrank.tables.align` puts the runs side by side. A document that a retriever
# does not return has no score.
rows = align(qrels, runs, wide=True)
X_train, X_test, y_train, y_test = query_train_test_split(
    rows.data, rows.target, test_size=0.5, random_state=0
)
print(X_test.head())

# %%
# Fixed rules, weights and a model
# --------------------------------
#
# Reciprocal rank fusion (RRF) is used as it is. The sum of the scores, made comparable
# within each query, has a weight for each retriever: the search chooses those with the
# best NDCG on held-out queries. The model learns how to combine the scores, with a
# missing score as a value of its own.
rrf = FusionRanker(["upper", "lower"])
weighted = FusionRanker(["upper", "lower"], method="sum", norm="min-max")
grid = {"weights": [(w, 10 - w) for w in range(1, 10)]}
search = GridSearchCV(weighted, grid, scoring="ndcg@10", cv=QueryKFold(5))
search.fit(X_train, y_train)
print(search.best_params_)

learned = QueryRanker(HistGradientBoostingRegressor(max_iter=50, random_state=0))
models = {
    "RRF": rrf.fit(X_train, y_train),
    "weighted sum": search,
    "learned": learned.fit(X_train, y_train),
}

# %%
# The same held-out queries for all
# ---------------------------------
#
# For comparison, a FusionRanker of one column is that retriever alone. It puts the
# documents that the retriever did not return at the end.
for name in runs:
    models[name] = FusionRanker([name], method="max").fit(X_train)
y_score = {name: model.predict(X_test) for name, model in models.items()}
scores = score_queries(y_test, y_score, "ndcg@10", qid=X_test["qid"])
comparison = compare_rankers(scores)
print(comparison)

# %%
# Rankers that share a letter do not differ significantly. The weighted sum is better
# than either retriever. RRF gives a strong and a weak retriever the same weight, and
# its estimate is about that of the better one alone:
ComparisonDisplay.from_comparison(comparison)
