"""Raise errors for grades that a ranker cannot learn from."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank.rankers._rows import informative_queries

# The highest grade of each library: its gain, 2^grade - 1, must fit into 32 bits.
XGBOOST_MAX = 31
LIGHTGBM_MAX = 30


def check_different(y):
    """Raise if all documents have the same grade."""
    if len(y) > 1 and (y == y[0]).all():
        raise ValueError(
            "The 'y' parameter of fit must hold different grades: from equal grades "
            "there is nothing to learn. Check that y is the relevance and, in "
            "cross-validation, that each training set has relevant documents (use "
            "fewer folds, a larger max_queries, or "
            "skrank.model_selection.StratifiedQueryKFold). Got only the grade "
            f"{y[0]:g} instead."
        )


def check_informative(estimator, rows):
    """Raise unless the documents of some query have different grades."""
    # For a single row the libraries raise errors of their own.
    if len(rows.y) > 1 and not informative_queries(rows.y, rows.codes).any():
        raise ValueError(
            f"{type(estimator).__name__} learns from queries whose documents have "
            "different grades. Check that the query ids identify lists rather than "
            f"rows. Got {rows.codes.max() + 1} queries of {len(rows.y)} rows, each "
            "with equal grades."
        )


def check_lightgbm(estimator, y):
    """Raise if LightGBM's ranking objectives have no gain for some grade."""
    params = estimator.get_params()
    if params.get("objective") not in (None, "lambdarank", "rank_xendcg"):
        return
    gains = params.get("label_gain")
    largest = LIGHTGBM_MAX if gains is None else len(gains) - 1
    _check_integers(
        estimator,
        y,
        largest,
        "'label_gain' lists the gain of each grade: number the grades from 0 "
        "(np.unique(y, return_inverse=True)[1]) and pass LGBMRanker(label_gain=[...]) "
        "with one gain for each of them",
    )


def check_xgboost(estimator, y):
    """Raise if XGBoost's ranking objectives do not accept some grade."""
    params = estimator.get_params()
    objective = params.get("objective") or "rank:ndcg"
    if objective == "rank:map" and not np.isin(y, (0, 1)).all():
        raise ValueError(
            f"{type(estimator).__name__} with objective='rank:map' takes the grades 0 "
            "and 1: pass (y > 0).astype(int), or use objective='rank:ndcg'. Got "
            f"{_first(y, ~np.isin(y, (0, 1)))} instead."
        )
    if objective != "rank:ndcg":
        return
    if params.get("ndcg_exp_gain") is False:
        if (y < 0).any():
            raise ValueError(
                f"{type(estimator).__name__} takes grades that are not negative: "
                f"subtract the lowest grade. Got {_first(y, y < 0)} instead."
            )
        return
    _check_integers(
        estimator,
        y,
        XGBOOST_MAX,
        "its gain is 2**grade - 1: pass XGBRanker(ndcg_exp_gain=False), whose gain is "
        "the grade itself, or number the grades from 0 "
        "(np.unique(y, return_inverse=True)[1])",
    )


def _check_integers(estimator, y, largest, cure):
    wrong = (y < 0) | (y > largest) | (y != np.floor(y))
    if wrong.any():
        raise ValueError(
            f"{type(estimator).__name__} takes as grades the integers 0 to {largest}, "
            f"since {cure}. Got {_first(y, wrong)} instead."
        )


def _first(y, wrong):
    return f"{float(y[wrong][0]):g}"
