"""A link predictor with complex embeddings, trained in NumPy."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numbers
from itertools import repeat

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state, check_scalar

from skrank.link_prediction._mixin import BaseLinkPredictor


class ComplEx(BaseLinkPredictor):
    r"""Complex embeddings of entities and relations (ComplEx).

    The score of (h, r, t) is :math:`\mathrm{Re}(\sum_i h_i r_i \bar t_i)` with complex
    vectors h, r and t [1]_. They are learned by classification: the tail of a triple is
    predicted among all entities, and the head likewise, with a second vector for each
    relation read backwards [2]_.

    Parameters
    ----------
    n_components : int, default=50
        The number of complex components of a vector.
    max_iter : int, default=100
        The number of passes over the training triples.
    batch_size : int, default=100
        The number of triples in an update. Each training triple counts twice, as
        (h, r, t) and read backwards.
    learning_rate : float, default=0.1
        The initial step size of Adagrad.
    alpha : float, default=0.01
        The strength of the N3 regularization: the mean over a batch of the summed cubes
        of the absolute values of the components.
    max_negatives : int or None, default=1000
        In larger graphs, each batch draws this many entities, and predicts its answers
        among these and the answers themselves. None always takes all entities.
    entities, relations : array-like of shape (n_ids,), default=None
        All ids, in the order of the columns of the scores. If None, those of the
        training triples, sorted. Pass them if triples with other ids will be scored.
    random_state : int, RandomState instance or None, default=None
        The seed of the initial vectors, the order of the triples and the drawn
        entities. Pass an int to get the same vectors at each call.

    Attributes
    ----------
    entities_, relations_ : ndarray of shape (n_ids,)
        The ids.
    triples_ : ndarray of shape (n_triples, 3)
        The training triples, which are filtered out in evaluation.
    entity_embeddings_ : ndarray of complex of shape (n_entities, n_components)
        The vectors of the entities.
    relation_embeddings_ : ndarray of complex of shape (2 * n_relations, n_components)
        The vectors of the relations, then those of the relations read backwards.
    loss_curve_ : list of float
        The mean loss of each pass over the triples, without the regularization.
    n_features_in_ : int
        3, the columns of a triple.

    See Also
    --------
    PopularityPredictor : A baseline that counts.
    from_pykeen : Evaluate a model of PyKEEN.

    Notes
    -----
    This is a baseline that needs nothing but NumPy and SciPy. A pass over 272,115
    triples of 14,541 entities, the size of FB15k-237, takes about 13 s on one core with
    32 components. Libraries for embeddings train large models faster, on a GPU.

    In graphs of more than `max_negatives` entities the sum over all entities in the
    loss is estimated from a uniform sample that the batch shares, weighted by the
    number of entities it stands for.

    References
    ----------
    .. [1] T. Trouillon et al., "Complex Embeddings for Simple Link Prediction",
       ICML 2016.
    .. [2] T. Lacroix, N. Usunier and G. Obozinski, "Canonical Tensor Decomposition for
       Knowledge Base Completion", ICML 2018.

    Examples
    --------
    >>> from skrank.datasets import load_nations
    >>> from skrank.link_prediction import ComplEx
    >>> nations = load_nations()
    >>> model = ComplEx(10, max_iter=20, random_state=0).fit(nations.train)
    >>> model.score(nations.test) > 0.6
    True
    """

    def __init__(
        self,
        n_components=50,
        *,
        max_iter=100,
        batch_size=100,
        learning_rate=0.1,
        alpha=0.01,
        max_negatives=1000,
        entities=None,
        relations=None,
        random_state=None,
    ):
        self.n_components = n_components
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.alpha = alpha
        self.max_negatives = max_negatives
        self.entities = entities
        self.relations = relations
        self.random_state = random_state

    def _check_parameters(self):
        for name in ("n_components", "max_iter", "batch_size", "max_negatives"):
            value = getattr(self, name)
            if name != "max_negatives" or value is not None:
                check_scalar(value, name, numbers.Integral, min_val=1)
        for name in ("learning_rate", "alpha"):
            check_scalar(getattr(self, name), name, numbers.Real, min_val=0)

    def _learn(self, head, relation, tail):
        rng = check_random_state(self.random_state)
        n_relations = len(self.relations_)
        # Each triple is also the triple (t, r backwards, h).
        given = np.concatenate([head, tail])
        relation = np.concatenate([relation, relation + n_relations])
        answer = np.concatenate([tail, head])
        entity = _Embedding(rng, len(self.entities_), self.n_components)
        of_relation = _Embedding(rng, 2 * n_relations, self.n_components)
        samples = self._draw_samples(rng, len(self.entities_))
        self.loss_curve_ = []
        for _ in range(self.max_iter):
            order = rng.permutation(len(given))
            loss = 0.0
            for start in range(0, len(order), self.batch_size):
                rows = order[start : start + self.batch_size]
                batch = given[rows], relation[rows], answer[rows]
                step = self._step(entity, of_relation, *batch, next(samples))
                loss += step * len(rows)
            self.loss_curve_.append(float(loss / len(order)))
        self.entity_embeddings_ = entity.vectors
        self.relation_embeddings_ = of_relation.vectors

    def _score_tails(self, head, relation):
        return self._score(head, relation)

    def _score_heads(self, relation, tail):
        return self._score(tail, relation + len(self.relations_))

    def _score(self, given, relation):
        query = self.entity_embeddings_[given] * self.relation_embeddings_[relation]
        return _real(query) @ _real(self.entity_embeddings_).T

    def _draw_samples(self, rng, n_entities):
        """Yield the entities that a batch predicts its answers among, ascending."""
        size = self.max_negatives
        if size is None or n_entities <= size:
            yield from repeat(np.arange(n_entities))
        while True:
            order = rng.permutation(n_entities)
            for start in range(0, n_entities - size + 1, size):
                yield np.sort(order[start : start + size])

    def _step(self, entity, of_relation, given, relation, answer, columns):
        """Update the vectors by one batch, and return its mean loss.

        The answers are predicted among the entities `columns`, an ascending array. If
        these are a sample, they stand for all other entities: the loss is

            -log(exp(s_a) / (exp(s_a) + (n - 1) / m sum_j exp(s_j)))

        with the score s_a of the answer and s_j of the m others in the sample.
        """
        n_rows, rows = len(given), np.arange(len(given))
        g, a = entity.vectors[given], entity.vectors[answer]
        r = of_relation.vectors[relation]
        query, others = g * r, _real(entity.vectors[columns])
        scores = _real(query) @ others.T
        own = np.einsum("ij,ij->i", _real(query), _real(a))
        place = np.minimum(np.searchsorted(columns, answer), len(columns) - 1)
        is_answer = columns[place] == answer
        scores[rows[is_answer], place[is_answer]] = -np.inf
        n_others = np.maximum(len(columns) - is_answer, 1)
        own -= np.log(max(len(entity.vectors) - 1, 1) / n_others)
        highest = np.maximum(scores.max(axis=1), own)
        scores -= highest[:, np.newaxis]
        probability = np.exp(scores, out=scores)
        of_answer = np.exp(own - highest)
        total = probability.sum(axis=1) + of_answer
        probability /= (n_rows * total)[:, np.newaxis]
        loss = -np.log(np.maximum(of_answer / total, 1e-30)).mean()
        # The derivative of the loss by the score of the answer.
        slope = ((of_answer / total - 1) / n_rows).astype(np.float32)[:, np.newaxis]
        by_query = _complex(probability @ others) + slope * a
        pull = np.float32(3 * self.alpha / n_rows)
        by_given = by_query * r.conj() + pull * np.abs(g) * g
        by_answer = slope * query + pull * np.abs(a) * a
        by_relation = by_query * g.conj() + pull * np.abs(r) * r
        by_column = _complex(probability.T @ _real(query))
        touched = np.concatenate([columns, given, answer])
        gradients = np.concatenate([by_column, by_given, by_answer])
        entity.descend(*_summed(touched, gradients), self.learning_rate)
        of_relation.descend(*_summed(relation, by_relation), self.learning_rate)
        return loss


class _Embedding:
    """Complex vectors and the sums of squared gradients that Adagrad divides by."""

    def __init__(self, rng, n_vectors, n_components):
        parts = rng.standard_normal((n_vectors, 2 * n_components))
        self.vectors = _complex((0.1 * parts).astype(np.float32))
        self._squares = np.full(parts.shape, 1e-10, dtype=np.float32)

    def descend(self, rows, gradient, learning_rate):
        """Update some rows, each of which occurs once."""
        gradient = _real(gradient)
        squares = self._squares[rows] + gradient**2
        self._squares[rows] = squares
        np.sqrt(squares, out=squares)
        np.divide(gradient, squares, out=squares)
        squares *= np.float32(learning_rate)
        self.vectors[rows] -= _complex(squares)


def _summed(rows, gradients):
    """Return (rows, gradients) with the gradients of equal rows added."""
    kept, place = np.unique(rows, return_inverse=True)
    ones = np.ones(len(rows), dtype=np.float32)
    cells = place.reshape(-1), np.arange(len(rows))
    adding = sparse.csr_array((ones, cells), shape=(len(kept), len(rows)))
    return kept, _complex(adding @ _real(gradients))


def _real(vectors):
    """Return complex numbers as pairs of real ones, without a copy."""
    return np.ascontiguousarray(vectors).view(np.float32)


def _complex(parts):
    return np.ascontiguousarray(parts).view(np.complex64)
