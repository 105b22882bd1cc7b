"""Fit the rankers of LightGBM, XGBoost and CatBoost, and stop early on queries."""

# SPDX-License-Identifier: BSD-3-Clause

import importlib
from itertools import islice
from numbers import Integral, Real
from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state, check_scalar, column_or_1d

from skrank._input.callers import warn_caller
from skrank._input.checks import check_count, warn_if_few_queries
from skrank.base import fit_parameters, training_library
from skrank.rankers.meta_ranker import FitRows, informative_queries
from skrank.scoring.estimators import ranking_response
from skrank.scoring.scorer import RankingScorer
from skrank.scoring.training import (
    HELD_OUT,
    CatBoostMetric,
    LightGBMMetric,
    TrainingMetric,
    read_scorer,
    xgboost_callback,
)

# CatBoost's losses over pairs of documents, which ignore weights of documents.
PAIRWISE_LOSSES = ("YetiRank", "PairLogit")

# The names of a parameter, and its values with which no round is final.
BOOSTER = ("boosting_type", "boosting", "boost", "booster")
WITHOUT_ROUNDS = ("dart", "gblinear")

# Parameters of the libraries that require an evaluation set in `fit`.
STOPPING = ("early_stopping_rounds", "early_stopping_round")

# What to write instead of the keywords that their `fit` takes.
KEYWORDS = {
    **dict.fromkeys(
        ("eval_set", "eval_group", "eval_qid", "eval_metric", STOPPING[0]),
        " QueryRanker(..., early_stopping=True) stops early, on queries that it holds "
        "out itself.",
    ),
    **dict.fromkeys(
        ("init_score", "base_margin", "baseline", "init_model", "xgb_model"),
        " To start from another model or its scores, fit the library's own ranker.",
    ),
    **dict.fromkeys(
        ("callbacks", "cat_features", "text_features", "verbose"),
        " Set it where the estimator is made, as in "
        "CatBoostRanker(cat_features=[...]).",
    ),
    "categorical_feature": " Give these columns the type 'category' of pandas.",
}

# The highest grade of each library: its gain, 2^grade - 1, must fit into 32 bits.
XGBOOST_MAX = 31
LIGHTGBM_MAX = 30


# The beginnings of the objectives that need queries.
OBJECTIVES = {
    "XGBRanker": ("rank:",),
    "LGBMRanker": ("lambdarank", "rank_xendcg", "xendcg", "xe_ndcg"),
    "CatBoostRanker": (
        *("YetiRank", "PairLogit", "Query", "LambdaMart"),
        *("StochasticRank", "StochasticFilter"),
    ),
}


def fit_function_of(estimator):
    """Return the function that fits rankers of a library, None for other estimators."""
    parameters = fit_parameters(estimator)
    if "group_id" in parameters:
        return fit_catboost
    if "qid" in parameters:
        is_xgboost = training_library(estimator) == "xgboost"
        return fit_xgboost if is_xgboost or "eval_qid" in parameters else None
    return fit_lightgbm if "group" in parameters else None


def check_objective(estimator):
    """Raise if an estimator that takes no queries would learn to rank.

    It would take all rows for one query.
    """
    params = getattr(estimator, "get_params", dict)()
    for name in ("objective", "loss_function"):
        for ranker, beginnings in OBJECTIVES.items():
            if str(params.get(name)).startswith(beginnings):
                raise ValueError(
                    f"The {name} {params[name]!r} of {type(estimator).__name__} ranks "
                    "documents within queries, but its fit takes no queries, so that "
                    f"all rows would be one: use {ranker}. "
                    f"Got {type(estimator).__name__} instead."
                )


