"""Data frames of values by query: reading and writing them."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from skrank._checks import check_choice, check_number, check_weights, shown
from skrank._columns import find_named
from skrank.metrics._answer import Request
from skrank.metrics._metric import OF_EVALUATE, Metric
from skrank.metrics._names import is_name, parse_name
from skrank.metrics._summary import reads_ranks

KINDS = ("pandas", "polars", "pyarrow")


def kind_of(*data):
    """Return the library of the first data frame or column among some data."""
    roots = (type(one).__module__.partition(".")[0] for one in data)
    return next((root for root in roots if root in KINDS), "pandas")


def as_frame(columns, kind):
    """Return a dict of columns as a data frame of a library."""
    check_choice(kind, set(KINDS), "kind", "to_frame")
    if kind == "pandas":
        import pandas as pd

        return pd.DataFrame(columns)
    try:
        import narwhals as nw
    except ImportError as error:
        raise ImportError(
            f"A data frame of {kind} needs narwhals. Install it with "
            '`pip install "skrank[tables]"`, or pass kind="pandas".'
        ) from error
    columns = {
        name: values.tolist() if values.dtype.kind in "OU" else values
        for name, values in columns.items()
    }
    return nw.from_dict(columns, backend=kind).to_native()


def column_names(frame):
    """Return the names of the columns of a data frame or a dict; None for others."""
    if isinstance(frame, Mapping):
        return list(frame)
    names = getattr(frame, "column_names", getattr(frame, "columns", None))
    return None if names is None or callable(names) else list(names)


class GivenValues(NamedTuple):
    """The values of a data frame.

    The requests that they answer; the names of the rankers, with the keys, weights and
    values of each; and the library of the data frame.
    """

    requests: tuple
    rankers: tuple
    parts: list
    kind: str


def read_values(frame, qid, by, ranker, metrics, sample_weight, instead):
    """Return the :class:`GivenValues` of a data frame, as `from_frame` describes."""
    names = column_names(frame)
    if names is None:
        raise TypeError(
            "The 'frame' parameter of from_frame must be a data frame or a dict of "
            f"columns. Got {type(frame).__name__} instead."
        )
    by = [by] if isinstance(by, str) else list(by)
    others = {qid, *by, ranker, sample_weight}
    if metrics is None:
        metrics = [name for name in names if name not in others]
    if not metrics:
        raise ValueError(f"from_frame needs a column of values. Got {names}.")
    keys = {name: np.asarray(_column(frame, name, names)) for name in (qid, *by)}
    keys["qid"] = keys.pop(qid)
    keys = {name: keys[name] for name in ("qid", *by)}
    weight = None
    if sample_weight is not None:
        weight = _column(frame, sample_weight, names)
        weight = check_weights(weight, len(keys["qid"]), "row")
    requests, values = [], []
    for name in metrics:
        given = np.asarray(_column(frame, name, names), dtype=np.float64)
        if np.isinf(given).any():
            raise ValueError(f"The column {name!r} must be finite. Got infinity.")
        request = request_for_values(name, given, instead)
        requests.append(request)
        values.append(request.sign * given)
    if ranker is None:
        return GivenValues(
            tuple(requests), (None,), [(keys, weight, values)], kind_of(frame)
        )
    of_ranker = np.asarray(_column(frame, ranker, names))
    rankers, parts = tuple(dict.fromkeys(of_ranker.tolist())), []
    for name in rankers:
        rows = of_ranker == name
        own = {key: column[rows] for key, column in keys.items()}
        part = own, None if weight is None else weight[rows], [v[rows] for v in values]
        parts.append(part)
    return GivenValues(tuple(requests), rankers, parts, kind_of(frame))


def _column(frame, name, names):
    """Return a column as an array, or an index of that name."""
    column = frame[name] if name in names else find_named(name, X=frame)
    if column is None:
        raise ValueError(f"The data frame has no column {name!r}. Got {names}.")
    return column.to_numpy() if hasattr(column, "to_numpy") else np.asarray(column)


def request_for_values(name, values, instead):
    """Return the request that given values of queries answer."""
    if is_name(name):
        metric, k, sign = parse_name(name)
        options = metric.defaults | OF_EVALUATE | metric.fixed | {"k": k}
        request = Request(name, metric, sign, options)
        if reads_ranks(request) or options["adjusted"] or metric.inverse:
            raise ValueError(
                f"The values of the queries do not determine {name!r}, which is not a "
                "mean of them. Leave the column out, or keep the QueryScores itself: "
                "it can be pickled, and QueryScores.concat joins several. A column of "
                "another name is summarized by its mean."
            )
    else:
        metric = Metric(name, _no_definition, limits=(-np.inf, np.inf))
        request = Request(name, metric, 1, metric.defaults | OF_EVALUATE)
        if instead is None and np.isnan(values).any():
            raise ValueError(
                f"The column {name!r} has missing values. Pass `replace_undefined_by`: "
                "the value of these queries, or NaN to leave them out."
            )
    if instead is None:
        return request
    check_number(instead, "replace_undefined_by", "from_frame", nan=True)
    return request._replace(options=request.options | {"replace_undefined_by": instead})


def _no_definition(ranking, **own):
    raise ValueError(f"Values that were given cannot be computed of {shown(ranking)}.")
