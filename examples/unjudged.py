"""
What if nobody judged a document?
=================================

A new ranker finds documents that nobody has judged, because no earlier ranker found
them. They count as not relevant, so the new ranker looks worse than it is. How many
documents are they, and what should be judged next?
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
from skrank.metrics import evaluate, score_queries
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
scores = score_queries(y * judged, runs, "ndcg@10", qid=qid, judged=judged)
comparison = compare_rankers(scores, baseline="old")
comparison

# %%
# The new ranker is significantly worse, by 0.07. But a test takes the judgements as
# they are.
#
# Which documents are judged?
# ---------------------------
#
# ``judged@10`` is the fraction of the first ten documents that are judged. "condensed"
# leaves the others out, so that judged documents move up.
share = score_queries(y * judged, runs, "judged@10", qid=qid, judged=judged)
share = share.summary()
left_out = score_queries(
    y * judged, runs, "ndcg@10", qid=qid, judged=judged, unjudged="condensed"
)

# sphinx_gallery_start_ignore
assert -0.08 < comparison.rows[0].difference < -0.06
assert comparison.rows[0].high < 0
assert 0.65 < share["new"]["judged@10"] < 0.67
condensed = left_out.summary()
assert condensed["new"]["ndcg@10"] > condensed["old"]["ndcg@10"]
# sphinx_gallery_end_ignore
print(share)
print(left_out.summary())

# %%
# A third of the first ten images of the new ranker is not judged. Without them it is
# the better one. So the result depends on what nobody has judged: these judgements are
# not enough to compare the two rankers.
#
# Judge what the new ranker finds
# -------------------------------
#
# To compare the first ten images of both rankers, judge all of them.
more = judged | is_in_top_ten(runs["new"])
print(f"{(more & ~judged).sum()} more judgements, after {judged.sum()}")
scores = score_queries(y * more, runs, "ndcg@10", qid=qid, judged=more)
comparison = compare_rankers(scores, baseline="old")
comparison

# %%
# Now the new ranker is better by 0.08. In this example all labels are known, so you can
# check the result: diamonds are the values with all labels.
figure, ax = plt.subplots(layout="constrained")
labels = []
for pool, mask in {"old judged": judged, "both judged": more}.items():
    for name, run in runs.items():
        place, given = len(labels), {"qid": qid, "judged": mask}
        for unjudged, look in {"nonrelevant": "C0o", "condensed": "C2s"}.items():
            value = evaluate(y * mask, run, "ndcg@10", unjudged=unjudged, **given)
            ax.plot(value["ndcg@10"], place, look, ms=10)
        all_labels = evaluate(y, run, "ndcg@10", qid=qid)["ndcg@10"]
        ax.plot(all_labels, place, "C1D", ms=8)
        labels.append(f"{name} ranker,\n{pool}")
ax.set_yticks(range(4), labels)
ax.invert_yaxis()
ax.legend(["nonrelevant", "condensed", "all labels"])
ax.set(xlabel="NDCG@10")
plt.show()

# sphinx_gallery_start_ignore
assert 0.07 < comparison.rows[0].difference < 0.09
assert comparison.rows[0].low > 0
# sphinx_gallery_end_ignore
