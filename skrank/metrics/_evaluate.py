"""Many metrics of one ranking."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import functools
import inspect
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from skrank._checks import check_choice, check_threshold, numeric_array
from skrank._ranking.rank import DOC_ORDERS, rank_queries
from skrank.metrics._conventions import NoNumber, check_convention, rules_of
from skrank.metrics._measure import check_options, check_ties, depth_of, summarize
from skrank.metrics._names import METRICS, parse_name

_INPUT = ("qid", "sample_weight", "exclude", "judged", "returned")
_SUMMARY = ("replace_undefined_by", "average", "adjusted")
_RANKING = ("threshold", "ties", "doc_order", "score_dtype")

# What a user's own definition takes, and what every metric takes beside its own.
_OF_A_DEFINITION = {
    "threshold": 0.0,
    "ties": "expected",
    "replace_undefined_by": 0.0,
    "average": "macro",
    "adjusted": False,
}
_OF_EVALUATE = {"doc_order": None, "score_dtype": None}


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
    convention=None,
    average="macro",
    sample_weight=None,
    exclude=None,
    judged=None,
    returned=None,
    doc_id=None,
    doc_order=None,
    score_dtype=None,
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
    convention : str, default=None
        The library whose rules are followed, a name in ``skrank.metrics.CONVENTIONS``
        such as "lightgbm" or "trec_eval". Parameters given here win over its rules.
    average : {"macro", "weighted"} or None, default="macro"
        How queries are averaged: all alike, or by their number of documents. None
        returns the value of each query, in the order of ``np.unique(qid)``.
    sample_weight : array-like of shape (n_samples,) or (n_queries,), default=None
        The weight of each row, constant within a query: it is the weight of the query.
        Of shape (n_queries,) where each row of `y_score` is a query.
    exclude : {array-like, sparse matrix} of bool, (n_queries, n_docs), default=None
        Documents that take no part, where each row of `y_score` is a query. The one
        right document of a query is never taken out.
    judged : array-like of bool of shape (n_samples,), default=None
        Documents that have a grade. The others are ranked, but are not relevant, and
        their grade is not read. None: all have one.
    returned : array-like of bool of shape (n_samples,), default=None
        Documents that the system returned. The others count among the relevant
        documents and in the best order, but take no rank, and their score is not
        read. None: all were returned.
    doc_id : array-like of shape (n_samples,), default=None
        Document ids, for `doc_order`.
    doc_order : {"ascending", "descending"}, default=None
        With ``ties="first"``, tied documents stand in this order of `doc_id` instead
        of the input order.
    score_dtype : {"float32", "float64"}, default=None
        The precision in which scores are compared: single precision ties what differs
        by less. None is that of `y_score`.
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
        accept, or `convention` has no number for one of the metrics.
    TypeError
        If no metric has one of `params`.

    See Also
    --------
    make_ranking_scorer : The same for an estimator.
    explain : Why a metric differs between conventions.
    tie_report : How far ties can move a metric.

    Examples
    --------
    >>> from skrank.metrics import evaluate
    >>> evaluate([1, 0, 0, 1], [2, 1, 2, 1], ["mrr", "hits@1"], qid=[7, 7, 8, 8])
    {'mrr': 0.75, 'hits@1': 0.5}
    >>> evaluate([0, 1], [1, 1], ["mrr"], ties="pessimistic")
    {'mrr': 0.5}

    What other libraries say:

    >>> evaluate([0, 1], [1, 1], ["mrr"], convention="ranx")
    {'mrr': 0.5}
    >>> evaluate([0, 1], [1, 1], ["mrr"], convention="trec_eval", doc_id=["d1", "d2"])
    {'mrr': 1.0}

    A metric of your own: the share of queries led by a relevant document.

    >>> def led(ranking):
    ...     return ranking.expected_at_first(lambda rank: rank == 1)
    >>> evaluate([1, 0, 0, 1], [2, 1, 2, 1], led, qid=[7, 7, 8, 8])
    {'led': 0.5}
    """
    given = {
        "convention": convention,
        "doc_order": doc_order,
        "score_dtype": score_dtype,
    }
    params |= {name: value for name, value in given.items() if value is not None}
    requests = read_requests(metrics, {"average": average, **params}, "evaluate")
    rows = exclude, judged, returned, doc_id, sample_weight
    data = Data(y_true, y_score, qid, *rows, rankings={}, depths=_depths(requests))
    if doc_id is None:
        check_ids_unneeded(requests, convention)
    scores = {}
    for request in requests:
        scores[request.key] = answer(request, data)
    if average is None:
        scores["qid"] = next(iter(data.rankings.values())).ids
    return scores


