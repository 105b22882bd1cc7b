"""Metrics of skrank inside the training of other libraries.

A further library takes a `TrainingMetric`, a function decorated with `_share_words`,
and for `QueryRanker` one like `fit_lightgbm` of ``skrank/rankers/libraries.py``.
"""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import functools
import importlib
from collections import Counter, deque
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skrank._input.checks import shown
from skrank._text.docs import MatrixLike, MetricLike, sharing_words
from skrank._text.tables import INSTALL
from skrank.scoring.scorer import RankingScorer, make_ranking_scorer

# The name of the evaluation set in the log of XGBoost.
HELD_OUT = "held_out"

# An evaluation set for each fold, and as many training sets, are evaluated in turns.
KEPT = 16

WORDS = """
metric : str or scorer
    A scorer name, such as ``"ndcg@10"``, or a scorer made with
    :func:`skrank.metrics.make_ranking_scorer`.
y : array-like of shape (n_samples,), default=None
    The true grades of the evaluation set, in its order. If None, the library passes
    grades, queries and weights in each round: LightGBM does so for rankers, XGBoost for
    a `custom_metric`, and CatBoost never.
qid : array-like of shape (n_samples,), default=None
    The query ids of the evaluation set. If None, they are taken from the index of `y`
    named "qid".
sample_weight : array-like of shape (n_samples,), default=None
    The weights of the evaluation set, the same within each query.
**params : dict
    Parameters of the metric if it is a name, as in :func:`skrank.metrics.evaluate`,
    such as ``gain="linear"``. The library's own NDCG counts queries without relevant
    documents as 1, skrank's as 0: ``convention="lightgbm"``, "xgboost" and "catboost"
    count them as the library does.
"""

RAISES_IN_TRAINING = """
Raises
------
ValueError
    If `metric` is not a scorer name or a parameter has an invalid value; in training,
    if there are no queries, `y` does not have the grades of the evaluation set, or the
    metric is undefined for every query.
TypeError
    If `metric` has the wrong type or a parameter does not exist.
"""

_share_words = sharing_words(WORDS, RAISES_IN_TRAINING)


@_share_words
def lightgbm_metric(
    metric: MetricLike,
    *,
    y: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    **params: Any,
) -> LightGBMMetric:
    """Make an evaluation metric for LightGBM from a ranking metric.

    Pass it as `eval_metric` to the `fit` of LGBMRanker, or as `feval` to `lgb.train`
    and `lgb.cv`. Its values are those of :func:`skrank.metrics.evaluate` on the
    predictions after each round. Larger is always better. Only estimators without
    queries, such as LGBMRegressor, need `y` and `qid`.

    Returns
    -------
    eval_metric : callable
        The metric. It can be pickled and copied.

    See Also
    --------
    skrank.rankers.QueryRanker : Holds the evaluation set out itself, also in a search.

    Notes
    -----
    - Pass ``metric="None"``, a str, to LGBMRanker, or ``{"metric": "None"}`` to
      `lgb.train`. Otherwise LightGBM computes metrics of its own as well and stops if
      any of them no longer improves, and a metric of the same name, such as
      ``"ndcg@10"``, is mixed with it in the record.
    - With ``boosting_type="dart"`` LightGBM does not stop early and only logs it.

    Examples
    --------
    >>> import lightgbm as lgb
    >>> from skrank.datasets import make_ranking
    >>> from skrank.integrations import lightgbm_metric
    >>> X, y, qid = make_ranking(60, n_documents=10, random_state=0)
    >>> train = lgb.Dataset(X[:400], y[:400], group=[10] * 40)
    >>> held_out = lgb.Dataset(X[400:], y[400:], group=[10] * 20, reference=train)
    >>> params = {
    ...     "objective": "lambdarank", "metric": "None", "early_stopping_round": 5,
    ...     "num_threads": 1, "verbose": -1,
    ... }
    >>> booster = lgb.train(
    ...     params, train, 100, [held_out], feval=lightgbm_metric("mrr")
    ... )
    >>> 0 < booster.best_iteration < 100
    True
    >>> list(booster.best_score["valid_0"])
    ['mrr']
    """
    scorer = read_scorer(metric, params, "metric", "lightgbm_metric")
    return LightGBMMetric(scorer, y, qid, sample_weight)


