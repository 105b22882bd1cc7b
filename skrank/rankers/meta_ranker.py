"""What rankers that find query ids, and those that wrap an estimator, share."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from copy import copy, deepcopy
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.pipeline import Pipeline
from sklearn.utils import (
    assert_all_finite,
    column_or_1d,
    get_tags,
)
from sklearn.utils.validation import check_is_fitted

from skrank._checks import (
    check_choice,
    check_lengths,
    warn_if_out_of_order,
    warn_if_rows_are_drawn,
)
from skrank._columns import (
    QID,
    check_qid_column,
    drop_column,
    find_column,
    find_level,
    on_host,
    require_qid,
)
from skrank._ranking.ids import encode_heads
from skrank._types import MetadataRequest, Self
from skrank.base import RankingEstimator
from skrank.rankers.wrapped import Rows, check_different, clone_estimator


class QueryFinder(RankingEstimator, BaseEstimator):
    """Base of rankers with the parameters `qid_column` and `missing_qid`.

    It finds the query ids and checks the training data. The parameter `_takes` holds
    what is fitted.
    """

    _takes = "estimator"

    if TYPE_CHECKING:  # scikit-learn makes these

        def set_fit_request(
            self, *, qid: MetadataRequest = ..., sample_weight: MetadataRequest = ...
        ) -> Self: ...
        def set_score_request(
            self, *, qid: MetadataRequest = ..., sample_weight: MetadataRequest = ...
        ) -> Self: ...

    def __skrank_qid__(self, X):
        """Return the query ids in the column of `X`, or None; scorers call this."""
        # A position means another column in data that came without the query ids.
        is_position = not isinstance(self.qid_column, str)
        n_columns = getattr(self, "_n_columns", None)  # None before fit
        if is_position and np.shape(X)[1:] != (n_columns,):
            return None
        return find_column(X, self.qid_column)

    def __sklearn_is_fitted__(self):
        return hasattr(self, f"{self._takes}_")

    def _check_qid_parameters(self, X):
        """Check the parameters, and keep the width of training data with query ids."""
        vars(self).pop(f"{self._takes}_", None)  # not fitted until `fit` has ended
        caller = type(self).__name__
        check_choice(self.missing_qid, {"raise", "single"}, "missing_qid", caller)
        check_qid_column(self.qid_column, caller)
        self._n_columns = None if isinstance(self.qid_column, str) else np.shape(X)[-1]

    def _rows(self, estimators, X, y, qid, sample_weight):
        """Check what is fitted and the arguments of `fit`; return rows of queries."""
        for estimator in estimators:
            predicts = hasattr(estimator, "predict") or _predicts(estimator)
            is_object = not isinstance(estimator, type)
            if not (is_object and hasattr(estimator, "fit") and predicts):
                raise TypeError(
                    f"The '{self._takes}' parameter of {type(self).__name__} must be "
                    "an object implementing 'fit' and 'predict'. Got "
                    f"{estimator!r} instead."
                )
        if not isinstance(y, np.ndarray):
            y = on_host(y)
        if sample_weight is not None:
            sample_weight = on_host(sample_weight)
        self._check_qid_parameters(X)
        qid = self._find_qid(qid, "fit", X=X, y=y)
        warn_if_out_of_order({"y": y, "qid": qid, "sample_weight": sample_weight})
        y = self._check_target(y)
        X = drop_column(X, self.qid_column)
        check_lengths(X=X, y=y, sample_weight=sample_weight)
        codes = np.zeros(len(y), dtype=np.intp)
        self.query_sizes_ = {}
        if qid is not None:
            heads = encode_heads(qid, len(y))
            codes = heads.of_rows()
            sizes = np.bincount(codes, minlength=len(heads.ids))
            self.query_sizes_ = dict(
                zip(heads.ids.tolist(), sizes.tolist(), strict=True)
            )
        if self.missing_qid == "raise" and len(self.query_sizes_) == 1:
            ((id, size),) = self.query_sizes_.items()
            raise ValueError(
                f"{type(self).__name__}.fit needs rows of more than one query. In "
                "cross-validation, use fewer folds or check the sizes of the queries. "
                "To learn from a single list, pass missing_qid='single'. Got one "
                f"query, {id!r}, of {size} rows."
            )
        check_different(y)
        return Rows(X, y, codes, sample_weight)

    def _find_qid(self, qid, method, *, X, y=None):
        """Return the query ids, or None if all rows are one query."""
        if qid is None:
            qid = self.__skrank_qid__(X)
        if qid is None:
            qid = find_level(y, QID)
        if qid is None:
            qid = find_level(X, QID)
        if self.missing_qid == "single":
            return qid
        name = type(self).__name__
        return require_qid(
            qid,
            f"{name}.{method}",
            f"{method}({'X' if y is None else 'X, y'}, qid=qid)",
            X=X,
            column=self.qid_column,
            of_column=name,
        )

    def _check_target(self, y):
        """Return `y` as numbers of shape (n_samples,)."""
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but "
                "the target y is None."
            )
        try:
            y = column_or_1d(y, dtype="numeric", warn=True)
            if y.dtype.kind not in "biuf":  # scikit-learn 1.7 keeps text of pandas 3
                y = y.astype(np.float64)
        except ValueError:
            labels = np.ravel(np.asarray(y, dtype=object))
            text = next((label for label in labels if isinstance(label, str)), None)
            if text is None:
                raise
            raise ValueError(
                f"The 'y' parameter of {type(self).__name__}.fit must hold numbers, "
                f"the grades. Got {str(text)!r} instead: number the labels from the "
                "worst to the best, as in pd.Series(y).map({'bad': 0, 'good': 1})."
            ) from None
        try:
            assert_all_finite(y, input_name="y")
        except ValueError as error:
            raise ValueError(
                f"{error} Leave out the rows without a grade, in X and qid as well."
            ) from None
        return y


class MetaRanker(MetaEstimatorMixin, QueryFinder):
    """Base of rankers that wrap an `estimator`.

    Each ranker has `fit` and `predict` of its own, so that Python's errors name its
    class.
    """

    _default = None  # stands for the estimator None

    def __sklearn_clone__(self):
        warn_if_rows_are_drawn()  # a search makes its clones in its own process
        # scikit-learn clones everything but the estimator, which may be CatBoost's.
        rest = copy(self).set_params(estimator=None)
        cloned = super(MetaRanker, rest).__sklearn_clone__()
        return cloned.set_params(estimator=clone_estimator(self.estimator))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = self._default if self.estimator is None else self.estimator
        if hasattr(inner, "__sklearn_tags__"):
            tags.input_tags = deepcopy(get_tags(inner).input_tags)
        return tags

    def _keep(self, fitted):
        """Keep the fitted estimator and the attributes of its features."""
        self.estimator_ = fitted
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))
        return self


def _predicts(estimator):
    """Return True if an estimator, fitted or not, has `predict`."""
    if isinstance(estimator, Pipeline):
        return _predicts(estimator.steps[-1][1])
    # Stacking has the method only after `fit`, when its final estimator exists.
    if hasattr(estimator, "final_estimator"):
        return hasattr(type(estimator), "predict")
    return hasattr(estimator, "predict")


# Tools such as RFE pair these with the columns of X.
ONE_VALUE_PER_FEATURE = ("coef_", "feature_importances_")

XGBOOST_NAMES = {"best_iteration_": "best_iteration", "best_score_": "best_score"}


def fitted_attribute(name, meaning):
    """Return a property with the attribute `name` of the fitted estimator.

    Of a Pipeline it is that of the last step. The property raises AttributeError where
    the estimator has no such attribute, or one for other features than those of `X`.
    """

    def get(ranker):
        check_is_fitted(ranker)
        estimator = ranker.estimator_
        while isinstance(estimator, Pipeline):
            estimator = estimator.steps[-1][1]
        value = getattr(estimator, name, None)
        if value is None:
            value = getattr(estimator, XGBOOST_NAMES.get(name, name), None)
        # CatBoost has an array without a shape where it computed no importances.
        per_feature = name in ONE_VALUE_PER_FEATURE
        if value is None or (per_feature and np.ndim(value) == 0):
            cure = ""
            if value is not None:
                cure = (
                    " RFE and RFECV accept importance_getter=lambda ranker: ranker."
                    "estimator_.get_feature_importance(type='PredictionValuesChange')."
                )
            raise AttributeError(
                f"{type(ranker).__name__} has no {name!r}, because its fitted "
                f"{type(estimator).__name__} has none.{cure}"
            )
        if per_feature:
            _check_length(ranker, estimator, name, value)
        return value

    doc = f"{meaning} of the fitted estimator, or of the last step of a Pipeline."
    return property(get, doc=doc)


def _check_length(ranker, estimator, name, value):
    """Raise AttributeError unless there is one value for each feature of `X`."""
    n_features = getattr(ranker, "n_features_in_", "unknown")
    shape = np.shape(value)
    if shape[-1] != n_features:
        raise AttributeError(
            f"{type(ranker).__name__} has no {name!r}, because that of its fitted "
            f"{type(estimator).__name__} does not have one value for each feature of X "
            f"({n_features}) but the shape {shape}. The steps in front of it return "
            "other features: take it from 'estimator_', with the names of those."
        )