class Data(NamedTuple):
    """The input of :func:`evaluate`, and its rankings so far by how they are ranked.

    `depths` says how far down each of them is read; else they are whole.
    """

    y_true: object
    y_score: object
    qid: object
    exclude: object
    judged: object
    returned: object
    doc_id: object
    sample_weight: object
    rankings: dict
    depths: dict


def _depths(requests):
    """Return how far down each ranking is read, by how it is ranked."""
    asked = {}
    for request in requests:
        how = tuple(request.options[name] for name in _RANKING)
        asked.setdefault(how, []).append((request.definition, request.options))
    return {how: depth_of(*readers) for how, readers in asked.items()}


def answer(request, data):
    """Return the value of one metric."""
    options = dict(request.options)
    how = tuple(options.pop(name) for name in _RANKING)
    if how not in data.rankings:
        data.rankings[how] = _rank(data, *how, depth=data.depths.get(how))
    summary = {name: options.pop(name) for name in _SUMMARY}
    return request.sign * summarize(
        request.definition,
        options,
        data.rankings[how],
        sample_weight=data.sample_weight,
        **summary,
    )


def _rank(data, threshold, ties, doc_order, score_dtype, depth):
    y_score = data.y_score
    if score_dtype is not None:
        with np.errstate(over="ignore"):
            y_score = numeric_array(y_score, "y_score").astype(score_dtype)
    return rank_queries(
        data.y_true,
        y_score,
        qid=data.qid,
        threshold=threshold,
        ties=ties,
        exclude=data.exclude,
        judged=data.judged,
        returned=data.returned,
        doc_id=data.doc_id,
        doc_order=doc_order,
        depth=depth,
    )


def check_ids_unneeded(requests, convention):
    """Raise if a metric is to break ties by ids, of which there are none."""
    for request in requests:
        if order := request.options["doc_order"]:
            who = f"convention={convention!r}" if convention else "evaluate"
            raise ValueError(
                f"{who} orders tied documents by their ids (doc_order={order!r}). "
                "Pass the ids as `doc_id`, or another rule such as ties='expected'. "
                "Got no document ids."
            )


def read_requests(metrics, params, caller):
    """Read what `metrics` asks for, and give each metric its share of `params`.

    Parameters
    ----------
    metrics : str, callable or list of them
        As in :func:`evaluate`.
    params : dict
        Parameters of the metrics, and the `convention` they follow.
    caller : str
        The function that errors name.

    Returns
    -------
    requests : list of Request
        In the order of `metrics`, each name once.
    """
    params = dict(params)
    convention = check_convention(params.pop("convention", None), caller)
    named = _by_name(metrics, caller)
    known = set().union(*(_defaults(door) for _, door, _, _, _ in named.values()))
    unknown = sorted(set(params) - known)
    if unknown or "k" in params:
        hint = " Write k into the name: 'ndcg@10'." if "k" in params else ""
        raise TypeError(
            f"{caller} got parameters that none of {sorted(named)} takes: "
            f"{unknown or ['k']}.{hint}"
        )
    requests = []
    for key, (definition, door, row, k, sign) in named.items():
        rules = rules_of(convention, row and row.name, k is not None)
        if isinstance(rules, str):
            raise NoNumber(key, convention, rules)
        # Parameters of the user win over the name, the name over the convention.
        own = {} if k is None else {"k": k}
        defaults = _defaults(door)
        options = defaults | _share(rules, defaults) | own | _share(params, defaults)
        options = _checked(options, definition, caller)
        # An adjusted metric is larger when better, whatever the metric is.
        sign = 1 if options["adjusted"] else sign
        requests.append(Request(key, definition, sign, options))
    if params.get("doc_order") and not any(
        request.options["doc_order"] for request in requests
    ):
        raise ValueError(
            f"doc_order={params['doc_order']!r} orders tied documents where "
            "ties='first'. Got another policy of ties for every metric."
        )
    return requests


