"""Tables of a cluster, which are scored where their rows are."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import math
import pickle
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np

from skrank._checks import import_extra, warn_caller
from skrank._columns import is_list
from skrank.metrics.first_ranks import StoredRanks
from skrank.metrics.query_scores import QueryScores
from skrank.metrics.summary import (
    LARGEST,
    MEANS,
    SMALLEST,
    Measured,
    Values,
    check_not_negative,
    exact_terms,
    parts_of,
    pooled_geometric_mean,
    pooled_harmonic_mean,
    reciprocal,
    summarize,
)
from skrank.metrics.value_table import NO_WEIGHT, check_by, distinct, named_summaries
from skrank.tables.core import (
    MOST_COPIES,
    ArrowCore,
    as_numpy,
    equality_codes,
    is_text,
    one_chunk,
    ordered_keys,
)
from skrank.tables.files import check_known
from skrank.tables.source import check_none_missing, check_types

EMPTY = "The source has no rows. Got columns only."
# The column of what summaries need of the queries of a part of the data.
PART = "_part"
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
    >>> scores.summary()
    {'mrr': 0.75}
    >>> scores.collect().values
    array([[[1. , 0.5]]])
    """

    frame: Any
    core: ArrowCore
    engine: Any

    def summary(
        self, by: str | Sequence[str] | None = None, *, frame: Any = None
    ) -> dict[Any, Any]:
        """Compute the summary of every metric, that of all data on one machine.

        The workers do so. What comes to this process are sums and, for metrics that are
        not means, how many queries have the same ranks and weight. Means and medians
        are those of ``collect().summary()``, to the last bit. Variances, z-scores and
        what else is computed of all ranks may differ by rounding errors.

        Parameters
        ----------
        by : str or list of str, default=None
            The key columns, such as a segment, whose values are summarized apart.
        frame : data frame, default=None
            The rows of `frame` after they were written and read again, by the same
            package. If None, they are computed.

        Returns
        -------
        summary : dict
            As :meth:`QueryScores.summary <skrank.metrics.QueryScores.summary>` returns
            it: the value of each metric by its name; for named rankers, such a dict for
            each of them; with `by`, one of these for each value of the column.

        Raises
        ------
        ValueError
            If the source is empty or has missing values, `by` names no key column, or
            all weights are 0.
        ImportError
            If the workers lack a package.
        """
        core = self.core
        names = [] if by is None else check_by(by, core.columns.keys, "summary")
        found = self.engine.reduce(
            self.frame if frame is None else frame,
            names,
            [*names, *core.state],
            partial(_condensed, core=core, names=names),
            partial(_merged, core=core, names=names),
        )
        if not len(found):
            raise ValueError(EMPTY)
        parts = _unpickled(found)
        if by is None:
            return self._summary_of(parts[0])
        return {
            label: self._summary_of(parts[row])
            for label, row in _segments_of(found, by).items()
        }

    def _summary_of(self, part):
        """Return the summary of the queries of a :class:`Part`."""
        if not part.has_weight and "_weight" in self.core.state:
            raise ValueError(NO_WEIGHT)
        metrics = [request.key for request in self.core.requests]
        rankers = [*self.core.columns.y_score]
        values = [
            [
                summarize(request, None, None, queries=sums.queries(request))
                for request, sums in zip(self.core.requests, of_ranker, strict=True)
            ]
            for of_ranker in part.sums
        ]
        return named_summaries(rankers, metrics, values)

    def reduce(
        self, first: Any, merge: Any, by: str | Sequence[str] | None = None
    ) -> Any:
        """Let the workers compute something of all queries, such as their sums.

        :func:`~skrank.stats.confidence_interval` is computed so.

        Parameters
        ----------
        first : callable
            Called as ``first(table, label)``. Maps the values of some queries, as the
            `table` of a :class:`~skrank.metrics.QueryScores` has them, to anything that
            can be pickled. The label is that of their segment, and None without `by`.
        merge : callable
            Maps a list of such results to one of all their queries.
        by : str or list of str, default=None
            The key columns, such as a segment, whose queries are computed apart.

        Returns
        -------
        result : object
            What `merge` returns of all parts; with `by`, a dict of it by the labels
            that `summary` has.

        Raises
        ------
        ValueError
            If the source is empty or has missing values, or `by` names no key column.
        """
        names = [] if by is None else check_by(by, self.core.columns.keys, "reduce")
        found = self.engine.reduce(
            self.frame,
            names,
            [*names, *self.core.state],
            partial(_first_of_part, core=self.core, first=first, by=by, names=names),
            partial(_merged_parts, merge=merge, names=names),
        )
        if not len(found):
            raise ValueError(EMPTY)
        results = _unpickled(found)
        if by is None:
            return results[0]
        return {label: results[row] for label, row in _segments_of(found, by).items()}

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
                "`summary` computes the same summaries where the queries are.",
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

    def reduce(self, frame, keys, names, first, merge):
        """Compute columns of a frame, and return a row for each combination of keys.

        `first` maps an Arrow table with some of the rows to one with the columns `keys`
        and a column of bytes, PART. `merge` maps the tables of all parts, one below the
        other, to such a table, which is returned.
        """


