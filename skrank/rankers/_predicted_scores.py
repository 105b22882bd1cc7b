"""One score per row from any regressor, classifier or ranker."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import scipy.sparse
from sklearn.pipeline import Pipeline
from sklearn.utils import column_or_1d

from skrank.base import fit_parameters
from skrank.metrics._scoring.response import ranking_response
from skrank.rankers._pipeline import transform


def predicted_scores(estimator, X):
    """Return the scores by which a fitted estimator ranks, of shape (n_samples,).

    Scorers rank an estimator by the same scores, so a metric has the same value
    whether or not the estimator is wrapped in a ranker.
    """
    scores = column_or_1d(ranking_response(estimator, X, _ask))
    return scores if scores.dtype.kind == "f" else scores.astype(np.float64)


def check_response(estimator):
    """Raise an error if a fitted estimator has no scores to rank by."""
    ranking_response(estimator, None, _would_ask)


def as_taken(X, estimator):
    """Return sparse arrays as sparse matrices for libraries that need these.

    CatBoost raises an error on sparse arrays and LightGBM warns. These libraries are
    recognized by the evaluation set that their `fit` takes.
    """
    is_array = scipy.sparse.issparse(X) and not scipy.sparse.isspmatrix(X)
    if is_array and "eval_set" in fit_parameters(estimator):
        return scipy.sparse.csr_matrix(X)
    return X


def _ask(estimator, method_name, X):
    if isinstance(estimator, Pipeline):
        # The transformers may return a sparse array, too.
        return _ask(estimator.steps[-1][1], method_name, transform(estimator, X))
    return getattr(estimator, method_name)(as_taken(X, estimator))


def _would_ask(estimator, method_name, X):
    """Check that the method exists and return a response for no rows."""
    if not hasattr(estimator, method_name):
        raise ValueError(
            "A classifier must have 'decision_function' or 'predict_proba' to be a "
            f"ranker. Got {type(estimator).__name__} instead, which has neither."
        )
    # The `classes_` of CatBoost's rankers are empty.
    n_classes = len(getattr(estimator, "classes_", ()))
    return np.zeros((0, max(n_classes, 1)))
