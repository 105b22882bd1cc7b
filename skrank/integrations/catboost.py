"""A metric for CatBoost."""

# SPDX-License-Identifier: BSD-3-Clause

from collections import Counter

import numpy as np

from skrank.integrations.training_metric import (
    TrainingMetric,
    are_grades,
    read_scorer,
)


class CatBoostMetric(TrainingMetric):
    """What CatBoost calls as ``eval_metric=``."""

    made_by = "catboost_metric"

    # With numba installed, CatBoost compiles the methods, in vain, and leaves functions
    # in the object that cannot be pickled.
    no_jit = True

    def __init__(self, *args):
        super().__init__(*args)
        self._others = Counter()

    def __new__(cls, scorer, *documents):
        """Make an object of a class that is named after the metric.

        The name of the class is that of the metric in CatBoost's results.
        """
        return object.__new__(type(scorer.key, (cls,), {}))

    def is_max_optimal(self):
        """Return True: larger is better."""
        return True

    def evaluate(self, approxes, target, weight):
        """Return the value for the evaluation set and 0 for the training set."""
        if are_grades(target, self.documents[0]):
            self._others.clear()
            return self.value(approxes[0]), 1.0
        self._check_others(target)
        return 0.0, 1.0

    def get_final_error(self, error, weight):
        """Return the value, which is finished."""
        return error / weight

    def _check_others(self, target):
        """Raise if whole rounds went by without the documents of the metric."""
        grades = np.asarray(target).tobytes()
        self._others[grades] += 1
        # Twice may be one round: the training set is also an evaluation set.
        if self._others[grades] > 2:
            raise ValueError(
                "catboost_metric needs the grades of the eval_set in the same order, "
                "since it recognizes its documents by them. Got a y of length "
                f"{len(self.documents[0])} whose grades are in no evaluation set."
            )

    # The constructor and `get_params` of CatBoost copy it, and scikit-learn clones no
    # estimator whose parameters are others then.
    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return CatBoostMetric, (self.scorer, *(self.documents or ()))


def catboost_metric(metric, y, qid, *, sample_weight=None, **params):
    """Make an evaluation metric for CatBoost from a ranking metric.

    Pass it as `eval_metric` to CatBoostRanker, and fit with an `eval_set` of the same
    documents. Its values are those of :func:`skrank.metrics.evaluate` on the
    predictions after each round. Larger is always better.

    Parameters
    ----------
    metric : str or scorer
        A scorer name, such as ``"ndcg@10"``, or a scorer made with
        :func:`skrank.metrics.make_ranking_scorer`.
    y : array-like of shape (n_samples,)
        The relevance of the documents of `eval_set`, in the same order.
    qid : array-like of shape (n_samples,)
        Their query ids.
    sample_weight : array-like of shape (n_samples,), default=None
        Their weights, the same within each query.
    **params : dict
        Parameters of the metric if it is a name, as in :func:`skrank.metrics.evaluate`:
        ``gain="linear"``, ``convention="catboost"``, ...

    Returns
    -------
    eval_metric : object
        The metric. It can be pickled, and estimators with it can be cloned.

    Raises
    ------
    ValueError
        If `metric` is no scorer name or a parameter has an invalid value; in training,
        inside a CatBoostError, if no evaluation set has the grades `y` or the metric
        is undefined for every query.
    TypeError
        If `metric` has the wrong type or a parameter does not exist.

    See Also
    --------
    skrank.rankers.QueryRanker : Holds the evaluation set out itself, also in a search.

    Notes
    -----
    - CatBoost does not tell a metric the queries, so they are given beforehand. It
      passes the documents whole and in the order of `eval_set`.
    - CatBoost evaluates the training set as well. The metric recognizes its own
      documents by their grades, and is 0 for all others.
    - The results, `evals_result_`, are under the name of the metric.
    - A fitted CatBoostRanker keeps the metric, with `y` and `qid`, also when pickled.
    - CatBoost counts queries without relevant documents as 1 in its own NDCG, skrank as
      0. ``convention="catboost"`` counts them as CatBoost does.

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
    return CatBoostMetric(scorer, y, qid, sample_weight)
