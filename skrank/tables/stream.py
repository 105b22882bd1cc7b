"""Whole queries of a source, some hundred thousand rows at a time."""

# SPDX-License-Identifier: BSD-3-Clause

import os
from collections import deque
from contextlib import closing

import numpy as np

from skrank._checks import import_extra
from skrank._columns import is_list
from skrank._engine.value_table import distinct
from skrank.tables.core import as_numpy, equality_codes, one_chunk
from skrank.tables.files import quoted
from skrank.tables.threads import Threads

# Rows to score at once: a call costs a few milliseconds, and more rows more memory.
BATCH = 300_000

# The number of rows that say how long lists are.
SAMPLE = 100

# The bytes of lists in a row from which half as many rows are scored at once.
LIST_BYTES = 16

# Batches are scored side by side: NumPy computes without Python's lock.
N_THREADS = min(os.cpu_count() or 1, 4)

# A source is sorted if a batch of it has more stretches of rows of one query than this
# times the number of its queries; or fewer rows than this times its stretches, since
# most rows of many scattered queries are alone in their batch.
SCATTERED = 1.1


class NotClustered(Exception):
    """The rows of a query do not stand together."""


def score_source(source, core, advance):
    """Return the tables of all queries of an open Source, one row per query.

    Where the rows of each query stand together, they are read as they are; queries
    that are cut after all are asked for again. Other sources are sorted. `advance` is
    called with the number of rows that were scored.
    """
    selected = source.selected(core.columns)
    keys = [quoted(name) for name in core.columns.keys.values()]
    order = ", ".join(keys)
    if any(map(source.is_text, core.columns.keys.values())):
        order = f"hash({order}), {order}"  # numbers are sorted faster than text
    query = f"FROM (SELECT {selected} FROM {source.relation})"
    to_sort = query
    if core.in_input_order is not None:
        row = "row" + "_" * max(map(len, core.columns.named()))  # no column's name
        numbered = f"SELECT {selected}, row_number() OVER () AS {row}"
        to_sort, order = f"FROM ({numbered} FROM {source.relation})", f"{order}, {row}"

    try:
        tables = _score_batches(source, core, query, advance, is_sorted=False)
    except NotClustered:
        return _score_batches(source, core, f"{to_sort} ORDER BY {order}", advance)
    tables, cut = _without_cut_queries(tables, list(core.columns.keys))
    if cut is not None:
        same = " AND ".join(f"cut.{key} = whole.{key}" for key in keys)
        cut = cut.rename_columns(list(core.columns.keys.values()))
        source.run(source.connection.register, "cut", cut)
        again = f"FROM ({to_sort}) AS whole SEMI JOIN cut ON {same} ORDER BY {order}"
        tables += _score_batches(source, core, again, advance)
    return tables


def _score_batches(source, core, query, advance, *, is_sorted=True):
    """Return the tables of the queries of one SQL query."""
    scored, coming = [], deque()
    with (
        closing(_batches(source, query, core.columns)) as batches,
        closing(Threads(N_THREADS)) as threads,
    ):
        found = whole_queries(batches, core)
        while (one := next(found, None)) is not None or coming:
            if one is not None:
                table, n_stretches = one
                if not is_sorted and len(table) < SCATTERED * n_stretches:
                    raise NotClustered
                coming.append((len(table), n_stretches, threads.start(core, table)))
                if len(coming) <= N_THREADS:  # no more batches are held in memory
                    continue
            n_scored, n_stretches, result = coming.popleft()
            scored.append(result.result())
            if not is_sorted and n_stretches > SCATTERED * len(scored[-1]):
                raise NotClustered
            advance(n_scored)
    return scored


def whole_queries(tables, core):
    """Yield tables of whole queries, each with the number of stretches of one query.

    The rows of a query that stand together in the tables are kept together.
    """
    pa = import_extra("pyarrow")
    pending, n_rows, needed = [], 0, None
    for table in tables:
        batch = rows_to_score(table) if core.columns.of_metrics else BATCH
        needed = needed or batch
        pending.append(table)
        n_rows += len(table)
        if n_rows < needed:
            continue
        table = pa.concat_tables(pending).combine_chunks()
        starts = _starts(table, core)
        if not len(starts):  # one query, which has to be whole
            pending, needed = [table], 2 * n_rows
            continue
        yield table.slice(0, starts[-1]), len(starts)
        pending, needed = [table.slice(starts[-1])], batch
        n_rows = len(pending[0])
    if n_rows:
        yield pa.concat_tables(pending).combine_chunks(), 0


def rows_to_score(table):
    """Return how many rows to score at once: fewer, the longer lists a table holds."""
    lists = (column for column in table.columns if is_list(column.type))
    n_bytes = sum(column.nbytes for column in lists) / max(len(table), 1)
    return max(int(BATCH / (1 + n_bytes / LIST_BYTES)), 1)


def has_missing(table):
    """Return True if a value of a table is missing."""
    for column in map(one_chunk, table.columns):
        if column.null_count:
            return True
        if import_extra("pyarrow").types.is_floating(column.type) and np.isnan(
            as_numpy(column).min(initial=np.inf)
        ):
            return True
    return False


def _starts(table, core):
    """Return where the stretches of rows of one query start, but for the first."""
    compute = import_extra("pyarrow.compute")
    differs = False
    for name in core.columns.keys.values():
        column = one_chunk(table[name])
        differs |= as_numpy(compute.not_equal(column[1:], column[:-1]))
    return 1 + np.flatnonzero(differs)


def _batches(source, query, columns):
    """Yield the batches of a query, each of which is read while the last is scored."""

    def open_reader():
        size, relation = BATCH, source.connection.sql(query)
        if columns.of_metrics and source.has_lists(columns):
            selected = f"SELECT {source.selected(columns)} FROM {source.relation}"
            some = source.connection.sql(f"{selected} LIMIT {SAMPLE}")
            size = rows_to_score(some.to_arrow_table())
        read = getattr(relation, "to_arrow_reader", None)
        return (read or relation.fetch_arrow_reader)(size)

    reader, is_missing = source.run(open_reader), False
    try:
        coming = source.start(next, reader, None)
        while not is_missing and (batch := coming.result()) is not None:
            coming = source.start(next, reader, None)
            table = import_extra("pyarrow").Table.from_batches([batch])
            is_missing = has_missing(table.select(columns.whole()))
            if not is_missing:
                yield table
    finally:
        source.stop()
        reader.close()  # until then the connection runs nothing else
    if is_missing:
        source.refuse_missing(columns)


def _without_cut_queries(tables, names):
    """Return tables without the queries that are in several, and a table of those."""
    pa = import_extra("pyarrow")
    if len(tables) < 2:
        return tables, None
    keys = pa.concat_tables([table.select(names) for table in tables])
    columns = {name: equality_codes(keys[name]) for name in names}
    _, first, codes = distinct(columns)
    is_cut = np.bincount(codes) > 1
    if not is_cut.any():
        return tables, None
    cut = keys.take(first[is_cut])
    stops = np.cumsum([len(table) for table in tables])
    kept = np.split(~is_cut[codes], stops[:-1])
    tables = [
        table.filter(pa.array(rows)) for table, rows in zip(tables, kept, strict=True)
    ]
    return tables, cut
