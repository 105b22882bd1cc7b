"""Values of queries that were computed elsewhere, by ranker, as a QueryScores."""

# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping

import numpy as np

from skrank._engine.value_table import check_alike, join_rankers
from skrank._input.checks import shown
from skrank._input.frames import column_names, find_level, index_of, kind_of, unwrapped
from skrank.evaluation.query_scores import QueryScores


def two_or_more(scores, by, clusters, caller):
    """Return the scores of several rankers, of whatever the parameter `scores` is."""
    if not isinstance(scores, QueryScores):
        scores = scores_of(scores, by, clusters, caller)
    if len(scores.rankers) < 2:
        raise ValueError(
            f"The 'scores' parameter of {caller} must hold at least two rankers. "
            f"Got {list(scores.rankers)}. Pass a dict of the scores of each ranker to "
            "score_queries."
        )
    return scores


def scores_of(values, by, clusters, caller):
    """Return values of queries, by ranker, as a QueryScores."""
    if column_names(values) is None:
        values = _numbered(values, caller)
    names = column_names(values)
    if {"fit_time", "score_time"} <= {*names}:
        raise ValueError(
            f"The 'scores' parameter of {caller} must hold values of queries. "
            "Got the folds of cross_validate: pass the result of "
            "cross_val_query_scores."
        )
    asked = ([one] if isinstance(one, str) else one for one in (by, clusters))
    asked = [name for one in asked if np.iterable(one) for name in one]
    asked = {name for name in asked if isinstance(name, str)}
    keys = [name for name in names if name in asked]
    weight = "sample_weight" if "sample_weight" in names else None
    options = {"by": keys, "sample_weight": weight}
    if "ranker" in names:
        return QueryScores.from_frame(values, ranker="ranker", **options)
    shared = {name: values[name] for name in names if name in ("qid", weight, *keys)}
    index = find_level(values, "qid")
    if index is not None:
        shared.setdefault("qid", np.asarray(index))
    rankers = [name for name in names if name not in shared]
    if not rankers:
        raise ValueError(
            f"The 'scores' parameter of {caller} must hold at least one ranker. Got "
            f"{names}."
        )
    tables = [
        _table_of_ranker(values[name], name, shared, options, caller)._replace(
            rankers=(None,), kind=kind_of(values)
        )
        for name in rankers
    ]
    for table in tables[1:]:
        check_alike(tables[0], table)
    return QueryScores(join_rankers(tables, rankers))


def _numbered(values, caller):
    """Return the rows of an array as a dict, whose rankers have numbers as names."""
    is_array = isinstance(values, (list, tuple, np.ndarray))
    if is_array and len(values) and all(np.ndim(row) == 1 for row in values):
        return {str(place): row for place, row in enumerate(values)}
    got = f"{type(values).__name__}{' of other shape' if is_array else ''}"
    raise (ValueError if is_array else TypeError)(
        f"The 'scores' parameter of {caller} must be a QueryScores, a dict or "
        "a data frame with the values of each ranker, or an array of shape "
        f"(n_rankers, n_queries). Got {got} instead."
    )


def _table_of_ranker(values, name, shared, options, caller):
    """Return the table of one ranker, of its scores or its values."""
    if not isinstance(name, str):
        raise TypeError(
            "The keys of 'scores' must be the names of rankers, of type str. "
            f"Got {shown(name)} instead."
        )
    if not isinstance(values, QueryScores):
        columns = _columns_of(values, name, shared)
        values = QueryScores.from_frame(columns, **options)
    if len(values.rankers) != 1:
        raise TypeError(
            f"The 'scores' parameter of {caller} must have one ranker in "
            f"each entry of a dict. Got {len(values.rankers)} for {shown(name)}."
        )
    return values.table


def _columns_of(values, name, shared):
    """Return the values of the queries of a ranker as columns.

    A dict, or a Series, has the ids of the queries; other values stand in one order for
    all rankers. A dict may hold a dict of metrics for each query, as pytrec_eval
    returns it.
    """
    columns = {"qid": None, **shared}
    if isinstance(values, Mapping):
        if shared:
            raise ValueError(
                "Values in a dict by query cannot be joined with columns. Got "
                f"{list(shared)} as well as a dict for {shown(name)}. Pass arrays, in "
                "the order of these columns."
            )
        columns["qid"], values = list(values), list(values.values())
        if values and isinstance(values[0], Mapping):
            metrics = list(values[0])
            return columns | {
                metric: [of_query[metric] for of_query in values] for metric in metrics
            }
    elif columns["qid"] is None and index_of(values) is not None:
        columns["qid"] = np.asarray(index_of(values))
    values = np.asarray(unwrapped(values), dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(
            "The values of a ranker must be one number for each query, or a dict of "
            f"them by query. Got shape {values.shape} for {shown(name)}."
        )
    if np.isnan(values).any():
        raise ValueError(
            f"The values of {shown(name)} must not be NaN. Got {np.isnan(values).sum()}"
            " of them. Replace them by what an undefined query counts as, such as 0, "
            "or leave these queries out for all rankers."
        )
    if columns["qid"] is None:
        columns["qid"] = np.arange(len(values))
    return columns | {"value": values}
