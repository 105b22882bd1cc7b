"""
============================
Better, but for which users?
============================

The new model is better on average. Is it better in every country, or on every device?
This example computes NDCG by segment, with an interval for each, and then tests in
which segments the new model differs from the old one.
"""

# SPDX-License-Identifier: BSD-3-Clause

# sphinx_gallery_thumbnail_path = "thumbnails/segments.svg"

# %%
# Queries with a segment
# ----------------------
#
# A query is an image of a handwritten digit, its documents are other images, and those
# of the same digit are relevant. The old model adds up the differences of all pixels,
# and the new one has learned from a hundred queries. The segment of a query is its
# digit. In your data it may be a country or a device; ``by`` takes several columns.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingRegressor

from skrank.datasets import load_digits_retrieval, load_shop
from skrank.metrics import score_queries
from skrank.plot import ComparisonDisplay
from skrank.rankers import QueryRanker
from skrank.stats import compare_rankers, confidence_interval

digits = load_digits_retrieval(n_queries=1500)
train, test = digits.qid < 100, digits.qid >= 100
X, y, qid = digits.data[test], digits.target[test], digits.qid[test]
digit = load_digits().target[digits.query_index[test]]

new = QueryRanker(HistGradientBoostingRegressor(max_iter=30, random_state=0))
new.fit(digits.data[train], digits.target[train], qid=digits.qid[train])
runs = {"old": -X.sum(axis=1), "new": new.predict(X)}
scores = score_queries(y, runs, "ndcg@10", qid=qid, by={"digit": digit})
print(scores)

# %%
# An interval for each segment
# ----------------------------
#
# With a tenth of the queries, the interval of a segment is about three times as wide as
# that of all queries.
intervals = confidence_interval(scores["new"], by="digit")
print(intervals)

# %%
# You can turn the rows into a data frame and draw them:
frame = intervals.to_frame("pandas")
figure, ax = plt.subplots(layout="constrained")
ax.hlines(frame["digit"], frame["low"], frame["high"])
ax.plot(frame["estimate"], frame["digit"], "o")
mean = scores.summary()["new"]["ndcg@10"]
ax.axvline(mean, color="gray", linestyle=":", label="all queries")
ax.set(xlabel="NDCG@10 of the new model", ylabel="digit of the query")
ax.set_yticks(frame["digit"])
ax.legend()
plt.show()

# sphinx_gallery_start_ignore
assert intervals[8]["new"]["ndcg@10"].high < mean < intervals[5]["new"]["ndcg@10"].low
summary = scores.summary("digit")
for label in intervals:
    assert (
        intervals[label]["new"]["ndcg@10"].estimate == summary[label]["new"]["ndcg@10"]
    )
# sphinx_gallery_end_ignore

# %%
# Where is the new model better?
# ------------------------------
#
# Ten segments are ten comparisons. Even if both models were equally good for every
# digit, at least one of the ten would look different in four of ten cases. With ``by``,
# all segments are one family, and their p-values are adjusted together.
comparison = compare_rankers(scores, by="digit", baseline="old")
display = ComparisonDisplay.from_comparison(comparison)

# sphinx_gallery_start_ignore
shown = {row.digit: row.difference for row in comparison.rows if row.p_adjusted <= 0.05}
assert shown[7] < 0 < min(shown[5], shown[9])
assert scores.summary()["new"]["ndcg@10"] > scores.summary()["old"]["ndcg@10"]
# sphinx_gallery_end_ignore

# %%
# The new model is much better for the fives and the nines but worse for the sevens. The
# mean of all queries does not show that. Here is the same comparison as a table:
comparison

# %%
# What happened to the sevens?
# ----------------------------
#
# :meth:`~skrank.metrics.QueryScores.where` keeps the queries of one segment. You can
# use them wherever you use scores, for example to list the queries that lost most.
sevens = scores.where(digit=7)
compare_rankers(sevens, baseline="old").worst_queries(3)

# %%
# A report by brand
# -----------------
#
# A brand is a property of documents, not of queries: as ``by``, it would cut each
# session into parts, and a warning says so. Use the sessions by the brand of a clicked
# offer instead, or the proportion of the exposure that each brand has in the first ten.
shop = load_shop().frame
of_session = shop[shop["clicked"] > 0].groupby("qid")["brand"].first()
by_brand = score_queries(
    shop["clicked"],
    shop["rating"],
    "mrr",
    qid=shop["qid"],
    by={"brand": shop["qid"].map(of_session).fillna("no click")},
)
rank = shop.groupby("qid")["rating"].rank(ascending=False)
seen = (rank <= 10) / np.log2(rank + 1)
report = pd.DataFrame(by_brand.summary(by="brand")).T
report["exposure"] = seen.groupby(shop["brand"]).sum() / seen.sum()

# sphinx_gallery_start_ignore
assert abs(report["exposure"].sum() - 1) < 1e-9
# sphinx_gallery_end_ignore
report.round(3)

# %%
# Choose the segments before you look at the results. If you try ten more afterwards,
# these are ten more comparisons, and no correction allows for them.