def fit_lightgbm(estimator, rows, stopping=None):
    """Fit a ranker whose `fit` takes the number of rows of each query."""
    check_lightgbm(estimator, rows.y)
    metadata = {"group": rows.sizes}
    if rows.weight is not None:
        metadata["sample_weight"] = rows.weight
    if stopping is not None:
        _check_booster(estimator)
        held = stopping.held_out
        # The str "None" leaves out its own metrics, any of which could stop it.
        estimator.set_params(early_stopping_round=stopping.rounds, metric="None")
        metric = LightGBMMetric(stopping.scorer, *stopping.documents)
        metadata |= {"eval_group": [held.sizes], "eval_metric": metric}
        if "eval_X" in fit_parameters(estimator):
            metadata |= {"eval_X": held.X, "eval_y": held.y}
        else:
            metadata |= {"eval_set": [(held.X, held.y)]}
    return estimator.fit(rows.X, rows.y, **metadata)


def fit_xgboost(estimator, rows, stopping=None):
    """Fit a ranker whose `fit` takes query ids and one weight per query."""
    check_xgboost(estimator, rows.y)
    metadata = {"qid": rows.codes}
    if rows.weight is not None:
        metadata["sample_weight"], is_constant = rows.weight_of_queries()
        if not is_constant:
            warn_caller(
                f"{type(estimator).__name__} takes one weight per query. The weights "
                "of the rows differ within queries, so their mean is used. Pass "
                "sample_weight that is constant within each query.",
                UserWarning,
            )
    if stopping is None:
        return estimator.fit(rows.X, rows.y, **metadata)
    _check_booster(estimator)
    params = estimator.get_params()
    callbacks = params["callbacks"]
    stop = [*(callbacks or ()), *_xgboost_callbacks(params, stopping)]
    estimator.set_params(callbacks=stop, early_stopping_rounds=None)
    estimator.fit(rows.X, rows.y, **metadata, verbose=False)
    # They hold the queries that were held out, and stop one fit only.
    return estimator.set_params(callbacks=callbacks)


def fit_catboost(estimator, rows, stopping=None):
    """Fit a ranker whose `fit` takes group ids, and weights of rows or of groups."""
    metadata = {"group_id": rows.codes}
    if stopping is not None:
        metric = CatBoostMetric(stopping.scorer, *stopping.documents)
        estimator.set_params(eval_metric=metric)
        metadata |= {
            "eval_set": _catboost_pool(estimator, stopping.held_out),
            "early_stopping_rounds": stopping.rounds,
            "use_best_model": True,
        }
    if rows.weight is not None:
        metadata |= _catboost_weight(estimator, rows)
    estimator.fit(rows.X, rows.y, **metadata)
    if stopping is not None:
        metric.forget()
    return estimator


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


def _check_booster(estimator):
    """Raise if the model of an earlier round cannot be had."""
    params = estimator.get_params()
    for name in BOOSTER:
        if params.get(name) in WITHOUT_ROUNDS:
            raise ValueError(
                f"{type(estimator).__name__} with {name}={params[name]!r} cannot stop "
                "early: later rounds of 'dart' and 'gblinear' change what the earlier "
                f"ones learned. Pass early_stopping=False or another {name}. "
                f"Got {params[name]!r}."
            )


def _xgboost_callbacks(params, stopping):
    """Return the callback that computes the metric, and the one that reads it."""
    names = ("missing", "enable_categorical", "feature_types")
    dmatrix = {name: params[name] for name in names} | {"nthread": params["n_jobs"]}
    held = stopping.held_out
    metric = xgboost_callback()(stopping.scorer, held.X, *stopping.documents, **dmatrix)
    # An estimator of XGBoost exists, so XGBoost is installed.
    stop = importlib.import_module("xgboost.callback").EarlyStopping(
        rounds=stopping.rounds,
        metric_name=metric.name,
        data_name=HELD_OUT,
        maximize=True,
    )
    return metric, stop


def _catboost_weight(estimator, rows):
    """Return the weights as the parameter of CatBoost's `fit` that fits them."""
    weight, is_constant = rows.weight_of_queries()
    if is_constant:
        return {"group_weight": weight[rows.codes]}
    loss = estimator.get_params().get("loss_function", PAIRWISE_LOSSES[0])
    if str(loss).startswith(PAIRWISE_LOSSES):
        warn_caller(
            f"The loss {loss} of {type(estimator).__name__} compares pairs and ignores "
            "weights that differ within a query. Pass sample_weight that is constant "
            "within each query, or use loss_function='QueryRMSE'.",
            UserWarning,
        )
    return {"sample_weight": rows.weight}


