"""The adapter that makes a ranker of any estimator."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from copy import deepcopy

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import (
    assert_all_finite,
    check_consistent_length,
    column_or_1d,
    get_tags,
)
from sklearn.utils.validation import check_is_fitted

from skrank._qid import drop_qid_column, encode_qid, find_qid, require_qid
from skrank.base import RankingEstimator
from skrank.rankers._fit import fit_estimator
from skrank.rankers._response import check_response, predicted_scores


class QueryRanker(RankingEstimator, MetaEstimatorMixin, BaseEstimator):
    """Ranker made of any regressor or classifier.

    The estimator learns the relevance of each document by itself (the pointwise
    way), and documents are ranked by what it predicts:

    - a regressor by its prediction;
    - a classifier of two classes by its `decision_function`, or else by the
      probability of the higher class;
    - a classifier of more classes by the expected grade, the sum of the classes
      weighted by their probabilities.

    An estimator whose own `fit` takes `qid`, such as a ranker made with
    :class:`~skrank.base.RankingEstimator`, is given the query ids.

    Parameters
    ----------
    estimator : estimator object
        Regressor, classifier, ranker, or a Pipeline that ends with one. A clone of
        it is fitted.

    missing_qid : {"raise", "single"}, default="raise"
        What to do if there are no query ids: raise an error, or take all rows as
        one query.

    Attributes
    ----------
    estimator_ : estimator object
        The fitted estimator.

    n_features_in_ : int
        Number of features seen during `fit`, without the column ``"qid"``. Defined
        only if the underlying estimator has such an attribute when fitted.

    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features seen during `fit`, without the column ``"qid"``.
        Defined only if the underlying estimator has such an attribute when fitted.

    See Also
    --------
    skrank.base.RankingEstimator : Mixin class for rankers of one's own.
    skrank.model_selection.QueryKFold : K-fold that keeps queries whole.

    Notes
    -----
    Query ids are looked for in three places, in this order: the argument `qid`,
    which scikit-learn's tools pass on when metadata routing is enabled; the column
    named ``"qid"`` of a data frame `X`; the index of `y` named ``"qid"``. The column
    is never a feature: it is taken out of `X` in `fit` and, if it is there, in
    `predict`.

    A scaler in front of the ranker would see that column. It belongs inside:
    ``QueryRanker(make_pipeline(StandardScaler(), Ridge()))``.

    `sample_weight` goes to the underlying estimator, of a Pipeline to its last step.
    With metadata routing enabled, call ``set_fit_request(sample_weight=True)`` on
    the ranker; transformers of the Pipeline are weighted if they request it.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> from skrank.rankers import QueryRanker
    >>> X = np.array([[3.0], [1.0], [2.0], [5.0], [4.0]])
    >>> y = np.array([2, 0, 1, 1, 0])
    >>> qid = np.array(["a", "a", "a", "b", "b"])
    >>> ranker = QueryRanker(Ridge()).fit(X, y, qid=qid)
    >>> ranker.rank(X, qid)
    array([1, 3, 2, 1, 2])
    >>> ranker.score(X, y, qid=qid)
    1.0
    """

    def __init__(self, estimator, *, missing_qid="raise"):
        self.estimator = estimator
        self.missing_qid = missing_qid

    def fit(self, X, y, *, qid=None, sample_weight=None):
        """Fit the underlying estimator.

        Parameters
        ----------
        X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
            Training documents. A column named ``"qid"`` of a data frame is taken
            out, and brings the query ids unless they are passed.

        y : array-like of shape (n_samples,)
            Relevance of the documents. An index named ``"qid"`` brings the query ids
            unless they are passed or are in `X`.

        qid : array-like of shape (n_samples,), default=None
            Query ids, one per row, rows in any order.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows, for the underlying estimator.

        Returns
        -------
        self : object
            Fitted ranker.

        Raises
        ------
        ValueError
            If there are no query ids and `missing_qid` is ``"raise"``, if they are
            not one per row, if `y` is not numeric, if weights are passed that the
            underlying estimator does not take, or if it is a classifier without
            probabilities for more than two classes.
        """
        self._check_parameters()
        qid = self._find_qid(qid, "fit", X=X, y=y)
        y = self._check_target(y)
        X = drop_qid_column(X)
        check_consistent_length(X, y)
        codes = np.zeros(len(y), dtype=np.intp)
        if qid is not None:
            _, codes = encode_qid(qid, len(y))
        fitted = fit_estimator(
            clone(self.estimator), X, y, qid=codes, sample_weight=sample_weight
        )
        check_response(fitted)
        self.estimator_ = fitted
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))
        return self

    def predict(self, X):
        """Return the scores of the documents.

        Parameters
        ----------
        X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
            Documents, with or without the column ``"qid"``.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            One score per row, larger is better. Only those of the same query are
            meant to be compared.
        """
        check_is_fitted(self)
        return predicted_scores(self.estimator_, drop_qid_column(X))

    def score(self, X, y, *, qid=None, sample_weight=None):
        """Return the NDCG of the predicted order, over the whole lists.

        Parameters
        ----------
        X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
            Documents to rank, with or without the column ``"qid"``.

        y : array-like of shape (n_samples,)
            True relevance of the documents.

        qid : array-like of shape (n_samples,), default=None
            Query ids, one per row. If None, they are taken from the column named
            ``"qid"`` of `X` or from the index of `y` named ``"qid"``; if there is
            neither, `missing_qid` tells what to do.

        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the queries, one per row, the same within a query.

        Returns
        -------
        score : float
            Mean NDCG of the queries, between 0 and 1, 1 being the best.

        See Also
        --------
        skrank.metrics.ndcg_score : The metric with all its parameters.
        """
        check_is_fitted(self)
        qid = self._find_qid(qid, "score", X=X, y=y)
        return super().score(X, y, qid=qid, sample_weight=sample_weight)

    def rank(self, X, qid=None):
        """Return the position of each document within its query.

        Parameters
        ----------
        X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features)
            Documents to rank, with or without the column ``"qid"``.

        qid : array-like of shape (n_samples,), default=None
            Query ids, one per row. If None, they are taken from the column named
            ``"qid"`` of `X`; if there is none, `missing_qid` tells what to do.

        Returns
        -------
        ranks : ndarray of shape (n_samples,)
            1 for the document with the highest score of its query, 2 for the next,
            and so on. Documents with equal scores are ranked in the order of their
            rows.
        """
        check_is_fitted(self)
        return super().rank(X, self._find_qid(qid, "rank", X=X))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if hasattr(self.estimator, "__sklearn_tags__"):
            tags.input_tags = deepcopy(get_tags(self.estimator).input_tags)
        return tags

    def _check_parameters(self):
        inner = self.estimator
        if isinstance(inner, type) or not (
            hasattr(inner, "fit") and hasattr(inner, "predict")
        ):
            raise TypeError(
                "The 'estimator' parameter of QueryRanker must be an object "
                f"implementing 'fit' and 'predict'. Got {inner!r} instead."
            )
        if self.missing_qid not in ("raise", "single"):
            raise ValueError(
                "The 'missing_qid' parameter of QueryRanker must be a str among "
                f"{{'raise', 'single'}}. Got {self.missing_qid!r} instead."
            )

    def _find_qid(self, qid, method, *, X, y=None):
        """Return the query ids, None if all rows shall be one query."""
        qid = find_qid(qid, X=X, y=y)
        if self.missing_qid == "single":
            return qid
        return require_qid(qid, f"QueryRanker.{method}")

    def _check_target(self, y):
        """Return `y` as numbers of shape (n_samples,)."""
        if y is None:
            raise ValueError(
                "This QueryRanker estimator requires y to be passed, but the target "
                "y is None."
            )
        y = column_or_1d(y, dtype="numeric", warn=True)
        assert_all_finite(y, input_name="y")
        return y
