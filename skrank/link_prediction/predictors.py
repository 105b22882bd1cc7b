"""Link predictors: the mixin, baselines, and models of PyKEEN."""

# SPDX-License-Identifier: BSD-3-Clause

import importlib
import numbers
from itertools import repeat

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state, check_scalar
from sklearn.utils.validation import check_is_fitted

from skrank._checks import check_choice
from skrank._ranking.ids import encode_qid
from skrank.link_prediction.evaluation import (
    check_not_nan,
    evaluate_link_prediction,
    model_scores,
    rank_triples,
)
from skrank.link_prediction.triple_ids import (
    HEAD,
    RELATION,
    SIDES,
    TAIL,
    Vocabulary,
    as_ids,
    encode_triples,
    read_triples,
)

LINK_PREDICTOR = "link_predictor"


class LinkPredictor:
    """Mixin class for all link predictors.

    The estimator has the methods ``fit(X)``, ``score_tails(X)`` and ``score_heads(X)``;
    the mixin adds what scikit-learn's model selection needs. `X` holds triples: head,
    relation and tail, integers or text. `score_tails` and `score_heads` return scores
    of shape (n_triples, n_entities), larger is better, and do not read the entities
    that they predict.

    - `score` is the filtered MRR; `predict` returns the scores of all or some entities.
    - Scorer names such as ``"mrr"`` and ``"hits@10"`` work in ``scoring=`` without `y`:
      they evaluate the ranks of heads and tails.
    - The triples of the training fold are filtered out automatically.
    - The estimator type is ``"link_predictor"``.

    See Also
    --------
    PopularityPredictor, ComplEx : Link predictors of skrank.
    evaluate_link_prediction : The metrics of a link predictor.
    skrank.metrics.make_ranking_scorer : Scorers with another rule for ties.

    Notes
    -----
    Put the mixin to the left of :class:`~sklearn.base.BaseEstimator`. In `fit`, call
    ``self._learn_ids(X)``: it sets `entities_` (the ids of the columns of the scores),
    `relations_` and `triples_` (for the filter), and returns the triples as positions
    in these. ``self._encode(X)`` returns the positions of the triples to score. If the
    estimator has parameters `entities` and `relations`, they give the ids and their
    order; where they are None, the ids are those in `X`, sorted.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.base import BaseEstimator
    >>> from skrank.link_prediction import LinkPredictor
    >>> class NearestEntities(LinkPredictor, BaseEstimator):
    ...     def fit(self, X, y=None):
    ...         self._learn_ids(X)
    ...         return self
    ...
    ...     def _closeness(self, given):
    ...         return -np.abs(given[:, np.newaxis] - np.arange(len(self.entities_)))
    ...
    ...     def score_tails(self, X):
    ...         return self._closeness(self._encode(X)[0])
    ...
    ...     def score_heads(self, X):
    ...         return self._closeness(self._encode(X)[2])
    >>> X = [["a", "next", "b"], ["b", "next", "c"], ["c", "next", "d"]]
    >>> model = NearestEntities().fit(X[:1] + X[2:])
    >>> model.predict(X[1:2])
    array([[-1,  0, -1, -2]])
    >>> model.score(X[1:2])
    0.4166...
    """

    def score(self, X, y=None):
        """Return the filtered MRR of heads and tails, exactly averaged over ties.

        Parameters
        ----------
        X : array-like of shape (n_triples, 3)
            True triples.
        y : object, default=None
            Not used, present for API consistency.

        Returns
        -------
        score : float
            The mean reciprocal rank of heads and tails, between 0 and 1, 1 being the
            best.
        """
        return evaluate_link_prediction(self, X, metrics=["mrr"])["mrr"]

    def predict(self, X, *, side="tail", candidates=None):
        """Return the scores of entities as the tails or heads of triples.

        Parameters
        ----------
        X : array-like of shape (n_triples, 3)
            Triples. The entity that is predicted is not read.
        side : {"head", "tail"}, default="tail"
            Which entity to predict.
        candidates : array-like of shape (n_triples, n_candidates), default=None
            The entities to score for each triple. If None, all, in the order of
            `entities_`.

        Returns
        -------
        y_score : ndarray of shape (n_triples, n_entities) or (n_triples, n_candidates)
            The scores, larger is better.
        """
        check_choice(side, SIDES, "side", "predict")
        check_is_fitted(self, "entities_")
        triples = read_triples(X)
        scores = model_scores(self, side, triples, len(self.entities_))
        if candidates is not None:
            asked = as_ids(candidates, "candidates")
            if asked.ndim != 2 or len(asked) != len(triples):
                raise ValueError(
                    "The 'candidates' parameter must hold entities, an array of shape "
                    f"(n_triples, n_candidates) with {len(triples)} rows. "
                    f"Got shape {asked.shape}."
                )
            entities = Vocabulary(self.entities_, "entities")
            columns = entities.encode_all(asked, "candidates")
            scores = np.take_along_axis(scores, columns, axis=1)
        check_not_nan(scores, side, lambda: True)
        return scores

    def __skrank_ranks__(self, X):
        """Return the ranks of the heads and tails of triples, for scorers."""
        return rank_triples(self, X)

    def _learn_ids(self, X):
        """Learn the ids in triples, and return (head, relation, tail) as positions."""
        triples = read_triples(X)
        if not len(triples):
            raise ValueError(
                f"Found array with 0 sample(s) (shape={triples.shape}) while a minimum "
                f"of 1 is required by {type(self).__name__}."
            )
        seen = {
            "entities": encode_qid(triples[:, [HEAD, TAIL]].ravel())[0],
            "relations": encode_qid(triples[:, RELATION])[0],
        }
        for what, ids in seen.items():
            given = getattr(self, what, None)
            ids = Vocabulary(ids if given is None else given, what).ids
            setattr(self, f"{what}_", ids)
        self.n_features_in_ = 3
        self.triples_ = triples
        return self._positions(triples)

    def _encode(self, X):
        """Return the positions of the triples to score, as `_learn_ids` does."""
        check_is_fitted(self, "entities_")
        return self._positions(read_triples(X))

    def _positions(self, triples):
        entities = Vocabulary(self.entities_, "entities")
        relations = Vocabulary(self.relations_, "relations")
        return encode_triples(triples, entities, relations, "X")

    def __sklearn_tags__(self):
        """Return the tags, with the estimator type of link predictors."""
        tags = super().__sklearn_tags__()
        tags.estimator_type = LINK_PREDICTOR
        tags.target_tags.required = False
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


