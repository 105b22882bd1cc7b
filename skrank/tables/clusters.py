"""Tables of a cluster, which are scored where their rows are."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from skrank._callers import warn_caller
from skrank._checks import import_extra
from skrank._columns import is_list
from skrank.evaluation.query_scores import QueryScores
from skrank.tables.core import MOST_COPIES, ArrowCore, as_numpy, is_text, one_chunk
from skrank.tables.files import check_known
from skrank.tables.source import check_none_missing, check_types

EMPTY = "The source has no rows. Got columns only."
# Of more queries `collect` says how much memory they take.
MANY_QUERIES = 10_000_000


@dataclass(frozen=True, eq=False, repr=False)
class ClusterScores:
    """The scores of a data frame of Spark or Dask, which are not yet computed.

    Made by :func:`score_table`.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame or dask.dataframe.DataFrame
        A lazy data frame with one row per query, in any order. It has the query ids
        "qid", the `by` columns, and a column for each metric, named "ranker/metric" if
        rankers have names; an undefined query has the value that it counts as in the
        summary. Columns that begin with "_" are the state, from which `collect`
        computes summaries: that of a median or a z-score is not a mean of the values.
        Everything is computed whenever the frame is: cache or write it if it is
        used several times.
    core : ArrowCore
        Scores whole queries.
    engine : Engine
        The data frame that is scored.

    See Also
    --------
    score_table : Makes it.
    skrank.metrics.QueryScores : What `collect` returns.

    Examples
    --------
    >>> import pandas as pd
    >>> import dask.dataframe as dd
    >>> from skrank.tables import score_table
    >>> frame = pd.DataFrame(
    ...     {"qid": [7, 7, 8, 8], "y_true": [1, 0, 0, 1], "y_score": [2, 1, 2, 1]}
    ... )
    >>> scores = score_table(dd.from_pandas(frame, npartitions=1), "mrr")
    >>> scores.frame[["qid", "mrr"]].compute()
       qid  mrr
    0    7  1.0
    1    8  0.5
    >>> float(scores.frame["mrr"].mean().compute())
    0.75
    >>> scores.collect().summary()
    {'mrr': 0.75}
    """

    frame: Any
    core: ArrowCore
    engine: Any

    def collect(self, frame: Any = None) -> QueryScores:
        """Compute the scores and bring them to this process.

        Its summaries are those of all data on one machine, to the last bit.

        Parameters
        ----------
        frame : data frame, default=None
            The rows of `frame` after they were written and read again, by the same
            package. If None, they are computed.

        Returns
        -------
        scores : QueryScores
            The values by ranker, metric and query: some dozens of bytes per query.

        Raises
        ------
        ValueError
            If the source is empty or has missing values.
        ImportError
            If the workers lack a package.

        Warns
        -----
        UserWarning
            If there are more than ten million queries, before they are computed, with
            the memory that they take.
        """
        core, engine = self.core, self.engine
        if frame is None:
            n_queries, frame = engine.count_queries(core.columns), self.frame
        else:
            n_queries = len(frame) if hasattr(frame, "__len__") else frame.count()
        if n_queries > MANY_QUERIES:
            gigabytes = n_queries * 8 * len([*core.columns.keys, *core.state]) / 1e9
            warn_caller(
                f"About {n_queries:,} queries come to this process: {gigabytes:,.1f} "
                f"GB, and up to {MOST_COPIES} times that while they are joined. "
                "Means need none of that: take those of the columns of `frame`.",
                UserWarning,
            )
        scored = engine.collect(frame, [*core.columns.keys, *core.state])
        if not len(scored):
            raise ValueError(EMPTY)
        return core.finish([scored])


class Engine(Protocol):
    """A data frame of a cluster that can be scored, such as one of Spark.

    A new one is a class in a module of its own and a row of ``CLUSTERS`` in
    ``scoring``. `schema` is the Arrow schema of the frame.
    """

    schema: object

    def extreme_grades(self, columns):
        """Return the lowest and the highest judged grade, or None and None."""

    def score(self, core, schema):
        """Return a lazy frame of this schema with the rows of `score_rows`."""

    def count_queries(self, columns):
        """Return about how many queries there are."""

    def collect(self, frame, names):
        """Compute columns of a frame and return them as an Arrow table."""


def score_on_cluster(table, core):
    """Return the ClusterScores of the :class:`Engine` of a frame."""
    schema = schema_of_scores(core, table.schema)
    return ClusterScores(table.score(core, schema), core, table)


def check_columns(schema, columns):
    """Raise if a column is missing or its type is wrong."""
    types = import_extra("pyarrow").types
    tests = {
        "boolean": types.is_boolean,
        "number": lambda kind: types.is_integer(kind) or types.is_floating(kind),
        "decimal": types.is_decimal,
        "date": types.is_temporal,
        "text": is_text,
    }
    of_one = tuple(tests.values())
    tests["list"] = lambda kind: (
        is_list(kind) and any(test(kind.value_type) for test in of_one)
    )
    check_known(columns, schema.names)
    kinds = {
        field.name: next((kind for kind in tests if tests[kind](field.type)), None)
        for field in schema
    }
    types = dict(zip(schema.names, schema.types, strict=True))
    check_types(columns, types, kinds, tests.keys() - {"decimal", "list"})


def score_rows(core, table):
    """Return a row per query, with values and state, of whole queries in Arrow.

    The rows are as :func:`readable` returns them.
    """
    scored = core(table)
    keys = {
        key: scored[key].cast(table[name].type)
        for key, name in core.columns.keys.items()
    }
    state = {name: scored[name] for name in core.state}
    return import_extra("pyarrow").table(keys | core.values(scored) | state)


def schema_of_scores(core, schema):
    """Return the schema of what `score_rows` returns, from that of the rows."""
    pa = import_extra("pyarrow")
    keys = {key: schema.field(name).type for key, name in core.columns.keys.items()}
    for name in core.names:
        if name in keys:
            raise ValueError(
                "A metric and a key must have different names. "
                f"Got the name {name!r} twice."
            )
    kinds = {name: pa.float64() for name in core.names}
    kinds |= {name: pa.type_for_alias(kind) for name, kind in core.state.items()}
    return pa.schema(keys | kinds)


def readable(table, columns):
    """Return a table as the core reads it; raise if it has missing values."""
    pa, compute = import_extra("pyarrow"), import_extra("pyarrow.compute")
    masks, arrays, whole = columns.masks(), {}, {*columns.whole()}
    for name in columns.named():
        column = one_chunk(table[name])
        if pa.types.is_decimal(column.type):
            column = column.cast(pa.float64())
        if is_list(column.type) and pa.types.is_decimal(column.type.value_type):
            column = column.cast(pa.list_(pa.float64()))
        if masks.get(name) is not None:  # where it is not read it may be missing
            read = compute.fill_null(one_chunk(table[masks[name]]), False)
            column = compute.if_else(read, column, pa.scalar(0).cast(column.type))
        arrays[name] = column
        if name not in whole:
            continue
        n_missing = column.null_count
        if pa.types.is_floating(column.type):
            n_missing += int(np.isnan(as_numpy(column.drop_null())).sum())
        among = f"{len(table):,} rows of a part of the source"
        check_none_missing(name, n_missing, among, columns)
    return pa.table(arrays)
