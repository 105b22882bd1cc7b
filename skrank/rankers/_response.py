"""One score per row from any regressor, classifier or ranker."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from sklearn.utils import column_or_1d

from skrank.metrics._response import ranking_response


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


def _ask(estimator, method_name, X):
    return getattr(estimator, method_name)(X)


def _would_ask(estimator, method_name, X):
    """Look whether the method is there and answer for no rows."""
    if not hasattr(estimator, method_name):
        raise ValueError(
            "A classifier must have 'decision_function' or 'predict_proba' to rank "
            f"by. Got {type(estimator).__name__} instead, which has neither."
        )
    return np.zeros((0, len(getattr(estimator, "classes_", (0,)))))
