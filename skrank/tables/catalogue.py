"""Scores of all lists together, of tables."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from skrank._checks import (
    check_choice,
    check_column_name,
    check_k,
    import_extra,
)
from skrank._columns import library_of
from skrank._ranking.ids import encode_qid
from skrank._types import PathLike
from skrank.evaluation.catalogue import (
    CatalogueScores,
    TopLists,
    check_items,
    read_items,
    top_lists,
)
from skrank.tables.clusters import EMPTY, check_columns
from skrank.tables.core import ArrowCore, as_numpy, one_chunk, ordered_keys
from skrank.tables.score import CLUSTERS, read_columns
from skrank.tables.source import Source
from skrank.tables.stream import score_source


def score_catalogue(
    source: PathLike | Any,
    *,
    k: int,
    items: int | ArrayLike,
    qid: str = "qid",
    item: str = "item",
    y_score: str | Sequence[str] | Mapping[str, str] = "y_score",
    returned: str | Mapping[str, str] | None = None,
    ties: Literal["expected", "first"] = "expected",
) -> CatalogueScores:
    """Score all lists of a table together: how much of a catalogue they show.

    It is :func:`~skrank.metrics.catalogue_scores` of a file, a table or a data frame of
    Spark or Dask, which may be larger than the memory. Only the lists come to this
    process: the items of the top `k` of each query.

    Parameters
    ----------
    source : str, path, list of paths or table
        A file, files or a table with a row for each document of a query, in any form
        that :func:`score_table` takes, also a data frame of Spark or Dask.
    k : int or None
        Cutoff: the top `k` documents of a query are its list. None for lists that are
        cut already.
    items : int or array-like of shape (n_items,)
        The number of items that could be recommended, or their ids, each once.
    qid : str, default="qid"
        The column of the query ids.
    item : str, default="item"
        The column of the items.
    y_score : str, list of str or dict of str to str, default="y_score"
        The column of the scores; of several rankers, their columns, or a dict of
        columns by the name of the ranker.
    returned : str or dict of str to str, default=None
        A boolean column: which documents were returned; a dict has one for each
        ranker. Other scores are not read.
    ties : {"expected", "first"}, default="expected"
        How ties are resolved. "expected" counts a tied document with the probability
        that it is in the list; "first" keeps the order of the rows, which those of
        Spark and Dask do not have.

    Returns
    -------
    scores : CatalogueScores
        Those of the rows as arrays, to the last bit.

    Raises
    ------
    ValueError
        If a column is unknown or has missing values, a file is empty or damaged, or a
        parameter has an invalid value.
    ImportError
        If DuckDB or PyArrow is not installed.

    See Also
    --------
    skrank.metrics.catalogue_scores : The same of arrays, with the definitions.
    score_table : The values of metrics by query.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrank.tables import score_catalogue
    >>> frame = pd.DataFrame(
    ...     {"user": [7, 7, 8, 8], "item": ["a", "b", "a", "b"], "score": [2, 1, 1, 2]}
    ... )
    >>> scores = score_catalogue(frame, qid="user", y_score="score", k=1, items=4)
    >>> scores.coverage()
    0.5
    """
    caller = "score_catalogue"
    check_column_name(item, "item", caller)
    columns = read_columns(caller, qid, None, y_score, (), None, returned, item, None)
    check_choice(ties, ("expected", "first"), "ties", caller)
    n_items, ids = read_items(items)
    core = CatalogueCore((), columns, check_k(k), ties)
    engine, method = CLUSTERS.get(library_of(source), (None, ""))
    if hasattr(source, method):
        kind, tables = "pandas", [_of_cluster(engine(source), core)]
    else:
        with Source(source, columns) as rows:
            rows.check(columns)
            kind, tables = rows.kind, score_source(rows, core, lambda n_rows: None)
    lists = core.finish(tables)
    for of_ranker in lists.values():
        check_items(of_ranker.items, n_items, ids)
    return CatalogueScores(lists, core.k, n_items, ids, kind)


def _of_cluster(engine, core):
    """Return a row per query of a data frame of Spark or Dask, as an Arrow table."""
    if core.in_input_order:
        raise ValueError(
            "ties='first' keeps the order of the rows, and a data frame of Spark or "
            "Dask has none. Pass ties='expected'. Got 'first'."
        )
    pa, columns = import_extra("pyarrow"), core.columns
    check_columns(engine.schema, columns)
    kinds = {"qid": engine.schema.field(columns.qid).type}
    for i in range(len(columns.y_score)):
        kinds[f"_items_{i}"] = pa.list_(engine.schema.field(columns.doc_id).type)
        kinds[f"_p_{i}"] = pa.list_(pa.float64())
    found = engine.collect(engine.score(core, pa.schema(kinds)), [*kinds])
    if not len(found):
        raise ValueError(EMPTY)
    return found


@dataclass(frozen=True)
class CatalogueCore(ArrowCore):
    """Makes lists of Arrow tables of whole queries; it can be sent to other processes.

    Its tables have for each ranker the items that may be in a list, and the
    probability that they are.
    """

    k: int | None
    ties: str

    def __call__(self, table):
        """Return a row per query, with its key and its list for each ranker."""
        pa, columns = import_extra("pyarrow"), self.columns
        masks = columns.masks()
        qid, keys_of = self._queries(table)
        item = table[columns.doc_id]
        found = {}
        for i, name in enumerate(columns.y_score.values()):
            returned = None if masks[name] is None else as_numpy(table[masks[name]])
            lists = top_lists(
                as_numpy(table[name]),
                qid,
                as_numpy(item),
                self.k,
                self.ties,
                returned=returned,
            )
            found = found or keys_of(lists.qid)
            ends = np.searchsorted(lists.query, np.arange(len(lists.qid) + 1))
            values = pa.array(lists.items[lists.code], item.type)
            for part, of_entry in (("items", values), ("p", pa.array(lists.p))):
                found[f"_{part}_{i}"] = pa.ListArray.from_arrays(ends, of_entry)
        return pa.table(found)

    @property
    def state(self):
        """Return the names of the columns of the lists."""
        n = len(self.columns.y_score)
        return [f"_{part}_{i}" for i in range(n) for part in ("items", "p")]

    @property
    def in_input_order(self):
        """Return True if tied documents keep the order of the rows, else None."""
        return True if self.ties == "first" else None

    def values(self, table):
        """Return no further columns."""
        return {}

    def finish(self, tables):
        """Return the :class:`TopLists` of each ranker from what calls returned."""
        pa = import_extra("pyarrow")
        table = pa.concat_tables(tables)
        qid, ids = ordered_keys(table["qid"])
        qid = qid if ids is None else ids[qid]
        lists = {}
        for i, ranker in enumerate(self.columns.y_score):
            of_query, p = (one_chunk(table[f"_{part}_{i}"]) for part in ("items", "p"))
            lengths = as_numpy(import_extra("pyarrow.compute").list_value_length(p))
            items, ids = ordered_keys(of_query.flatten())
            items, code = encode_qid(items, name="item")
            query, p = np.repeat(np.arange(len(qid)), lengths), as_numpy(p.flatten())
            part = TopLists(
                qid,
                np.rint(np.bincount(query, p, len(qid))).astype(np.intp),
                query,
                code,
                None if (p == 1).all() else p,
                items if ids is None else ids[items],
            )
            lists[ranker] = TopLists.concat([part])
        return lists
