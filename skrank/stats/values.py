"""Values of queries that were computed elsewhere, by ranker, as a QueryScores."""

# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from skrank._checks import shown
from skrank._columns import column_names, find_level, index_of, kind_of, unwrapped
from skrank._engine.value_table import check_alike, join_rankers
from skrank.evaluation.query_scores import QueryScores


def scores_of(values, by, clusters, caller):
    """Return scores or values of queries, by ranker, as a QueryScores."""
    names = column_names(values)
    if names is None:  # an array, whose rankers are called by their numbers
        is_array = isinstance(values, (list, tuple, np.ndarray))
        if not is_array or not len(values) or any(np.ndim(row) != 1 for row in values):
            got, error = type(values).__name__, TypeError
            if is_array:
                got, error = f"{got} of other shape", ValueError
            raise error(
                f"The 'scores' parameter of {caller} must be a QueryScores, a dict or "
                "a data frame with the values of each ranker, or an array of shape "
                f"(n_rankers, n_queries). Got {got} instead."
            )
        values = {str(place): row for place, row in enumerate(values)}
        names = list(values)
    if {"fit_time", "score_time"} <= {*names}:
        raise ValueError(
            f"The 'scores' parameter of {caller} must hold values of queries. "
            "Got the folds of cross_validate: pass the result of "
            "cross_val_query_scores."
        )
    asked = []
    for columns in (by, clusters):
        columns = [columns] if isinstance(columns, str) else columns
        if np.iterable(columns):
            asked += [name for name in columns if isinstance(name, str)]
    keys = [name for name in names if name in asked]
    weight = "sample_weight" if "sample_weight" in names else None
    if "ranker" in names:
        return QueryScores.from_frame(
            values, by=keys, ranker="ranker", sample_weight=weight
        )
    for name in names:
        if not isinstance(name, str):
            raise TypeError(
                "The keys of 'scores' must be the names of rankers, of type str. "
                f"Got {shown(name)} instead."
            )
    shared = {name: values[name] for name in names if name in ("qid", weight, *keys)}
    index = find_level(values, "qid")
    if index is not None:
        shared.setdefault("qid", np.asarray(index))
    rankers, tables = [name for name in names if name not in shared], []
    if not rankers:
        raise ValueError(
            f"The 'scores' parameter of {caller} must hold at least one ranker. Got "
            f"{names}."
        )
    for name in rankers:
        part = values[name]
        if not isinstance(part, QueryScores):
            columns = _columns_of(part, name, shared)
            part = QueryScores.from_frame(columns, by=keys, sample_weight=weight)
        if len(part.rankers) != 1:
            raise TypeError(
                f"The 'scores' parameter of {caller} must have one ranker in "
                f"each entry of a dict. Got {len(part.rankers)} for {shown(name)}."
            )
        tables.append(part.table._replace(rankers=(None,), kind=kind_of(values, part)))
        check_alike(tables[0], tables[-1])
    return replace(part, table=join_rankers(tables, rankers))


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
