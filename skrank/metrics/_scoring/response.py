"""The scores of an estimator for the rows to rank."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import warnings

import numpy as np
from sklearn.utils import get_tags

from skrank._checks import shown
from skrank._columns import QID

# The methods that a scorer may call. scikit-learn reads them to see whether several
# scorers can share one prediction.
RESPONSES = ("decision_function", "predict_proba", "predict")


def ranking_response(estimator, X, method_caller):
    """Return one score per row, of shape (n_samples,).

    ``method_caller(estimator, method_name, X)`` may return a prediction that was made
    for another scorer.
    """
    if estimator_type(estimator) != "classifier":
        return _last_column(method_caller(estimator, "predict", X))
    classes = np.asarray(estimator.classes_)
    if len(classes) > 2:
        grades = _grades(estimator, classes)
        return np.asarray(method_caller(estimator, "predict_proba", X)) @ grades
    decides = hasattr(estimator, "decision_function")
    method = "decision_function" if decides else "predict_proba"
    return _last_column(method_caller(estimator, method, X))


def _last_column(response):
    """Return a vector: of two columns of probabilities, that of the second class."""
    return response[:, -1] if np.ndim(response) == 2 else response


def _grades(estimator, classes):
    """Return the classes as numbers, for their mean."""
    if classes.dtype.kind not in "biuf":
        raise ValueError(
            "A classifier of more than two classes ranks by the expected class, so its "
            f"classes must be numbers. Got {shown(classes.tolist())} instead: number "
            "them from the worst to the best."
        )
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(
            "A classifier of more than two classes ranks by the expected class, so it "
            f"must have 'predict_proba'. Got {type(estimator).__name__} instead, which "
            "has none: wrap it in sklearn.calibration.CalibratedClassifierCV, use a "
            "regressor, or pass grades of two classes, such as y > 0."
        )
    return classes.astype(float)


def warn_if_qid_is_a_feature(estimator):
    if QID not in getattr(estimator, "feature_names_in_", ()):
        return
    if estimator_type(estimator) == "ranker" or _leaves_qid_out(estimator):
        return
    warnings.warn(
        f"{type(estimator).__name__} was fitted on the column 'qid' as if it were a "
        "feature. Wrap the estimator in skrank.rankers.QueryRanker, which reads query "
        "ids from this column, or pass the query ids as `qid` or in the index of y.",
        UserWarning,
        stacklevel=2,
    )


def estimator_type(estimator):
    """Return the type of an estimator from its tags, or None."""
    if hasattr(estimator, "__sklearn_tags__"):
        return get_tags(estimator).estimator_type
    return getattr(estimator, "_estimator_type", None)


def _leaves_qid_out(estimator):
    """Return True if a pipeline begins with a ColumnTransformer that drops the ids."""
    steps = getattr(estimator, "steps", None) or [(None, None)]
    first = steps[0][1]
    if not hasattr(first, "transformers_"):
        return False
    names = first.get_feature_names_out()
    return not any(name.rpartition("__")[2] == QID for name in names)
