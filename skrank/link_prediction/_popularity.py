"""A link predictor that counts how often a relation has each head and tail."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from skrank.link_prediction._mixin import LinkPredictor


class PopularityPredictor(LinkPredictor, BaseEstimator):
    """Predict the most frequent heads and tails of a relation.

    The score of a tail is the number of training triples with that relation and tail,
    and likewise for heads. All entities that were never seen with the relation are tied
    at 0, so that this baseline also shows the effect of ties on metrics.

    Parameters
    ----------
    entities, relations : array-like of shape (n_ids,), default=None
        All ids, in the order of the columns of the scores. If None, those of the
        training triples, sorted. Pass them if triples with other ids will be scored.

    Attributes
    ----------
    entities_, relations_ : ndarray of shape (n_ids,)
        The ids.
    triples_ : ndarray of shape (n_triples, 3)
        The training triples, which are filtered out in evaluation.
    tail_counts_, head_counts_ : sparse array of shape (n_relations, n_entities)
        How often each relation was seen with each entity.
    n_features_in_ : int
        3, the columns of a triple.

    See Also
    --------
    ComplEx : A baseline that learns embeddings.

    Examples
    --------
    >>> from skrank.datasets import load_nations
    >>> from skrank.link_prediction import PopularityPredictor
    >>> nations = load_nations()
    >>> model = PopularityPredictor().fit(nations.train)
    >>> model.score(nations.test)
    0.5200...
    """

    def __init__(self, *, entities=None, relations=None):
        self.entities = entities
        self.relations = relations

    def fit(self, X, y=None):
        """Count the training triples.

        Parameters
        ----------
        X : array-like of shape (n_triples, 3)
            Head, relation and tail, all integers or all text.
        y : object, default=None
            Not used, present for API consistency.

        Returns
        -------
        self : object
            The fitted predictor.
        """
        head, relation, tail = self._learn_ids(X)
        self.tail_counts_ = self._count(relation, tail)
        self.head_counts_ = self._count(relation, head)
        return self

    def score_tails(self, X):
        """Return how often each entity was the tail of the relations of `X`.

        Parameters
        ----------
        X : array-like of shape (n_triples, 3)
            Triples; their tails are not read.

        Returns
        -------
        y_score : ndarray of shape (n_triples, n_entities)
            The counts.
        """
        _, relation, _ = self._encode(X)
        return self.tail_counts_[relation].toarray()

    def score_heads(self, X):
        """Return how often each entity was the head of the relations of `X`.

        Parameters
        ----------
        X : array-like of shape (n_triples, 3)
            Triples; their heads are not read.

        Returns
        -------
        y_score : ndarray of shape (n_triples, n_entities)
            The counts.
        """
        _, relation, _ = self._encode(X)
        return self.head_counts_[relation].toarray()

    def _count(self, relation, entity):
        shape = len(self.relations_), len(self.entities_)
        ones = np.ones(len(relation), dtype=np.int32)
        return sparse.csr_matrix((ones, (relation, entity)), shape=shape)
