"""Many metrics of one ranking, and their values by query."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skrank._engine.answer import Rescored, answer_all, measure_queries, read_arrays
from skrank._engine.columns import columns_of, no_grades
from skrank._engine.names import check_ids_unneeded, read_requests
from skrank._engine.request import OPTIONAL
from skrank._engine.value_table import distinct, join_rankers
from skrank._input.callers import warn_caller
from skrank._input.checks import (
    check_one_query,
    says_what_was_meant,
    shape_of,
    shown,
    warn_if_out_of_order,
)
from skrank._input.frames import column_names, kind_of, on_host
from skrank._input.query_ids import find_qid
from skrank._ranking.ids import encode_qid
from skrank._ranking.lists import are_rows
from skrank._text.docs import MatrixLike, MetricsLike, share_words
from skrank.evaluation.query_scores import QueryScores


@share_words
@says_what_was_meant
def evaluate(
    y_true: MatrixLike,
    y_score: ArrayLike | Mapping[str, ArrayLike],
    metrics: MetricsLike,
    *,
    qid: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    exclude: MatrixLike | None = None,
    judged: ArrayLike | None = None,
    returned: ArrayLike | Mapping[str, ArrayLike] | None = None,
    doc_id: ArrayLike | None = None,
    **params: Any,
) -> dict[str, Any]:
    """Evaluate several metrics at once: the documents are ranked only once.

    Parameters
    ----------
    metrics : str, callable, or list or dict of them
        Names such as "ndcg@10", "rbp(p=0.5)", whose parameters take precedence over
        `params`, or "mean_rank"; scorer names, as "neg_mean_rank" is, which has a minus
        sign since smaller ranks are better; metric functions of skrank; or
        functions of your own, which map a :class:`~skrank.metrics.RankedQueries` to an
        array of shape (n_queries,) in which NaN means undefined. The keys of a dict
        are their names in the result.
    returned : array-like of bool of shape (n_samples,), or dict of them, default=None
        Which documents the system returned; of several rankers a dict with a mask for
        each. A document that a ranker did not return counts among the relevant
        documents, in the ideal ranking and at chance only if it is judged; else it is
        not there for this ranker. So each of several runs has the values that it has
        alone.
    doc_id : array-like of shape (n_samples,), default=None
        Document ids, for `doc_order`. They are compared where a relevant document is
        tied, and not read elsewhere: there a missing id raises an error only if the
        column knows of it.
    **params
        The rules by which is evaluated. Each is passed to the metrics that have it:

        - parameters of the metrics, such as ``ties="optimistic"`` or ``gain="linear"``;
        - `convention`, a str: the library whose rules are followed, a name in
          ``skrank.metrics.CONVENTIONS`` such as "lightgbm" or "trec_eval". Other
          parameters override its rules;
        - `average`, "macro" or "weighted": whether all queries count alike, or by their
          number of documents;
        - `unjudged`: what documents that are not `judged` count as. "nonrelevant", the
          default, ranks them as not relevant; "condensed" leaves them out;
        - `judged_from`, a float: documents with a lower grade are not judged, such as
          those with -1 in the judgements of TREC;
        - `doc_order`, "ascending" or "descending": with ``ties="first"``, tied
          documents are in this order of `doc_id` instead of the input order;
        - `score_dtype`, "float32" or "float64": the precision in which scores are
          compared. Scores that are equal in single precision are tied with "float32".
          By default, the precision of `y_score`.

    Returns
    -------
    scores : dict of str to float
        The value of each metric, by name. Of several rankers, such as the runs that
        :func:`~skrank.tables.align` returns, a dict of their names to these.

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
    >>> evaluate([1, 0, 0, 1], [2, 1, 2, 1], {"first": "mrr"}, qid=[7, 7, 8, 8])
    {'first': 0.75}
    >>> evaluate([0, 1], [1, 1], ["ndcg_at_10"])  # MLflow refuses names with an "@"
    {'ndcg_at_10': 0.81...}
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
    given = {"judged": judged, "returned": returned, "doc_id": doc_id}
    given |= {"qid": qid, "sample_weight": sample_weight, "exclude": exclude}
    requests, arrays = _read(y_true, y_score, metrics, given, params, "evaluate")
    if not isinstance(y_score, Mapping):
        return answer_all(requests, arrays)
    values, first = {}, None
    for name, one in by_ranker(requests, arrays, "evaluate").items():
        if first is not None and first.rankings:
            one = replace(one, alike=first)
        values[name] = answer_all(requests, one)
        first = first or one
    return values


