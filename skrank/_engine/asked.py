"""From names, functions and parameters to requests."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

import numpy as np

from skrank._engine.conventions import NoNumber, check_convention, rules_of
from skrank._engine.names import read_metric
from skrank._engine.request import INPUT, OF_EVALUATE, Options, Request, as_implied
from skrank._input.checks import check_choice, check_options, meant_by, shown


def check_ids_unneeded(requests, convention):
    """Raise if a metric breaks ties by document ids, without any ids."""
    for request in requests:
        if order := request.options.doc_order:
            who = f"convention={convention!r}" if convention else "evaluate"
            raise ValueError(
                f"{who} orders tied documents by their ids (doc_order={order!r}). "
                "Pass the ids as `doc_id`, or another rule such as ties='expected'. "
                "Got no document ids."
            )


def read_requests(metrics, params, caller, *, read=read_metric, rules=rules_of):
    """Return the requests for `metrics`, each name once.

    Each request gets those of `params`, among them a `convention`, that its metric
    has. ``read(metric)`` returns its :class:`Asked`; ``rules(convention, metric, k)``
    the parameters that a convention sets, or the reason why it has no such metric.
    """
    params = dict(params)
    if "average" in params:  # the values of queries are those of `score_queries`
        check_choice(params["average"], ("macro", "weighted"), "average", caller)
    convention = params.pop("convention", None)
    if convention is not None:
        check_convention(convention, caller)
    asked = _read_all(metrics, caller, read)
    if params:
        _check_known(params, asked, caller)
    requests = []
    for one in asked:
        metric, followed = one.metric, None
        if one.params:
            _check_known(dict(one.params), [one], caller)
        if metric.cutoff == "required" and one.k is None:
            raise ValueError(
                f"The metric {one.key!r} needs a cutoff. Pass its scorer name with "
                f"one, such as '{metric.full_name}@10'. Got no cutoff."
            )
        if convention is not None:
            followed = rules(convention, None if metric.own else metric.name, one.k)
        if isinstance(followed, str):
            raise NoNumber(one.key, convention, followed)
        options = _options_of(one, params, followed, caller)
        if metric.columns and options["ties"] not in ("expected", "first"):
            reason = "it orders tied documents by grades, which are not read"
            raise NoNumber(one.key, convention, reason)
        options = Options().changed(options)
        requests.append(Request(one.key, metric, one.sign, options))
    _check_used(params, asked, requests)
    return requests


def _options_of(one, params, followed, caller):
    """Return the parameters of a metric; `followed` are those of a convention."""
    # Each of these overrides those above it:
    #
    #     the defaults of the metric
    #     what a convention sets
    #     what the scorer name fixes, such as `adjusted` of "adjusted_mrr"
    #     what the user passes, of what the name does not fix
    #     what stands in the name, as in "rbp(p=0.5)"
    metric = one.metric
    options = metric.defaults | OF_EVALUATE
    settable = options.keys() - metric.fixed.keys()
    if followed is None:
        options = as_implied(options)
    else:
        options |= {name: followed[name] for name in options if name in followed}
    options |= metric.fixed
    given = {} if one.k is None else {"k": one.k}
    given |= {name: params[name] for name in params if name in settable}
    options |= check_options(given | dict(one.params), metric.checks, caller)
    if options["ties"] != "first":
        options["doc_order"] = None
    return options


def _check_used(params, asked, requests):
    """Raise if no metric reads `doc_order`, which was passed."""
    orders = [dict(one.params).get("doc_order") for one in asked]
    order = next(filter(None, [params.get("doc_order"), *orders]), None)
    if order and not any(request.options.doc_order for request in requests):
        raise ValueError(
            f"doc_order={order!r} orders tied documents and requires ties='first'. Got "
            "another tie policy for every metric."
        )


def _check_known(params, asked, caller):
    """Raise if none of the metrics has one of the parameters."""
    known = set()
    for metric in (one.metric for one in asked):
        known |= (metric.defaults | OF_EVALUATE).keys() - metric.fixed.keys()
        known.update(metric.columns)
    unknown = sorted(set(params) - known)
    if unknown or "k" in params:
        if params.keys() & {"k", "top_k"}:
            hint = " Write k into the name: 'ndcg@10'."
        elif unknown[0] in INPUT:
            hint = (
                " It has an entry for each row: evaluate takes it, and the rows of "
                "judgements and a run are evaluate(**align(qrels, run), ...)."
            )
        else:
            given = INPUT, ("convention",), known
            hint = meant_by(unknown[0], chain.from_iterable(given))
        raise TypeError(
            f"{caller} got parameters that none of {sorted(one.key for one in asked)} "
            f"takes: {shown(unknown or ['k'])}.{hint}"
        )


def _read_all(metrics, caller, read):
    """Return the :class:`Asked` of each metric, each name once."""
    if isinstance(metrics, Mapping):
        for key in metrics:
            if not isinstance(key, str):
                raise ValueError(
                    f"The keys of the 'metrics' parameter of {caller} must be names of "
                    f"type str. Got {shown(key)} instead."
                )
        asked = {key: read(metric)._replace(key=key) for key, metric in metrics.items()}
    else:
        if isinstance(metrics, str) or callable(metrics):
            metrics = [metrics]
        if not np.iterable(metrics):
            raise TypeError(
                f"The 'metrics' parameter of {caller} must be a str, a callable, or a "
                f"list or dict of them. Got {shown(metrics)} instead."
            )
        named, asked = {}, {}
        for metric in metrics:
            one = read(metric)
            asked[one.key] = one
            if named.setdefault(one.key, metric) != metric:
                raise ValueError(
                    f"The 'metrics' parameter of {caller} must not contain different "
                    f"metrics of the same name. Got two metrics named {shown(one.key)}."
                )
    if not asked:
        raise ValueError(f"{caller} needs at least one metric. Got {shown(metrics)}.")
    return list(asked.values())
