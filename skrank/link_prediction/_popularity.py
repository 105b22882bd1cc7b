"""A link predictor that counts how often a relation has each head and tail."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from scipy import sparse

from skrank.link_prediction._mixin import BaseLinkPredictor


class PopularityPredictor(BaseLinkPredictor):
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

    def _learn(self, head, relation, tail):
        self.tail_counts_ = self._count(relation, tail)
        self.head_counts_ = self._count(relation, head)

    def _score_tails(self, head, relation):
        return self.tail_counts_[relation].toarray()

    def _score_heads(self, relation, tail):
        return self.head_counts_[relation].toarray()

    def _count(self, relation, entity):
        shape = len(self.relations_), len(self.entities_)
        ones = np.ones(len(relation), dtype=np.int32)
        return sparse.csr_matrix((ones, (relation, entity)), shape=shape)
