"""Clones of estimators, also of one that scikit-learn cannot clone."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from copy import deepcopy

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from skrank.base import fit_parameters

# What scikit-learn's clone keeps beside the parameters: the requests of metadata and
# the kind of output. They have no public name.
SETTINGS = ("_metadata_request", "_sklearn_output_config")


def clone_estimator(estimator):
    """Return an unfitted copy of an estimator or a Pipeline.

    CatBoost copies the lists among its parameters when it is constructed, which
    scikit-learn's clone takes for a defect and refuses. So the copy is made without
    that test where `fit` takes the categorical features that such lists name.
    """
    if type(estimator) is Pipeline:
        steps = [(name, clone_estimator(step)) for name, step in estimator.steps]
        params = {**estimator.get_params(deep=False), "steps": steps}
        return keep_settings(estimator, Pipeline(**params))
    if takes_categories(estimator):
        return type(estimator)(**deepcopy(estimator.get_params()))
    return clone(estimator, safe=False)


def keep_settings(estimator, copy):
    """Give a copy what was set on the estimator beside its parameters."""
    for name in SETTINGS:
        if name in vars(estimator):
            setattr(copy, name, deepcopy(vars(estimator)[name]))
    return copy


def takes_categories(estimator):
    """Tell whether this is one of CatBoost's, by the words of its `fit`."""
    return "cat_features" in fit_parameters(estimator)
