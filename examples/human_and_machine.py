"""
What do fifty human labels add to an LLM?
=========================================

An LLM has judged the documents of 1,000 queries, and humans those of 50. The labels of
the LLM alone are biased, and 50 queries alone say little. Together they give the mean
that humans would find, with a narrower interval.
"""

# SPDX-License-Identifier: BSD-3-Clause

# sphinx_gallery_thumbnail_path = "thumbnails/human_and_machine.svg"

# %%
# A judge that likes one of the rankers
# -------------------------------------
#
# The data are simulated, so that we know the truth: grades from 0 to 3 of 30 documents
# of each query, and two rankers. The LLM often agrees with humans, but it shares
# some of the errors of the ranker "dense", as a judge may that uses the same
# embeddings.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import cohen_kappa_score

from skrank.metrics import evaluate, score_queries
from skrank.stats import compare_rankers, confidence_interval

rng = np.random.default_rng(1)
shape = n_queries, n_documents = 1000, 30
relevance = rng.normal(-0.8, 0.7, (n_queries, 1)) + rng.normal(size=shape)
grades = np.digitize(relevance, [0.3, 1.0, 1.7])
error = rng.normal(size=shape)
runs = {
    "bm25": (relevance + 1.2 * rng.normal(size=shape)).ravel(),
    "dense": (relevance + 1.2 * error).ravel(),
}
llm = grades + 0.5 * rng.normal(size=shape) + 0.25 * error
llm = np.clip(np.rint(llm), 0, 3)
qid = np.repeat(np.arange(n_queries), n_documents)

# %%
# Humans judge 50 queries, drawn at random. That is what the method needs: hard or
# important queries, chosen by hand, would not do.
drawn = np.isin(qid, rng.choice(n_queries, 50, replace=False))
of_drawn = {name: run[drawn] for name, run in runs.items()}
metrics = ["ndcg@10", "precision@10"]
human = score_queries(grades.ravel()[drawn], of_drawn, metrics, qid=qid[drawn])
judge = score_queries(llm.ravel(), runs, metrics, qid=qid)

# %%
# How well does the LLM judge?
# ----------------------------
#
# Kappa is moderate, as it is for LLMs. What matters more: the LLM gives the documents
# in the top ten of "dense" better grades than humans do, by more than those of all
# documents.
by_humans, by_llm = grades.ravel()[drawn], llm.ravel()[drawn]
print(f"kappa {cohen_kappa_score(by_humans, by_llm):.2f}")
print(f"all documents {(by_llm - by_humans).mean():+.2f}")
for name, run in of_drawn.items():
    found = [
        evaluate(labels, run, "cg@10", qid=qid[drawn])["cg@10"] / 10
        for labels in (by_humans, by_llm)
    ]
    print(f"top ten of {name} {found[1] - found[0]:+.2f}")

# %%
# The mean
# --------
#
# The table has the means of the human labels, of the LLM, and of both (*estimate*). One
# query that humans judged replaces *worth* queries judged by humans alone.
both = confidence_interval(human, judge=judge)
both

# %%
# Here we know the truth, the mean of the human labels over all 1,000 queries:
truth = score_queries(grades.ravel(), runs, metrics, qid=qid).summary()

figure, axes = plt.subplots(1, 2, sharey=True, layout="constrained", figsize=(8, 3))
intervals = {
    "human": confidence_interval(human, method="t"),
    "LLM": confidence_interval(judge, method="t"),
    "both": both,
}
for ax, metric in zip(axes, metrics, strict=True):
    for height, found in enumerate(intervals.values()):
        row = found["dense"][metric]
        ax.plot([row.low, row.high], [height] * 2, color="0.6", linewidth=3)
        ax.plot(row.estimate, height, "o")
    ax.axvline(truth["dense"][metric], color="black", linestyle=":", label="truth")
    ax.set(xlabel=f"{metric} of dense", yticks=range(3), yticklabels=intervals)
axes[0].legend()
plt.show()

# %%
# The difference
# --------------
#
# The LLM alone would find the dense ranker much better (*judge*). With human labels,
# the difference is not significant, and it should not be: the rankers are equally good.
# The judge helps less than with the means, because differences are less correlated.
comparison = compare_rankers(human, judge=judge)
comparison

# sphinx_gallery_start_ignore
assert not both["dense"]["ndcg@10"].low > truth["dense"]["ndcg@10"]
assert all(row.p_adjusted > 0.05 for row in comparison.rows)
assert compare_rankers(judge).rows[0].p_adjusted < 0.001
# sphinx_gallery_end_ignore
