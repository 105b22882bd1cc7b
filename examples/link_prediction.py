"""
Link prediction on a knowledge graph
====================================

Does an embedding know more about a graph than a count of its triples? The graph Nations
has relations between 14 nations. For each test triple a model is asked for its tail,
(poland, relation, ?), and for its head, (?, relation, ussr), and ranks the nations.
"""

# SPDX-License-Identifier: BSD-3-Clause

# %%
# Two models
# ----------
#
# :class:`~skrank.link_prediction.PopularityPredictor` counts how often a nation is the
# head or the tail of a relation. :class:`~skrank.link_prediction.ComplEx` learns a
# vector of complex numbers for each nation and each relation; a search selects its
# penalty by the filtered MRR of held-out triples.
import matplotlib.pyplot as plt
import pandas as pd
from sklearn.model_selection import GridSearchCV

from skrank.datasets import load_nations
from skrank.link_prediction import ComplEx, PopularityPredictor, rank_triples
from skrank.model_selection import TripleShuffleSplit

nations = load_nations()
search = GridSearchCV(
    ComplEx(20, max_iter=20, random_state=0),
    {"alpha": [0.003, 0.03, 0.3]},
    scoring="mrr",
    cv=TripleShuffleSplit(2, test_size=0.1, random_state=0),
).fit(nations.train)
models = {
    "popularity": PopularityPredictor().fit(nations.train),
    "ComplEx": search.best_estimator_,
}
pd.DataFrame(search.cv_results_)[["param_alpha", "mean_test_score"]].round(3)

# %%
# Filtered ranks
# --------------
#
# A nation that completes another known triple is no wrong answer, so that it is not
# ranked (the filtered setting). All metrics are computed from these ranks.
ranks = {
    name: rank_triples(model, nations.test, known=nations.valid)
    for name, model in models.items()
}
metrics = ["mrr", "hits@1", "hits@3", "hits@10", "adjusted_mean_rank_index"]
values = {name: one.evaluate(metrics) for name, one in ranks.items()}
pd.DataFrame(values).round(3)

# %%
# How ties move the MRR
# ---------------------
#
# Counts are often equal, and then the model does not say which nation comes first. Its
# MRR depends on how ties are resolved. The scores of the embedding are all different,
# so that its four markers coincide. The default of skrank is the expectation over all
# orders of the tied nations; PyKEEN's ``"realistic"`` takes the mean of the best and
# the worst rank.
names = ["pessimistic", "realistic", "expected", "optimistic"]
rules = dict(zip(names, "<so>", strict=True))
figure, ax = plt.subplots(figsize=(8, 3), layout="constrained")
for color, (name, one) in zip(["C1", "C0"], ranks.items(), strict=True):
    mrr = {ties: one.evaluate("mrr", ties=ties)["mrr"] for ties in rules}
    ax.plot(list(mrr.values()), [name] * len(mrr), color="0.7", zorder=1)
    for ties, marker in rules.items():
        ax.plot(mrr[ties], name, marker, color=color, ms=9, fillstyle="none")
looks = {"color": "black", "linestyle": "", "fillstyle": "none"}
handles = [plt.Line2D([], [], marker=one, **looks) for one in rules.values()]
figure.legend(handles, list(rules), loc="outside upper center", ncols=4)
ax.margins(y=0.5)
ax.set_xlabel("filtered MRR")
plt.show()

# %%
# Relation by relation
# --------------------
#
# A mean over all triples hides where a model is good. Drawn are the relations with at
# least five test triples.

# sphinx_gallery_thumbnail_number = 2
n_triples = pd.Series(nations.test[:, 1]).value_counts()
by_relation = pd.DataFrame()
for name, one in ranks.items():
    values = pd.DataFrame(one.evaluate("mrr", by="relation"))
    by_relation[name] = values.loc["mrr"]
drawn = by_relation.loc[n_triples.index[n_triples >= 5]]
gain = drawn["ComplEx"] - drawn["popularity"]
drawn = drawn.loc[gain.sort_values().index]
figure, ax = plt.subplots(figsize=(8, 5), layout="constrained")
ax.hlines(drawn.index, drawn["popularity"], drawn["ComplEx"], color="0.7")
ax.plot(drawn["popularity"], drawn.index, "C1s", label="popularity")
ax.plot(drawn["ComplEx"], drawn.index, "C0o", label="ComplEx")
ax.set(xlabel="filtered MRR of heads and tails", title="MRR by relation")
ax.legend(loc="lower left")
plt.show()

# sphinx_gallery_start_ignore
assert by_relation["ComplEx"].mean() > by_relation["popularity"].mean()
assert ranks["popularity"].tied.any()
assert not ranks["ComplEx"].tied.any()
# sphinx_gallery_end_ignore
