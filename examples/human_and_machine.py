"""
What do fifty judged queries add to a machine judge?
====================================================

A language model has judged the documents of 1,000 queries, and people those of 50. The
labels of the machine alone are biased, and 50 queries alone say little. Together they
give the mean that people would find, with a narrower interval.
"""

# SPDX-License-Identifier: BSD-3-Clause

# sphinx_gallery_thumbnail_path = "thumbnails/human_and_machine.svg"

# %%
# A judge that likes one of the rankers
# -------------------------------------
#
# The data are simulated, so that we know the truth: grades from 0 to 3 of 30 documents
# of each query, and two rankers. The machine often agrees with people, but it shares
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
people = np.digitize(relevance, [0.3, 1.0, 1.7])
error = rng.normal(size=shape)
runs = {
    "bm25": (relevance + 1.2 * rng.normal(size=shape)).ravel(),
    "dense": (relevance + 1.2 * error).ravel(),
}
machine = people + 0.5 * rng.normal(size=shape) + 0.25 * error
machine = np.clip(np.rint(machine), 0, 3)
qid = np.repeat(np.arange(n_queries), n_documents)

# %%
# People judge 50 queries, drawn at random. That is what the method needs: hard or
# important queries, chosen by hand, would not do.
drawn = np.isin(qid, rng.choice(n_queries, 50, replace=False))
of_drawn = {name: run[drawn] for name, run in runs.items()}
metrics = ["ndcg@10", "precision@10"]
human = score_queries(people.ravel()[drawn], of_drawn, metrics, qid=qid[drawn])
judge = score_queries(machine.ravel(), runs, metrics, qid=qid)

# %%
# How well does the machine judge?
# --------------------------------
#
# Kappa is moderate, as it is for language models. What matters more: the machine gives
# the documents in the top ten of "dense" better grades than people do, by more than
# those of all documents.
by_people, by_machine = people.ravel()[drawn], machine.ravel()[drawn]
print(f"kappa {cohen_kappa_score(by_people, by_machine):.2f}")
print(f"all documents {(by_machine - by_people).mean():+.2f}")
for name, run in of_drawn.items():
    grades = [
        evaluate(labels, run, "cg@10", qid=qid[drawn])["cg@10"] / 10
        for labels in (by_people, by_machine)
    ]
    print(f"top ten of {name} {grades[1] - grades[0]:+.2f}")

# %%
# The mean
# --------
#
# The table has the means of people, of the machine, and of both (*estimate*). A query
# that people judged is worth as many as *worth* says of those without the judge.
both = confidence_interval(human, judge=judge)
both

# %%
# Here we know the truth, which is the mean of people over all 1,000 queries:
truth = score_queries(people.ravel(), runs, metrics, qid=qid).summary()

figure, axes = plt.subplots(1, 2, sharey=True, layout="constrained", figsize=(8, 3))
intervals = {
    "people": confidence_interval(human, method="t"),
    "machine": confidence_interval(judge, method="t"),
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
# The machine alone would find the dense ranker much better (*judge*). With people, the
# difference is not significant, and it should not be: the rankers are equally good. The
# judge helps less than with the means, because the differences of people and of the
# machine are less correlated.
comparison = compare_rankers(human, judge=judge)
comparison

# sphinx_gallery_start_ignore
assert not both["dense"]["ndcg@10"].low > truth["dense"]["ndcg@10"]
assert all(row.p_adjusted > 0.05 for row in comparison.rows)
assert compare_rankers(judge).rows[0].p_adjusted < 0.001
# sphinx_gallery_end_ignore
