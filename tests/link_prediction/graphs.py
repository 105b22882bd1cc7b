"""Small graphs, models of given scores, and ranks by loops over sets."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from sklearn.base import BaseEstimator

from skrank.link_prediction import LinkPredictor


class Recorded:
    """A model whose scores are given: one matrix a side, with a row a (given, r)."""

    def __init__(self, tails, heads):
        self.tails, self.heads = tails, heads

    def score_tails(self, X):
        return self.tails[X[:, 0], X[:, 1]]

    def score_heads(self, X):
        return self.heads[X[:, 2], X[:, 1]]


class NoisyCounts(LinkPredictor, BaseEstimator):
    """Counts of training triples, with noise that leaves no ties.

    With a `weight` of -1 it is as bad a model as it is good with 1.
    """

    def __init__(self, weight=1, *, entities=None, relations=None):
        self.weight = weight
        self.entities = entities
        self.relations = relations

    def fit(self, X, y=None):
        head, relation, tail = self.fit_ids(X)
        shape = 2, len(self.relations_), len(self.entities_)
        self.counts_ = np.random.default_rng(0).random(shape)
        np.add.at(self.counts_, (0, relation, tail), self.weight)
        np.add.at(self.counts_, (1, relation, head), self.weight)
        return self

    def score_tails(self, X):
        _, relation, _ = self.encode(X)
        return self.counts_[0, relation]

    def score_heads(self, X):
        _, relation, _ = self.encode(X)
        return self.counts_[1, relation]


def make_graph(n_entities=9, n_relations=3, n_triples=60, n_levels=6, seed=0):
    """Return a model with many ties, and triples of which each is there once."""
    rng = np.random.default_rng(seed)
    shape = n_entities, n_relations, n_entities
    tails, heads = (rng.integers(n_levels, size=shape) / 4 for _ in range(2))
    cells = rng.choice(np.prod(shape), n_triples, replace=False)
    return Recorded(tails, heads), np.column_stack(np.unravel_index(cells, shape))


def loop_ranks(model, X, known, allowed=None):
    """Return (optimistic, pessimistic, n_candidates) by loops, heads first.

    `allowed` maps (side, relation) to the set of entities that are candidates.
    """
    known = set(map(tuple, np.asarray(known).tolist()))
    found = []
    for side in ("head", "tail"):
        scores = getattr(model, f"score_{side}s")(X)
        for i, (h, r, t) in enumerate(X.tolist()):
            answer = h if side == "head" else t
            rivals = []
            for e in range(scores.shape[1]):
                triple = (e, r, t) if side == "head" else (h, r, e)
                inside = allowed is None or e in allowed[side, r]
                if e != answer and triple not in known and inside:
                    rivals.append(scores[i, e])
            above = sum(score > scores[i, answer] for score in rivals)
            level = sum(score == scores[i, answer] for score in rivals)
            found.append((1 + above, 1 + above + level, 1 + len(rivals)))
    return np.array(found)


def as_columns(ranks):
    return np.column_stack([ranks.optimistic, ranks.pessimistic, ranks.n_candidates])