def _read(y_true, y_score, metrics, given, params, caller):
    """Return the requests and the :class:`Arrays` of what `evaluate` takes."""
    requests = read_requests(metrics, params, caller)
    if given["doc_id"] is None:
        check_ids_unneeded(requests, params.get("convention"))
    arrays = read_arrays(y_true, y_score, **given)
    return requests, with_columns(arrays, requests, params, caller)


def by_ranker(requests, arrays, caller):
    """Return the arrays of each ranker, with scores and a mask of its own, by name."""
    own = {"y_score": arrays.y_score, "returned": arrays.returned}
    own = {name: by for name, by in own.items() if isinstance(by, Mapping)}
    found = {
        ranker: replace(
            arrays, **{name: own[name][ranker] for name in own}, rankings={}
        )
        for ranker in names_of_rankers(arrays.y_score, own, caller)
    }
    for one in requests if "returned" in own and len(found) > 1 else ():
        if one.options.ties == "first" and one.options.doc_order is None:
            _check_no_ties(one, found)
    return found


def _check_no_ties(request, by_name):
    """Raise if documents are tied, whose rows rankers with lists of their own share."""
    for name, arrays in by_name.items():
        qid = find_qid(arrays.qid, y=arrays.y_true)
        rows = np.flatnonzero(arrays.returned)
        query = np.zeros(len(rows)) if qid is None else encode_qid(qid)[1][rows]
        # With None they become float64, which holds all others.
        scores = arrays.scores(request.options.score_dtype)[rows]
        order = np.lexsort((scores, query))
        if ((np.diff(query[order]) == 0) & (np.diff(scores[order]) == 0)).any():
            raise ValueError(
                f"ties='first' of {request.key!r} keeps the order of the rows, which "
                f"several runs share. Got tied documents in {name!r}: pass a "
                "`doc_order` and the ids as `doc_id`, or another rule such as "
                "ties='expected'. score_runs takes each run in its own order."
            )


def names_of_rankers(y_score, own, caller):
    """Return the names of the rankers, of which each dict in `own` has an entry."""
    is_named = isinstance(y_score, Mapping)
    rankers = list(y_score) if is_named else [None]
    if not rankers:
        raise ValueError(f"{caller} needs at least one ranker. Got an empty dict.")
    for ranker in rankers:
        if is_named and not isinstance(ranker, str):
            raise TypeError(
                "The keys of 'y_score' must be the names of rankers, of type str. "
                f"Got {shown(ranker)} instead."
            )
    for name, by in own.items():
        if by.keys() != {*rankers}:
            raise ValueError(
                f"The {name!r} parameter of {caller} must be an array, or a dict with "
                f"one for each of {rankers}. Got a dict with {list(by)}."
            )
    return rankers


def split_params(y_true, y_score, qid, params):
    """Return the arrays among some parameters, and the other parameters."""
    given = {name: params[name] for name in OPTIONAL if name in params}
    others = {name: params[name] for name in params if name not in OPTIONAL}
    return read_arrays(y_true, y_score, qid=qid, **given), others


def with_columns(arrays, requests, params, caller):
    """Return arrays with the columns that metrics read, which are among `params`."""
    arrays = replace(arrays, columns=columns_of(requests, params, caller))
    if arrays.y_true is None:
        one = arrays.y_score
        one = next(iter(one.values())) if isinstance(one, Mapping) else one
        arrays = replace(arrays, y_true=no_grades(one, requests, caller))
    return arrays


