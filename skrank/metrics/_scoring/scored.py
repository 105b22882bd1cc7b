"""The metrics of a scorer, as functions of labels and predictions."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import warnings

from skrank._checks import shown
from skrank._columns import find_qid, require_qid
from skrank.metrics._answer import Arrays, OwnRanks, RepeatedAnswer, answer_all
from skrank.metrics._evaluate import (
    Asked,
    check_direction,
    check_ids_unneeded,
    read_requests,
)
from skrank.metrics._metric import metric_of

CALLER = "make_ranking_scorer"


class RequestedMetrics:
    """Requests with the call of a scikit-learn metric; `text` is what a scorer shows.

    If `is_list`, it returns a dict with a value for each of the `requests`.
    """

    # Query ids may be encoded already.
    reads_heads = True

    def __init__(self, requests, is_list, text):
        self.requests = requests
        self.is_list = is_list
        self.text = text

    def __call__(self, y_true, y_score, *, qid=None, sample_weight=None):
        return self._answer(self._arrays(y_true, y_score, qid, sample_weight))

    def of_documents(self, y_true, qid, sample_weight=None):
        """Return the first metric as a function of the scores of these documents."""
        arrays = self._arrays(y_true, None, qid, sample_weight)
        return RepeatedAnswer(self.requests[0], arrays)

    def of_ranks(self, ranks):
        """Return the metrics of queries that the estimator ranks itself."""
        return self._answer(OwnRanks(ranks, f"The scorer of {self.text}"))

    def _arrays(self, y_true, y_score, qid, sample_weight):
        qid = require_qid(find_qid(qid, y=y_true), f"The scorer of {self.text}")
        return Arrays(y_true, y_score, qid=qid, sample_weight=sample_weight)

    def _answer(self, source):
        values = answer_all(self.requests, source)
        return values if self.is_list else next(iter(values.values()))


class UserMetric:
    """A user's function ``metric(y_true, y_score, qid=qid, **params)``."""

    reads_heads = False
    is_list = False

    def __init__(self, function, params):
        self.function = function
        self.params = params
        self.text = getattr(function, "__name__", repr(function))

    def __call__(self, y_true, y_score, *, qid=None, sample_weight=None):
        qid = require_qid(find_qid(qid, y=y_true), f"The scorer of {self.text}")
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return self.function(y_true, y_score, qid=qid, **self.params, **weights)

    def of_documents(self, y_true, qid, sample_weight=None):
        """Return the metric as a function of the scores of these documents."""
        return lambda y_score: self(
            y_true, y_score, qid=qid, sample_weight=sample_weight
        )


def scored_function(function, params):
    """Return the scored metric of a metric function, or of a function of a ranking."""
    params = dict(params)
    k, metric = params.pop("k", None), metric_of(function)

    def read(function):
        return Asked(metric.function.__name__, metric, k)

    if metric is None:
        requests = read_requests(function, params, CALLER)
    else:
        requests = read_requests(function, params, CALLER, read=read)
    return _scored(requests, params, is_list=False, text=requests[0].key)


def scored_names(names, params):
    """Return the scored metrics of a scorer name, or of a list of them."""
    params = dict(params)
    named = _with_cutoff(names, params.pop("k", None))
    requests = read_requests(named, params, CALLER)
    for request in requests:
        check_direction(request)
    is_list = not isinstance(named, str)
    return _scored(requests, params, is_list=is_list, text=repr(named))


def is_better_when_greater(scored):
    """Return True if larger values of the one metric are better."""
    (request,) = scored.requests
    return request.metric.is_better_when_greater(request.options["adjusted"])


def _scored(requests, params, *, is_list, text):
    """Return the scored metrics, after a trial of given parameters on two rows.

    An invalid parameter raises an error here. Later, cross-validation would turn the
    error into a NaN.
    """
    check_ids_unneeded(requests, params.get("convention"))
    scored = RequestedMetrics(requests, is_list, text)
    if not params:
        return scored
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scored(y_true=[1, 0], y_score=[1.0, 0.0], qid=[0, 0])
    return scored


def _with_cutoff(names, k):
    """Return a name, or a list of names, with the cutoff of the parameter k."""
    cutoff = "" if k is None else f"@{k}"
    if isinstance(names, str):
        return names + cutoff
    is_list = isinstance(names, (list, tuple))
    if not is_list or not all(isinstance(name, str) for name in names):
        raise TypeError(
            "The 'metric' parameter of make_ranking_scorer must be a str, a callable "
            f"or a list of str. Got {shown(names)} instead."
        )
    if not names:
        raise ValueError(
            "The 'metric' parameter of make_ranking_scorer must name at least one "
            "metric. Got an empty list."
        )
    return [name + cutoff for name in names]
