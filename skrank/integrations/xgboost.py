"""A metric for XGBoost."""

# SPDX-License-Identifier: BSD-3-Clause

import functools
import importlib

import numpy as np

from skrank._checks import shown
from skrank.integrations.training_metric import TrainingMetric, read_scorer

# The name of the evaluation set in the log of XGBoost.
HELD_OUT = "held_out"


class XGBoostMetric(TrainingMetric):
    """What XGBoost calls as ``custom_metric=``, and the methods of its callback."""

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


def xgboost_metric(
    metric,
    *,
    X=None,
    y=None,
    qid=None,
    sample_weight=None,
    dmatrix=None,
    **params,
):
    """Make an evaluation metric for XGBoost from a ranking metric.

    It is two things in one. With an evaluation set it is a callback of XGBRanker, which
    after each round writes the value of :func:`skrank.metrics.evaluate` into the log,
    exactly. Without one it is the `custom_metric` of `xgb.train` and `xgb.cv`, for each
    of their evaluation sets. Larger is always better.

    Parameters
    ----------
    metric : str or scorer
        A scorer name, such as ``"ndcg@10"``, or a scorer made with
        :func:`skrank.metrics.make_ranking_scorer`.
    X : {array-like, sparse matrix, dataframe} of shape (n_samples, n_features), \
            default=None
        The features of the evaluation set of a callback.
    y, qid, sample_weight : array-like of shape (n_samples,), default=None
        The relevance, the query ids and the weights of this evaluation set, rows in any
        order. Weights have to be the same within each query.
    dmatrix : dict, default=None
        Further parameters of the DMatrix that is made of `X`, which should be those of
        the estimator: ``{"enable_categorical": True, "missing": -1}``.
    **params : dict
        Parameters of the metric if it is a name, as in :func:`skrank.metrics.evaluate`:
        ``gain="linear"``, ``convention="xgboost"``, ...

    Returns
    -------
    metric : xgboost.callback.TrainingCallback
        The metric. It can be pickled and copied.

    Raises
    ------
    ImportError
        If XGBoost is not installed.
    ValueError
        If `metric` is no scorer name or a parameter has an invalid value; in training,
        if there are no queries or the metric is undefined for all of them.
    TypeError
        If `metric` has the wrong type or a parameter does not exist; in training, if
        it is passed as `eval_metric`.

    See Also
    --------
    skrank.rankers.QueryRanker : Holds the evaluation set out itself, also in a search.

    Notes
    -----
    - To stop early, pass ``[metric, EarlyStopping(rounds=10, metric_name=metric.name,
      data_name="held_out", maximize=True)]`` as `callbacks`, in this order. Without
      ``maximize=True`` XGBoost minimizes each metric whose name it does not know.
      An EarlyStopping object serves one fit only.
    - Do not pass a metric function as ``XGBRanker(eval_metric=...)``. XGBoost calls it
      for each query, weights the queries by their number of documents, and counts
      queries of one document as 1. In one test it said 0.798 where the mean was 0.819.
    - The values of a `custom_metric` pass through a text with 6 decimals. Smaller
      improvements are lost, and training stops too early.
    - Pass ``{"disable_default_eval_metric": True}`` to `xgb.train`, or XGBoost computes
      a metric of its own as well.
    - XGBoost counts queries without relevant documents as 1 in its own NDCG, skrank as
      0. ``convention="xgboost"`` counts them as XGBoost does.
    """
    scorer = read_scorer(metric, params, "metric", "xgboost_metric")
    if (X is None) != (y is None):
        raise ValueError(
            "xgboost_metric needs all of X, y and qid to be a callback, or none of "
            f"them to be a custom_metric. Got no {'X' if X is None else 'y'}."
        )
    return new_xgboost_metric(scorer, X, y, qid, sample_weight, **(dmatrix or {}))


def new_xgboost_metric(*args, **dmatrix):
    """Return an XGBoostMetric that is a callback of XGBoost."""
    return _callback_class()(*args, **dmatrix)


@functools.cache
def _callback_class():
    """Return the class of the callback, whose base is in XGBoost."""
    try:
        base = importlib.import_module("xgboost.callback").TrainingCallback
    except ImportError as error:
        raise ImportError(
            "skrank.integrations.xgboost_metric needs the package xgboost. Install it "
            'with `pip install "skrank[rankers]"`.'
        ) from error

    class Callback(XGBoostMetric, base):
        """The metric as a callback."""

    Callback.__name__ = Callback.__qualname__ = "XGBoostMetric"
    return Callback


def _new_callback():
    """Return a callback without a state, for pickles and copies."""
    callback = _callback_class()
    return callback.__new__(callback)