def _catboost_pool(estimator, rows):
    """Return rows as a Pool, the only evaluation set of CatBoost with queries."""
    params = estimator.get_params()
    names = ("cat_features", "text_features", "embedding_features")
    columns = {name: params[name] for name in names if params.get(name) is not None}
    # An estimator of CatBoost exists, so CatBoost is installed.
    pool = importlib.import_module("catboost").Pool
    return pool(rows.X, rows.y, group_id=rows.codes, **columns)


def check_lightgbm(estimator, y):
    """Raise if LightGBM's ranking objectives have no gain for some grade."""
    params = estimator.get_params()
    if params.get("objective") not in (None, "lambdarank", "rank_xendcg"):
        return
    gains = params.get("label_gain")
    largest = LIGHTGBM_MAX if gains is None else len(gains) - 1
    cure = (
        "'label_gain' lists the gain of each grade: number the grades from 0 "
        "(np.unique(y, return_inverse=True)[1]) and pass LGBMRanker(label_gain=[...]) "
        "with one gain for each of them"
    )
    _refuse_all_but_integers(estimator, y, largest, cure)


def check_xgboost(estimator, y):
    """Raise if XGBoost's ranking objectives do not accept some grade."""
    params = estimator.get_params()
    objective = params.get("objective") or "rank:ndcg"
    if objective == "rank:map":
        accepted = (
            "with objective='rank:map' takes the grades 0 and 1: pass "
            "(y > 0).astype(int), or use objective='rank:ndcg'"
        )
        _refuse_grades(estimator, y, ~np.isin(y, (0, 1)), accepted)
    elif objective == "rank:ndcg" and params.get("ndcg_exp_gain") is False:
        accepted = "takes grades that are not negative: subtract the lowest grade"
        _refuse_grades(estimator, y, y < 0, accepted)
    elif objective == "rank:ndcg":
        cure = (
            "its gain is 2**grade - 1: pass XGBRanker(ndcg_exp_gain=False), whose gain "
            "is the grade itself, or number the grades from 0 "
            "(np.unique(y, return_inverse=True)[1])"
        )
        _refuse_all_but_integers(estimator, y, XGBOOST_MAX, cure)


def _refuse_all_but_integers(estimator, y, largest, cure):
    wrong = (y < 0) | (y > largest)
    if y.dtype.kind == "f":  # integers would become floats
        wrong |= y != np.floor(y)
    accepted = f"takes as grades the integers 0 to {largest}, since {cure}"
    _refuse_grades(estimator, y, wrong, accepted)


def _refuse_grades(estimator, y, wrong, accepted):
    if wrong.any():
        raise ValueError(
            f"{type(estimator).__name__} {accepted}. Got {float(y[wrong][0]):g} "
            "instead."
        )


def read_early_stopping(ranker):
    """Return the scorer of the early stopping of a ranker, None if it has none."""
    if not isinstance(ranker.early_stopping, (bool, np.bool_)):
        raise TypeError(
            "The 'early_stopping' parameter of QueryRanker must be an instance of "
            f"bool. Got {ranker.early_stopping!r} instead. The number of rounds "
            "without improvement is the parameter 'n_iter_no_change'."
        )
    if not ranker.early_stopping:
        return None
    check_count(ranker.n_iter_no_change, "n_iter_no_change")
    check_scalar(
        ranker.validation_fraction,
        "validation_fraction",
        Real,
        min_val=0,
        max_val=1,
        include_boundaries="neither",
    )
    return read_scorer(ranker.scoring, {}, "scoring", type(ranker).__name__)


class EarlyStopping(NamedTuple):
    """What a library needs to stop early."""

    rounds: int  # without improvement, before stopping
    scorer: RankingScorer
    held_out: FitRows

    @property
    def documents(self):
        """The grades, the queries and the weights of the held-out rows.

        Metrics weight queries, so each counts with the mean weight of its rows.
        """
        held, weight = self.held_out, None
        if held.weight is not None:
            weight = held.weight_of_queries()[0][held.codes]
        return held.y, held.codes, weight


