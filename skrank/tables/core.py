"""From whole queries in Arrow to a row per query, and the scores of all rows."""

# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from skrank._checks import import_extra
from skrank._columns import is_list
from skrank._engine.answer import Arrays
from skrank._engine.request import of_ranking
from skrank._engine.summary import Measured, parts_of, reads_ranks
from skrank._engine.value_table import ValueTable, distinct, join_queries
from skrank.evaluation.evaluate import score_requests
from skrank.evaluation.query_scores import QueryScores

# The integers per query that determine the ranks of its first relevant document.
N_RANKS = 6
# How often the values by query are in memory while they are joined, as was measured.
MOST_COPIES = 3.5


class Columns(NamedTuple):
    """The names of the columns of a source.

    `y_score` maps the names of rankers to columns, with None for one without a name;
    `returned` is a column, a dict likewise, or None. `of_metrics` has what metrics
    read in addition to grades and scores, by their names for it: a column, or an
    :class:`~skrank._engine.columns.ItemColumn` with the column of the items.
    """

    qid: str
    y_true: str | None
    y_score: dict
    by: tuple = ()
    judged: str | None = None
    returned: object = None
    doc_id: str | None = None
    sample_weight: str | None = None
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

    def of_any_kind(self):
        """Return the columns that may hold numbers, text or lists of them."""
        masks = self.masks()
        known = {*self.ids(), *self.numbers(), *masks.values()}
        return [name for name in self.values() if name not in known]

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
    """Scores Arrow tables of whole queries; it can be sent to other processes.

    `requests` are the metrics; where one depends on the highest grade of all data, its
    request says which one that is.
    """

    requests: tuple
    columns: Columns

    def __call__(self, table):
        """Return a row per query, its keys and what was measured, of all their rows."""
        columns, masks = self.columns, self.columns.masks()
        qid, keys_of = self._queries(table)

        def read(column):
            return None if column is None else as_numpy(table[column])

        rankers = {name: read(column) for name, column in columns.y_score.items()}
        returned = {name: read(masks[c]) for name, c in columns.y_score.items()}
        y_true = read(columns.y_true)
        if y_true is None:
            y_true = np.zeros(len(table), dtype=np.uint8)
        arrays = Arrays(
            y_true,
            next(iter(rankers.values())),
            qid=qid,
            sample_weight=read(columns.sample_weight),
            judged=read(columns.judged),
            returned=next(iter(returned.values())),
            doc_id=None if columns.doc_id is None else table[columns.doc_id],
            columns=columns_of_table(table, columns),
        )
        if not isinstance(columns.returned, dict):  # what all rankers share
            returned = None
        scores = score_requests(self.requests, arrays, rankers, returned=returned).table
        found = {"_weight": scores.weight}
        for i, of_ranker in enumerate(scores.measured):
            found[f"_n_documents_{i}"] = scores.n_documents[i]
            for j, one in enumerate(of_ranker):
                for name in parts_of(self.requests[j]):
                    found[f"_{name}_{i}_{j}"] = getattr(one, name)
                for r, row in enumerate(() if one.ranks is None else one.ranks):
                    found[f"_ranks_{i}_{j}_{r}"] = row
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
            state[f"_n_documents_{i}"] = "int64"
            for j, request in enumerate(self.requests):
                for name in parts_of(request):
                    state[f"_{name}_{i}_{j}"] = "float64"
                if self._ranks_at[j] == j:
                    state |= {f"_ranks_{i}_{j}_{r}": "int64" for r in range(N_RANKS)}
        if self.columns.sample_weight is not None:
            state["_weight"] = "float64"
        return state

    @cached_property
    def _ranks_at(self):
        """For each request the position of the one whose ranks it reads, or None."""
        first, places = {}, []
        for j, request in enumerate(self.requests):
            ranks = of_ranking(request.options) if reads_ranks(request) else None
            places.append(None if ranks is None else first.setdefault(ranks, j))
        return places

    @property
    def in_input_order(self):
        """Return the first request whose tied documents keep the order of the rows."""
        for request in self.requests:
            if request.options.ties == "first" and not request.options.doc_order:
                return request
        return None

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
        scores = QueryScores(self.value_table(table))
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
        return QueryScores(table._replace(keys=keys))

    def value_table(self, table, keys=(), kind="pandas"):
        """Return the ValueTable of a table that :meth:`__call__` returned."""
        n_documents, measured = [], []
        for i in range(len(self.columns.y_score)):
            n_documents.append(as_numpy(table[f"_n_documents_{i}"]))
            of_ranker, ranks = [], {None: None}
            for j, request in enumerate(self.requests):
                given = {
                    name: as_numpy(table[f"_{name}_{i}_{j}"])
                    for name in parts_of(request)
                }
                at = self._ranks_at[j]
                if at not in ranks:
                    rows = [table[f"_ranks_{i}_{at}_{r}"] for r in range(N_RANKS)]
                    ranks[at] = np.vstack(list(map(as_numpy, rows)))
                of_ranker.append(Measured(**given, ranks=ranks[at]))
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
            tuple(n_documents),
            as_numpy(table["_weight"]) if "_weight" in self.state else None,
            kind,
        )


def columns_of_table(table, columns):
    """Return the columns that metrics read, by their names there, of an Arrow table."""
    return {
        name: _as_rows(table[where], where, name)
        if isinstance(where, str)
        else replace(where, item=one_chunk(table[where.item]))
        for name, where in columns.of_metrics.items()
    }


def _as_rows(column, where, name):
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
    pa = import_extra("pyarrow")
    if not isinstance(column, pa.ChunkedArray):
        return column
    if column.num_chunks == 1:
        return column.chunk(0)
    if column.num_chunks == 0:
        return pa.array([], column.type)
    return pa.concat_arrays(column.chunks)


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
