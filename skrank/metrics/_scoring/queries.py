"""What a scorer asks of a fitted ranker: its column of ids, the queries it knows."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import warnings

import numpy as np
from sklearn.pipeline import Pipeline

from skrank._columns import find_qid
from skrank._ranking.ids import encode_qid
from skrank.exceptions import QuerySplitWarning


def find_scored_qid(estimator, X, y, qid=None):
    """Return the query ids of rows that are scored, or None if nothing carries them.

    A ranker that takes its query ids from another place than scorers look at by
    themselves, such as a column of an array, tells them by a method
    ``__skrank_qid__(X)``. A Pipeline is not asked: its last step does not see the
    columns of `X` but those that its transformers made of them.
    """
    if qid is None:
        ranker = _fitted_best(estimator)
        if hasattr(ranker, "__skrank_qid__"):
            qid = ranker.__skrank_qid__(X)
    return find_qid(qid, X=X, y=y)


def warn_if_queries_are_cut(estimator, qid):
    """Warn of queries that the ranker was fitted on with another number of rows.

    A ranker tells the numbers of rows in a dict ``query_sizes_``. Equal numbers are
    those of the training data itself, which may well be scored.
    """
    ranker = _fitted_best(estimator)
    while isinstance(ranker, Pipeline):
        ranker = _fitted_best(ranker.steps[-1][1])
    known = getattr(ranker, "query_sizes_", None)
    if not known or qid is None:
        return
    ids, codes = encode_qid(qid)
    sizes = np.bincount(codes).tolist()
    scored = zip(ids.tolist(), sizes, strict=True)
    n_cut = sum(known.get(id, size) != size for id, size in scored)
    if n_cut == 0:
        return
    warnings.warn(
        f"{n_cut} of {len(ids)} scored queries are known from the training data with "
        "another number of rows: the rows of a query were split between training and "
        "test, or ids of the training data were given to other queries. Split whole "
        "queries, for instance by skrank.model_selection.QueryKFold. If this is "
        "meant, silence skrank.exceptions.QuerySplitWarning.",
        QuerySplitWarning,
        stacklevel=3,
    )


def _fitted_best(estimator):
    """Return what a fitted search found, anything else as it is."""
    while hasattr(estimator, "best_estimator_"):
        estimator = estimator.best_estimator_
    return estimator


def own_ranks(estimator, X, caller):
    """Return what an estimator ranks by itself: ``estimator.__skrank_ranks__(X)``."""
    ask = getattr(estimator, "__skrank_ranks__", None)
    if ask is None:
        raise ValueError(
            f"{caller} needs y_true, or an estimator that ranks by itself, as a link "
            "predictor does by its method '__skrank_ranks__'. Got no y_true and "
            f"{type(estimator).__name__}."
        )
    return ask(X)
