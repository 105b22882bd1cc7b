"""
=======================
Which segment is worse?
=======================

One number for all queries hides where a ranker is bad. This example computes NDCG by
segment, with an interval for each, and asks in which of them the new model is better
than the old one.
"""

# SPDX-License-Identifier: BSD-3-Clause

# %%
# Queries with a segment
# ----------------------
#
# A query is an image of a handwritten digit, its documents are other images, and those
# of the same digit are relevant. The segment of a query is its digit. In a search
# engine it could be the country or the device, and ``by`` takes several of them.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingRegressor

from skrank.datasets import load_digits_retrieval
from skrank.metrics import score_queries
from skrank.rankers import QueryRanker
from skrank.stats import compare_rankers, confidence_interval

digits = load_digits_retrieval(n_queries=1000)
train, test = digits.qid < 400, digits.qid >= 400
X, y, qid = digits.data[test], digits.target[test], digits.qid[test]
digit = load_digits().target[digits.query_index[test]]

new = QueryRanker(HistGradientBoostingRegressor(random_state=0))
new.fit(digits.data[train], digits.target[train], qid=digits.qid[train])
runs = {"old": -X.sum(axis=1), "new": new.predict(X)}
scores = score_queries(y, runs, "ndcg@10", qid=qid, by={"digit": digit})

# %%
# An interval for each segment
# ----------------------------
#
# A tenth of the queries means an interval that is about three times as wide as that of
# all queries. Do not read more out of the differences of segments than that.
intervals = confidence_interval(scores["new"], by="digit")
intervals

# %%
# Its rows are a data frame, and a picture:
frame = intervals.to_frame("pandas")
overall = scores.summary()["new"]["ndcg@10"]
figure, ax = plt.subplots(layout="constrained")
ax.hlines(frame["digit"], frame["low"], frame["high"])
ax.plot(frame["estimate"], frame["digit"], "o")
ax.axvline(overall, color="gray", linestyle=":", label="all queries")
ax.set(xlabel="NDCG@10, with intervals of 95%", ylabel="digit of the query")
ax.set_yticks(frame["digit"])
ax.legend()
plt.show()


# %%
# In which segments is the new model better?
# ------------------------------------------
#
# Ten segments are ten comparisons, and one of twenty finds a difference by chance. With
# ``by`` they are one family: the p-values of all of them are adjusted together. The
# mark says where the new model is significantly better than the old one.
comparison = compare_rankers(scores, by="digit", baseline="old")
comparison

# %%
# The columns of :meth:`~skrank.stats.RankerComparison.to_frame` say how much better, and
# which difference this many queries could have shown (``detectable``).
columns = ["digit", "difference", "low", "high", "p_adjusted", "detectable"]
comparison.to_frame()[columns].round(3)

# %%
# Now look at the queries of one segment:
# :meth:`~skrank.metrics.QueryScores.where` keeps them, for every function that takes
# scores.
hard = scores.where(digit=int(frame["digit"][frame["estimate"].argmin()]))
print(hard)
compare_rankers(hard).worst_queries(3)
