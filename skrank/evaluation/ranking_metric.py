"""Metrics of batches that come one after the other, as in a training loop."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import itertools
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from skrank._engine.columns import ItemColumn, read_columns
from skrank._engine.names import check_ids_unneeded, read_requests
from skrank._engine.request import (
    BY_ROW,
    OPTIONAL,
    compares_all_grades,
    reads_highest_grade,
)
from skrank._engine.value_table import check_same_requests, joined
from skrank._input.checks import (
    check_choice,
    check_instance,
    count_rows,
    numeric_array,
    shape_of,
    shown,
    wrong_lengths,
)
from skrank._input.frames import on_host, unwrapped
from skrank._input.query_ids import no_query_ids
from skrank._ranking.ids import encode_heads, encode_qid
from skrank._ranking.lists import flatten_column
from skrank._text.docs import MetricsLike, Self
from skrank.evaluation.evaluate import score_queries
from skrank.evaluation.query_scores import QueryScores

# Rows are scored whenever there are this many. The memory of so few is used again for
# the next ones, which takes half as long as new memory for all of them.
ROWS_AT_ONCE = 2**18

# What a batch may hold besides grades, scores, query ids and columns.
_OF_ROWS = tuple(name for name in OPTIONAL if name in BY_ROW)


class RankingMetric:
    """Metrics of all batches of a training loop, of one process or several.

    The values are those of :func:`evaluate` on the rows of all batches, to the last
    bit, however the rows are divided into batches. Arrays may be tensors, such as those
    of PyTorch, on any device.

    Parameters
    ----------
    metrics : str, callable, or list or dict of them
        Scorer names, metric functions of skrank or functions of your own, as in
        :func:`evaluate`.
    queries : {"whole", "split"}, default="whole"
        With "whole", all rows of a query come in one batch, and a query that comes in
        two batches is an error. With "split", they may come in several batches.
    **params
        Parameters of the metrics and a `convention`, as in :func:`evaluate`.

    Attributes
    ----------
    scores : QueryScores
        The values by metric and query of all batches so far.

    See Also
    --------
    QueryScores : The values by query, for intervals and comparisons.

    Notes
    -----
    Rows are copied to the memory of the CPU. With ``queries="whole"`` they are scored
    whenever there are 2^18 of them, and then only the values of the queries are kept.
    All rows are kept until :meth:`reset` with ``queries="split"``, for functions of
    your own, and for metrics that depend on the grades of all queries: "err" and "rbp"
    unless `max_grade` is given, those with ``threshold=None`` such as "spearman" and
    "rbo", and with ``ties="midrank"``.

    Processes gather their metrics by pickling, and merge them. A sampler that repeats
    samples so that all processes have the same number of them, as that of PyTorch does,
    causes the error that a query came twice.

    Examples
    --------
    >>> from skrank.metrics import RankingMetric
    >>> metric = RankingMetric(["mrr", "hits@1"])
    >>> metric.update([1, 0], [2, 1], qid=[7, 7])
    >>> metric.update([0, 1], [2, 1], qid=[8, 8])
    >>> metric.compute()
    {'mrr': 0.75, 'hits@1': 0.5}

    What another process has seen:

    >>> other = RankingMetric(["mrr", "hits@1"])
    >>> other.update([0, 0, 0, 1], [4, 3, 2, 1], qid=[9, 9, 9, 9])
    >>> metric.merge(other).compute()
    {'mrr': 0.58..., 'hits@1': 0.33...}
    """

    def __init__(
        self,
        metrics: MetricsLike,
        *,
        queries: Literal["whole", "split"] = "whole",
        **params: Any,
    ) -> None:
        check_choice(queries, {"whole", "split"}, "queries", "RankingMetric")
        self.metrics, self.queries, self.params = metrics, queries, params
        self._requests = read_requests(metrics, params, "RankingMetric")
        self._columns = {name for one in self._requests for name in one.metric.columns}
        self._keeps_rows = queries == "split" or any(
            one.metric.own or reads_highest_grade(one) or compares_all_grades(one)
            for one in self._requests
        )
        self.reset()

    def reset(self) -> None:
        """Forget all batches."""
        self._batches, self._n_rows, self._parts, self._n_numbered = [], 0, [], 0
        self._given = self._scored = None

    def update(
        self,
        y_true: ArrayLike | None,
        y_score: ArrayLike,
        qid: ArrayLike | None = None,
        **by_row: Any,
    ) -> None:
        """Add a batch.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or (n_queries, n_docs), or None
            The true grades, of the shape of `y_score`. None if no metric reads grades.
        y_score : array-like of shape (n_samples,) or (n_queries, n_docs)
            The predicted scores, larger is better.
        qid : array-like of shape (n_samples,) or (n_queries,), default=None
            The query id of each row of `y_score`, of any type. Ids must be different in
            all batches, so that a query can be recognized. Without them the rows of
            matrices are numbered, from one batch to the next.
        **by_row
            `sample_weight`, `judged`, `returned` and `doc_id` of
            :func:`evaluate`, and the columns that the metrics read. All batches must
            have the same ones.

        Raises
        ------
        ValueError
            If the lengths differ, a value is invalid, or other batches had other
            columns.
        TypeError
            If no metric reads a column.
        """
        if qid is None:
            if len(shape_of(y_score)) != 2:
                raise no_query_ids("RankingMetric.update", "update(..., qid=qid)")
            qid = self._n_numbered + np.arange(len(y_score))
            self._n_numbered += len(y_score)
        batch = self._read(y_true, y_score, qid, by_row)
        self._add([batch], [], len(batch["y_score"]), frozenset(batch))

    def merge(self, other: RankingMetric) -> Self:
        """Add the batches of another metric, such as that of another process.

        Parameters
        ----------
        other : RankingMetric
            Made with the same parameters. It is not changed.

        Returns
        -------
        self : RankingMetric
            The metric itself.

        Raises
        ------
        ValueError
            If the other metric has other parameters or columns.
        """
        check_instance(other, RankingMetric, "other", "RankingMetric.merge")
        if self.queries != other.queries:
            raise ValueError(
                "RankingMetric.merge needs metrics with the same 'queries'. Got "
                f"{self.queries!r} and {other.queries!r}."
            )
        check_same_requests(self._requests, other._requests)
        if other._given is not None:
            self._add(other._batches, other._parts, other._n_rows, other._given)
        return self

    def compute(self) -> dict[str, float]:
        """Return the value of each metric by its name, of all batches so far.

        Returns
        -------
        values : dict of str to float
            As :func:`evaluate` returns it.

        Raises
        ------
        ValueError
            If there was no batch, or a query came in two batches; see `queries`.
        """
        return self.scores.summary()

    @property
    def scores(self) -> QueryScores:
        """Return the values by query of all batches so far."""
        if self._scored is None:
            if self._given is None:
                raise ValueError(
                    "RankingMetric needs at least one batch. Got none: call `update`."
                )
            if self._keeps_rows:
                self._scored = self._score()
            else:
                self._score_buffered()
                if len(self._parts) > 1:
                    self._parts = [QueryScores.concat(self._parts)]
                (self._scored,) = self._parts
        return self._scored

    def _add(self, batches, parts, n_rows, given):
        """Add batches that are not scored yet and scores of others, of some columns."""
        if self._given is not None and self._given != given:
            name = min(self._given ^ given)
            raise ValueError(
                f"All batches must have the same columns. Got {name!r} in some of them."
            )
        self._given = given
        self._batches.extend(batches)
        self._parts = self._parts + parts
        self._n_rows += n_rows
        self._scored = None
        if self._n_rows >= ROWS_AT_ONCE and not self._keeps_rows:
            self._score_buffered()

    def _read(self, y_true, y_score, qid, by_row):
        """Return a batch as arrays by name, copies of what may change."""
        unknown = sorted(by_row.keys() - self._columns - {*_OF_ROWS})
        if unknown:
            raise TypeError(
                f"RankingMetric.update takes {', '.join(_OF_ROWS)} and columns that "
                f"the metrics read, {sorted(self._columns)}. Got {unknown[0]!r}."
            )
        if by_row.get("doc_id") is None:
            check_ids_unneeded(self._requests, self.params.get("convention"))
        batch = {"y_score": np.array(numeric_array(y_score, "y_score"))}
        if y_true is not None:
            batch["y_true"] = np.array(numeric_array(y_true, "y_true"))
        by_row = {name: one for name, one in by_row.items() if one is not None}
        if "doc_id" in by_row:
            batch["doc_id"] = _own_ids(by_row.pop("doc_id"), "doc_id")
        for name, values in by_row.items():
            batch[name] = _own(values, name, batch.get("doc_id"))
        batch["qid"] = _own_ids(qid, "qid")
        shape = batch["y_score"].shape
        if shape[1:] == (1,):
            batch["y_score"] = flatten_column(batch["y_score"], "y_score")
        elif len(shape) == 2:
            batch = _flattened(batch, shape)
        if batch["y_score"].ndim != 1:
            raise ValueError(
                "y_score must have shape (n_samples,) or (n_queries, n_docs). Got "
                f"shape {shape}."
            )
        if "y_true" in batch and batch["y_true"].shape[1:] == (1,):
            batch["y_true"] = flatten_column(batch["y_true"], "y_true")
        lengths = {name: count_rows(values) for name, values in batch.items()}
        if len({*lengths.values()}) > 1:
            raise wrong_lengths(lengths)
        return batch

    def _score_buffered(self):
        """Replace the rows by the values of their queries."""
        if self._batches:
            self._parts = [*self._parts, self._score()]
            self._batches, self._n_rows = [], 0

    def _score(self):
        """Return the scores of the rows that are kept."""
        batches = self._batches
        rows = {
            name: _join_batches([batch[name] for batch in batches], name)
            for name in batches[0]
        }
        rows["qid"] = encode_heads(rows["qid"])
        if self.queries == "whole" and len(batches) > 1:
            _check_whole(rows["qid"], [len(batch["qid"]) for batch in batches])
        y_true, y_score = rows.pop("y_true", None), rows.pop("y_score")
        return score_queries(y_true, y_score, self.metrics, **rows, **self.params)


def _own(values, name, doc_id):
    """Return a copy of an array or a column; a list of a list."""
    if isinstance(values, ItemColumn):
        n_rows = (len(values if doc_id is None else doc_id),)
        values = read_columns({name: values}, n_rows, doc_id)[name].all()
    values = unwrapped(values)
    if sparse.issparse(values):
        return sparse.csr_matrix(values, copy=True)
    return list(values) if isinstance(values, (list, tuple)) else np.array(values)


def _own_ids(values, name):
    """Return ids as an array that distinguishes them exactly."""
    values = on_host(values)
    if (
        isinstance(values, np.ndarray)
        and values.ndim == 1
        and values.dtype.kind in "iu"
    ):
        return values.copy()  # none is missing
    ids, codes = encode_qid(values, name=name)
    return ids[codes]


def _flattened(batch, shape):
    """Return a batch whose queries are rows of a matrix, with a row per document."""
    y_true = batch.get("y_true")
    if y_true is not None and y_true.shape != shape:
        raise ValueError(
            "y_true must have the shape of y_score. Got y_true of shape "
            f"{y_true.shape} and y_score of shape {shape}."
        )
    n_queries, n_documents = shape
    flat = {}
    for name, values in batch.items():
        values = np.asarray(values)
        if values.shape[:2] == shape:
            flat[name] = values.reshape(-1, *values.shape[2:])
        elif values.shape == (n_queries,):
            flat[name] = np.repeat(values, n_documents)
        else:
            raise ValueError(
                f"The {name!r} parameter must have shape {shape} or ({n_queries},), "
                f"as y_score has a row per query. Got shape {values.shape}."
            )
    return flat


def _join_batches(parts, name):
    """Return the values of all batches."""
    if len(parts) == 1:
        return parts[0]
    if name in ("qid", "doc_id"):
        return joined(parts)
    if any(map(sparse.issparse, parts)):
        return sparse.vstack(parts, format="csr")
    if all(isinstance(part, list) for part in parts):
        return [*itertools.chain.from_iterable(parts)]
    return np.concatenate(parts)


def _check_whole(heads, lengths):
    """Raise if a query has rows in two batches."""
    ends, starts = np.cumsum(lengths), heads.starts
    if starts is None:
        starts = np.arange(heads.n_samples)
    # Rows of a query that stand together may belong to two batches.
    first = np.searchsorted(ends, starts, side="right")
    stops = np.append(starts[1:], heads.n_samples)
    last = np.searchsorted(ends, stops - 1, side="right")
    of_query = np.empty(len(heads.ids), dtype=np.intp)
    of_query[heads.codes] = last
    (odd,) = ((first != last) | (of_query[heads.codes] != first)).nonzero()
    if len(odd):
        (twice,) = heads.ids[heads.codes[odd[:1]]].tolist()
        raise ValueError(
            "All rows of a query must come in one batch, and in one process. Got the "
            f"query {shown(twice)} in two batches: number the queries of all batches, "
            "not of each one, and leave out the samples that a distributed sampler "
            "repeats. If the rows of one query do come in several batches, pass "
            "queries='split'."
        )