@share_words
@says_what_was_meant
def score_queries(
    y_true: MatrixLike,
    y_score: ArrayLike | Mapping[str, ArrayLike],
    metrics: MetricsLike,
    *,
    qid: ArrayLike | None = None,
    by: ArrayLike | Any | Mapping[str, ArrayLike] = None,
    sample_weight: ArrayLike | None = None,
    exclude: MatrixLike | None = None,
    judged: ArrayLike | None = None,
    returned: ArrayLike | Mapping[str, ArrayLike] | None = None,
    doc_id: ArrayLike | None = None,
    **params: Any,
) -> QueryScores:
    """Score every query by several metrics, for one ranker or several.

    Parameters
    ----------
    y_score : array-like of shape (n_samples,) or (n_queries, n_docs), or dict of them
        The predicted scores, larger is better. A dict holds those of several rankers by
        name; what does not depend on the scores is computed once for all of them.
    metrics : str, callable, or list or dict of them
        Scorer names, metric functions of skrank or functions of your own, as in
        :func:`evaluate`.
    by : array-like of shape (n_samples,), data frame or dict of arrays, default=None
        Further columns that tell queries apart, such as a segment or a fold, by which
        they can be summarized. One value per query if `y_score` has one row per query.
    returned : array-like of bool of shape (n_samples,), or dict of them, default=None
        Which documents the system returned, as in :func:`evaluate`.
    doc_id : array-like of shape (n_samples,), default=None
        Document ids, for `doc_order`.
    **params
        The rules of :func:`evaluate`, such as `convention`, `average` and
        ``ties="pessimistic"``.

    Returns
    -------
    scores : QueryScores
        The values by ranker, metric and query.

    See Also
    --------
    QueryScores : What can be done with the scores.

    Examples
    --------
    >>> from skrank.metrics import score_queries
    >>> scores = score_queries([1, 0, 0, 1], [2, 1, 2, 1], ["mrr"], qid=[7, 7, 8, 8])
    >>> scores.values
    array([[[1. , 0.5]]])
    >>> scores.summary()
    {'mrr': 0.75}

    The queries of two segments:

    >>> scores = score_queries(
    ...     [1, 0, 0, 1], [2, 1, 2, 1], "mrr", qid=[7, 7, 8, 8], by=["a", "a", "b", "b"]
    ... )
    >>> scores.summary(by="by")
    {'a': {'mrr': 1.0}, 'b': {'mrr': 0.5}}
    """
    given = {"judged": judged, "returned": returned, "doc_id": doc_id}
    given |= {"qid": qid, "sample_weight": sample_weight, "exclude": exclude}
    requests, arrays = _read(y_true, y_score, metrics, given, params, "score_queries")
    sources = by_ranker(requests, arrays, "score_queries")
    rankers = {name: one.y_score for name, one in sources.items()}
    by_name = arrays.returned if isinstance(arrays.returned, Mapping) else None
    first = next(iter(sources.values()))
    return score_requests(requests, first, rankers, by=by, returned=by_name)


def score_requests(requests, arrays, rankers, *, by=None, returned=None):
    """Return the :class:`QueryScores` of rankers, their scores and masks by name."""
    warn_if_out_of_order(arrays.by_row)
    kind = kind_of(arrays.y_true, arrays.y_score, arrays.qid)
    keys, arrays = _keys(arrays, by, len(rankers))
    check_names(rankers, keys, requests)
    tables, rescored = [], Rescored(requests)
    for name, y_score in rankers.items():
        mask = arrays.returned if returned is None else returned[name]
        one = replace(arrays, y_score=y_score, returned=mask, rankings={})
        if tables:
            warn_if_out_of_order(one.by_row)
        are_alike = returned is None  # else other documents count
        tables.append(rescored(one) if are_alike else measure_queries(requests, one))
    table = join_rankers(tables, tuple(rankers))
    table = table._replace(keys=keys or table.keys, kind=kind)
    return QueryScores(table=table._replace(judgements=_judgements(arrays)))