class Part(NamedTuple):
    """What the summaries need of some queries.

    Whether a query has a weight above 0, and for each ranker and metric the
    :class:`Sums` or the :class:`Counts`.
    """

    has_weight: bool
    sums: list


class Sums(NamedTuple):
    """The sums of a metric whose summary is a function of means.

    `terms` are those of the two sums whose ratio is a mean, as `exact_terms` returns
    them, for each of the arrays of a :class:`Measured`.
    """

    terms: dict
    metric: object = None

    def queries(self, request):
        """Return what has the methods of all queries that `summarize` calls."""
        return self._replace(metric=request.metric)

    def summary(self, which):
        """Return the summary of the "values", or of those of "chance" or "ideal"."""
        top, bottom = map(math.fsum, self.terms[which])
        mean = top / bottom if bottom > 0 else float("nan")
        _, link = MEANS[self.metric.pool]
        with np.errstate(divide="ignore"):
            score = float(link(mean))
        return reciprocal(score) if self.metric.inverse else score

    @staticmethod
    def merged(parts):
        """Return the sums of all queries."""
        terms = {}
        for which in parts[0].terms:
            pairs = zip(*(part.terms[which] for part in parts), strict=True)
            terms[which] = [exact_terms(np.concatenate(several)) for several in pairs]
        return Sums(terms)


class Counts(NamedTuple):
    """How many queries have the same values, ranks and weight.

    `columns` are the arrays of a :class:`Measured`, as integers of the same bits, and
    those of a :class:`StoredRanks`.
    """

    columns: list
    weight: np.ndarray
    count: np.ndarray

    def queries(self, request):
        """Return queries that are summarized as all of them are."""
        options, columns, weight = request.options, self.columns, self.weight
        if options.adjusted:  # the variance under random orders is that of each query
            columns = [np.repeat(column, self.count) for column in columns]
            weight = np.repeat(weight, self.count)
        else:
            weight = weight * self.count
        parts = parts_of(request)
        values = (column.view(np.float64) for column in columns[: len(parts)])
        ranks = columns[len(parts) :]
        measured = Measured(
            **dict(zip(parts, values, strict=True)),
            ranks=StoredRanks(*ranks) if ranks else None,
        )
        instead, average = request.instead, options.average
        return Values(request.metric, measured, options.own, instead, average, weight)

    @staticmethod
    def merged(parts):
        """Return the counts of all queries."""
        columns = zip(*(part.columns for part in parts), strict=True)
        weight = np.concatenate([part.weight for part in parts])
        count = np.concatenate([part.count for part in parts])
        return Counts.of(map(np.concatenate, columns), weight, count)

    @staticmethod
    def of(columns, weight, count):
        """Return the counts of queries, or of several that are equal."""
        columns = [column[weight > 0] for column in columns]
        weight, count = weight[weight > 0], count[weight > 0]
        _, first, codes = distinct(dict(enumerate([*columns, weight.view(np.int64)])))
        count = np.bincount(codes, count, len(first)).astype(np.intp)
        return Counts([column[first] for column in columns], weight[first], count)


