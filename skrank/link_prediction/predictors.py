"""Link predictors: the mixin, a baseline, and models of PyKEEN."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from skrank._input.checks import check_choice
from skrank._input.frames import column_names, drop_column
from skrank._ranking.ids import encode_qid
from skrank._text.docs import MetadataRequest, Self, Side, sharing_words
from skrank.link_prediction.ranks import (
    check_not_nan,
    evaluate_link_prediction,
    model_scores,
    rank_triples,
)
from skrank.link_prediction.triples import (
    HEAD,
    RELATION,
    SIDES,
    TAIL,
    Vocabulary,
    as_triples,
    encode_triples,
    read_triples,
)

LINK_PREDICTOR = "link_predictor"

_share_score_words = sharing_words(
    """
X : array-like of shape (n_triples, 3)
    Triples; the entities that are predicted are not read.
""",
    returns="""
Returns
-------
y_score : ndarray of shape (n_triples, n_entities)
    The scores.
""",
)


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
    PopularityPredictor : A baseline that counts.
    evaluate_link_prediction : The metrics of a link predictor.
    skrank.metrics.make_ranking_scorer : Scorers with another rule for ties.

    Notes
    -----
    Put the mixin to the left of :class:`~sklearn.base.BaseEstimator`. In `fit`, call
    `fit_ids`: it sets `entities_` (the ids of the columns of the scores), `relations_`
    and `triples_` (for the filter). `encode` is for the triples to score. If the
    estimator has parameters `entities` and `relations`, they give the ids and their
    order; where they are None, the ids are those in `X`, sorted.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.base import BaseEstimator
    >>> from skrank.link_prediction import LinkPredictor
    >>> class NearestEntities(LinkPredictor, BaseEstimator):
    ...     def fit(self, X, y=None):
    ...         self.fit_ids(X)
    ...         return self
    ...
    ...     def _closeness(self, given):
    ...         return -np.abs(given[:, np.newaxis] - np.arange(len(self.entities_)))
    ...
    ...     def score_tails(self, X):
    ...         return self._closeness(self.encode(X)[0])
    ...
    ...     def score_heads(self, X):
    ...         return self._closeness(self.encode(X)[2])
    >>> X = [["a", "next", "b"], ["b", "next", "c"], ["c", "next", "d"]]
    >>> model = NearestEntities().fit(X[:1] + X[2:])
    >>> model.predict(X[1:2])
    array([[-1,  0, -1, -2]])
    >>> model.score(X[1:2])
    0.4166...
    """

    def score(self, X: ArrayLike, y: object = None) -> float:
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

    def predict(self, X: ArrayLike, *, side: Side = "tail") -> NDArray[Any]:
        """Return the scores of entities as the tails or heads of triples.

        Parameters
        ----------
        X : array-like of shape (n_triples, 3)
            Triples. The entity that is predicted is not read.
        side : {"head", "tail"}, default="tail"
            Which entity to predict.

        Returns
        -------
        y_score : ndarray of shape (n_triples, n_entities)
            The scores, larger is better, in the order of `entities_`.
        """
        check_choice(side, SIDES, "side", "predict")
        check_is_fitted(self, "entities_")
        triples = as_triples(X)
        scores = model_scores(self, side, triples, len(self.entities_))
        check_not_nan(scores, side, lambda: True)
        return scores

    def __skrank_ranks__(self, X):
        """Return the ranks of the heads and tails of triples, for scorers."""
        return rank_triples(self, X)

    def fit_ids(self, X: ArrayLike) -> tuple[NDArray[Any], ...]:
        """Learn the ids in the training triples; `fit` calls it.

        Parameters
        ----------
        X : array-like of shape (n_triples, 3)
            The training triples.

        Returns
        -------
        head, relation, tail : ndarray of shape (n_triples,)
            Their positions in `entities_` and `relations_`.
        """
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
        names = column_names(drop_column(X, "qid"))
        if names is not None and all(isinstance(name, str) for name in names):
            self.feature_names_in_ = np.array(names, dtype=object)
        self.triples_ = triples
        return self.encode(triples)

    def encode(self, X: ArrayLike) -> tuple[NDArray[Any], ...]:
        """Return the triples to score as positions in `entities_` and `relations_`.

        Parameters
        ----------
        X : array-like of shape (n_triples, 3)
            Triples with ids that are known.

        Returns
        -------
        head, relation, tail : ndarray of shape (n_triples,)
            The positions.
        """
        check_is_fitted(self, "entities_")
        entities = Vocabulary(self.entities_, "entities")
        relations = Vocabulary(self.relations_, "relations")
        return encode_triples(as_triples(X), entities, relations, "X")

    def __sklearn_tags__(self):
        """Return the tags, with the estimator type of link predictors."""
        tags = super().__sklearn_tags__()
        tags.estimator_type = LINK_PREDICTOR
        tags.target_tags.required = False
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


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
    feature_names_in_ : ndarray of shape (3,)
        The names of the columns, if `X` of fit is a data frame.

    See Also
    --------
    LinkPredictor : Write a model of your own.
    from_pykeen : Evaluate a model of PyKEEN.

    Examples
    --------
    >>> from skrank.datasets import load_nations
    >>> from skrank.link_prediction import PopularityPredictor
    >>> nations = load_nations()
    >>> model = PopularityPredictor().fit(nations.train)
    >>> model.score(nations.test)
    0.5200...
    """

    if TYPE_CHECKING:  # scikit-learn makes it

        def set_predict_request(self, *, side: MetadataRequest = ...) -> Self: ...

    def __init__(
        self, *, entities: ArrayLike | None = None, relations: ArrayLike | None = None
    ) -> None:
        self.entities = entities
        self.relations = relations

    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Count the heads and tails of each relation.

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
        head, relation, tail = self.fit_ids(X)
        self.tail_counts_ = self._count(relation, tail)
        self.head_counts_ = self._count(relation, head)
        return self

    @_share_score_words
    def score_tails(self, X: ArrayLike) -> NDArray[Any]:
        """Return the scores of all entities as tails."""
        _, relation, _ = self.encode(X)
        return self.tail_counts_[relation].toarray()

    @_share_score_words
    def score_heads(self, X: ArrayLike) -> NDArray[Any]:
        """Return the scores of all entities as heads."""
        _, relation, _ = self.encode(X)
        return self.head_counts_[relation].toarray()

    def _count(self, relation, entity):
        shape = len(self.relations_), len(self.entities_)
        ones = np.ones(len(relation), dtype=np.int32)
        return sparse.csr_matrix((ones, (relation, entity)), shape=shape)


def from_pykeen(model: Any, triples_factory: Any = None) -> PyKEENPredictor:
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


class PyKEENPredictor(LinkPredictor, BaseEstimator):
    """A PyKEEN model, and the triples it was trained on, as a link predictor.

    Made by :func:`from_pykeen`.
    """

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

    def score_tails(self, X):
        """Return the scores of all entities as tails."""
        head, relation, _ = self.encode(X)
        return self._ask(self.model.predict_t, head, relation)

    def score_heads(self, X):
        """Return the scores of all entities as heads."""
        _, relation, tail = self.encode(X)
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