def _by_name(metrics, caller):
    """Return what was resolved of each metric, each name once."""
    if isinstance(metrics, str) or callable(metrics):
        metrics = [metrics]
    if not np.iterable(metrics):
        raise TypeError(
            f"The 'metrics' parameter of {caller} must be a str, a callable or a list "
            f"of them. Got {metrics!r} instead."
        )
    asked, named = {}, {}
    for metric in metrics:
        key, *resolved = _resolve(metric)
        named[key] = resolved
        if asked.setdefault(key, metric) != metric:
            raise ValueError(
                f"The 'metrics' parameter of {caller} must hold metrics of different "
                f"names. Got two that are named {key!r}."
            )
    if not named:
        raise ValueError(f"{caller} needs at least one metric. Got {metrics!r}.")
    return named


def _resolve(metric):
    """Return (key, definition, door, row of the table, k, sign) of one metric."""
    if isinstance(metric, str):
        row, k, sign = parse_name(metric)
        return metric, row.definition, row.door, row, k, sign
    for row in METRICS.values():
        if metric is row.door:
            return metric.__name__, row.definition, row.door, row, None, 1
    if callable(metric) and takes_a_ranking(metric, or_unknown=True):
        name = getattr(metric, "__name__", type(metric).__name__)
        return name, _one_value_per_query(metric, name), None, None, None, 1
    raise ValueError(
        "Each metric must be a scorer name or a callable. Got "
        f"{metric!r} of type {type(metric).__name__}, which is no function of skrank "
        "and takes no RankedQueries as its only argument."
    )


def takes_a_ranking(metric, or_unknown=False):
    """Tell whether a callable needs one argument, the ranking, and no second one."""
    try:
        parameters = inspect.signature(metric).parameters.values()
    except (TypeError, ValueError):  # some callables of C do not tell
        return or_unknown
    positional = (
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
    )
    needed = [p for p in parameters if p.default is p.empty and p.kind in positional]
    return len(needed) == 1 or (or_unknown and not needed)


def _one_value_per_query(metric, name):
    """Return a user's definition with a check of what it returns."""

    @functools.wraps(metric, updated=("__dict__",))
    def definition(ranking):
        values = np.asarray(metric(ranking), dtype=np.float64)
        if values.shape != (ranking.n_queries,):
            raise ValueError(
                f"The metric {name!r} must map a RankedQueries to one value per query, "
                f"an array of shape ({ranking.n_queries},). Got shape {values.shape}."
            )
        return values

    return definition


@functools.cache
def _defaults(door):
    """Return the defaults of a metric's parameters, the input aside."""
    if door is None:
        return _OF_A_DEFINITION | _OF_EVALUATE
    parameters = inspect.signature(door).parameters.values()
    return {
        parameter.name: parameter.default
        for parameter in parameters
        if parameter.kind is parameter.KEYWORD_ONLY and parameter.name not in _INPUT
    } | _OF_EVALUATE


def _share(params, defaults):
    return {name: value for name, value in params.items() if name in defaults}


def _checked(options, definition, caller):
    check_options(caller, *(options[name] for name in _SUMMARY))
    check_ties(options["ties"], definition, caller)
    options["threshold"] = check_threshold(options["threshold"], caller)
    check_choice(options["doc_order"], {*DOC_ORDERS, None}, "doc_order", caller)
    dtypes = {"float32", "float64", None}
    check_choice(options["score_dtype"], dtypes, "score_dtype", caller)
    if options["ties"] != "first":
        options["doc_order"] = None
    return options