def _judgements(arrays):
    """Return a number for each query that tells its judgements from others, if known.

    It is the sum of a hash of the grades, whatever the order of the rows. Documents
    are left out: to hash their ids would take longer than to score them.
    """
    judged, qid = map(on_host, (arrays.judged, arrays.qid))
    if qid is None or arrays.doc_id is None or np.ndim(judged) != 1 or arrays.is_part:
        return None
    ids, query = encode_qid(qid)
    (row,) = np.nonzero(judged)
    grade = np.asarray(arrays.y_true)[row].astype(np.float64) + 1
    code = grade.view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    numbers = np.zeros(len(ids), np.uint64)
    np.add.at(numbers, query[row], code ^ (code >> np.uint64(32)))
    return numbers


def _keys(arrays, by, n_rankers):
    """Return the key columns of the queries, and arrays with codes as query ids.

    None and the arrays as they are, if the ids can be read together with the scores.
    """
    if by is None and n_rankers == 1:
        return None, arrays
    qid = arrays.qid
    is_flat = are_rows(arrays.y_true, arrays.y_score, arrays.exclude)
    if qid is None and is_flat:
        qid = find_qid(y=arrays.y_true)
    if by is None and qid is None:
        return None, arrays
    has_ids = qid is not None
    if not has_ids:
        n_rows = (*shape_of(arrays.y_score), 0)[0]
        if is_flat:
            check_one_query(n_rows)
        qid = np.zeros(n_rows, dtype=np.intp) if is_flat else np.arange(n_rows)
    by = named_columns(by, "by")
    if "qid" in by:
        raise ValueError(
            "The 'by' parameter of score_queries must have columns other than the "
            "query ids. Got a column 'qid'."
        )
    if by:
        warn_if_out_of_order({"y_true": arrays.y_true} | by)
        keys, _, codes = distinct({"qid": qid} | by)
        if is_flat and has_ids:
            _warn_if_cut(keys, codes, list(by))
    else:
        ids, codes = encode_qid(qid, np.size(arrays.y_true))
        keys = {"qid": ids}
    return keys, replace(arrays, qid=codes) if is_flat else arrays


def _warn_if_cut(keys, codes, names):
    """Warn if columns cut queries into parts of different sizes, as items do.

    Data sets below each other may have queries of the same id: their parts stand
    together, and apart from each other.
    """
    ids, query = encode_qid(keys["qid"])
    sizes, least = np.bincount(codes), np.full(len(ids), len(codes))
    np.minimum.at(least, query, sizes)
    cut = query[sizes > least[query]]
    of_part = query[codes[np.flatnonzero(np.diff(codes, prepend=-1))]]
    if len(of_part) == len(sizes):
        cut = np.intersect1d(cut, of_part[1:][np.diff(of_part) == 0])
    warn_of_parts(names, len(np.unique(cut)), len(ids), len(sizes))


def warn_of_parts(names, n_cut, n_queries, n_parts):
    """Warn if columns cut a number of the queries into parts of different sizes."""
    if n_cut:
        warn_caller(
            f"`by` takes what all rows of a query share, but {names} cut {n_cut:,} of "
            f"{n_queries:,} queries: each of the {n_parts:,} parts counts as a query. "
            "For a property of documents, see 'Segments' in the guide.",
            UserWarning,
        )


def named_columns(columns, default):
    """Return columns as a dict; an array without a name is called `default`."""
    if columns is None:
        return {}
    names = column_names(columns)
    if names is None:
        return {getattr(columns, "name", None) or default: columns}
    return {name: columns[name] for name in names}


def check_names(rankers, keys, requests):
    """Raise if a name stands for two of the columns of a table of values."""
    names = [name for name in rankers if name] + [request.key for request in requests]
    names += [name for name in keys or () if name != "qid"]
    names += ["qid", "ranker", "sample_weight"]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(
            "The names of rankers, metrics and `by` columns must all be different, and "
            f"none of 'qid', 'ranker' and 'sample_weight'. Got {sorted(twice)} twice."
        )
