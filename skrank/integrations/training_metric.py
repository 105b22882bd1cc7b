"""A ranking metric that a library computes in each round of its training."""

# SPDX-License-Identifier: BSD-3-Clause

from collections import deque

import numpy as np

from skrank._checks import shown
from skrank.metrics import make_ranking_scorer
from skrank.metrics.scorer import RankingScorer

# An evaluation set for each fold, and as many training sets, are evaluated in turns.
KEPT = 16


class TrainingMetric:
    """The base of the metrics of all libraries; larger is always better.

    What does not depend on the scores is prepared once for each evaluation set. It is
    neither copied nor pickled.

    Parameters
    ----------
    scorer : RankingScorer
        The metric.
    y, qid, sample_weight : array-like of shape (n_samples,), default=None
        The evaluation set. If `y` is None, the library passes it in each round.
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
        """Return the metric as a function of the scores of some documents."""
        for known, value in self._prepared:
            if all(map(_are_equal, known, documents)):
                return value
        value = self.scorer.on_documents(*documents)
        self._prepared.append((documents, value))
        return value


def read_scorer(metric, params, parameter, caller):
    """Return the scorer of a name, or a scorer as it is.

    Errors name the `parameter` and the `caller`.
    """
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


def are_grades(target, y):
    """Return True if a target that a library passes is `y`, in single precision."""
    return np.array_equal(target, np.asarray(y, dtype=np.float32))


def _are_equal(one, other):
    return one is other or np.array_equal(one, other)
