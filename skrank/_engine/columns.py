"""Columns: what metrics read of documents in addition to grades and scores."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from skrank._input.checks import numeric_array, shown
from skrank._input.frames import column_names, index_of, on_host, take_rows, unwrapped
from skrank._ranking.ids import encode_qid, find_alike


def of_items(table: Any, item: ArrayLike | str) -> ItemColumn:
    """Make a column of rows from what is known of items.

    A metric then looks up only the items that may be in the top k. Of a million rows
    with 128 features each, a column with a value per row takes a gigabyte.

    Parameters
    ----------
    table : Series, data frame of pandas, dict or array-like of shape (n_items, ...)
        What is known of each item: a number, several of them, or a list of labels. A
        Series or a data frame holds the ids of the items in its index, and a dict as
        its keys. The row i of an array is that of the item i.
    item : array-like of shape (n_samples,) or str
        The item of each row. A str is the name of a column of them: of the table that
        :func:`~skrank.tables.score_table` scores; elsewhere "doc_id" for the document
        ids that are passed as `doc_id`, or that :func:`~skrank.tables.score_runs` has.
        Text is compared with ids of the table that are integers: "7" is 7.

    Returns
    -------
    column : ItemColumn
        Wherever a column is accepted, it stands for that of the rows.

    Raises
    ------
    ValueError
        If an item is twice in `table`. While a metric is computed: if an item that it
        reads is not in `table`.

    See Also
    --------
    evaluate : Takes columns by the names that metrics have for them.
    ild_score : A metric that reads the features of documents.

    Examples
    --------
    >>> from skrank.metrics import evaluate, of_items
    >>> user, item = [1, 1, 1, 2, 2], ["a", "b", "c", "c", "a"]
    >>> y_score, views = [3, 2, 1, 2, 1], {"a": 90, "b": 5, "c": 20}
    >>> evaluate(None, y_score, "neg_popularity@2", qid=user,
    ...     popularity=of_items(views, item))
    {'neg_popularity@2': -51.25}
    """
    ids = index_of(table)
    if isinstance(table, dict):
        ids, table = list(table), list(table.values())
    values, item = _values_of(table), on_host(item)
    if ids is None:
        return ItemColumn(values, None, item)
    ids, codes = encode_qid(ids, name="table")
    if len(ids) < len(codes):
        (twice,) = ids[np.bincount(codes) > 1][:1].tolist()
        raise ValueError(
            "The 'table' parameter of of_items must have each item once. "
            f"Got {shown(twice)} twice."
        )
    return ItemColumn(values[np.argsort(codes)], ItemIds(ids), item)


@dataclass(frozen=True, eq=False)
class ItemIds:
    """The different ids of items, and where they stand."""

    ids: np.ndarray

    @cached_property
    def _place_of(self):
        return {id: place for place, id in enumerate(self.ids.tolist())}

    def find(self, item):
        """Return the position of each item in `ids`; -1 for one that is not there."""
        if item.dtype.kind == "S":  # text in bytes
            item = np.char.decode(item, "utf-8", "surrogateescape")
        kinds = {self.ids.dtype.kind, item.dtype.kind}
        if kinds in ({"i"}, {"u"}, {"U"}, {"M"}):
            alike = find_alike(np.concatenate([self.ids, item]))
            place = np.full(len(alike), -1)
            place[alike[: len(self.ids)]] = np.arange(len(self.ids))
            return place[alike[len(self.ids) :]]
        place = (self._place_of.get(id, -1) for id in item.tolist())
        return np.fromiter(place, np.intp, len(item))


@dataclass(frozen=True, eq=False)
class ItemColumn:
    """A column whose values are those of the item of each row.

    Made by :func:`of_items`.
    """

    values: np.ndarray  # what is known of each item
    ids: ItemIds | None = None  # of the items, in this order; None if they are numbers
    # That of each row, or the name of its column; None if the values are of the rows.
    item: object = None
    check: Callable | None = None  # returns values as they are read, or raises

    def __len__(self):
        return len(self.values if self.item is None else self.item)

    def take(self, rows):
        """Return the values of some rows as an array, after their check."""
        values = self.part(rows).all()
        values = values.toarray() if sparse.issparse(values) else values
        return values if self.check is None else self.check(values)

    def all(self):
        """Return the values of all rows, sparse ones as they are."""
        return self.values if self.item is None else self._of(self.item)

    def _of(self, item):
        """Return the values of some items."""
        item = np.asarray(unwrapped(item))
        n_items = self.values.shape[0]
        if self.ids is None or self.ids.ids.dtype.kind in "iu":
            item = _integers_of(item)
        if self.ids is not None:
            place = self.ids.find(item)
        else:
            place = np.full(len(item), -1)
            if item.dtype.kind in "iu":
                place = np.where(item < n_items, item, -1)
        if (place < 0).any():
            self._refuse(item[place < 0][:1].tolist()[0])
        return self.values[place]

    def _refuse(self, item):
        """Raise on an item that the table lacks."""
        n_items = self.values.shape[0]
        known = [0] if self.ids is None else self.ids.ids[:1].tolist()
        kinds = [type(id).__name__ for id in (item, *known)]
        of_kind = " of type {}".format if len({*kinds}) > 1 else "".format
        raise ValueError(
            "The 'table' parameter of of_items must have every item that a metric "
            f"reads. Got no item {shown(item)}{of_kind(kinds[0])} among {n_items}"
            f"{of_kind(kinds[-1])}."
        )

    def part(self, rows):
        """Return the column of some rows, a slice or their positions."""
        item = self.item
        if item is None:
            return replace(self, values=self.values[rows])
        item = item if hasattr(item, "take") else np.asarray(item)
        return replace(self, item=take_rows(item, rows))


def _integers_of(ids):
    """Return ids as integers: they may be objects, or text, as those of files."""
    ids = np.array(ids.tolist()) if ids.dtype == object else ids
    if ids.dtype.kind in "SU":
        with contextlib.suppress(ValueError, OverflowError):
            integers = ids.astype(np.int64)
            if (integers.astype(ids.dtype) == ids).all():  # "07" is another id than 7
                return integers
    return ids


def _values_of(values):
    """Return one value, several numbers or a list of labels of each row or item."""
    if not isinstance(values, (np.ndarray, list, tuple)):
        values = on_host(values)
        if sparse.issparse(values):
            return sparse.csr_matrix(values)
        if isinstance(values, dict):
            raise TypeError(
                "Columns must have an entry for each row. Got a dict: pass "
                "of_items(values, item) if its keys are items."
            )
        if column_names(values) == []:
            raise ValueError("Columns must have an entry for each row. Got no columns.")
        if column_names(values) is not None:  # a data frame
            import narwhals

            values = narwhals.from_native(values, eager_only=True).to_numpy()
        values = unwrapped(values)
    try:
        array = np.asarray(values)
        if array.ndim == 0:
            raise TypeError(
                f"Columns must have an entry for each row. Got {shown(values)} of type "
                f"{type(values).__name__}."
            )
        if array.dtype.kind == "U" and isinstance(values, (list, tuple)):
            is_text = all(isinstance(one, str) for one in values) or array.ndim > 1
            return array if is_text else np.array(values, dtype=object)  # 1 is not "1"
        return array
    except ValueError:  # lists of different lengths
        return np.fromiter(values, dtype=object, count=len(values))


def read_columns(columns, shape, doc_id=None):
    """Return columns by name, as metrics take them: each with one entry per row.

    `shape` is that of the scores, and `doc_id` the document ids of the rows.
    """
    if len(shape) != 1:
        raise ValueError(
            f"Columns such as {next(iter(columns))!r} go with y_score of shape "
            f"(n_samples,). Got y_score of shape {shape}: flatten it, with the query "
            "of each row as `qid`."
        )
    (n_rows,), found = shape, {}
    for name, values in columns.items():
        if not isinstance(values, ItemColumn):
            values = ItemColumn(_values_of(values))
        elif isinstance(values.item, str):
            if values.item != "doc_id" or doc_id is None:
                raise ValueError(
                    f"The column {name!r} is of_items(table, {values.item!r}), by the "
                    "name of a column, which a table has that score_table scores. "
                    "Elsewhere pass the item of each row, or 'doc_id' and the document "
                    "ids as `doc_id`. Got no column of that name."
                )
            values = replace(values, item=doc_id)
        if name in COLUMN_READERS:
            values = replace(values, values=COLUMN_READERS[name](values.values))
        values = replace(values, check=CHECKS.get(name))
        item = values.item
        n_values = values.values.shape[:1] if item is None else (len(item),)
        if n_values != (n_rows,):
            raise ValueError(
                f"The column {name!r} must have one entry per row. Got "
                f"{n_values[0] if n_values else 'no'} entries for {n_rows} rows."
            )
        found[name] = values
    return found


# How the columns that metrics read are passed to functions, and found by scorers.
_TO_FUNCTIONS = "Pass {name}=... to {caller}, with one entry per row."
_TO_SCORERS = (
    "Pass it as metadata, have a column of that name in X, or say where it is: "
    "make_ranking_scorer(..., columns={{{name!r}: 'its name in X, or a function of "
    "X'}})."
)


def columns_of(requests, given, caller, find=None, how=None):
    """Return the columns that the metrics of some requests read, by name.

    ``find(name)``, of a scorer, returns a column that is not among the `given` ones, or
    None. Errors name the `caller`, and say `how` a column is passed.
    """
    columns = {}
    how = how or (_TO_FUNCTIONS if find is None else _TO_SCORERS)
    for request in requests:
        optional = request.metric.optional
        needed = {name: name not in optional for name in request.metric.columns}
        if find is not None:  # others pass masks next to the columns
            needed |= request.masks
        for name, is_needed in needed.items():
            values = given.get(name)
            if values is None and find is not None:
                values = find(name)
            if values is None and not is_needed:
                continue
            if values is None:
                raise ValueError(
                    f"The metric {request.key!r} reads the column {name!r}. "
                    f"{how.format(name=name, caller=caller)} Got no such column."
                )
            columns[name] = values
    return columns


def no_grades(y_score, requests, caller):
    """Return grades in the place of None, for metrics that read none."""
    for request in requests:
        if request.reads_grades:
            raise ValueError(
                f"The metric {request.key!r} reads grades, so that {caller} needs "
                "y_true. Got None."
            )
    return np.zeros(len(y_score), dtype=np.uint8)


def numbers(values, name, *, low=-np.inf, high=np.inf, above=-np.inf, n_columns=()):
    """Return the values of a column as floats, or raise."""
    values = numeric_array(values, name)
    if values.ndim - 1 != len(n_columns):
        shape = ", ".join(("n_samples", *n_columns)) + "," * (not n_columns)
        raise ValueError(
            f"The column {name!r} must have shape ({shape}). Got "
            f"{values.ndim} dimensions."
        )
    values = values.astype(np.float64, copy=False)
    is_good = np.isfinite(values) & (values >= low) & (values <= high)
    is_good &= values > above
    if not is_good.all():
        least = f"above {above:g}" if above > -np.inf else f"from {low:g}"
        raise ValueError(
            f"The column {name!r} must hold finite numbers {least} to {high:g} in "
            f"the rows that a metric reads. Got {shown(float(values[~is_good][0]))}."
        )
    return values


def _subtopics(values, name):
    """Return which row is on which subtopic, as a sparse matrix, or raise."""
    if isinstance(values, np.ndarray):
        is_text = values.dtype.kind in "UT" or isinstance(next(values.flat, 0), str)
        is_matrix = values.ndim == 2 and not is_text
        values = numeric_array(values, name) if is_matrix else _of_labels(values, name)
        values = sparse.csr_matrix(values)
    is_good = (values.data == 0) | (values.data == 1)
    if not is_good.all():
        raise ValueError(
            f"The column {name!r} must hold True and False, or 1 and 0, in a matrix of "
            "shape (n_samples, n_subtopics), or one list of labels per row, such as "
            f"['a', 'b']. Got {shown(values.data[~is_good][0].item())}."
        )
    if values.dtype != bool or not values.data.all():
        values = values.astype(bool)
        values.eliminate_zeros()
    values.sum_duplicates()
    return values


def _of_labels(rows, name):
    """Return which row has which label, as a sparse matrix; None or NaN has none."""
    rows = rows.tolist()
    none = [row is None or (isinstance(row, float) and row != row) for row in rows]
    rows = [() if is_none else row for row, is_none in zip(rows, none, strict=True)]
    for row in rows:
        if not isinstance(row, Collection) or isinstance(row, (str, bytes)):
            raise ValueError(
                f"The column {name!r} must have shape (n_samples, n_subtopics), or one "
                "list of labels per row, such as ['a', 'b'], or [] for none. Got "
                f"{shown(row)} of type {type(row).__name__} in a row."
            )
    labels = list(itertools.chain.from_iterable(rows))
    for label in labels:
        if not isinstance(label, str):
            raise ValueError(
                f"The labels in the column {name!r} must be of type str. Got "
                f"{shown(label)} of type {type(label).__name__}."
            )
    column = {label: column for column, label in enumerate(sorted({*labels}))}
    columns = np.fromiter(map(column.__getitem__, labels), np.intp, len(labels))
    ends = np.cumsum([0, *map(len, rows)])
    parts = np.ones(len(columns), dtype=bool), columns, ends
    return sparse.csr_matrix(parts, shape=(len(rows), len(column)))


# How the columns are read that are more than numbers, all rows or items at once.
COLUMN_READERS = {"subtopics": partial(_subtopics, name="subtopics")}

# What the columns of skrank's own metrics hold.
CHECKS = {
    "expected": partial(numbers, name="expected", low=0, high=1),
    "features": partial(numbers, name="features", n_columns=("n_features",)),
    "popularity": partial(numbers, name="popularity", low=0),
    "propensity": partial(numbers, name="propensity", above=0, high=1),
}
