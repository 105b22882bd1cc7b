"""The mixin class of rankers, and a function that recognizes rankers."""

# SPDX-License-Identifier: BSD-3-Clause

import inspect

from sklearn.pipeline import Pipeline

from skrank._columns import find_qid
from skrank._ranking.rank import rank_rows
from skrank.metrics import ndcg_score
from skrank.metrics.scored_rows import estimator_type, warn_if_queries_are_split

__all__ = ["RankingEstimator", "is_ranker"]

RANKER = "ranker"

# How `fit` takes queries: ids (XGBoost, skrank), sizes (LightGBM), ids (CatBoost).
QUERY_PARAMETERS = frozenset({"qid", "group", "group_id"})


class RankingEstimator:
    """Mixin class for all rankers.

    It makes a ranker of an estimator with ``fit(X, y, *, qid=None)`` and
    ``predict(X)``, which returns one score per row (larger is better). The ranker
    works with scikit-learn's model selection:

    - `fit` and `score` request `qid`, so that with metadata routing enabled
      ``GridSearchCV(ranker, ...).fit(X, y, qid=qid)`` needs no ``set_*_request``;
    - `score` is the NDCG of the whole lists;
    - `rank` returns the position of each row within its query;
    - `decision_function` is `predict`, so that scorers that call it, such as
      ``"roc_auc"``, can be used together with ranking metrics;
    - its estimator type is ``"ranker"``.

    See Also
    --------
    is_ranker : Return True if an estimator is a ranker.
    skrank.rankers.QueryRanker : Make a ranker of any regressor or classifier.

    Notes
    -----
    Put the mixin to the left of :class:`~sklearn.base.BaseEstimator`, like the mixins
    of scikit-learn. ``qid=None`` means that all rows belong to one query: in `score`,
    in `rank` and, by convention, in the `fit` of the ranker.

    A ranker needs to read query ids from its argument `qid` only:
    ``QueryRanker(MyRanker())`` finds them in a column ``"qid"`` of `X`, which it
    removes, or in the index of `y` or `X`, and passes them to the ranker, numbered
    from 0, with the rows sorted by query.

    A ranker may have two more members, which scorers read: ``query_sizes_``, a dict
    of the number of training rows of each query id, for a warning of split queries;
    and a method ``__skrank_qid__(X)``, which returns the query ids in a column of `X`
    that scorers do not know, or None.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.base import BaseEstimator
    >>> from sklearn.utils.validation import check_is_fitted, validate_data
    >>> from skrank.base import RankingEstimator
    >>> class BestFeatureRanker(RankingEstimator, BaseEstimator):
    ...     def fit(self, X, y, *, qid=None):
    ...         X, y = validate_data(self, X, y)
    ...         self.best_ = np.argmax((X - X.mean(axis=0)).T @ y)
    ...         return self
    ...
    ...     def predict(self, X):
    ...         check_is_fitted(self)
    ...         return validate_data(self, X, reset=False)[:, self.best_]
    >>> X = np.array([[0.1, 3.0], [0.2, 1.0], [0.3, 2.0], [0.1, 5.0], [0.4, 4.0]])
    >>> y = np.array([2, 0, 1, 1, 0])
    >>> qid = np.array(["a", "a", "a", "b", "b"])
    >>> ranker = BestFeatureRanker().fit(X, y, qid=qid)
    >>> ranker.rank(X, qid)
    array([1, 3, 2, 1, 2])
    >>> ranker.score(X, y, qid=qid)
    1.0
    """

    __metadata_request__fit = {"qid": True}
    __metadata_request__score = {"qid": True}

    # A property, because scikit-learn <= 1.8 checks the `__name__` of the method and
    # accepts a 'decision_function' of classifiers and outlier detectors only. The name
    # of a bound `predict` is accepted of every estimator.
    @property
    def decision_function(self):
        """The method `predict`, under the name that threshold metrics call."""
        return self.predict

    def score(self, X, y, *, qid=None, sample_weight=None):
        """Return the NDCG of the predicted order, over the whole lists.

        Parameters
        ----------
        X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
            Documents to rank, with or without a column of query ids.
        y : array-like of shape (n_samples,)
            True relevance of the documents.
        qid : array-like of shape (n_samples,), default=None
            Query ids, one per row. If None, they are taken from the column ``"qid"``
            of `X` (or `qid_column`, if the ranker has this parameter), or from the
            index of `y` or of `X` named ``"qid"``. If there are none, all rows are one
            query, unless the ranker has ``missing_qid="raise"``.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the queries, one per row, the same within a query.

        Returns
        -------
        score : float
            Mean NDCG of the queries, between 0 and 1, 1 being the best.

        Warns
        -----
        QuerySplitWarning
            If the ranker knows that a query has rows in the training data as well.

        See Also
        --------
        skrank.metrics.ndcg_score : The metric with all its parameters.
        """
        # First, so that the error of an unfitted ranker or a wrong X comes first.
        y_score = self.predict(X)
        qid = self._find_qid(qid, "score", X=X, y=y)
        value = ndcg_score(y, y_score, qid=qid, sample_weight=sample_weight)
        warn_if_queries_are_split(self, qid)
        return value

    def rank(self, X, qid=None):
        """Return the position of each document within its query.

        Parameters
        ----------
        X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
            Documents to rank, with or without a column of query ids.
        qid : array-like of shape (n_samples,), default=None
            Query ids, one per row. If None, they are taken from the column ``"qid"``
            of `X` (or `qid_column`, if the ranker has this parameter), or from the
            index of `X` named ``"qid"``. If there are none, all rows are one query,
            unless the ranker has ``missing_qid="raise"``.

        Returns
        -------
        ranks : ndarray of shape (n_samples,)
            1 for the document with the highest score of its query, 2 for the next,
            and so on. Documents with equal scores are ranked in the order of their
            rows.
        """
        y_score = self.predict(X)
        return rank_rows(y_score, self._find_qid(qid, "rank", X=X))

    def _find_qid(self, qid, method, *, X, y=None):
        """Return the query ids for a method, or None if all rows are one query."""
        return find_qid(qid, X=X, y=y)

    def __sklearn_tags__(self):
        """Return the tags, with the estimator type of rankers."""
        tags = super().__sklearn_tags__()
        tags.estimator_type = RANKER
        tags.target_tags.required = True
        return tags