@sharing_words(
    WORDS, RAISES_IN_TRAINING + "ImportError\n    If XGBoost is not installed.\n"
)
def xgboost_metric(
    metric: MetricLike,
    *,
    X: MatrixLike | Any = None,
    y: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    **params: Any,
) -> Any:
    """Make an evaluation metric for XGBoost from a ranking metric.

    It is two things in one. With an evaluation set it is a callback of XGBRanker, which
    after each round writes the value of :func:`skrank.metrics.evaluate` into the log,
    exactly. Without one it is the `custom_metric` of `xgb.train` and `xgb.cv`, for each
    of their evaluation sets. Larger is always better.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
        The features of the evaluation set of a callback, from which it predicts:
        XGBoost passes predictions without queries to the metrics of XGBRanker.

    Returns
    -------
    metric : xgboost.callback.TrainingCallback
        The metric. It can be pickled and copied.

    See Also
    --------
    skrank.rankers.QueryRanker : Holds the evaluation set out itself, also in a search.

    Notes
    -----
    - To stop early, pass ``[metric, EarlyStopping(rounds=10, metric_name=metric.name,
      data_name="held_out", maximize=True)]`` as `callbacks`, in this order.
    - :doc:`/integrations` says why to pass ``maximize=True``, and no function as
      ``XGBRanker(eval_metric=...)``.
    - The values of a `custom_metric` pass through a string with 6 decimals. Smaller
      improvements are lost, and training stops too early.
    - Pass ``{"disable_default_eval_metric": True}`` to `xgb.train`, or XGBoost computes
      a metric of its own as well.
    """
    scorer = read_scorer(metric, params, "metric", "xgboost_metric")
    if (X is None) != (y is None):
        raise ValueError(
            "xgboost_metric needs all of X, y and qid to be a callback, or none of "
            f"them to be a custom_metric. Got no {'X' if X is None else 'y'}."
        )
    return xgboost_callback()(scorer, X, y, qid, sample_weight)


@_share_words
def catboost_metric(
    metric: MetricLike,
    *,
    y: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    **params: Any,
) -> CatBoostMetric:
    """Make an evaluation metric for CatBoost from a ranking metric.

    Pass it as `eval_metric` to CatBoostRanker, and fit with an `eval_set` of the
    documents of `y` and `qid`. Its values are those of :func:`skrank.metrics.evaluate`
    on the predictions after each round. Larger is always better.

    Returns
    -------
    eval_metric : object
        The metric. It can be pickled, and estimators with it can be cloned.

    See Also
    --------
    skrank.rankers.QueryRanker : Holds the evaluation set out itself, also in a search.

    Notes
    -----
    - `y` and `qid` are needed, in the order of `eval_set`.
    - CatBoost evaluates the training set as well. The metric recognizes its own
      documents by their grades, and is 0 for all others. If no evaluation set has the
      grades `y`, the error is inside a CatBoostError.
    - The results, `evals_result_`, are under the name of the metric.
    - A fitted CatBoostRanker keeps the metric, with `y` and `qid`, also when pickled.

    Examples
    --------
    >>> from skrank.integrations import catboost_metric
    >>> metric = catboost_metric("mrr", y=[1, 0, 0, 1], qid=[7, 7, 8, 8])
    >>> metric
    catboost_metric(make_ranking_scorer('mrr'))
    >>> metric.is_max_optimal()
    True
    """
    scorer = read_scorer(metric, params, "metric", "catboost_metric")
    if y is None:
        raise ValueError(
            "catboost_metric needs the grades and the query ids of the eval_set, since "
            "CatBoost passes no queries to a metric. Pass y and qid. Got y=None."
        )
    return CatBoostMetric(scorer, y, qid, sample_weight)


