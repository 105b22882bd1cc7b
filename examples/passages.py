"""
Do the passages say the same thing twice?
=========================================

A language model answers from the first passages that a search finds. NDCG is perfect if
all of them are relevant, even if they all say the same thing. Subtopic metrics count
what they say: which of the needed facts, the nuggets, are in them.
"""

# SPDX-License-Identifier: BSD-3-Clause

# sphinx_gallery_thumbnail_path = "thumbnails/passages.svg"

# %%
# One question
# ------------
#
# A good answer to "Why does my dough not rise?" has four nuggets. A person or a
# language model noted which of them each passage contains. These labels are a column:
# one list of labels per row.
import numpy as np

from skrank.metrics import evaluate, score_queries
from skrank.plot import MetricAtKDisplay
from skrank.stats import compare_rankers

nuggets = [
    ["yeast"],  # If dough does not rise, the yeast may be dead.
    ["yeast"],  # My dough did not rise. The yeast was dead.
    ["yeast", "salt"],  # Old yeast does not rise, nor does yeast that touched salt.
    ["cold"],  # In a cold kitchen dough takes twice as long.
    [],  # Dough that has risen should be baked at once.
    ["hot water"],  # Water of more than 50 degrees kills the yeast.
]
is_relevant = [bool(labels) for labels in nuggets]
names = ["ndcg@3", "subtopic_recall@3", "alpha_ndcg@3"]
evaluate(is_relevant, [6, 5, 4, 3, 2, 1], names, subtopics=nuggets)

# %%
# The first three passages are relevant, but they contain only two of the four nuggets.
# ``alpha_ndcg`` halves the gain of a nugget each time that it has been said before. In
# a different order, the first three contain all four, and NDCG is the same:
evaluate(is_relevant, [1, 2, 6, 5, 3, 4], names, subtopics=nuggets)

# %%
# 200 questions
# -------------
#
# The data are simulated. A question has up to six nuggets, and more passages have the
# first of them than the last. "similar" ranks 30 passages by the cosine of their vector
# and that of the question. "diverse" takes one passage after the other. Each time, it
# subtracts the highest similarity to a passage that it has already taken.
rng = np.random.default_rng(0)
weight = 1 / np.arange(1, 7)
of_nugget = rng.normal(size=(200, 6, 24))
has_nugget = rng.random((200, 30, 6)) < 0.45 * weight
passage = has_nugget @ of_nugget + rng.normal(size=(200, 30, 24))
passage /= np.linalg.norm(passage, axis=2, keepdims=True)
question = weight @ of_nugget
question /= np.linalg.norm(question, axis=1, keepdims=True)

similar = np.einsum("qpd,qd->qp", passage, question)
diverse, left = np.zeros((200, 30)), similar.copy()
nearest, row = np.zeros((200, 30)), np.arange(200)
for place in range(30):
    best = np.argmax(left - 0.7 * nearest, axis=1)
    diverse[row, best], left[row, best] = -place, -np.inf
    cosine = np.einsum("qpd,qd->qp", passage, passage[row, best])
    nearest = np.maximum(nearest, cosine)

# %%
# How many passages does it take?
# -------------------------------
#
# The figure shows the share of the nuggets that the first k passages contain, with
# intervals over the questions.
ks = [1, 2, 3, 5, 7, 10, 15, 20]
names = ["ndcg@5", "alpha_ndcg@5", *[f"subtopic_recall@{k}" for k in ks]]
scores = score_queries(
    has_nugget.any(axis=2).ravel(),
    {"similar": similar.ravel(), "diverse": diverse.ravel()},
    names,
    qid=np.repeat(row, 30),
    subtopics=has_nugget.reshape(-1, 6),
)
display = MetricAtKDisplay.from_scores(scores, metric="subtopic_recall")

# %%
# To cover the same nuggets, "similar" needs about 1.5 times as many passages. NDCG does
# not show this: nearly all of the first five passages of both orders are relevant.
scores["ndcg@5"].summary()

# %%
# The subtopic metrics show it:
comparison = compare_rankers(
    scores[["alpha_ndcg@5", "subtopic_recall@5"]], baseline="similar"
)

# sphinx_gallery_start_ignore
assert min(row["ndcg@5"] for row in scores.summary().values()) > 0.99
assert all(row.low > 0 for row in comparison.rows)
recall = scores.summary()
assert recall["diverse"]["subtopic_recall@7"] > recall["similar"]["subtopic_recall@10"]
# sphinx_gallery_end_ignore
comparison

# %%
# Somebody has to write down the nuggets and look for them in the passages. If a
# language model does both, check some of its answers yourself.
