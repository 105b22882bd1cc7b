"""Whole queries of a source, scored some hundred thousand rows at a time."""

# SPDX-License-Identifier: BSD-3-Clause

import os
from collections import deque
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from skrank._engine.answer import Arrays
from skrank._engine.summary import Measured, parts_of
from skrank._engine.value_table import ValueTable, distinct, join_queries
from skrank._input.frames import is_list
from skrank._ranking.ids import encode_qid, find_alike
from skrank._text.tables import import_extra
from skrank.evaluation.evaluate import score_requests
from skrank.evaluation.query_scores import QueryScores
from skrank.tables.source import Threads, quoted

# Rows to score at once: a call costs a few milliseconds, and more rows more memory.
BATCH = 300_000

# The number of rows that say how long lists are.
SAMPLED_ROWS = 100

# The bytes of lists in a row from which half as many rows are scored at once.
LIST_BYTES = 16

# Scattered rows are divided into parts of so many batches, which are scored at once, in
# a pass that writes some rows part by part at most so many times: more of them, and
# smaller parts, take less memory and more time.
PART_BATCHES = 3
N_WRITTEN = 128

# Batches are scored side by side: NumPy computes without Python's lock.
N_THREADS = min(os.cpu_count() or 1, 4)

# Rows are scattered if a batch of them has more stretches of rows of one query than
# this times the number of its queries; or fewer rows than this times its stretches,
# since most rows of many scattered queries are alone in their batch.
SCATTERED = 1.1


def score_source(source, core, advance):
    """Return the tables of all queries of an open Source, one row per query.

    Where the rows of each query stand together, they are read as they are. Those of
    other sources are divided by their queries, and keep their order.
    """
    query = f"SELECT {source.selected(core.columns)} FROM {source.relation}"
    together = whole_queries(_batches(source, query, core.columns), core)
    tables = _score_tables(core, together, advance)
    if tables is None or (len(tables) > 1 and _are_cut(tables, core.columns.keys)):
        return _score_tables(core, _parts(source, core, query), advance)
    return tables


def _score_tables(core, found, advance):
    """Return the tables of the queries that are found; None if they are scattered."""
    scored, coming = [], deque()
    with closing(found), closing(Threads(N_THREADS)) as threads:
        while (one := next(found, None)) is not None or coming:
            if one is not None:
                table, n_stretches = one
                if len(table) < SCATTERED * n_stretches:
                    return None
                coming.append((len(table), n_stretches, threads.start(core, table)))
                if len(coming) <= N_THREADS:  # no more batches are held in memory
                    continue
            n_scored, n_stretches, result = coming.popleft()
            scored.append(result.result())
            if n_stretches > SCATTERED * len(scored[-1]):
                return None
            advance(n_scored)
    return scored


def _are_cut(tables, names):
    """Return True if a query is in several tables."""
    keys = import_extra("pyarrow").concat_tables(one.select([*names]) for one in tables)
    _, first, _ = distinct({name: equality_codes(keys[name]) for name in names})
    return len(first) < len(keys)


