"""Attributes of the fitted estimator, as attributes of the ranker that wraps it."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

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
            raise AttributeError(
                f"{type(ranker).__name__} has no {name!r}, because its fitted "
                f"{type(estimator).__name__} has none."
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
