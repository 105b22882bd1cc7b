"""Metrics by query, of one ranker or several."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from skrank._checks import check_choice, shown
from skrank._columns import find_qid
from skrank._ranking.ids import encode_qid
from skrank.metrics._answer import measure_all, weights_of_part
from skrank.metrics._evaluate import check_ids_unneeded, read_requests, split_params
from skrank.metrics._frames import column_names, kind_of
from skrank.metrics._query_scores import QueryScores
from skrank.metrics._value_table import ValueTable, distinct
from skrank.metrics._words import share_words


@share_words
def score_queries(y_true, y_score, metrics, *, qid=None, by=None, **params):
    """Score every query by several metrics, for one ranker or several.

    Parameters
    ----------
    y_score : array-like of shape (n_samples,) or (n_queries, n_docs), or dict of them
        The predicted scores, larger is better. A dict holds those of several rankers by
        name; what does not depend on the scores is computed once for all of them.
    metrics : str, callable or list of them
        Scorer names, metric functions of skrank or functions of your own, as in
        :func:`evaluate`.
    by : array-like of shape (n_samples,), data frame or dict of arrays, default=None
        Further columns that tell queries apart, such as a segment or a fold, by which
        they can be summarized. One value per query if `y_score` has one row per query.
    **params
        The other parameters of :func:`evaluate`, such as `convention`, `average`,
        `sample_weight`, `judged` and ``ties="pessimistic"``. `returned` may be a dict
        with a mask for each ranker.

    Returns
    -------
    scores : QueryScores
        The values by ranker, metric and query.

    See Also
    --------
    evaluate : The summary of one ranker alone.
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
    rankers, returned = _rankers(y_score, params)
    first = next(iter(rankers.values()))
    arrays, options = split_params(y_true, first, qid, params)
    check_choice(
        options.get("average", "macro"),
        ("macro", "weighted"),
        "average",
        "score_queries",
    )
    requests = read_requests(metrics, options, "score_queries")
    if arrays.doc_id is None:
        check_ids_unneeded(requests, options.get("convention"))
    return score_requests(requests, arrays, rankers, by=by, returned=returned)


def score_requests(requests, arrays, rankers, *, by=None, returned=None):
    """Return the :class:`QueryScores` of requested metrics.

    `arrays` hold what all rankers share, and `rankers` the scores of each by name.
    `returned` is a dict with a mask for each of them, or None.
    """
    kind = kind_of(arrays.y_true, arrays.y_score, arrays.qid)
    keys, arrays = _keys(arrays, by, len(rankers))
    check_names(rankers, keys, requests)
    measured, n_documents, weight, extremes = [], [], None, None
    first_source = None
    for name, scores in rankers.items():
        masks = {name: arrays.returned} if returned is None else returned
        given = {"y_score": scores, "returned": masks[name], "alike": first_source}
        source = replace(arrays, **given, rankings={})
        first_source = first_source or source
        alike = measured[0] if measured and returned is None else None
        rankings, of_ranker = measure_all(requests, source, alike)
        measured.append(of_ranker)
        n_documents.append(rankings[0].n_documents)
        if extremes is None:
            extremes = tuple(map(_extremes, requests, rankings))
            weight = weights_of_part(rankings[0], arrays.sample_weight)
            keys = keys or {"qid": rankings[0].ids}
    table = ValueTable(
        keys,
        tuple(rankers),
        tuple(requests),
        extremes,
        tuple(measured),
        tuple(n_documents),
        weight,
        kind,
    )
    return QueryScores(table)


def _rankers(y_score, params):
    """Return the scores by ranker, and `returned` if it is a dict likewise."""
    rankers = dict(y_score) if isinstance(y_score, Mapping) else {None: y_score}
    if not rankers:
        raise ValueError("score_queries needs at least one ranker. Got an empty dict.")
    for name in rankers:
        if isinstance(y_score, Mapping) and not isinstance(name, str):
            raise TypeError(
                "The keys of 'y_score' must be the names of rankers, of type str. "
                f"Got {shown(name)} instead."
            )
    returned = params.get("returned")
    if not isinstance(returned, Mapping):
        return rankers, None
    if returned.keys() != rankers.keys():
        raise ValueError(
            "The 'returned' parameter of score_queries must be a mask, or a dict with "
            f"one for each of {list(rankers)}. Got a dict with {list(returned)}."
        )
    params.pop("returned")
    return rankers, returned


def _keys(arrays, by, n_rankers):
    """Return the key columns of the queries, and arrays with codes as query ids.

    None and the arrays as they are, if the ids can be read together with the scores.
    """
    if by is None and n_rankers == 1:
        return None, arrays
    qid = arrays.qid
    is_flat = np.ndim(arrays.y_score) == 1
    if qid is None and is_flat:
        qid = find_qid(y=arrays.y_true)
    if by is None and qid is None:
        return None, arrays
    if qid is None:
        n_rows = len(arrays.y_score)
        qid = np.zeros(n_rows, dtype=np.intp) if is_flat else np.arange(n_rows)
    by = _by_columns(by)
    if "qid" in by:
        raise ValueError(
            "The 'by' parameter of score_queries must have columns beside the query "
            "ids. Got a column 'qid'."
        )
    if by:
        keys, _, codes = distinct({"qid": qid} | by)
    else:
        ids, codes = encode_qid(qid, np.size(arrays.y_true))
        keys = {"qid": ids}
    return keys, replace(arrays, qid=codes) if is_flat else arrays


def _by_columns(by):
    """Return the columns of `by` as a dict."""
    if by is None:
        return {}
    names = column_names(by)
    if names is None:
        return {getattr(by, "name", None) or "by": by}
    return {name: by[name] for name in names}


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


def _extremes(request, ranking):
    """Return the grades among all queries that the values of a query depend on."""
    options = request.options
    lowest, highest = map(float, ranking._grade_range)
    if options.get("max_grade", 0) is None:
        return {"highest grade": highest}
    return {"lowest grade": lowest} if options["threshold"] is None else {}
