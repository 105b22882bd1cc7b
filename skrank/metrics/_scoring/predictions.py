"""The predictions of one fitted estimator or several."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping

import numpy as np

from skrank._columns import require_qid
from skrank._ranking.ids import encode_qid
from skrank.metrics._scoring.queries import find_scored_qid, warn_if_queries_are_split
from skrank.metrics._scoring.response import ranking_response, warn_if_qid_is_a_feature


def predict_scores(estimator, X, y, qid, caller):
    """Return the scores by which estimators rank, and the query ids of the rows.

    Parameters
    ----------
    estimator : estimator instance or dict of them
        Fitted estimators by name. One alone is named after its class.
    X, y, qid : array-like
        The rows, as a scorer takes them.
    caller : str
        The name that errors begin with.

    Returns
    -------
    y_score : dict of str to ndarray of shape (n_samples,)
        The scores by name.
    qid : array-like of shape (n_samples,)
        The query ids.
    """
    if not isinstance(estimator, Mapping):
        estimator = {type(estimator).__name__: estimator}
    y_score, found = {}, {}
    for name, one in estimator.items():
        # Predict first: NotFittedError should precede an error about query ids.
        y_score[name] = ranking_response(one, X, _ask)
        found[name] = require_qid(find_scored_qid(one, X, y, qid), caller)
        warn_if_qid_is_a_feature(one)
        warn_if_queries_are_split(one, found[name])
    first, *others = found or [None]
    for name in others:
        _check_same_qid(found[first], found[name], first, name)
    return y_score, found.get(first)


def _ask(estimator, method_name, X):
    return getattr(estimator, method_name)(X)


def _check_same_qid(qid, other, name, other_name):
    """Raise if two rankers find different query ids for the same rows."""
    if qid is other:
        return
    pairs = zip(encode_qid(qid), encode_qid(other), strict=True)
    if not all(np.array_equal(one, two) for one, two in pairs):
        raise ValueError(
            "All rankers must have the same query ids of the rows. Got different ones "
            f"for {name!r} and {other_name!r}: pass them as `qid`."
        )
