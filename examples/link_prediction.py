"""
A link predictor of your own
============================

How do I evaluate a new model of a knowledge graph? Write ``fit``, ``score_tails`` and
``score_heads``. With the mixin :class:`~skrank.link_prediction.LinkPredictor` the
filtered metrics, the scorer names and scikit-learn's searches then work with the model.
Here it is ComplEx (Trouillon et al., 2016) in NumPy, on the graph Nations, which has
relations between 14 nations. Is it better than a count of the training triples?
"""

# SPDX-License-Identifier: BSD-3-Clause

# sphinx_gallery_thumbnail_path = "thumbnails/link_prediction.svg"

# %%
# ComplEx
# -------
#
# The score of a triple is :math:`\mathrm{Re}(\sum_i h_i r_i \bar t_i)` with complex
# vectors h, r and t. They are learned by classification: the tail of a triple is
# predicted among all entities, and the head likewise, with a second vector for each
# relation read backwards. The penalty, the sum of the cubed absolute values, is that of
# Lacroix et al. (2018). Two methods come from the mixin: ``fit_ids`` keeps the ids
# of the training triples, and ``encode`` returns the positions of ids.
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.special import softmax
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.utils import check_random_state

from skrank.datasets import load_nations
from skrank.link_prediction import (
    LinkPredictor,
    PopularityPredictor,
    TripleShuffleSplit,
    rank_triples,
)
from skrank.stats import mean_interval


class ComplEx(LinkPredictor, BaseEstimator):
    def __init__(self, n_components=20, *, max_iter=20, alpha=0.01, random_state=None):
        self.n_components = n_components
        self.max_iter = max_iter
        self.alpha = alpha
        self.random_state = random_state

    def fit(self, X, y=None):
        head, relation, tail = self.fit_ids(X)
        n_relations = len(self.relations_)
        # Each triple (h, r, t) is also the triple (t, r backwards, h).
        given, answer = np.concatenate([[head, tail], [tail, head]], axis=1)
        relation = np.concatenate([relation, relation + n_relations])
        rng = check_random_state(self.random_state)
        sizes = len(self.entities_), 2 * n_relations
        vectors = [draw_vectors(rng, n, self.n_components) for n in sizes]
        squares = [np.full(part.view(float).shape, 1e-10) for part in vectors]
        n_batches = -(-len(given) // 100)
        for _ in range(self.max_iter):
            for rows in np.array_split(rng.permutation(len(given)), n_batches):
                batch = given[rows], relation[rows], answer[rows]
                gradients = loss_gradients(*vectors, *batch, self.alpha)
                for part, square, gradient in zip(
                    vectors, squares, gradients, strict=True
                ):
                    # Adagrad, with a step for each real and each imaginary part.
                    square += gradient.view(float) ** 2
                    part.view(float)[:] -= 0.1 * gradient.view(float) / np.sqrt(square)
        self.entity_vectors_, self.relation_vectors_ = vectors
        return self

    def score_tails(self, X):
        head, relation, _ = self.encode(X)
        return self._scores(head, relation)

    def score_heads(self, X):
        _, relation, tail = self.encode(X)
        return self._scores(tail, relation + len(self.relations_))

    def _scores(self, given, relation):
        query = self.entity_vectors_[given] * self.relation_vectors_[relation]
        return (query @ self.entity_vectors_.conj().T).real


def draw_vectors(rng, n_vectors, n_components):
    return 0.1 * rng.standard_normal((n_vectors, 2 * n_components)).view(complex)


def loss_gradients(entity, of_relation, given, relation, answer, alpha):
    g, r, n_rows = entity[given], of_relation[relation], len(given)
    probability = softmax((g * r @ entity.conj().T).real, axis=1)
    probability[np.arange(n_rows), answer] -= 1  # the derivative of the cross entropy
    by_query = probability @ entity
    by_entity, by_relation = probability.T @ (g * r), np.zeros_like(of_relation)
    np.add.at(by_entity, given, by_query * r.conj())
    np.add.at(by_relation, relation, by_query * g.conj())
    for by, vectors, rows in (
        (by_entity, entity, given),
        (by_entity, entity, answer),
        (by_relation, of_relation, relation),
    ):
        np.add.at(by, rows, 3 * alpha * abs(vectors[rows]) * vectors[rows])
    return by_entity / n_rows, by_relation / n_rows


# %%
# In a search
# -----------
#
# Scorer names such as ``"mrr"`` rank heads and tails; there is no ``y``. The triples of
# the training fold are filtered out, and every nation and relation stays in it.
nations = load_nations()
search = GridSearchCV(
    ComplEx(random_state=0),
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
# For each test triple a model is asked for its tail, (poland, relation, ?), and for its
# head, (?, relation, ussr). A nation that completes another known triple is not wrong,
# so it is not ranked (the filtered setting). All metrics are computed from these ranks.
ranks = {
    name: rank_triples(model, nations.test, known=nations.valid)
    for name, model in models.items()
}
metrics = ["mrr", "hits@1", "hits@3", "hits@10", "adjusted_mean_rank_index"]
values = {name: one.evaluate(metrics) for name, one in ranks.items()}
pd.DataFrame(values).round(3)

# %%
# Is the difference reliable?
# ---------------------------
#
# The MRR is a mean of reciprocal ranks, so it has a confidence interval. The head and
# the tail of a triple belong together: each triple counts once, with the mean of the
# two. The difference of two models is taken triple by triple.
reciprocal = {}
for name, one in ranks.items():
    of_rank = one.ranking("expected").expected_at_first(lambda rank: 1 / rank)
    reciprocal[name] = of_rank.reshape(2, -1).mean(axis=0)  # heads, then tails
reciprocal["difference"] = reciprocal["ComplEx"] - reciprocal["popularity"]
intervals = {name: mean_interval(one) for name, one in reciprocal.items()}
columns = ["estimate", "low", "high"]
pd.DataFrame(
    {name: [one[column] for column in columns] for name, one in intervals.items()},
    index=columns,
).T.round(3)

# %%
# Yes: the interval of the difference is far above 0.
#
# How ties change the MRR
# -----------------------
#
# Counts are often equal, and then the model does not say which nation comes first. Its
# MRR depends on how ties are resolved. The scores of ComplEx are all different, so its
# four markers coincide. The default of skrank is the expectation over all
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
# A mean over all triples hides where a model is good. The plot shows the relations with
# at least five test triples.

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
for name in models:
    assert np.isclose(intervals[name].estimate, ranks[name].evaluate("mrr")["mrr"])
assert intervals["difference"].low > 0.1
assert by_relation["ComplEx"].mean() > by_relation["popularity"].mean()
assert ranks["popularity"].tied.any()
assert not ranks["ComplEx"].tied.any()
# sphinx_gallery_end_ignore
