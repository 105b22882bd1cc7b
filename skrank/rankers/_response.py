"""One score per row from any regressor, classifier or ranker."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import scipy.sparse
from sklearn.pipeline import Pipeline
from sklearn.utils import column_or_1d

from skrank.metrics._response import ranking_response
from skrank.rankers._clone import takes_categories


def predicted_scores(estimator, X):
    """Return the scores by which a fitted estimator ranks, of shape (n_samples,).

    They are those by which a scorer ranks it, so that it does not matter to a metric
    whether an estimator stands alone or in a ranker.
    """
    scores = column_or_1d(ranking_response(estimator, X, _ask))
    return scores if scores.dtype.kind == "f" else scores.astype(np.float64)


def check_response(estimator):
    """Raise an error if a fitted estimator has nothing to rank by."""
    ranking_response(estimator, None, _would_ask)


def without_sparse_arrays(X):
    """Return sparse arrays as sparse matrices, the only ones that CatBoost takes."""
    if scipy.sparse.issparse(X) and not scipy.sparse.isspmatrix(X):
        return scipy.sparse.csr_matrix(X)
    return X


def _ask(estimator, method_name, X):
    if isinstance(estimator, Pipeline) and takes_categories(estimator.steps[-1][1]):
        X = estimator[:-1].transform(X) if len(estimator.steps) > 1 else X
        return _ask(estimator.steps[-1][1], method_name, X)
    if takes_categories(estimator):
        X = without_sparse_arrays(X)
    return getattr(estimator, method_name)(X)


def _would_ask(estimator, method_name, X):
    """Look whether the method is there and answer for no rows."""
    if not hasattr(estimator, method_name):
        raise ValueError(
            "A classifier must have 'decision_function' or 'predict_proba' to rank "
            f"by. Got {type(estimator).__name__} instead, which has neither."
        )
    # CatBoost's rankers have an empty list of classes.
    n_classes = len(getattr(estimator, "classes_", ()))
    return np.zeros((0, max(n_classes, 1)))