def is_ranker(estimator):
    """Return True if the given estimator is a ranker.

    Parameters
    ----------
    estimator : estimator instance
        Estimator object to test.

    Returns
    -------
    out : bool
        True if `estimator` is a ranker and False otherwise.

    Raises
    ------
    TypeError
        If `estimator` is a class and not an instance.

    See Also
    --------
    RankingEstimator : Mixin class for all rankers.
    sklearn.base.is_regressor : Return True if an estimator is a regressor.

    Notes
    -----
    Rankers are estimators whose type is ``"ranker"``, in their tags (those of skrank)
    or in the older attribute ``_estimator_type`` (XGBRanker and CatBoostRanker), and
    estimators whose `fit` has a parameter for queries: `qid`, `group` or `group_id`
    (LGBMRanker has no type).

    A Pipeline is a ranker if its last step is one. A search or another meta-estimator
    that predicts is a ranker if its `estimator` is one and has the same type.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from skrank.base import is_ranker
    >>> from skrank.rankers import QueryRanker
    >>> is_ranker(Ridge())
    False
    >>> is_ranker(QueryRanker(Ridge()))
    True
    >>> is_ranker(make_pipeline(StandardScaler(), QueryRanker(Ridge())))
    True
    """
    if isinstance(estimator, type):
        raise TypeError(
            f"Expected an estimator instance ({estimator.__name__}()), got estimator "
            f"class instead ({estimator.__name__})."
        )
    if isinstance(estimator, Pipeline):
        return is_ranker(estimator.steps[-1][1])
    if RANKER in (
        estimator_type(estimator),
        getattr(estimator, "_estimator_type", None),
    ):
        return True
    if fit_parameters(estimator) & QUERY_PARAMETERS:
        return True
    inner = getattr(estimator, "estimator", None)
    return (
        hasattr(inner, "fit")
        and hasattr(estimator, "predict")
        and estimator_type(estimator) == estimator_type(inner)
        and is_ranker(inner)
    )


def fit_parameters(estimator):
    """Return the names of the parameters of the estimator's `fit`."""
    fit = getattr(estimator, "fit", None)
    return frozenset(inspect.signature(fit).parameters if callable(fit) else ())
