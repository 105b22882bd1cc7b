"""
What could the unjudged change?
===============================

A new ranker finds documents that nobody has judged, because no earlier ranker found
them. They count as not relevant, so the new ranker looks worse than it is. How much
could they change the result, and what should be judged next?
"""

# SPDX-License-Identifier: BSD-3-Clause

# sphinx_gallery_thumbnail_path = "thumbnails/unjudged.svg"

# %%
# Judgements of the old results
# -----------------------------
#
# Each query is an image of a digit, and its documents are 100 other images. The old
# ranker adds up the differences of the pixels, and its first ten images were judged.
# The new ranker has learned from other queries.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor

from skrank.datasets import load_digits_retrieval
from skrank.metrics import evaluate, score_queries, unjudged_report
from skrank.rankers import QueryRanker
from skrank.stats import compare_rankers

digits = load_digits_retrieval(n_queries=400, n_documents=100)
train, test = digits.qid < 200, digits.qid >= 200
X, y, qid = digits.data[test], digits.target[test], digits.qid[test]
ranker = QueryRanker(HistGradientBoostingRegressor(max_iter=30, random_state=0))
ranker.fit(digits.data[train], digits.target[train], qid=digits.qid[train])
runs = {"old": -X.sum(axis=1), "new": ranker.predict(X)}


def is_in_top_ten(y_score):
    order = np.lexsort((-y_score, qid)).reshape(-1, 100)  # a row for each query
    return np.isin(np.arange(len(qid)), order[:, :10])


judged = is_in_top_ten(runs["old"])
scores = score_queries(y, runs, "ndcg@10", qid=qid, judged=judged)
comparison = compare_rankers(scores, baseline="old")
comparison

# %%
# The new ranker is significantly worse, by 0.07. But a test takes the judgements as
# they are.
#
# The report
# ----------
#
# For each metric, the report shows which fraction of the first ten documents is judged,
# and the value if the unjudged documents are not relevant, if they are left out
# (condensed), and if each query gets the labels with the lowest or the highest value.
names = ["ndcg@10", "precision@10"]
report = unjudged_report(y, runs["new"], names, qid=qid, judged=judged)

# sphinx_gallery_start_ignore
assert -0.08 < comparison.rows[0].difference < -0.06
assert comparison.rows[0].high < 0
assert 0.65 < report.judged["ndcg@10"] < 0.67
# sphinx_gallery_end_ignore
report

# %%
# A third of the first ten images of the new ranker is not judged, and its NDCG could be
# anything from 0.60 to 0.93. This band is not a confidence interval: it allows for
# labels that nobody would give. It shows that these judgements are not enough to
# compare the two rankers.
#
# Judge what the new ranker finds
# -------------------------------
#
# To compare the first ten images of both rankers, judge all of them.
more = judged | is_in_top_ten(runs["new"])
print(f"{(more & ~judged).sum()} more judgements, after {judged.sum()}")
scores = score_queries(y, runs, "ndcg@10", qid=qid, judged=more)
comparison = compare_rankers(scores, baseline="old")
comparison

# %%
# Now the new ranker is better by 0.08. In this example all labels are known, so you can
# check the result: diamonds are the values with all labels. The bands remain wide,
# because other relevant images may be further down.
figure, ax = plt.subplots(layout="constrained")
labels = []
for pool, mask in {"old judged": judged, "both judged": more}.items():
    for name, run in runs.items():
        values = unjudged_report(y, run, "ndcg@10", qid=qid, judged=mask).values
        of_choice, place = values["ndcg@10"], len(labels)
        ax.plot([of_choice["lowest"], of_choice["highest"]], [place] * 2, "C7", lw=6)
        ax.plot(of_choice["nonrelevant"], place, "C0o", ms=10)
        all_labels = evaluate(y, run, "ndcg@10", qid=qid)["ndcg@10"]
        ax.plot(all_labels, place, "C1D", ms=8)
        labels.append(f"{name} ranker,\n{pool}")
ax.set_yticks(range(4), labels)
ax.invert_yaxis()
ax.set(xlabel="NDCG@10", title="band, value without the unjudged, and all labels")
plt.show()

# sphinx_gallery_start_ignore
assert 0.07 < comparison.rows[0].difference < 0.09
assert comparison.rows[0].low > 0
# sphinx_gallery_end_ignore