class BaseLinkPredictor(LinkPredictor, BaseEstimator):
    """Base of the predictors of skrank, which compute with positions instead of ids."""

    def fit(self, X, y=None):
        """Learn from triples.

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
        self._check_parameters()
        self._learn(*self._learn_ids(X))
        return self

    def score_tails(self, X):
        """Return the scores of all entities as tails.

        Parameters
        ----------
        X : array-like of shape (n_triples, 3)
            Triples; their tails are not read.

        Returns
        -------
        y_score : ndarray of shape (n_triples, n_entities)
            The scores.
        """
        head, relation, _ = self._encode(X)
        return self._score_tails(head, relation)

    def score_heads(self, X):
        """Return the scores of all entities as heads.

        Parameters
        ----------
        X : array-like of shape (n_triples, 3)
            Triples; their heads are not read.

        Returns
        -------
        y_score : ndarray of shape (n_triples, n_entities)
            The scores.
        """
        _, relation, tail = self._encode(X)
        return self._score_heads(relation, tail)

    def _check_parameters(self):
        """Raise if a parameter is invalid."""


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


def from_pykeen(model, triples_factory=None):
    """Make a link predictor from a trained PyKEEN model.

    Parameters
    ----------
    model : pykeen.models.Model
        A trained model.
    triples_factory : pykeen.triples.CoreTriplesFactory, default=None
        The triples that it was trained on. They are filtered out in evaluation, and
        their labels, if the factory has them, are the ids of entities and relations. If
        None, the ids are PyKEEN's numbers.

    Returns
    -------
    predictor : PyKEENPredictor
        A fitted link predictor.

    See Also
    --------
    evaluate_link_prediction : The metrics of a link predictor.

    Notes
    -----
    The scores come from ``predict_t`` and ``predict_h`` of the model, so that a model
    with inverse relations predicts heads with them, as in PyKEEN's evaluation. They
    stay in single precision: scores that are tied in PyKEEN are tied here.

    Examples
    --------
    With PyKEEN installed::

        from pykeen.datasets import Nations
        from pykeen.pipeline import pipeline
        from skrank.link_prediction import evaluate_link_prediction, from_pykeen

        nations = Nations()
        result = pipeline(dataset=nations, model="TransE")
        model = from_pykeen(result.model, nations.training)
        test = nations.testing.label_triples(nations.testing.mapped_triples)
        evaluate_link_prediction(model, test, convention="pykeen")
    """
    return PyKEENPredictor(model, triples_factory).fit()


class PyKEENPredictor(BaseLinkPredictor):
    """A PyKEEN model, and the triples it was trained on, as a link predictor."""

    def __init__(self, model, triples_factory):
        self.model = model
        self.triples_factory = triples_factory

    def fit(self, X=None, y=None):
        """Read the ids; the model is trained already."""
        factory, n_entities = self.triples_factory, self.model.num_entities
        n_relations = getattr(self.model, "num_real_relations", None)
        if n_relations is None:
            n_relations = self.model.num_relations
        self.entities_ = _labels(factory, "entity_to_id", n_entities)
        self.relations_ = _labels(factory, "relation_to_id", n_relations)
        if factory is not None:
            positions = np.asarray(factory.mapped_triples)
            ends = self.entities_[positions[:, [HEAD, TAIL]]]
            relation = self.relations_[positions[:, RELATION]]
            self.triples_ = np.column_stack([ends[:, 0], relation, ends[:, 1]])
        return self

    def _score_tails(self, head, relation):
        return self._ask(self.model.predict_t, head, relation)

    def _score_heads(self, relation, tail):
        return self._ask(self.model.predict_h, relation, tail)

    def _ask(self, predict, *columns):
        torch = importlib.import_module("torch")
        pairs = torch.as_tensor(np.column_stack(columns), device=self.model.device)
        return predict(pairs).detach().cpu().numpy()


def _labels(factory, name, n_ids):
    """Return the labels of ids, or the ids themselves if the factory has none."""
    positions = getattr(factory, name, None)
    if positions is None:
        return np.arange(n_ids)
    labels = np.empty(n_ids, dtype=object)
    labels[list(positions.values())] = list(positions)
    return labels.astype(str)
