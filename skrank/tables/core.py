"""From whole queries in Arrow to a row per query, and the scores of all rows."""

# SPDX-License-Identifier: BSD-3-Clause

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from skrank.metrics import QueryScores, score_queries
from skrank.metrics.metric import METRICS
from skrank.metrics.summary import Measured
from skrank.metrics.value_table import distinct, join_queries
from skrank.tables.extra import import_extra

# The fields of Measured; the ranks are six columns.
MEASURED = ("values", "chance", "ideal")
N_RANKS = 6


class Columns(NamedTuple):
    """The names of the columns of a source.

    `y_score` maps the names of rankers to columns, with None for one without a name;
    `returned` is a column, a dict likewise, or None.
    """

    qid: str
    y_true: str
    y_score: dict
    by: tuple = ()
    judged: str | None = None
    returned: object = None
    doc_id: str | None = None
    sample_weight: str | None = None

    @property
    def keys(self):
        """Return the columns that tell queries apart, by their names in the result."""
        return {"qid": self.qid} | {name: name for name in self.by}

    def masks(self):
        """Return the columns of the masks: that of y_true, and that of each y_score."""
        if isinstance(self.returned, dict):
            returned = {self.y_score[name]: c for name, c in self.returned.items()}
        else:
            returned = dict.fromkeys(self.y_score.values(), self.returned)
        return {self.y_true: self.judged} | returned

    def numbers(self):
        """Return the columns of grades, scores and weights, each once."""
        named = self.y_true, *self.y_score.values(), self.sample_weight
        return list(dict.fromkeys(name for name in named if name is not None))

    def named(self):
        """Return all columns, each once."""
        masks = self.masks()
        others = [self.doc_id, self.sample_weight]
        named = [*self.keys.values(), *masks, *masks.values(), *others]
        return list(dict.fromkeys(name for name in named if name is not None))


@dataclass(frozen=True)
class ArrowCore:
    """Scores Arrow tables of whole queries; it can be sent to other processes.

    Parameters
    ----------
    metrics : str, callable or list of them
        As in :func:`score_queries`.
    columns : Columns
        The columns of the tables.
    params : dict
        Further parameters of :func:`score_queries`.
    """

    metrics: object
    columns: Columns
    params: dict = field(default_factory=dict)

    def __call__(self, table):
        """Return a table with a row per query: its keys and what was measured.

        Parameters
        ----------
        table : pyarrow.Table
            All rows of some queries, in any order, without missing values.
        """
        pa = import_extra("pyarrow")
        columns = self.columns
        qid, keys_of = self._queries(table)
        arrays = {}
        for name in ("judged", "sample_weight"):
            if (column := getattr(columns, name)) is not None:
                arrays[name] = as_numpy(table[column])
        if columns.doc_id is not None:
            arrays["doc_id"] = table[columns.doc_id]
        if isinstance(columns.returned, dict):
            arrays["returned"] = {
                name: as_numpy(table[column])
                for name, column in columns.returned.items()
            }
        elif columns.returned is not None:
            arrays["returned"] = as_numpy(table[columns.returned])
        y_score = {
            name: as_numpy(table[column]) for name, column in columns.y_score.items()
        }
        scores = score_queries(
            as_numpy(table[columns.y_true]),
            y_score.get(None, y_score),
            self.metrics,
            qid=qid,
            **arrays,
            **self.params,
        )
        keys = keys_of(scores.keys["qid"])
        return pa.table(keys | _arrays_of(scores.table))

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
        if is_text(column):
            encoded = encoded_text(column)
            codes = as_numpy(encoded.indices)
            return codes, lambda code: {"qid": encoded.dictionary.take(pa.array(code))}
        return as_numpy(column), lambda ids: {"qid": pa.array(ids, column.type)}

    @property
    def in_input_order(self):
        """Return the first request whose tied documents keep the order of the rows."""
        for request in self.template.requests:
            if request.options["ties"] == "first" and not request.options["doc_order"]:
                return request
        return None

    def __reduce__(self):
        """Pickle with the metrics that `add_scorer` named in this process."""
        metrics = [request.metric for request in self.template.requests]
        named = {
            metric.name: metric
            for metric in metrics
            if metric.own is not None and METRICS.get(metric.name) is metric
        }
        return _core_that_knows, (named, self.metrics, self.columns, self.params)

    def values(self, table):
        """Return the values of a table of a call as `to_frame` has them.

        A dict of columns, named after the metrics, or "ranker/metric".
        """
        scores = QueryScores(self._value_table(table, {}, "pandas"))
        return {
            metric if ranker is None else f"{ranker}/{metric}": column
            for ranker, values in zip(scores.rankers, scores.values, strict=True)
            for metric, column in zip(scores.metrics, values, strict=True)
        }

    def example(self):
        """Return what a call returns for one query made up, but its keys."""
        return import_extra("pyarrow").table(_arrays_of(self.template))

    def finish(self, tables, kind="pandas"):
        """Return the QueryScores of all queries from the tables that calls returned."""
        pa = import_extra("pyarrow")
        table = pa.concat_tables(tables)
        tables.clear()  # and so they need no memory beside the arrays made of them
        codes, ids = {}, {}
        for key in self.columns.keys:
            codes[key], ids[key] = ordered_keys(table[key])
        table = self._value_table(table, codes, kind)
        table = join_queries([table])
        keys = {
            key: values if ids[key] is None else ids[key][values]
            for key, values in table.keys.items()
        }
        return QueryScores(table._replace(keys=keys))

    def _value_table(self, table, keys, kind):
        """Return the ValueTable of a table that :meth:`__call__` returned."""
        template = self.template
        n_documents, measured = [], []
        for i in range(len(template.rankers)):
            n_documents.append(as_numpy(table[_column("n_documents", i)]))
            of_ranker, ranks = [], {}
            for j in range(len(template.requests)):
                given = {
                    name: as_numpy(table[_column(name, i, j)])
                    for name in MEASURED
                    if _column(name, i, j) in table.column_names
                }
                place = template.measured[i][j].ranks
                if place is not None and id(place) not in ranks:
                    names = [_column("ranks", i, j, r) for r in range(N_RANKS)]
                    ranks[id(place)] = np.vstack(
                        [as_numpy(table[name]) for name in names]
                    )
                of_ranker.append(Measured(**given, ranks=ranks.get(id(place))))
            measured.append(tuple(of_ranker))
        weight = None
        if self.columns.sample_weight is not None:
            weight = as_numpy(table[_column("weight")])
        return template._replace(
            keys=keys,
            measured=tuple(measured),
            n_documents=tuple(n_documents),
            weight=weight,
            kind=kind,
        )

    @property
    def template(self):
        """Return the ValueTable of one query made up, with all but the numbers."""
        columns = self.columns
        one = np.ones(1)
        arrays = {}
        if columns.judged is not None:
            arrays["judged"] = one > 0
        if isinstance(columns.returned, dict):
            arrays["returned"] = dict.fromkeys(columns.returned, one > 0)
        elif columns.returned is not None:
            arrays["returned"] = one > 0
        if columns.doc_id is not None:
            arrays["doc_id"] = [1]
        if columns.sample_weight is not None:
            arrays["sample_weight"] = one
        y_score = dict.fromkeys(columns.y_score, one)
        scores = score_queries(
            0 * one,
            y_score.get(None, y_score),
            self.metrics,
            qid=[1],
            **arrays,
            **self.params,
        )
        return scores.table


