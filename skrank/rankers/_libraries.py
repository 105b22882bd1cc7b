"""Fit the rankers of LightGBM, XGBoost and CatBoost: queries, weights, stopping."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import importlib
import warnings

from skrank.base import fit_parameters
from skrank.rankers._check_grades import check_lightgbm, check_xgboost

# The metrics of skrank that each library has, under its own names.
LIGHTGBM_METRICS = {"map": "map", "ndcg": "ndcg"}
XGBOOST_METRICS = {
    "map": "map@{k}",
    "ndcg": "ndcg@{k}",
    "precision": "pre@{k}",
    "query_auc": "auc",
}
CATBOOST_METRICS = {
    "map": "MAP:top={k}",
    "mrr": "MRR:top={k}",
    "ndcg": "NDCG:top={k};type=Exp",
    "precision": "PrecisionAt:top={k}",
    "query_auc": "QueryAUC:type=Ranking",
    "recall": "RecallAt:top={k}",
}

# CatBoost's losses over pairs of documents, which ignore weights of documents.
PAIRWISE_LOSSES = ("YetiRank", "PairLogit")

# Parameters of the libraries that require an evaluation set in `fit`.
STOPPING = ("early_stopping_rounds", "early_stopping_round")


def fit_function_of(estimator):
    """Return the function that fits such rankers, or None for other estimators.

    The parameters of `fit` decide, not the class, so that subclasses and rankers
    with the same interface are treated alike.
    """
    parameters = fit_parameters(estimator)
    if "eval_qid" in parameters:
        return fit_xgboost
    if "group_id" in parameters:
        return fit_catboost
    if "qid" not in parameters and parameters & {"group", "eval_group"}:
        return fit_lightgbm
    return None


def fit_lightgbm(estimator, rows, stopping=None):
    """Fit a ranker whose `fit` takes the number of rows of each query."""
    check_lightgbm(estimator, rows.y)
    metadata = {"group": rows.sizes}
    if rows.weight is not None:
        metadata["sample_weight"] = rows.weight
    if stopping is not None:
        held = stopping.held_out
        metric = stopping.name_in_library(LIGHTGBM_METRICS, estimator)
        estimator.set_params(early_stopping_round=stopping.rounds, metric=[metric])
        metadata |= {"eval_group": [held.sizes], "eval_at": [stopping.k]}
        if "eval_X" in fit_parameters(estimator):
            metadata |= {"eval_X": held.X, "eval_y": held.y}
        else:
            metadata |= {"eval_set": [(held.X, held.y)]}
        if held.weight is not None:
            metadata["eval_sample_weight"] = [held.weight]
    return estimator.fit(rows.X, rows.y, **metadata)


def fit_xgboost(estimator, rows, stopping=None):
    """Fit a ranker whose `fit` takes query ids and one weight per query."""
    check_xgboost(estimator, rows.y, stopping and stopping.metric)
    metadata = {"qid": rows.codes}
    if rows.weight is not None:
        metadata["sample_weight"] = _query_weight(estimator, rows)
    if stopping is not None:
        held = stopping.held_out
        metric = stopping.name_in_library(XGBOOST_METRICS, estimator)
        estimator.set_params(early_stopping_rounds=stopping.rounds, eval_metric=metric)
        # Its metrics of binary relevance raise an error on grades.
        binary = stopping.metric in ("map", "precision")
        y_held = (held.y > 0).astype(int) if binary else held.y
        metadata |= {
            "eval_set": [(held.X, y_held)],
            "eval_qid": [held.codes],
            "verbose": False,
        }
        if held.weight is not None:
            metadata["sample_weight_eval_set"] = [held.weight_of_queries()[0]]
    return estimator.fit(rows.X, rows.y, **metadata)


def fit_catboost(estimator, rows, stopping=None):
    """Fit a ranker whose `fit` takes group ids, and weights of rows or of groups."""
    metadata = {"group_id": rows.codes}
    weighting = {}
    if rows.weight is not None:
        weighting = _catboost_weight(estimator, rows)
    if stopping is not None:
        metric = stopping.name_in_library(CATBOOST_METRICS, estimator)
        estimator.set_params(eval_metric=metric)
        metadata |= {
            "eval_set": _catboost_pool(estimator, stopping.held_out, weighting),
            "early_stopping_rounds": stopping.rounds,
            "use_best_model": True,
        }
    return estimator.fit(rows.X, rows.y, **metadata, **weighting)


def check_no_early_stopping(estimator, stopping):
    """Raise if early stopping is asked of an estimator without an evaluation set."""
    if stopping is not None:
        raise ValueError(
            "The 'early_stopping' parameter of QueryRanker must be False unless the "
            "fit of the estimator takes an evaluation set with its queries, as those "
            "of LGBMRanker, XGBRanker and CatBoostRanker do. Got "
            f"{type(estimator).__name__} instead."
        )


def check_own_stopping(estimator, stopping):
    """Raise if the estimator itself is set to stop early, without a set to stop by."""
    params = estimator.get_params()
    rounds = next((params[name] for name in STOPPING if params.get(name)), None)
    if rounds is not None and stopping is None:
        raise ValueError(
            f"{type(estimator).__name__} stops early only if queries are held out, "
            "which QueryRanker does: pass QueryRanker(..., early_stopping=True, "
            f"n_iter_no_change={rounds}). Got a parameter of "
            f"{type(estimator).__name__} instead."
        )


def _query_weight(estimator, rows):
    weight, is_constant = rows.weight_of_queries()
    if not is_constant:
        warnings.warn(
            f"{type(estimator).__name__} takes one weight per query. The weights of "
            "the rows differ within queries, so their mean is used. Pass "
            "sample_weight that is constant within each query.",
            UserWarning,
            stacklevel=2,
        )
    return weight


def _catboost_weight(estimator, rows):
    """Return the weights as the parameter of CatBoost's `fit` that fits them."""
    weight, is_constant = rows.weight_of_queries()
    if is_constant:
        return {"group_weight": weight[rows.codes]}
    loss = estimator.get_params().get("loss_function", PAIRWISE_LOSSES[0])
    if str(loss).startswith(PAIRWISE_LOSSES):
        warnings.warn(
            f"The loss {loss} of {type(estimator).__name__} compares pairs and ignores "
            "weights that differ within a query. Pass sample_weight that is constant "
            "within each query, or use loss_function='QueryRMSE'.",
            UserWarning,
            stacklevel=2,
        )
    return {"sample_weight": rows.weight}


def _catboost_pool(estimator, rows, weighting):
    """Return rows as a Pool, the only evaluation set of CatBoost with queries."""
    params = estimator.get_params()
    names = ("cat_features", "text_features", "embedding_features")
    columns = {name: params[name] for name in names if params.get(name) is not None}
    if "group_weight" in weighting:
        columns["group_weight"] = rows.weight_of_queries()[0][rows.codes]
    elif weighting:
        columns["weight"] = rows.weight
    # An estimator of CatBoost exists, so CatBoost is installed.
    pool = importlib.import_module("catboost").Pool
    return pool(rows.X, rows.y, group_id=rows.codes, **columns)