def hold_out(rows, fraction, random_state):
    """Split rows into training rows and held-out rows, by whole queries.

    The same fraction is drawn from the queries whose documents have different grades
    and from the others, since no order of the others is better than another.
    """
    rng = check_random_state(random_state)
    informative = informative_queries(rows.y, rows.codes)
    if informative.sum() < 2:
        raise ValueError(
            "Early stopping holds out whole queries. It needs at least two queries "
            "whose documents have different grades: one to train on and one to hold "
            "out. Pass more queries or early_stopping=False. Got "
            f"{informative.sum()} such queries among {len(informative)}."
        )
    held = np.zeros(len(informative), dtype=bool)
    for kind, least in ((informative, 1), (~informative, 0)):
        queries = rng.permutation(np.flatnonzero(kind))
        wanted = round(fraction * len(queries))
        held[queries[: min(max(wanted, least), len(queries) - least)]] = True
    warn_if_few_queries(held.sum(), len(held), "validation_fraction", fraction)
    mask = held[rows.codes]
    return rows.take(np.flatnonzero(~mask)), rows.take(np.flatnonzero(mask))


# What an estimator has that can learn further rounds and predict after each of them,
# such as HistGradientBoosting.
GROWS = {"warm_start", "max_iter", "early_stopping"}


def fit_in_chunks(estimator, rows, stopping):
    """Fit an estimator up to its best round on the held-out queries.

    It learns some rounds at a time, until the best one is `stopping.rounds` ago. It
    cannot drop the rounds after the best one, so that it is fitted twice.
    """
    params = estimator.get_params(deep=False)
    if not (params.keys() >= GROWS and hasattr(estimator, "staged_predict")):
        raise ValueError(
            "The 'early_stopping' parameter of QueryRanker must be False unless the "
            "estimator is a ranker whose fit takes an evaluation set, such as "
            "LGBMRanker, XGBRanker and CatBoostRanker, or a "
            "HistGradientBoostingRegressor or HistGradientBoostingClassifier. Got "
            f"{type(estimator).__name__} instead."
        )
    weighting = {} if rows.weight is None else {"sample_weight": rows.weight}
    estimator.set_params(
        early_stopping=False, warm_start=True, random_state=_seed(params)
    )
    held = stopping.held_out
    metric = TrainingMetric(stopping.scorer, *stopping.documents)
    values, best, last = [metric.value(np.zeros(len(held.y)))], 0, 0
    while last < params["max_iter"] and last - best < stopping.rounds:
        # Each fit prepares the data anew and begins with the predictions of all earlier
        # rounds, which may take as long as some dozens of rounds.
        wanted = max(4 * stopping.rounds, last + last // 2)
        estimator.set_params(max_iter=min(wanted, params["max_iter"]))
        estimator.fit(rows.X, rows.y, **weighting)
        for y_score in islice(_staged_scores(estimator, held.X), last, None):
            values.append(metric.value(y_score))
            last += 1
            if best == 0 or values[-1] > values[best]:
                best = last
            elif last - best == stopping.rounds:
                break
    if best < estimator.n_iter_:
        estimator.set_params(warm_start=False, max_iter=best)
        estimator.fit(rows.X, rows.y, **weighting)
    estimator.validation_score_ = np.array(values)
    return estimator.set_params(**params)


def _staged_scores(estimator, X):
    """Yield the scores after each round of an estimator that has several."""
    stages = {}

    def next_stage(estimator, method_name, X):
        if method_name not in stages:
            stages[method_name] = getattr(estimator, f"staged_{method_name}")(X)
        return next(stages[method_name])

    for _ in range(estimator.n_iter_):
        yield column_or_1d(ranking_response(estimator, X, ask=next_stage))


def _seed(params):
    """Return an int, so that all fits of an estimator draw the same."""
    random_state = params["random_state"]
    if isinstance(random_state, Integral):
        return random_state
    return int(check_random_state(random_state).randint(2**31))
