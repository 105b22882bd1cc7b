"""Grades that a ranker cannot learn from, told before its library fails on them."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank.rankers._rows import informative_queries

# The most grades that a gain of 2^grade - 1 leaves room for in 32 bits.
XGBOOST_MAX = 31
LIGHTGBM_MAX = 30


def check_different(y):
    """Raise if all documents have the same grade."""
    if len(y) > 1 and (y == y[0]).all():
        raise ValueError(
            f"There is nothing to learn where all grades are equal: y holds only "
            f"{y[0]:g}. See whether it is the column of the relevance and, in "
            "cross-validation, whether each training set has relevant documents "
            "(fewer folds, or skrank.model_selection.StratifiedQueryKFold). Got one "
            "grade of different documents."
        )


def check_informative(estimator, rows):
    """Raise unless the documents of some query have different grades."""
    # A library says itself that one row is too few.
    if len(rows.y) > 1 and not informative_queries(rows.y, rows.codes).any():
        raise ValueError(
            f"{type(estimator).__name__} learns from queries whose documents have "
            f"different grades, and none of the {rows.codes.max() + 1} queries of "
            f"{len(rows.y)} rows has any. See whether the query ids name lists and "
            "not single documents. Got only queries of equal grades."
        )


def check_lightgbm(estimator, y):
    """Raise if LightGBM's ranking objectives have no gain for a grade."""
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


def check_xgboost(estimator, y, metric=None):
    """Raise if XGBoost's ranking objectives do not take a grade."""
    params = estimator.get_params()
    objective = params.get("objective") or "rank:ndcg"
    if objective == "rank:map" and not np.isin(y, (0, 1)).all():
        raise ValueError(
            f"{type(estimator).__name__} with objective='rank:map' takes the grades 0 "
            "and 1: pass (y > 0).astype(int), or take objective='rank:ndcg'. Got "
            f"{_first(y, ~np.isin(y, (0, 1)))} instead."
        )
    if objective != "rank:ndcg" and metric != "ndcg":
        return
    if params.get("ndcg_exp_gain") is False:
        if (y < 0).any():
            raise ValueError(
                f"{type(estimator).__name__} takes grades that are not negative: "
                f"subtract the least of them. Got {_first(y, y < 0)} instead."
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
