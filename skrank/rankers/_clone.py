"""Clones of estimators, including those that scikit-learn cannot clone."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from copy import copy, deepcopy

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from skrank.base import fit_parameters


def clone_estimator(estimator):
    """Return an unfitted copy of an estimator or a Pipeline.

    The constructors of CatBoost copy lists among their parameters. scikit-learn's
    clone takes that for a defect and raises an error, so estimators with such
    parameters (those whose `fit` takes categorical features) are copied here.
    """
    if isinstance(estimator, Pipeline):
        # scikit-learn clones the Pipeline without steps: its requests and settings.
        cloned = clone(copy(estimator).set_params(steps=[]))
        steps = [(name, clone_estimator(step)) for name, step in estimator.steps]
        return cloned.set_params(steps=steps)
    if takes_categories(estimator):
        return type(estimator)(**deepcopy(estimator.get_params()))
    return clone(estimator, safe=False)


def takes_categories(estimator):
    """Return True if the `fit` of the estimator takes categories, as CatBoost's."""
    return "cat_features" in fit_parameters(estimator)