def _arrays_of(table):
    """Return all arrays of a ValueTable but its keys, by the names of columns."""
    arrays = {}
    for i, of_ranker in enumerate(table.measured):
        arrays[_column("n_documents", i)] = table.n_documents[i]
        stored = set()
        for j, measured in enumerate(of_ranker):
            for name in MEASURED:
                if getattr(measured, name) is not None:
                    arrays[_column(name, i, j)] = getattr(measured, name)
            ranks = measured.ranks
            if ranks is not None and id(ranks) not in stored:
                stored.add(id(ranks))
                for r, column in enumerate(ranks):
                    arrays[_column("ranks", i, j, r)] = column.astype(np.int64)
    if table.weight is not None:
        arrays[_column("weight")] = table.weight
    return arrays


def _column(*parts):
    """Return the name of a column of what was measured, which no key has."""
    return "_".join(("", *map(str, parts)))


def _core_that_knows(named, *arguments):
    """Return a core in a process that may not know the metrics of `add_scorer`."""
    METRICS.update(named)
    return ArrowCore(*arguments)


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


def is_text(column):
    """Return True if a column holds text."""
    types = import_extra("pyarrow").types
    kind = column.type
    views = getattr(types, "is_string_view", lambda kind: False)
    return types.is_string(kind) or types.is_large_string(kind) or views(kind)


def equality_codes(column):
    """Return values that are equal where those of a column are: codes, for text."""
    if not is_text(column):
        return as_numpy(column)
    return as_numpy(encoded_text(column).indices)


def ordered_keys(column):
    """Return values in the order of those of a column, and what they stand for.

    For text these are codes and an array of the different texts, in ascending order;
    other columns have their own values, and None.
    """
    if not is_text(column):
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
    content = np.frombuffer(content or b"", np.uint8)[offsets[0] : offsets[-1]]
    lengths = np.diff(offsets)
    width = max(int(lengths.max(initial=0)), 1)
    is_plain = not len(content) or (content.max() < 128 and content.min() > 0)
    if not is_plain or width * len(array) > 16 * len(content) + 2**20:
        return array.to_numpy(zero_copy_only=False)
    letters = np.zeros((len(array), width), dtype=np.uint8)
    letters[np.arange(width) < lengths[:, np.newaxis]] = content
    return letters.view(f"S{width}").ravel().astype("U")