def _parts(source, core, query):
    """Yield tables of whole queries of an SQL query, whose rows may be anywhere.

    All rows are written to a file, some of them at once and each time part by part,
    and then read part by part. A hash of its query decides on the part of a row.

        qid   7 8 9 7 | 8 7 9 9     two batches of a source
              7 9 7 8 | 7 9 9 8     the file, with two parts of each batch
              7 9 7 7 9 9 | 8 8     what is yielded
    """
    pa, columns = import_extra("pyarrow"), core.columns
    n_rows, size = source.count(), _rows_at_once(source, columns)
    n_parts = min(n_rows // (PART_BATCHES * size) + 1, 2**16 - 1)
    part = f"hash({', '.join(map(quoted, columns.keys.values()))}) % {n_parts}"
    name = "part" + "_" * max(map(len, columns.named()))  # no column's name
    query = f"SELECT *, CAST({part} AS USMALLINT) AS {name} FROM ({query})"
    batches = _batches(source, query, columns, max(size, n_rows // N_WRITTEN))
    path, file = os.path.join(source.folder, "parts.arrow"), None
    with closing(batches):
        for table in batches:
            part, table = as_numpy(table[name]), table.drop_columns([name])
            order = np.argsort(part, kind="stable")
            (batch,) = table.take(order).combine_chunks().to_batches()
            file = file or pa.ipc.new_file(path, batch.schema)
            ends = np.searchsorted(part[order], np.arange(n_parts + 1))
            for start, stop in pairwise(ends.tolist()):
                file.write_batch(batch.slice(start, stop - start))
    file.close()
    with pa.OSFile(path) as content:  # a memory map would count as memory
        file = pa.ipc.open_file(content)
        for part in range(n_parts):
            places = range(part, file.num_record_batches, n_parts)
            table = pa.Table.from_batches(map(file.get_batch, places))
            if len(table):
                yield table.combine_chunks(), 0


def whole_queries(tables, core):
    """Yield tables of whole queries, each with the number of stretches of one query.

    The rows of a query that stand together in the tables are kept together: the last
    stretch waits for the next table, in which it may go on.

        qid   7 7 7 8 | 8 9 9     two tables of a source
              7 7 7   | 8 8 | 9 9   what is yielded, if two rows are enough
    """
    pa = import_extra("pyarrow")
    pending, n_rows, needed = [], 0, None
    with closing(tables):
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


def lacks_values(table):
    """Return True if a value of a table is missing."""
    for column in map(one_chunk, table.columns):
        if column.null_count:
            return True
        is_float = import_extra("pyarrow").types.is_floating(column.type)
        if is_float and np.isnan(as_numpy(column).min(initial=np.inf)):
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


def _rows_at_once(source, columns):
    """Return how many rows of a source to score at once."""
    if all(source.kinds[name] != "list" for name in columns.values()):
        return BATCH
    query = f"SELECT {source.selected(columns)} FROM {source.relation}"
    some = source.run(
        lambda: source.connection.sql(f"{query} LIMIT {SAMPLED_ROWS}").to_arrow_table()
    )
    return rows_to_score(some)


def _batches(source, query, columns, size=None):
    """Yield the batches of a query, each of which is read while the last is scored."""
    size = size or _rows_at_once(source, columns)

    def open_reader():
        relation = source.connection.sql(query)
        read = getattr(relation, "to_arrow_reader", None)
        return (read or relation.fetch_arrow_reader)(size)

    reader, is_missing = source.run(open_reader), False
    try:
        coming = source.start(next, reader, None)
        while not is_missing and (batch := coming.result()) is not None:
            coming = source.start(next, reader, None)
            table = import_extra("pyarrow").Table.from_batches([batch])
            is_missing = lacks_values(table.select(columns.whole()))
            if not is_missing:
                yield table
    finally:
        source.stop()
        reader.close()  # until then the connection runs nothing else
    if is_missing:
        source.refuse_missing(columns)


# How often the values by query are in memory while they are joined, as was measured.
MOST_COPIES = 3.5


class Columns(NamedTuple):
    """The names of the columns of a source."""

    qid: str
    y_true: str | None
    y_score: dict  # by the names of rankers, None for one without a name
    by: tuple = ()
    judged: str | None = None
    returned: object = None  # a column, or a dict likewise
    doc_id: str | None = None
    sample_weight: str | None = None
    # What metrics read besides, by their names for it: a column, or an ItemColumn with
    # the column of the items.
    of_metrics: dict = {}

    @property
    def keys(self):
        """Return the columns that tell queries apart, by their names in the result."""
        return {"qid": self.qid} | {name: name for name in self.by}

    def ids(self):
        """Return the columns of the ids of queries, documents and items."""
        items = (x.item for x in self.of_metrics.values() if not isinstance(x, str))
        named = *self.keys.values(), self.doc_id, *items
        return [name for name in dict.fromkeys(named) if name is not None]

    def masks(self):
        """Return the columns of the masks: that of y_true, and that of each y_score."""
        if isinstance(self.returned, dict):
            returned = {self.y_score[name]: c for name, c in self.returned.items()}
        else:
            returned = dict.fromkeys(self.y_score.values(), self.returned)
        return ({} if self.y_true is None else {self.y_true: self.judged}) | returned

    def numbers(self):
        """Return the columns of grades, scores and weights, each once."""
        named = self.y_true, *self.y_score.values(), self.sample_weight
        return list(dict.fromkeys(name for name in named if name is not None))

    def values(self):
        """Return the columns whose values metrics read in addition to the grades."""
        named = (name for name in self.of_metrics.values() if isinstance(name, str))
        return list(dict.fromkeys(named))

    def whole(self):
        """Return the columns of which no value may be missing."""
        masks = self.masks()
        others = [self.doc_id, self.sample_weight]
        named = [*self.keys.values(), *masks, *masks.values(), *others]
        return list(dict.fromkeys(name for name in named if name is not None))

    def named(self):
        """Return all columns, each once."""
        return list(dict.fromkeys([*self.whole(), *self.ids(), *self.values()]))


@dataclass(frozen=True)
class ArrowCore:
    """Scores Arrow tables of whole queries; it can be sent to other processes."""

    requests: tuple  # with the highest grade of all data where they depend on it
    columns: Columns

    def __call__(self, table):
        """Return a row per query, its keys and what was measured, of all their rows."""
        columns, masks = self.columns, self.columns.masks()
        qid, keys_of = self._queries(table)
        if columns.doc_id is not None:
            _refuse_twice(qid, table, columns)
        values = {None: None}
        for name in {*columns.numbers(), *masks.values()} - {None}:
            values[name] = as_numpy(table[name])
        rankers = {name: values[column] for name, column in columns.y_score.items()}
        returned = {name: values[masks[c]] for name, c in columns.y_score.items()}
        y_true = values[columns.y_true]
        if y_true is None:
            y_true = np.zeros(len(table), dtype=np.uint8)
        arrays = Arrays(
            y_true,
            next(iter(rankers.values())),
            qid=qid,
            sample_weight=values[columns.sample_weight],
            judged=values[columns.judged],
            returned=next(iter(returned.values())),
            doc_id=None if columns.doc_id is None else table[columns.doc_id],
            columns=columns_of_table(table, columns),
            is_part=True,
        )
        if not isinstance(columns.returned, dict):  # what all rankers share
            returned = None
        scores = score_requests(self.requests, arrays, rankers, returned=returned).table
        found = {"_weight": scores.weight}
        for i, of_ranker in enumerate(scores.measured):
            for j, one in enumerate(of_ranker):
                for name in parts_of(self.requests[j]):
                    found[f"_{name}_{i}_{j}"] = getattr(one, name)
        found = {
            name: np.asarray(found[name], dtype) for name, dtype in self.state.items()
        }
        return import_extra("pyarrow").table(keys_of(scores.keys["qid"]) | found)

    def _queries(self, table):
        """Return ids of the rows, and a function from ids to the keys of queries."""
        pa, keys = import_extra("pyarrow"), self.columns.keys
        if len(keys) > 1:
            codes = {key: equality_codes(table[name]) for key, name in keys.items()}
            _, first, codes = distinct(codes)
            return codes, lambda code: {
                key: table[name].take(first[code]) for key, name in keys.items()
            }
        column = table[self.columns.qid]
        if is_text(column.type):
            encoded = encoded_text(column)
            codes = as_numpy(encoded.indices)
            return codes, lambda code: {"qid": encoded.dictionary.take(pa.array(code))}
        return as_numpy(column), lambda ids: {"qid": pa.array(ids, column.type)}

    @cached_property
    def state(self):
        """The types of the columns of what was measured, by their names.

        No key has such a name. Metrics that read the same ranks share their columns.
        """
        state = {}
        for i in range(len(self.columns.y_score)):
            for j, request in enumerate(self.requests):
                for name in parts_of(request):
                    state[f"_{name}_{i}_{j}"] = "float64"
        if self.columns.sample_weight is not None:
            state["_weight"] = "float64"
        return state

    @property
    def names(self):
        """Return the name of each ranker and metric: "ranker/metric", or "metric"."""
        metrics = [request.key for request in self.requests]
        return [
            metric if ranker is None else f"{ranker}/{metric}"
            for ranker in self.columns.y_score
            for metric in metrics
        ]

    def values(self, table):
        """Return the values of a table of a call as `to_frame` has them, by name."""
        scores = QueryScores(table=self.value_table(table))
        values = scores.values.reshape(len(self.names), -1)
        return dict(zip(self.names, values, strict=True))

    def finish(self, tables, kind="pandas"):
        """Return the QueryScores of all queries from the tables that calls returned."""
        pa = import_extra("pyarrow")
        table = pa.concat_tables(tables)
        tables.clear()  # they need no memory next to the arrays made of them
        codes, ids = {}, {}
        for key in self.columns.keys:
            codes[key], ids[key] = ordered_keys(table[key])
        table = self.value_table(table, codes, kind)
        table = join_queries([table])
        keys = {
            key: values if ids[key] is None else ids[key][values]
            for key, values in table.keys.items()
        }
        return QueryScores(table=table._replace(keys=keys))

    def value_table(self, table, keys=(), kind="pandas"):
        """Return the ValueTable of a table that :meth:`__call__` returned."""
        measured = []
        for i in range(len(self.columns.y_score)):
            of_ranker = []
            for j, request in enumerate(self.requests):
                given = {
                    name: as_numpy(table[f"_{name}_{i}_{j}"])
                    for name in parts_of(request)
                }
                of_ranker.append(Measured(**given))
            measured.append(tuple(of_ranker))
        return ValueTable(
            dict(keys),
            tuple(self.columns.y_score),
            tuple(self.requests),
            # Where grades are compared with all others, none of them is negative.
            tuple(
                {"lowest grade": 0.0} if request.options.threshold is None else {}
                for request in self.requests
            ),
            tuple(measured),
            as_numpy(table["_weight"]) if "_weight" in self.state else None,
            kind,
        )


def _refuse_twice(qid, table, columns):
    """Raise if a query has rows of the same document, as `align` does."""
    document = table[columns.doc_id]
    alike = find_alike(equality_codes(document), encode_qid(qid)[1])
    for row in np.flatnonzero(alike != np.arange(len(alike))).tolist():
        query, found = table[columns.qid][row].as_py(), document[row].as_py()
        raise ValueError(
            f"A document must occur once for each query. Got document {found!r} of "
            f"query {query!r} more than once: keep that with the highest score."
        )


def columns_of_table(table, columns):
    """Return the columns that metrics read, by their names there, of an Arrow table."""
    return {
        name: _values_of_rows(table[where], where, name)
        if isinstance(where, str)
        else replace(where, item=one_chunk(table[where.item]))
        for name, where in columns.of_metrics.items()
    }


def _values_of_rows(column, where, name):
    """Return an array of the values of a column, a matrix of those that are lists.

    Lists of numbers are its rows, and lists of labels the columns in which a row of a
    sparse one is True.
    """
    column, compute = one_chunk(column), import_extra("pyarrow.compute")
    if not is_list(column.type):
        return _as_objects(column) if is_text(column.type) else as_numpy(column)
    lengths = as_numpy(compute.list_value_length(column).fill_null(0))
    flat = column.flatten()
    if is_text(flat.type):
        if flat.null_count:
            raise ValueError(
                f"The lists in the column {where!r}, which is {name!r} for metrics, "
                "must hold labels of type str. Got a missing one (null): leave it out, "
                "or make it [] if a document has none."
            )
        # In the order of their names, in which arrays have them: so sums over labels
        # are the same to the last bit, whatever other rows are read at once.
        labels, names = ordered_keys(flat)
        ends = np.concatenate([[0], np.cumsum(lengths)])
        shape = len(column), len(names)
        return csr_matrix((np.ones(len(labels), dtype=bool), labels, ends), shape)
    known = as_numpy(column.is_valid())
    width = int(lengths.max(initial=0))
    if (lengths[known] != width).any():
        raise ValueError(
            f"The column {where!r}, which is {name!r} for metrics, must hold lists of "
            f"one length. Got lists of {lengths[known].min()} and of {width} numbers."
        )
    rows = as_numpy(flat).reshape(np.count_nonzero(known), width)
    if known.all():
        return rows
    found = np.full((len(column), max(width, 1)), np.nan)
    found[known, :width] = rows
    return found


def _as_objects(column):
    """Return text as an array of Python's str, and None."""
    encoded = encoded_text(column)
    texts = np.array([*encoded.dictionary.to_pylist(), None], dtype=object)
    return texts[as_numpy(encoded.indices.fill_null(len(texts) - 1))]


def as_numpy(column):
    """Return a column of numbers, booleans or dates as an array."""
    return one_chunk(column).to_numpy(zero_copy_only=False)


def one_chunk(column):
    """Return a chunked column as one array."""
    if not hasattr(column, "chunks"):
        return column
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def is_text(kind):
    """Return True for a type of text."""
    types = import_extra("pyarrow").types
    views = getattr(types, "is_string_view", types.is_string)  # newer versions have it
    return types.is_string(kind) or types.is_large_string(kind) or views(kind)


def equality_codes(column):
    """Return values that are equal where those of a column are: codes, for text."""
    if not is_text(column.type):
        return as_numpy(column)
    return as_numpy(encoded_text(column).indices)


def ordered_keys(column):
    """Return values in the order of those of a column, and what they stand for.

    For text these are codes and an array of the different texts, in ascending order;
    other columns have their own values, and None.
    """
    if not is_text(column.type):
        return as_numpy(column), None
    encoded = encoded_text(column)
    # Bytes of UTF-8 have the order of the characters, which is that of NumPy too.
    order = import_extra("pyarrow.compute").sort_indices(encoded.dictionary)
    rank = np.empty(len(order), dtype=np.intp)
    rank[as_numpy(order)] = np.arange(len(order))
    return rank[as_numpy(encoded.indices)], _as_text(encoded.dictionary.take(order))


def encoded_text(column):
    """Return a column of text as an Arrow dictionary array."""
    large = import_extra("pyarrow").large_string()
    return one_chunk(column).cast(large).dictionary_encode()


def _as_text(array):
    """Return an array of large strings as one of NumPy's text, by their bytes."""
    _, offsets, content = array.buffers()
    offsets = np.frombuffer(offsets, np.int64)[array.offset :][: len(array) + 1]
    content = np.frombuffer(content, np.uint8)[offsets[0] : offsets[-1]]
    lengths = np.diff(offsets)
    width = max(int(lengths.max(initial=0)), 1)
    is_plain = not len(content) or (content.max() < 128 and content.min() > 0)
    if not is_plain or width * len(array) > 16 * len(content) + 2**20:
        return array.to_numpy(zero_copy_only=False)
    letters = np.zeros((len(array), width), dtype=np.uint8)
    letters[np.arange(width) < lengths[:, np.newaxis]] = content
    return letters.view(f"S{width}").ravel().astype("U")
