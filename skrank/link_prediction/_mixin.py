"""What makes an estimator a link predictor."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from sklearn.utils.validation import check_is_fitted

from skrank._checks import check_choice
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

    It turns an estimator with ``fit(X)``, ``score_tails(X)`` and ``score_heads(X)``
    into one that scikit-learn's model selection can work with. `X` holds triples: head,
    relation and tail, integers or text. The two methods return scores of shape
    (n_triples, n_entities), larger is better; one does not read the tails of `X`, the
    other not the heads.

    - `score` is the filtered MRR, and `predict` the scores of all or of some entities;
    - scorer names such as ``"mrr"`` and ``"hits@10"`` work in ``scoring=``, although
      there is no `y`: the scorers ask what the model ranks;
    - the triples of the training fold join the filter by themselves;
    - its estimator type is ``"link_predictor"``.

    See Also
    --------
    PopularityPredictor, ComplEx : Link predictors to begin with.
    evaluate_link_prediction : The metrics of a link predictor.
    make_link_prediction_scorer : Scorers with options of their own.

    Notes
    -----
    The mixin stands to the left of :class:`~sklearn.base.BaseEstimator`. In `fit`, call
    ``self._learn_ids(X)``: it sets `entities_` (the ids of the columns of the scores),
    `relations_` and `triples_` (for the filter), and returns the triples as numbers.
    ``self._encode(X)`` does so for the triples that are scored. Where the estimator has
    parameters `entities` and `relations` that are not None, these are the ids, in that
    order; else they are those in `X`, sorted.

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
    ...     def _closeness(self, places):
    ...         return -np.abs(places[:, np.newaxis] - np.arange(len(self.entities_)))
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
        """Return the filtered MRR of both sides, the exact expectation over ties.

        Parameters
        ----------
        X : array-like of shape (n_triples, 3)
            True triples.

        y : object, default=None
            Not used; taken for scikit-learn.

        Returns
        -------
        score : float
            The mean reciprocal rank of heads and tails, between 0 and 1, 1 being the
            best.
        """
        return evaluate_link_prediction(self, X, metrics=["mrr"])["mrr"]

    def predict(self, X, *, side="tail", candidates=None):
        """Return the scores of entities as the tails, or heads, of triples.

        Parameters
        ----------
        X : array-like of shape (n_triples, 3)
            Triples, whose tail, or head, is not read.

        side : {"head", "tail"}, default="tail"
            Which entity is asked for.

        candidates : array-like of shape (n_triples, n_candidates), default=None
            The entities to score for each triple. None is all, in the order of
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
        if candidates is None:
            check_not_nan(scores, side, lambda: True)
            return scores
        asked = as_ids(candidates, "candidates")
        if asked.ndim != 2 or len(asked) != len(triples):
            raise ValueError(
                "The 'candidates' parameter must hold entities, an array of shape "
                f"(n_triples, n_candidates) with {len(triples)} rows. "
                f"Got shape {asked.shape}."
            )
        columns = Vocabulary(self.entities_, "entities").encode_all(asked, "candidates")
        scores = np.take_along_axis(scores, columns, axis=1)
        check_not_nan(scores, side, lambda: True)
        return scores

    def __skrank_ranks__(self, X):
        """Return the ranks of the heads and tails of triples, for scorers."""
        return rank_triples(self, X)

    def _learn_ids(self, X):
        """Learn the ids of entities and relations.

        Parameters
        ----------
        X : array-like of shape (n_triples, 3)
            The triples to train on.

        Returns
        -------
        head, relation, tail : ndarray of int of shape (n_triples,)
            The triples as places in `entities_` and `relations_`.
        """
        triples = read_triples(X)
        if not len(triples):
            raise ValueError(
                f"Found array with 0 sample(s) (shape={triples.shape}) while a minimum "
                f"of 1 is required by {type(self).__name__}."
            )
        seen = {
            "entities": np.unique(triples[:, [HEAD, TAIL]]),
            "relations": np.unique(triples[:, RELATION]),
        }
        for what, ids in seen.items():
            given = getattr(self, what, None)
            ids = Vocabulary(ids if given is None else given, what).ids
            setattr(self, f"{what}_", ids)
        self.n_features_in_ = 3
        self.triples_ = triples
        return self._places(triples)

    def _encode(self, X):
        """Return triples that are scored as places, like `_learn_ids`."""
        check_is_fitted(self, "entities_")
        return self._places(read_triples(X))

    def _places(self, triples):
        entities = Vocabulary(self.entities_, "entities")
        relations = Vocabulary(self.relations_, "relations")
        return encode_triples(triples, entities, relations, "X")

    def __sklearn_tags__(self):
        """Return the tags, whose estimator type says that this predicts links."""
        tags = super().__sklearn_tags__()
        tags.estimator_type = LINK_PREDICTOR
        tags.target_tags.required = False
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags
