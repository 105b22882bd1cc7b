"""A ranker as a regressor, for tools that accept nothing else."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from copy import deepcopy
from typing import Any

from sklearn.base import BaseEstimator, MetaEstimatorMixin, RegressorMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from skrank.base import is_ranker


def as_regressor(ranker: Any) -> Any:
    """Return a regressor that predicts the scores of a ranker.

    Some tools accept only classifiers and regressors, such as
    :func:`~sklearn.inspection.partial_dependence`,
    :class:`~sklearn.ensemble.VotingRegressor` and skore. Scores of a ranker are
    comparable within a query only, so what these tools average over queries has a
    meaning only if you know that the scores of all queries have the same scale, as
    they have for one model of the documents' features.

    Parameters
    ----------
    ranker : estimator object
        A ranker, fitted or not, for which :func:`skrank.base.is_ranker` returns True.
        It may be a Pipeline or a search that ends with one.

    Returns
    -------
    regressor : estimator object
        A regressor with the parameter `ranker` and the methods
        ``fit(X, y, *, qid=None, sample_weight=None)``, ``predict(X)`` and `score`,
        which is the coefficient of determination (R²) of the scores. If `ranker` is
        fitted, the regressor is fitted with it. Its `fit`, and that of its clones, fits
        a clone of `ranker`, which is the attribute `ranker_`.

    Raises
    ------
    TypeError
        If `ranker` is not a ranker.

    See Also
    --------
    QueryRanker : The reverse: make a ranker of any regressor or classifier.

    Notes
    -----
    For scorers and for :func:`skrank.base.is_ranker` the regressor is still a ranker.
    `fit` requests `qid`, so that with metadata routing enabled
    ``VotingRegressor(...).fit(X, y, qid=qid)`` needs no ``set_fit_request``. For
    `sample_weight`, call ``set_fit_request(sample_weight=True)`` on the regressor.

    Examples
    --------
    >>> from sklearn.inspection import partial_dependence
    >>> from sklearn.linear_model import Ridge
    >>> from skrank.datasets import make_ranking
    >>> from skrank.rankers import QueryRanker, as_regressor
    >>> X, y, qid = make_ranking(random_state=0)
    >>> ranker = QueryRanker(Ridge()).fit(X, y, qid=qid)
    >>> result = partial_dependence(
    ...     as_regressor(ranker), X, features=[0], grid_resolution=3
    ... )
    >>> result["average"].shape
    (1, 3)
    """
    if isinstance(ranker, type) or not is_ranker(ranker):
        raise TypeError(
            "The 'ranker' parameter of as_regressor must be a ranker, such as "
            f"QueryRanker(Ridge()). Got {ranker!r} instead."
        )
    regressor = RankerAsRegressor(ranker)
    try:
        check_is_fitted(ranker)
    except NotFittedError:
        return regressor
    regressor.ranker_ = ranker
    return regressor


class RankerAsRegressor(RegressorMixin, MetaEstimatorMixin, BaseEstimator):
    """The regressor that :func:`as_regressor` returns."""

    __metadata_request__fit = {"qid": True}

    def __init__(self, ranker):
        self.ranker = ranker

    def fit(self, X, y, *, qid=None, sample_weight=None):
        """Fit a clone of the ranker."""
        metadata = {"qid": qid, "sample_weight": sample_weight}
        passed = {name: value for name, value in metadata.items() if value is not None}
        vars(self).pop("ranker_", None)  # not fitted until this has ended
        self.ranker_ = clone(self.ranker).fit(X, y, **passed)
        return self

    def predict(self, X):
        """Return the scores of the documents."""
        check_is_fitted(self)
        return self.ranker_.predict(X)

    @property
    def n_features_in_(self):
        """The number of features that the ranker was fitted on."""
        return self.ranker_.n_features_in_

    @property
    def feature_names_in_(self):
        """The names of the features that the ranker was fitted on."""
        return self.ranker_.feature_names_in_

    @property
    def query_sizes_(self):
        """The number of training rows of each query; scorers read it."""
        return self.ranker_.query_sizes_

    def __skrank_qid__(self, X):
        """Return the query ids in a column of `X`, or None; scorers call this."""
        find = getattr(self.ranker_, "__skrank_qid__", None)
        return None if find is None else find(X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags = deepcopy(get_tags(self.ranker).input_tags)
        tags.regressor_tags.poor_score = True
        return tags
