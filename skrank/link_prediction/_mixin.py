"""The mixin class of link predictors."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from skrank._checks import check_choice
from skrank._ranking.ids import encode_qid
from skrank.link_prediction._evaluate import evaluate_link_prediction
from skrank.link_prediction._rank_triples import rank_triples
from skrank.link_prediction._read_model import check_not_nan, model_scores
from skrank.link_prediction._triple_ids import (
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
    make_link_prediction_scorer : Scorers with options of their own.

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
