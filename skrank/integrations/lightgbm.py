"""A metric for LightGBM."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank.integrations.training_metric import (
    TrainingMetric,
    are_grades,
    read_scorer,
)


class LightGBMMetric(TrainingMetric):
    """What LightGBM calls as ``eval_metric=`` and as ``feval=``."""

    made_by = "lightgbm_metric"

    # LGBMRanker passes as many arguments as there are parameters: these four. lgb.train
    # passes two, the scores and its data set.
    def __call__(self, y_true, y_score, weight=None, group=None):
        """Return the name, the value, and that larger is better."""
        if hasattr(y_score, "get_label"):
            y_score, data = y_true, y_score
            y_true, weight, group = (
                data.get_label(),
                data.get_weight(),
                data.get_group(),
            )
        documents = self.documents
        if documents is None:
            documents = y_true, _ids_of(group), weight
        elif not are_grades(y_true, documents[0]):
            raise ValueError(
                "The 'y' and 'qid' parameters of lightgbm_metric must be those of the "
                "evaluation set, in the same order. Got a y of length "
                f"{len(documents[0])} and an evaluation set of {len(y_true)} documents "
                "with other grades."
            )
        return self.name, self.value(y_score, documents), True


def lightgbm_metric(metric, *, y=None, qid=None, sample_weight=None, **params):
    """Make an evaluation metric for LightGBM from a ranking metric.

    Pass it as `eval_metric` to the `fit` of LGBMRanker, or as `feval` to `lgb.train`
    and `lgb.cv`. Its values are those of :func:`skrank.metrics.evaluate` on the
    predictions after each round. Larger is always better.

    Parameters
    ----------
    metric : str or scorer
        A scorer name, such as ``"ndcg@10"``, or a scorer made with
        :func:`skrank.metrics.make_ranking_scorer`.
    y, qid, sample_weight : array-like of shape (n_samples,), default=None
        The relevance, the query ids and the weights of the evaluation set. LGBMRanker
        and data sets with groups pass them, so they are needed for estimators without
        queries only, such as LGBMRegressor.
    **params : dict
        Parameters of the metric if it is a name, as in :func:`skrank.metrics.evaluate`:
        ``gain="linear"``, ``convention="lightgbm"``, ...

    Returns
    -------
    eval_metric : callable
        The metric. It can be pickled and copied.

    Raises
    ------
    ValueError
        If `metric` is no scorer name or a parameter has an invalid value; in training,
        if LightGBM passes no groups, if an evaluation set has other grades than `y`, or
        if the metric is undefined for every query.
    TypeError
        If `metric` has the wrong type or a parameter does not exist.

    See Also
    --------
    skrank.rankers.QueryRanker : Holds the evaluation set out itself, also in a search.

    Notes
    -----
    - Pass ``metric="None"``, a str, to LGBMRanker, or ``{"metric": "None"}`` to
      `lgb.train`. Otherwise LightGBM computes metrics of its own as well and stops if
      any of them no longer improves, and a metric of the same name, such as
      ``"ndcg@10"``, is mixed with it in the record.
    - LightGBM counts queries without relevant documents as 1 in its own NDCG, skrank as
      0. ``convention="lightgbm"`` counts them as LightGBM does.
    - With ``boosting_type="dart"`` LightGBM does not stop early and only logs it.
    - Weights have to be the same within each query.

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


def _ids_of(group):
    """Return a query id for each row, from the number of rows of each query."""
    if group is None:
        raise ValueError(
            "lightgbm_metric needs the queries of the evaluation set, and LightGBM "
            "passes none. Pass eval_group to LGBMRanker.fit, group to lgb.Dataset, or "
            "y and qid to lightgbm_metric. Got group=None."
        )
    return np.repeat(np.arange(len(group)), group)