class TrainingMetric:
    """The base of the metrics of all libraries.

    What does not depend on the scores is prepared once for each evaluation set. It is
    neither copied nor pickled.
    """

    made_by = "TrainingMetric"

    def __init__(self, scorer, y=None, qid=None, sample_weight=None):
        self.scorer = scorer
        self.name = scorer.key
        self.documents = None
        self._prepared = deque(maxlen=KEPT)
        if y is not None:
            self.documents = y, qid, sample_weight
            self._prepare(self.documents)  # an error comes before the training

    def value(self, y_score, documents=None):
        """Return the value of some scores of the documents, by default of its own."""
        value = self._prepare(self.documents if documents is None else documents)
        result = value(np.asarray(y_score))
        if np.isnan(result):
            raise ValueError(
                f"The metric {self.name!r} is undefined for every query of the "
                "evaluation set, so that training cannot be stopped by it. Pass an "
                "evaluation set with relevant documents, or another metric. Got NaN."
            )
        return result

    def forget(self):
        """Drop the evaluation set, which a fitted model must not keep."""
        self.documents = None
        self._prepared.clear()

    def __getstate__(self):
        return {**vars(self), "_prepared": deque(maxlen=KEPT)}

    def __repr__(self):
        return f"{self.made_by}({self.scorer!r})"

    def _prepare(self, documents):
        for known, value in self._prepared:
            pairs = zip(known, documents, strict=True)
            if all(one is other or np.array_equal(one, other) for one, other in pairs):
                return value
        value = self.scorer._on_documents(*documents)
        self._prepared.append((documents, value))
        return value


def read_scorer(metric, params, parameter, caller):
    """Return the scorer of a name, or a scorer; errors name parameter and caller."""
    if isinstance(metric, str):
        return make_ranking_scorer(metric, **params)
    if not isinstance(metric, RankingScorer) or metric._score_func.is_list:
        raise TypeError(
            f"The '{parameter}' parameter of {caller} must be a scorer name of skrank, "
            "such as 'ndcg@10', or a scorer of one metric, made with "
            f"skrank.metrics.make_ranking_scorer. Got {shown(metric)} instead."
        )
    if params:
        raise TypeError(
            f"{caller} takes the parameters of a metric with a name only. Pass them to "
            f"make_ranking_scorer. Got a scorer and {sorted(params)}."
        )
    return metric


class LightGBMMetric(TrainingMetric):
    """What LightGBM calls as ``eval_metric=`` and as ``feval=``.

    Made by :func:`lightgbm_metric`.
    """

    made_by = "lightgbm_metric"

    # LGBMRanker passes as many arguments as there are parameters: these four. lgb.train
    # passes two, the scores and its data set.
    def __call__(self, y_true, y_score, weight=None, group=None):
        """Return the name, the value, and that larger is better."""
        if hasattr(y_score, "get_label"):
            y_score, data = y_true, y_score
            y_true, weight = data.get_label(), data.get_weight()
            group = data.get_group()
        documents = self.documents
        if documents is None and group is None:
            raise ValueError(
                "lightgbm_metric needs the queries of the evaluation set, and LightGBM "
                "passes none. Pass eval_group to LGBMRanker.fit, group to lgb.Dataset, "
                "or y and qid to lightgbm_metric. Got group=None."
            )
        if documents is None:
            documents = y_true, np.repeat(np.arange(len(group)), group), weight
        elif not are_grades(y_true, documents[0]):
            raise ValueError(
                "The 'y' and 'qid' parameters of lightgbm_metric must be those of the "
                "evaluation set, in the same order. Got a y of length "
                f"{len(documents[0])} and an evaluation set of {len(y_true)} documents "
                "with other grades."
            )
        return self.name, self.value(y_score, documents), True


