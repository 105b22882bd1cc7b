"""Metrics of what an estimator ranks by itself, where there are no labels."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import functools

from skrank.metrics._evaluate import read_requests
from skrank.metrics._measure import summarize


def evaluate_own_queries(ranks, metrics, params, caller, sample_weight=None):
    """Evaluate metrics of queries that were ranked elsewhere.

    Parameters
    ----------
    ranks : object
        Its method ``ranking(ties)`` returns a RankedQueries for a policy of ties.
    metrics : str, callable or list of them
        As in :func:`skrank.metrics.evaluate`.
    params : dict
        Parameters of the metrics, and the `convention` they follow.
    caller : str
        The function that errors name.
    sample_weight : ndarray of shape (n_queries,), default=None
        The weight of each query.

    Returns
    -------
    scores : dict of str to float
        The value under each name.
    """
    ranking = functools.cache(ranks.ranking)
    scores = {}
    for request in read_requests(metrics, params, caller):
        options = dict(request.options)
        _check_unread(options, caller)
        ties = options.pop("ties")
        summary = {name: options.pop(name) for name in _SUMMARY}
        scores[request.key] = request.sign * summarize(
            request.definition,
            options,
            ranking(ties),
            sample_weight=sample_weight,
            **summary,
        )
    return scores


_SUMMARY = ("replace_undefined_by", "average", "adjusted")

# What is said of labels and scores, which the estimator keeps for itself.
_UNREAD = {"threshold": 0.0, "doc_order": None, "score_dtype": None}


def _check_unread(options, caller):
    for name, default in _UNREAD.items():
        value = options.pop(name, default)
        if value != default:
            raise ValueError(
                f"The '{name}' parameter of {caller} must be {default!r} where the "
                f"estimator ranks by itself. Got {value!r} instead."
            )


def own_queries(estimator, X, caller):
    """Return what an estimator ranks by itself: ``estimator.__skrank_ranks__(X)``."""
    ask = getattr(estimator, "__skrank_ranks__", None)
    if ask is None:
        raise ValueError(
            f"{caller} needs y_true, or an estimator that says itself what it ranks, "
            "as a link predictor does by its method '__skrank_ranks__'. Got no y_true "
            f"and {type(estimator).__name__}."
        )
    return ask(X)