def _sums_of(request, measured, n_documents, weight):
    """Return the Sums or the Counts of some queries."""
    metric, options = request.metric, request.options
    adjusted, own, instead = options.adjusted, options.own, request.instead
    if options.average == "weighted":
        weight = weight * n_documents
    if metric.pool not in MEANS or (
        adjusted and (metric.moments is not None or adjusted == "z")
    ):
        values = [getattr(measured, name).view(np.int64) for name in parts_of(request)]
        ranks = [] if measured.ranks is None else [*measured.ranks]
        if not adjusted:  # only random orders depend on the numbers of documents
            ranks[4:] = [0 * column for column in ranks[4:]]
        return Counts.of([*values, *ranks], weight, np.ones(len(weight)))
    before, _ = MEANS[metric.pool]

    def terms(ranks, values, weight):
        known = ~np.isnan(values)
        if metric.pool in (pooled_geometric_mean, pooled_harmonic_mean):
            check_not_negative(values)
        with np.errstate(divide="ignore"):
            values = before(values[known])
        return exact_terms(values * weight[known]), exact_terms(weight[known])

    queries = Values(
        metric, measured._replace(ranks=None), own, instead, "macro", weight
    )
    return Sums({name: queries.summary(name, terms) for name in parts_of(request)})


def _condensed(table, core, names):
    """Return a row per segment with a :class:`Part`, of a table of scored queries."""
    found = core.value_table(table)
    weight = np.ones(len(table)) if found.weight is None else found.weight
    if len(weight) and not SMALLEST < weight.max(initial=1) < LARGEST:
        raise ValueError(
            "Weights that workers sum up must be between 1e-150 and 1e150. Got "
            f"{weight.max()}: scale them."
        )

    def part(rows):
        sums = [
            [
                _sums_of(
                    request,
                    Measured(*(x if x is None else x[..., rows] for x in measured)),
                    n_documents[rows],
                    weight[rows],
                )
                for request, measured in zip(core.requests, of_ranker, strict=True)
            ]
            for n_documents, of_ranker in zip(
                found.n_documents, found.measured, strict=True
            )
        ]
        return Part(bool(weight[rows].any()), sums)

    return _by_segment(table, names, part)


def _merged(table, core, names):
    """Return a row per segment with a :class:`Part`, of those of parts of the data."""
    parts = np.empty(len(table), dtype=object)
    parts[:] = _unpickled(table)

    def part(rows):
        several = [parts[row] for row in rows]
        sums = [
            [type(same[0]).merged(same) for same in zip(*of_ranker, strict=True)]
            for of_ranker in zip(*(one.sums for one in several), strict=True)
        ]
        return Part(any(one.has_weight for one in several), sums)

    return _by_segment(table, names, part)


def _first_of_part(table, core, first, by, names):
    """Return a row per segment with what a function returns of its scored queries."""
    found = core.value_table(table)

    def part(rows):
        if by is None:
            return first(found, None)
        (label,) = _segments_of(table.slice(rows[0], 1), by)
        return first(found.take(rows), label)

    return _by_segment(table, names, part)


def _merged_parts(table, merge, names):
    """Return a row per segment with what a function returns of the results of parts."""
    parts = _unpickled(table)
    return _by_segment(table, names, lambda rows: merge([parts[row] for row in rows]))


def _segments_of(table, by):
    """Return the first row of each segment by its label, in the order of the labels."""
    codes, ids = {}, {}
    for name in [by] if isinstance(by, str) else by:
        codes[name], ids[name] = ordered_keys(table[name])
    keys, rows, _ = distinct(codes)
    labels = [
        (key if ids[name] is None else ids[name][key]).tolist()
        for name, key in keys.items()
    ]
    labels = labels[0] if isinstance(by, str) else zip(*labels, strict=True)
    return dict(zip(labels, rows, strict=True))


def _unpickled(table):
    """Return what `_by_segment` pickled, in a list."""
    return [pickle.loads(zlib.decompress(x)) for x in table[PART].to_pylist()]


def _by_segment(table, names, part):
    """Return a row per segment: its keys and the pickled ``part(rows)``."""
    pa = import_extra("pyarrow")
    if names:
        codes = {name: equality_codes(table[name]) for name in names}
        _, first, codes = distinct(codes)
        order = np.argsort(codes, kind="stable")
        segments = np.split(order, np.cumsum(np.bincount(codes))[:-1])
    else:
        first, segments = [0], [np.arange(len(table))]
    keys = {name: table[name].take(pa.array(first)) for name in names}
    pickled = [zlib.compress(pickle.dumps(part(rows))) for rows in segments]
    return pa.table(keys | {PART: pa.array(pickled, pa.binary())})


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
