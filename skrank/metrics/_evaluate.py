"""Many metrics of one ranking."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from skrank._checks import shown
from skrank.metrics._answer import Arrays, Request, answer_all
from skrank.metrics._conventions import NoNumber, check_convention, rules_of
from skrank.metrics._metric import METRICS, OF_EVALUATE, Metric, metric_of
from skrank.metrics._names import parse_name
from skrank.metrics._own_metrics import own_metric, takes_a_ranking
from skrank.metrics._words import share_words


@share_words
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
    judged_from=None,
    **params,
):
    """Evaluate several metrics at once: the documents are ranked only once.

    Parameters
    ----------
    metrics : str, callable or list of them
        Scorer names such as "ndcg@10", "mrr" or "neg_mean_rank"; metric functions of
        skrank; or functions of your own, which map a
        :class:`~skrank.metrics.RankedQueries` to an array of shape (n_queries,) in
        which NaN means undefined.
    convention : str, default=None
        The library whose rules are followed, a name in ``skrank.metrics.CONVENTIONS``
        such as "lightgbm" or "trec_eval". Parameters given here override its rules.
    doc_id : array-like of shape (n_samples,), default=None
        Document ids, for `doc_order`. They are compared where a relevant document is
        tied, and not read elsewhere: there a missing id raises an error only if the
        column knows of it.
    doc_order : {"ascending", "descending"}, default=None
        With ``ties="first"``, tied documents are in this order of `doc_id` instead of
        the input order.
    score_dtype : {"float32", "float64"}, default=None
        The precision in which scores are compared: scores that are equal in single
        precision are tied with "float32". If None, the precision of `y_score`.
    judged_from : float, default=None
        Documents with a lower grade are not judged, such as those with -1 in the
        judgements of TREC. None takes all grades as they are.
    **params
        Further parameters of the metrics, such as ``ties="optimistic"`` or
        ``gain="linear"``. Each is passed to the metrics that have it.

    Returns
    -------
    scores : dict of str to float or ndarray
        The value of each metric, by name. With ``average=None``, arrays of shape
        (n_queries,), and the query ids under "qid".

    Raises
    ------
    ValueError
        If a metric is unknown, a parameter has an invalid value, the input shapes do
        not match, or `convention` does not support one of the metrics.
    TypeError
        If none of the metrics has one of `params`.

    See Also
    --------
    score_queries : Keeps the values by query, of several rankers too.
    make_ranking_scorer : The same metrics, for an estimator.
    explain : Explains why a metric differs between conventions.
    tie_report : Reports how much ties can change a metric.

    Examples
    --------
    >>> from skrank.metrics import evaluate
    >>> evaluate([1, 0, 0, 1], [2, 1, 2, 1], ["mrr", "hits@1"], qid=[7, 7, 8, 8])
    {'mrr': 0.75, 'hits@1': 0.5}
    >>> evaluate([0, 1], [1, 1], ["mrr"], ties="pessimistic")
    {'mrr': 0.5}

    The values of other libraries:

    >>> evaluate([0, 1], [1, 1], ["mrr"], convention="ranx")
    {'mrr': 0.5}
    >>> evaluate([0, 1], [1, 1], ["mrr"], convention="trec_eval", doc_id=["d1", "d2"])
    {'mrr': 1.0}

    A metric of your own: the fraction of queries with a relevant document on top.

    >>> def led(ranking):
    ...     return ranking.expected_at_first(lambda rank: rank == 1)
    >>> evaluate([1, 0, 0, 1], [2, 1, 2, 1], led, qid=[7, 7, 8, 8])
    {'led': 0.5}
    """
    given = {
        "convention": convention,
        "doc_order": doc_order,
        "score_dtype": score_dtype,
        "judged_from": judged_from,
    }
    params |= {name: value for name, value in given.items() if value is not None}
    requests = read_requests(metrics, {"average": average, **params}, "evaluate")
    if doc_id is None:
        check_ids_unneeded(requests, convention)
    arrays = Arrays(
        y_true,
        y_score,
        qid=qid,
        exclude=exclude,
        judged=judged,
        returned=returned,
        doc_id=doc_id,
        sample_weight=sample_weight,
    )
    scores = answer_all(requests, arrays)
    if average is None:
        _, ranking = next(iter(arrays.rankings.values()))
        scores["qid"] = ranking.ids
    return scores


def split_params(y_true, y_score, qid, params):
    """Return the arrays among some parameters, and the other parameters."""
    names = ("exclude", "judged", "returned", "doc_id", "sample_weight")
    given = {name: params[name] for name in names if name in params}
    others = {name: params[name] for name in params if name not in names}
    return Arrays(y_true, y_score, qid=qid, **given), others


def check_ids_unneeded(requests, convention):
    """Raise if a metric breaks ties by document ids, without any ids."""
    for request in requests:
        if order := request.options["doc_order"]:
            who = f"convention={convention!r}" if convention else "evaluate"
            raise ValueError(
                f"{who} orders tied documents by their ids (doc_order={order!r}). "
                "Pass the ids as `doc_id`, or another rule such as ties='expected'. "
                "Got no document ids."
            )


def check_direction(request):
    """Raise if lower values of the requested metric are better."""
    adjusted, metric = request.options["adjusted"], request.metric
    if metric.is_better_when_greater(adjusted) == (request.sign == 1):
        return
    near = [
        row.full_name
        for row in METRICS.values()
        if row.definition is metric.definition
        and row.inverse == metric.inverse
        and row.fixed.get("adjusted", False) == adjusted
    ]
    hint = f" Did you mean {near[0]!r}?" if near else " Pass the metric function."
    how = f" with adjusted={adjusted!r}" if adjusted else ""
    raise ValueError(
        f"A scorer must return larger values for better models, but lower "
        f"{shown(request.key)} is better{how}.{hint}"
    )


class Asked(NamedTuple):
    """One metric as it is requested."""

    key: str
    metric: Metric
    k: int | None = None
    sign: int = 1


def read_metric(metric):
    """Return the metric of a scorer name, a metric function or a definition."""
    if isinstance(metric, str):
        row, k, sign = parse_name(metric)
        return Asked(metric, row, k, sign)
    if (row := metric_of(metric)) is not None:
        return Asked(metric.__name__, row)
    if callable(metric) and takes_a_ranking(metric, or_unknown=True):
        name = getattr(metric, "__name__", type(metric).__name__)
        return Asked(name, own_metric(metric, name))
    raise ValueError(
        "Each metric must be a scorer name, a metric function of skrank, or a function "
        "that takes a RankedQueries as its only required argument. Got "
        f"{shown(metric)} of type {type(metric).__name__} instead."
    )


def read_requests(
    metrics,
    params,
    caller,
    *,
    read: Callable = read_metric,
    rules: Callable = rules_of,
):
    """Return the requests for `metrics`, each name once.

    Each request gets those of `params`, among them a `convention`, that its metric
    has. ``read(metric)`` returns the :class:`Asked` of one metric, and
    ``rules(convention, metric, has_cutoff)`` the parameters that a convention sets or
    the reason why it does not support the metric. Errors name the `caller`.
    """
    params = dict(params)
    convention = check_convention(params.pop("convention", None), caller)
    asked = _read_all(metrics, caller, read)
    known = set().union(*(_settable(one.metric) for one in asked))
    unknown = sorted(set(params) - known)
    if unknown == ["adjusted"] and params["adjusted"] is False:
        unknown = []  # the default; allowed where the scorer names fix `adjusted`
    if unknown or "k" in params:
        hint = " Write k into the name: 'ndcg@10'." if "k" in params else ""
        raise TypeError(
            f"{caller} got parameters that none of {sorted(one.key for one in asked)} "
            f"takes: {shown(unknown or ['k'])}.{hint}"
        )
    requests = []
    for key, metric, k, sign in asked:
        if metric.cutoff == "required" and k is None:
            raise ValueError(
                f"The metric {key!r} needs a cutoff. Pass its scorer name with one, "
                f"such as '{metric.full_name}@10'. Got no cutoff."
            )
        name = None if metric.own else metric.name
        followed = rules(convention, name, k is not None)
        if isinstance(followed, str):
            raise NoNumber(key, convention, followed)
        defaults, settable = metric.defaults | OF_EVALUATE, _settable(metric)
        # Parameters of the user override the name, the name overrides the convention.
        options = defaults | _known(followed, defaults) | metric.fixed
        given = {} if k is None else {"k": k}
        options |= metric.check(given | _known(params, settable), caller)
        if options["ties"] != "first":
            options["doc_order"] = None
        requests.append(Request(key, metric, sign, options))
    if params.get("doc_order") and not any(
        request.options["doc_order"] for request in requests
    ):
        raise ValueError(
            f"doc_order={params['doc_order']!r} orders tied documents and requires "
            "ties='first'. Got another tie policy for every metric."
        )
    return requests


def _read_all(metrics, caller, read):
    """Return the :class:`Asked` of each metric, each name once."""
    if isinstance(metrics, str) or callable(metrics):
        metrics = [metrics]
    if not np.iterable(metrics):
        raise TypeError(
            f"The 'metrics' parameter of {caller} must be a str, a callable or a list "
            f"of them. Got {shown(metrics)} instead."
        )
    named, found = {}, {}
    for metric in metrics:
        asked = read(metric)
        found[asked.key] = asked
        if named.setdefault(asked.key, metric) != metric:
            raise ValueError(
                f"The 'metrics' parameter of {caller} must not contain different "
                f"metrics of the same name. Got two metrics named {shown(asked.key)}."
            )
    if not found:
        raise ValueError(f"{caller} needs at least one metric. Got {shown(metrics)}.")
    return list(found.values())


def _settable(metric):
    """Return the names of the parameters that can be set for a metric."""
    return (metric.defaults.keys() | OF_EVALUATE.keys()) - metric.fixed.keys()


def _known(params, names):
    return {name: value for name, value in params.items() if name in names}