class XGBoostMetric(TrainingMetric):
    """What XGBoost calls as ``custom_metric=``, and the methods of its callback.

    Made by :func:`xgboost_metric`.
    """

    made_by = "xgboost_metric"

    def __init__(self, scorer, X=None, y=None, qid=None, sample_weight=None, **dmatrix):
        super().__init__(scorer, y, qid, sample_weight)
        self.X = X
        self.dmatrix = dmatrix
        self._data = None

    def __call__(self, y_score, dmatrix):
        """Return the name and the value for the documents of a DMatrix."""
        if not hasattr(dmatrix, "get_uint_info"):
            raise TypeError(
                "xgboost_metric is the custom_metric of xgb.train and xgb.cv, or a "
                "callback of XGBRanker: pass XGBRanker(callbacks=[metric, ...]), not "
                "eval_metric, which XGBoost calls with single queries. Got "
                f"{shown(dmatrix)} instead of a DMatrix."
            )
        borders = dmatrix.get_uint_info("group_ptr").astype(np.intp)
        if len(borders) < 2:
            raise ValueError(
                "xgboost_metric needs the queries of the evaluation set. Pass qid to "
                "DMatrix. Got a DMatrix without queries."
            )
        sizes, weight = np.diff(borders), dmatrix.get_weight()
        weight = np.repeat(weight, sizes) if len(weight) else None
        qid = np.repeat(np.arange(len(sizes)), sizes)
        documents = dmatrix.get_label(), qid, weight
        return self.name, self.value(y_score, documents)

    def before_training(self, model):
        """Make the DMatrix, whose predictions XGBoost keeps between the rounds."""
        if self.X is None:
            raise ValueError(
                "xgboost_metric needs the evaluation set to be a callback. Pass X, y "
                "and qid to xgboost_metric. Got X=None."
            )
        if not hasattr(model, "predict"):
            raise ValueError(
                "xgboost_metric is a callback of xgb.train and XGBRanker. For xgb.cv "
                "pass it as custom_metric. Got the models of xgb.cv."
            )
        DMatrix = importlib.import_module("xgboost").DMatrix
        self._data = DMatrix(self.X, **self.dmatrix)
        return model

    def after_iteration(self, model, epoch, evals_log):
        """Write the value into the log; callbacks behind this one can read it."""
        value = self.value(model.predict(self._data))
        evals_log.setdefault(HELD_OUT, {}).setdefault(self.name, []).append(value)
        return False

    def after_training(self, model):
        """Drop the DMatrix, which cannot be pickled."""
        self._data = None
        return model

    def __getstate__(self):
        return {**super().__getstate__(), "_data": None}

    def __reduce__(self):
        return _new_callback, (), self.__getstate__()


@functools.cache
def xgboost_callback():
    """Return XGBoostMetric as a callback, the base of which is in XGBoost."""
    try:
        base = importlib.import_module("xgboost.callback").TrainingCallback
    except ImportError as error:
        raise ImportError(
            "skrank.integrations.xgboost_metric needs the package xgboost. Install it "
            f"with {INSTALL.format('rankers')}."
        ) from error
    return type("XGBoostMetric", (XGBoostMetric, base), {})


def _new_callback():
    callback = xgboost_callback()
    return callback.__new__(callback)


class CatBoostMetric(TrainingMetric):
    """What CatBoost calls as ``eval_metric=``.

    Made by :func:`catboost_metric`.
    """

    made_by = "catboost_metric"

    # With numba installed, CatBoost compiles the methods, in vain, and leaves functions
    # in the object that cannot be pickled.
    no_jit = True

    def __init__(self, *args):
        super().__init__(*args)
        self._others = Counter()

    def __new__(cls, scorer, *documents):
        """Make an object of a class whose name CatBoost's results will have."""
        return object.__new__(type(scorer.key, (cls,), {}))

    def is_max_optimal(self):
        """Return True: larger is better."""
        return True

    def evaluate(self, approxes, target, weight):
        """Return the value for the evaluation set and 0 for the training set."""
        if are_grades(target, self.documents[0]):
            self._others.clear()
            return self.value(approxes[0]), 1.0
        grades = np.asarray(target).tobytes()
        self._others[grades] += 1
        # Whole rounds went by without the documents of the metric. Twice may be one
        # round: the training set is also an evaluation set.
        if self._others[grades] > 2:
            self._others.clear()
            raise ValueError(
                "catboost_metric needs the grades of the eval_set in the same order, "
                "since it recognizes its documents by them. Got a y of length "
                f"{len(self.documents[0])} whose grades are in no evaluation set."
            )
        return 0.0, 1.0

    def get_final_error(self, error, weight):
        """Return the value, which is finished."""
        return error

    # The constructor and `get_params` of CatBoost copy it, and scikit-learn clones no
    # estimator whose parameters differ then.
    def __deepcopy__(self, memo):
        return self

    # So clones of an estimator, which may be fitted at the same time, share no counts.
    def __sklearn_clone__(self):
        return CatBoostMetric(self.scorer, *(self.documents or ()))

    def __reduce__(self):
        return CatBoostMetric, (self.scorer, *(self.documents or ()))


def are_grades(target, y):
    """Return True if a target that a library passes is `y`, in single precision."""
    return np.array_equal(target, np.asarray(y, dtype=np.float32))
