"""Many metrics of one ranking."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import inspect
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from skrank._ranking import rank_queries
from skrank._validation import check_threshold
from skrank.metrics._measure import check_options, check_ties, summarize
from skrank.metrics._names import METRICS, parse_name

_INPUT = ("qid", "sample_weight", "exclude")
_SUMMARY = ("replace_undefined_by", "average", "adjusted")
_RANKING = ("threshold", "ties")


class Request(NamedTuple):
    """One metric that was asked for: its key in the result and how to compute it."""

    key: str
    definition: Callable
    sign: int
    options: dict


def evaluate(
    y_true,
    y_score,
    metrics,
    *,
    qid=None,
    average="macro",
    sample_weight=None,
    exclude=None,
    **params,
):
    """Evaluate several metrics at once: the documents are ranked only once.

    Parameters
    ----------
    y_true : {array-like, sparse matrix} of shape (n_samples,) or (n_queries, n_docs)
        The true grades, 0 or more; or, of shape (n_queries,) beside a `y_score` of
        shape (n_queries, n_docs), the column of the one right document of each query.
    y_score : array-like of shape (n_samples,) or (n_queries, n_docs)
        The predicted scores, larger is better. Infinite scores are ranked.
    metrics : str, callable or list of them
        Scorer names such as "ndcg@10", "mrr" or "neg_mean_rank"; metric functions of
        skrank; or functions of your own, which map a
        :class:`~skrank.metrics.RankedQueries` to an array of shape (n_queries,) in
        which NaN means undefined.
    qid : array-like of shape (n_samples,), default=None
        The query of each row, of any dtype and in any order. None reads it from the
        index of `y_true` named "qid", if there is one; else all rows are one query.
    average : {"macro", "weighted"} or None, default="macro"
        How queries are averaged: all alike, or by their number of documents. None
        returns the value of each query, in the order of ``np.unique(qid)``.
    sample_weight : array-like of shape (n_samples,) or (n_queries,), default=None
        The weight of each row, constant within a query: it is the weight of the query.
        Of shape (n_queries,) where each row of `y_score` is a query.
    exclude : {array-like, sparse matrix} of bool, (n_queries, n_docs), default=None
        Documents that take no part, where each row of `y_score` is a query. The one
        right document of a query is never taken out.
    **params
        Further parameters of the metrics, such as ``ties="optimistic"`` or
        ``gain="linear"``. Each goes to the metrics that have it.

    Returns
    -------
    scores : dict of str to float
        The value under each name, or function name. With ``average=None`` arrays of
        shape (n_queries,), and the query ids under "qid".

    Raises
    ------
    ValueError
        If a name is unknown, or a value or a shape is out of what the parameters
        accept.
    TypeError
        If no metric has one of `params`.

    See Also
    --------
    make_ranking_scorer : The same for an estimator.

    Examples
    --------
    >>> from skrank.metrics import evaluate
    >>> evaluate([1, 0, 0, 1], [2, 1, 2, 1], ["mrr", "hits@1"], qid=[7, 7, 8, 8])
    {'mrr': 0.75, 'hits@1': 0.5}
    >>> evaluate([0, 1], [1, 1], ["mrr"], ties="pessimistic")
    {'mrr': 0.5}
    """
    requests = read_requests(metrics, {"average": average, **params}, "evaluate")
    data = {"qid": qid, "exclude": exclude}
    rankings, scores = {}, {}
    for request in requests:
        options = dict(request.options)
        how = tuple(options.pop(name) for name in _RANKING)
        if how not in rankings:
            policy = dict(zip(_RANKING, how, strict=True))
            rankings[how] = rank_queries(y_true, y_score, **data, **policy)
        summary = {name: options.pop(name) for name in _SUMMARY}
        scores[request.key] = request.sign * summarize(
            request.definition,
            options,
            rankings[how],
            sample_weight=sample_weight,
            **summary,
        )
    if average is None:
        scores["qid"] = next(iter(rankings.values())).ids
    return scores


def read_requests(metrics, params, caller):
    """Read what `metrics` asks for, and give each metric its share of `params`.

    Parameters
    ----------
    metrics : str, callable or list of them
        As in :func:`evaluate`.
    params : dict
        Parameters of the metrics.
    caller : str
        The function that errors name.

    Returns
    -------
    requests : list of Request
        In the order of `metrics`, each name once.
    """
    if isinstance(metrics, str) or callable(metrics):
        metrics = [metrics]
    named = {}
    for metric in metrics:
        key, definition, door, sign, own = _resolve(metric)
        named.setdefault(key, (definition, sign, _defaults(door) | own))
    if not named:
        raise ValueError(f"{caller} needs at least one metric. Got {metrics!r}.")
    known = set().union(*(defaults for _, _, defaults in named.values()))
    unknown = sorted(set(params) - known)
    if unknown or "k" in params:
        hint = " Write k into the name: 'ndcg@10'." if "k" in params else ""
        raise TypeError(
            f"{caller} got parameters that none of {sorted(named)} takes: "
            f"{unknown or ['k']}.{hint}"
        )
    requests = []
    for key, (definition, sign, defaults) in named.items():
        options = _checked(definition, defaults, params, caller)
        # An adjusted metric is larger when better, whatever the metric is.
        sign = 1 if options["adjusted"] else sign
        requests.append(Request(key, definition, sign, options))
    return requests


def _resolve(metric):
    """Return (key, definition, door, sign, own parameters) of one metric."""
    if isinstance(metric, str):
        row, k, sign = parse_name(metric)
        return metric, row.definition, row.door, sign, {"k": k} if k else {}
    for row in METRICS.values():
        if metric is row.door:
            return metric.__name__, row.definition, row.door, 1, {}
    if callable(metric):
        name = getattr(metric, "__name__", type(metric).__name__)
        return name, metric, None, 1, {}
    raise ValueError(
        "Each metric must be a scorer name or a callable. "
        f"Got {metric!r} of type {type(metric).__name__}."
    )


@cache
def _defaults(door):
    """Return the defaults of a metric's parameters, the input aside."""
    if door is None:  # a user's own definition
        return {
            "threshold": 0.0,
            "ties": "expected",
            "replace_undefined_by": 0.0,
            "average": "macro",
            "adjusted": False,
        }
    parameters = inspect.signature(door).parameters.values()
    return {
        parameter.name: parameter.default
        for parameter in parameters
        if parameter.kind is parameter.KEYWORD_ONLY and parameter.name not in _INPUT
    }


def _checked(definition, defaults, params, caller):
    options = defaults | {name: params[name] for name in defaults if name in params}
    check_options(caller, *(options[name] for name in _SUMMARY))
    check_ties(options["ties"], definition, caller)
    options["threshold"] = check_threshold(options["threshold"], caller)
    return options
