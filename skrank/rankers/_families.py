"""How each family of rankers is told its queries, weights and evaluation set."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import importlib
import warnings

from skrank.base import fit_parameters
from skrank.rankers._grades import check_informative, check_lightgbm, check_xgboost

# Metrics of skrank in the words of each library.
LIGHTGBM_WORDS = {"map": "map", "ndcg": "ndcg"}
XGBOOST_WORDS = {
    "map": "map@{k}",
    "ndcg": "ndcg@{k}",
    "precision": "pre@{k}",
    "query_auc": "auc",
}
CATBOOST_WORDS = {
    "map": "MAP:top={k}",
    "mrr": "MRR:top={k}",
    "ndcg": "NDCG:top={k};type=Exp",
    "precision": "PrecisionAt:top={k}",
    "query_auc": "QueryAUC:type=Ranking",
    "recall": "RecallAt:top={k}",
}

# CatBoost's losses over pairs of documents: a weight of a document has no place there.
PAIRWISE_LOSSES = ("YetiRank", "PairLogit")

# A parameter of the libraries, which stop by a set that they have to be given.
STOPPING = ("early_stopping_rounds", "early_stopping_round")


def family_of(estimator):
    """Return the function that fits rankers of this kind, None for other estimators.

    The words of `fit` tell which it is, so that subclasses and look-alikes are
    treated as what they are like.
    """
    words = fit_parameters(estimator)
    if "eval_qid" in words:
        return fit_xgboost
    if "group_id" in words:
        return fit_catboost
    if "qid" not in words and words & {"group", "eval_group"}:
        return fit_lightgbm
    return None


def fit_lightgbm(estimator, rows, stopping=None):
    """Fit a ranker whose `fit` takes the number of rows of each query."""
    _check_is_told_to_stop(estimator, stopping)
    check_informative(estimator, rows)
    check_lightgbm(estimator, rows.y)
    metadata = {"group": rows.sizes}
    if rows.weight is not None:
        metadata["sample_weight"] = rows.weight
    if stopping is not None:
        held = stopping.held_out
        metric = stopping.in_words_of(LIGHTGBM_WORDS, estimator)
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
    _check_is_told_to_stop(estimator, stopping)
    check_informative(estimator, rows)
    check_xgboost(estimator, rows.y, stopping and stopping.metric)
    metadata = {"qid": rows.codes}
    if rows.weight is not None:
        metadata["sample_weight"] = _query_weight(estimator, rows)
    if stopping is not None:
        held = stopping.held_out
        metric = stopping.in_words_of(XGBOOST_WORDS, estimator)
        estimator.set_params(early_stopping_rounds=stopping.rounds, eval_metric=metric)
        # Its metrics of relevance refuse grades.
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
    _check_is_told_to_stop(estimator, stopping)
    check_informative(estimator, rows)
    metadata = {"group_id": rows.codes}
    weighting = {}
    if rows.weight is not None:
        weighting = _catboost_weight(estimator, rows)
    if stopping is not None:
        metric = stopping.in_words_of(CATBOOST_WORDS, estimator)
        estimator.set_params(eval_metric=metric)
        metadata |= {
            "eval_set": _catboost_pool(estimator, stopping.held_out, weighting),
            "early_stopping_rounds": stopping.rounds,
            "use_best_model": True,
        }
    return estimator.fit(rows.X, rows.y, **metadata, **weighting)


def refuse_early_stopping(estimator, stopping):
    """Raise if an estimator shall stop that takes no evaluation set with queries."""
    if stopping is not None:
        raise ValueError(
            "The 'early_stopping' parameter of QueryRanker must be None unless the fit "
            "of the estimator takes an evaluation set with its queries, as those of "
            "LGBMRanker, XGBRanker and CatBoostRanker do. Got "
            f"{type(estimator).__name__} instead."
        )


def _check_is_told_to_stop(estimator, stopping):
    """Raise if an estimator would look for an evaluation set that it is not given."""
    params = estimator.get_params()
    rounds = next((params[name] for name in STOPPING if params.get(name)), None)
    if rounds is not None and stopping is None:
        raise ValueError(
            f"{type(estimator).__name__} can stop early only by queries that are held "
            "out, and QueryRanker holds them out: pass "
            f"QueryRanker(..., early_stopping={rounds}) instead. Got it as a parameter "
            f"of {type(estimator).__name__}."
        )


def _query_weight(estimator, rows):
    weight, is_constant = rows.weight_of_queries()
    if not is_constant:
        warnings.warn(
            f"{type(estimator).__name__} takes one weight per query: it is given the "
            "mean of the weights of the rows, which differ within queries. Pass "
            "sample_weight that is constant within each query.",
            UserWarning,
            stacklevel=2,
        )
    return weight


def _catboost_weight(estimator, rows):
    """Return the weights under the one of CatBoost's two words that fits them."""
    weight, is_constant = rows.weight_of_queries()
    if is_constant:
        return {"group_weight": weight[rows.codes]}
    loss = estimator.get_params().get("loss_function", PAIRWISE_LOSSES[0])
    if str(loss).startswith(PAIRWISE_LOSSES):
        warnings.warn(
            f"The loss {loss} of {type(estimator).__name__} compares pairs and has no "
            "place for weights that differ within a query. Pass sample_weight that "
            "is constant within each query, or take loss_function='QueryRMSE'.",
            UserWarning,
            stacklevel=2,
        )
    return {"sample_weight": rows.weight}


def _catboost_pool(estimator, rows, weighting):
    """Return rows as the Pool that CatBoost takes queries of an evaluation set in."""
    params = estimator.get_params()
    words = ("cat_features", "text_features", "embedding_features")
    columns = {word: params[word] for word in words if params.get(word) is not None}
    if "group_weight" in weighting:
        columns["group_weight"] = rows.weight_of_queries()[0][rows.codes]
    elif weighting:
        columns["weight"] = rows.weight
    # Only where CatBoost is installed can there be an estimator of it.
    pool = importlib.import_module("catboost").Pool
    return pool(rows.X, rows.y, group_id=rows.codes, **columns)
