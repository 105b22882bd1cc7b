"""The table of values, rankers by metrics by queries."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._engine.names import is_metric, read_metric
from skrank._engine.request import Options, Request
from skrank._engine.summary import Measured
from skrank._engine.value_table import (
    ValueTable,
    join_queries,
    join_rankers,
    named_summaries,
)
from skrank._input.checks import (
    as_floats,
    check_choice,
    check_column_name,
    check_count,
    check_listed,
    check_number,
    check_some_weight,
    check_weights,
    did_you_mean,
    shown,
)
from skrank._input.frames import as_frame, column_names, kind_of, unwrapped
from skrank._input.query_ids import find_named
from skrank._ranking.ids import encode_qid
from skrank._text.docs import FrameKind, PathLike, share_frame_words
from skrank._text.tables import (
    PrintedResult,
    Table,
    counted,
    smaller_words,
    undefined_words,
)
from skrank.evaluation.saved_scores import metric_of_values, read_scores, write_scores


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class QueryScores(PrintedResult):
    """The values of metrics by ranker and query, and their summaries.

    Made by :func:`score_queries`, `from_frame`, `concat` and `load`. It can be pickled.

    Parameters
    ----------
    table : ValueTable
        What those functions make.

    Attributes
    ----------
    keys : dict of str to ndarray of shape (n_queries,)
        The query ids under "qid", and the columns that were passed as `by`. Together
        they are different for every query; the queries are in their order.
    rankers : tuple of str
        The names of the rankers, or ``(None,)`` for one without a name.
    metrics : tuple of str
        The names of the metrics.
    values : ndarray of shape (n_rankers, n_metrics, n_queries)
        The value of each query as it counts in the summary: where the metric is
        undefined `replace_undefined_by`, by which NaN leaves the query out.
    weight : ndarray of shape (n_queries,) or None
        The weight of each query.

    See Also
    --------
    score_queries : Makes it of arrays.
    evaluate : The summary alone.

    Examples
    --------
    >>> from skrank.metrics import score_queries
    >>> y_true, qid = [1, 0, 0, 1], [7, 7, 8, 8]
    >>> runs = {"bm25": [2, 1, 2, 1], "dense": [2, 1, 1, 2]}
    >>> scores = score_queries(y_true, runs, ["mrr", "hits@1"], qid=qid)
    >>> scores.summary()
    {'bm25': {'mrr': 0.75, 'hits@1': 0.5}, 'dense': {'mrr': 1.0, 'hits@1': 1.0}}
    >>> print(scores["mrr"])
    2 queries
    ranker     mrr
    bm25    0.7500
    dense   1.0000
    """

    table: Any

    __iter__ = None  # else Python asks __getitem__ for names that are numbers

    @property
    def keys(self) -> dict[str, NDArray[Any]]:
        """Return the key columns."""
        return dict(self.table.keys)

    @property
    def rankers(self) -> tuple[str, ...]:
        """Return the names of the rankers."""
        return self.table.rankers

    @property
    def metrics(self) -> tuple[str, ...]:
        """Return the names of the metrics."""
        return self.table.metrics

    @property
    def weight(self) -> NDArray[Any] | None:
        """Return the weight of each query, or None."""
        return self.table.weight

    @cached_property
    def values(self) -> NDArray[Any]:
        """Return the values by ranker, metric and query, as they count."""
        values = np.array(self.table.summaries(average=None))
        values.setflags(write=False)
        return values

    def summary(self, by: str | Sequence[str] | None = None) -> dict[Any, Any]:
        """Return the summary of every metric, as :func:`evaluate` does.

        Parameters
        ----------
        by : str or list of str, default=None
            The key columns, such as a segment, whose values are summarized apart.

        Returns
        -------
        summary : dict
            The value of each metric by its name; for named rankers, such a dict for
            each of them; with `by`, one of these for each value of the column, or
            tuple of values of several columns.
        """
        if by is None:
            return self.table.summary()
        found = {}
        for label, rows in self.table.segments(by, "summary").items():
            summaries = self.table.take(rows).summaries()
            found[label] = named_summaries(self.rankers, self.metrics, summaries)
        return found

    def where(self, **values: Any) -> QueryScores:
        """Return the scores of the queries of a segment alone.

        Parameters
        ----------
        **values : object
            The value that a key column must have, or a list of such values: as in
            ``where(country="fr")`` or ``where(country=["fr", "be"], year=2025)``.

        Returns
        -------
        scores : QueryScores
            Their scores, with all key columns.

        Raises
        ------
        ValueError
            If there is no such key column, or no query with such a value.
        """
        keys = self.table.keys
        rows = np.ones(len(keys["qid"]), dtype=bool)
        for name, value in values.items():
            if name not in keys:
                raise ValueError(
                    f"'where' takes the names of key columns, among {sorted(keys)}. "
                    f"Got {shown(name)} instead. Columns are passed as `by` of "
                    "score_queries and score_runs."
                )
            rows &= _is_one_of(keys[name], value, name)
        if not rows.any():
            raise ValueError(f"No query has all of the values {shown(values)}.")
        return QueryScores(table=self.table.take(np.flatnonzero(rows)))

    def balanced(self, by: str | Sequence[str]) -> QueryScores:
        """Return the same scores with weights by which each data set counts alike.

        Their summary is the mean of the means of the data sets, as benchmarks of many
        data sets report it. The queries remain the units of intervals and tests, which
        are about more queries of *these* data sets. For new data sets, pass the column
        as `clusters` as well.

        Parameters
        ----------
        by : str or list of str
            The key columns that tell the data sets apart.

        Returns
        -------
        scores : QueryScores
            The scores, where each query has its weight divided by the sum of those of
            its data set. Data sets of queries without weight do not count.

        Raises
        ------
        ValueError
            If there is no such key column, or a metric leaves out some of the queries
            with a weight, so that its data sets would not count alike.

        Examples
        --------
        >>> from skrank.metrics import score_queries
        >>> y_true, y_score, qid = [1, 0, 0, 1, 0, 1], [2, 1] * 3, [1, 1, 2, 2, 3, 3]
        >>> by = {"dataset": ["a", "a", "b", "b", "b", "b"]}
        >>> scores = score_queries(y_true, y_score, "mrr", qid=qid, by=by)
        >>> scores.summary(by="dataset")
        {'a': {'mrr': 1.0}, 'b': {'mrr': 0.5}}
        >>> scores.balanced("dataset").summary()
        {'mrr': 0.75}
        """
        n_queries = len(self.table.keys["qid"])
        weight = np.ones(n_queries) if self.weight is None else self.weight
        left_out = np.isnan(self.values[:, :, weight > 0]).sum(axis=(0, 2))
        for metric, n in zip(self.metrics, left_out.tolist(), strict=True):
            if n:
                raise ValueError(
                    "Data sets count alike if every query has a value. Got "
                    f"{shown(metric)}, which leaves out {n:,} of them where it is "
                    "undefined. Select other metrics, or score with a "
                    "`replace_undefined_by` other than NaN."
                )
        balanced = np.zeros(n_queries)
        for rows in self.table.segments(by, "balanced").values():
            of_set = weight[rows].astype(np.float64)
            balanced[rows] = of_set / (of_set.sum() or 1.0)
        return QueryScores(table=self.table._replace(weight=balanced))

    def __getitem__(self, names: str | Sequence[str]) -> QueryScores:
        """Return the scores of some of the rankers and metrics alone.

        Parameters
        ----------
        names : str or list of str
            The names of rankers and of metrics. Of rankers or metrics of which none is
            named, all remain.
        """
        is_one = isinstance(names, str) or not np.iterable(names)
        names = [names] if is_one else list(names)
        for name in names:
            if name not in self.rankers and name not in self.metrics:
                known = [name for name in (*self.rankers, *self.metrics) if name]
                hint = did_you_mean(name, known)
                raise KeyError(f"{shown(name)} is none of {known}.{hint}")
        rankers = [i for i, name in enumerate(self.rankers) if name in names]
        metrics = [j for j, name in enumerate(self.metrics) if name in names]
        rankers = rankers or range(len(self.rankers))
        table = self.table.select(rankers, metrics or range(len(self.metrics)))
        return QueryScores(table=table)

    @classmethod
    def concat(cls, parts: Iterable[QueryScores]) -> QueryScores:
        """Return the scores of all queries of several parts.

        Its summary does not depend on the order of the parts, to the last bit: it is
        that of all queries scored at once.

        Parameters
        ----------
        parts : iterable of QueryScores
            Scores of different queries, by the same rankers, metrics and parameters.

        Raises
        ------
        ValueError
            If a query is in two parts, or the parts were scored differently.
        """
        parts = list(parts) if np.iterable(parts) else [parts]
        if not parts:
            raise ValueError("QueryScores.concat needs at least one part. Got none.")
        for part in parts:
            if not isinstance(part, QueryScores):
                raise TypeError(
                    "QueryScores.concat takes instances of QueryScores. "
                    f"Got {type(part).__name__} instead."
                )
        return cls(table=join_queries([part.table for part in parts]))

    def save(self, path: PathLike) -> None:
        """Write the scores to a file of Parquet, from which `load` returns them.

        The file has a row for each query: its keys, and for each metric what was
        measured before `replace_undefined_by`, with NaN for undefined. The parameters
        of the metrics and a checksum of all of it are in the metadata. Nothing in it
        is code. It needs pyarrow.

        Parameters
        ----------
        path : str or path-like
            The file. One of this name is replaced when the new one is whole, which gets
            its mode. A pipe or a device is written to.

        Raises
        ------
        ImportError
            If pyarrow is not installed.
        TypeError
            If query ids are not text, numbers or dates, or a parameter is a function.

        Examples
        --------
        >>> import os, tempfile
        >>> from skrank.metrics import QueryScores, score_queries
        >>> scores = score_queries([1, 0, 0, 1], [2, 1, 2, 1], "mrr", qid=[7, 7, 8, 8])
        >>> path = os.path.join(tempfile.mkdtemp(), "baseline.parquet")
        >>> scores.save(path)
        >>> QueryScores.load(path).summary()
        {'mrr': 0.75}
        """
        write_scores(self.table, path)

    @classmethod
    def load(cls, path: PathLike) -> QueryScores:
        """Return the scores that `save` wrote to a file, the same to the last bit.

        Metrics of your own have their values and parameters, and not the function.

        Parameters
        ----------
        path : str or path-like
            The file.

        Raises
        ------
        ImportError
            If pyarrow is not installed.
        ValueError
            If `save` did not write the file, if it was changed or damaged since, or if
            it comes from another version of skrank.
        """
        return cls(table=read_scores(path))

    @share_frame_words
    def to_frame(self, kind: FrameKind | None = None) -> Any:
        """Return the values as a data frame with one row per query.

        Returns
        -------
        frame : data frame
            The columns "ranker", for named rankers, which stand one below the other;
            the keys; "sample_weight", for weighted queries; and the metrics, as they
            count: it does not say which queries are undefined. `save` keeps that.
        """
        n_rankers = len(self.rankers)
        columns = {name: np.tile(key, n_rankers) for name, key in self.keys.items()}
        if self.rankers != (None,):
            names = np.array(self.rankers, dtype=object)
            names = np.repeat(names, self.values.shape[2])
            columns = {"ranker": names} | columns
        if self.weight is not None:
            columns["sample_weight"] = np.tile(self.weight, n_rankers)
        for j, name in enumerate(self.metrics):
            columns[name] = self.values[:, j].ravel()
        return as_frame(columns, self.table.kind if kind is None else kind)

    def worst_queries(self, n: int = 10, *, ranker: str | None = None) -> Any:
        """Return the queries with the worst values, for each metric and ranker.

        Parameters
        ----------
        n : int, default=10
            The number of queries of each metric and ranker.
        ranker : str, default=None
            The name of a ranker. If None, all of them.

        Returns
        -------
        frame : data frame
            The columns "metric"; "ranker", for named rankers; the keys of the queries;
            and "value", the worst first. Undefined queries come last, with NaN,
            whatever they count as.

        See Also
        --------
        query_report : Shows the documents of one of these queries.
        skrank.stats.RankerComparison.worst_queries : Those that lost most, compared
            with another ranker.

        Examples
        --------
        The query 8 has no relevant document:

        >>> from skrank.metrics import score_queries
        >>> y_true, qid = [0, 1, 0, 0, 1, 0], [7, 7, 8, 8, 9, 9]
        >>> runs = {"bm25": [2, 1, 2, 1, 2, 1], "dense": [1, 2, 1, 2, 1, 2]}
        >>> score_queries(y_true, runs, "mrr", qid=qid).worst_queries(ranker="bm25")
          metric ranker  qid  value
        0    mrr   bm25    7    0.5
        1    mrr   bm25    9    1.0
        2    mrr   bm25    8    NaN
        """
        check_count(n, "n")
        check_choice(ranker, {*self.rankers, None}, "ranker", "worst_queries")
        values = self.table.summaries(average=None, replace_undefined_by=np.nan)
        metrics, names, orders, worst = [], [], [], []
        for j, request in enumerate(self.table.requests):
            for name, of_ranker in zip(self.rankers, values, strict=True):
                if ranker in (None, name):
                    order = worst_first(request.direction * of_ranker[j])[:n]
                    metrics += [request.key] * len(order)
                    names += [name] * len(order)
                    orders.append(order)
                    worst.append(of_ranker[j][order])
        order = np.concatenate(orders)
        columns = {"metric": np.array(metrics, dtype=object)}
        if self.rankers != (None,):
            columns["ranker"] = np.array(names, dtype=object)
        columns |= {name: key[order] for name, key in self.keys.items()}
        columns["value"] = np.concatenate(worst)
        return as_frame(columns, self.table.kind)

    @classmethod
    def from_frame(
        cls,
        frame: Any | Mapping[str, ArrayLike],
        *,
        qid: str = "qid",
        by: str | Sequence[str] | None = None,
        ranker: str | None = None,
        metrics: Sequence[str] | None = None,
        sample_weight: str | None = None,
        replace_undefined_by: float | None = None,
    ) -> QueryScores:
        """Return scores that were computed elsewhere, or by `to_frame`.

        From a frame of `to_frame`, with undefined values replaced or not, they have the
        same summary if the parameters that summarize were the defaults. Others are not
        in the frame: to keep them, `save` the scores, or join them by `concat`.

        Parameters
        ----------
        frame : data frame or dict of str to array-like
            One row per query; of several rankers, one per ranker and query.
        qid : str, default="qid"
            The column of the query ids.
        by : str or list of str, default=None
            Further key columns, such as a segment.
        ranker : str, default=None
            The column that names the ranker.
        metrics : list of str, default=None
            The columns of values. If None, all other columns.
        sample_weight : str, default=None
            The column of the weights.
        replace_undefined_by : float, default=None
            The value of a query whose value is missing; NaN leaves it out of the mean.
            If None, missing values raise, but for columns named as metrics of skrank,
            which have defaults of their own.

        Returns
        -------
        scores : QueryScores
            The scores. A summary is the mean over the queries, or for a column that is
            named as a metric of skrank the summary of that metric.

        Raises
        ------
        ValueError
            If a value is infinite or, without `replace_undefined_by`, missing; or if
            the values of a metric of skrank do not determine its summary, such as those
            of "neg_median_rank".
        """
        options = metrics, sample_weight, replace_undefined_by
        return cls(table=_table_of_frame(frame, qid, by, ranker, *options))

    def _contents(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            summaries = self.table.summaries()
        rows = [[f"{value:.4f}" for value in values] for values in summaries]
        header = list(self.metrics)
        if self.rankers != (None,):
            header = ["ranker", *header]
            rows = [
                [str(name), *row] for name, row in zip(self.rankers, rows, strict=True)
            ]
        by = [name for name in self.keys if name != "qid"]
        qid = self.keys["qid"]
        title = counted(len(qid), "query", "queries")
        if (n_ids := len(encode_qid(qid)[0])) < len(qid):
            title = f"{len(qid):,} parts of {counted(n_ids, 'query', 'queries')}"
        title += f" by {', '.join(by)}" if by else ""
        title += undefined_words(self.table.n_undefined.ravel())
        title += smaller_words(self.table.smaller)
        return "", [Table(header, rows, title=title)]


def worst_first(gain):
    """Return the order of queries by their gain, where NaN comes last."""
    return np.argsort(np.nan_to_num(gain, nan=np.inf), kind="stable")


def _is_one_of(key, values, name):
    """Return which entries of a key column are a value, or one of a list of them."""
    are_several = isinstance(values, (list, set)) or getattr(values, "ndim", 0)
    values = list(values) if are_several else [values]
    if key.dtype.kind in "mM":
        values = np.asarray(values, key.dtype).tolist()
    ids, codes = encode_qid(key, name=name)
    places = {value: place for place, value in enumerate(ids.tolist())}
    known = [isinstance(value, Hashable) and value in places for value in values]
    unknown = [value for value, is_one in zip(values, known, strict=True) if not is_one]
    if unknown or not values:
        some = ", ".join(shown(value) for value in [*places][:5])
        raise ValueError(
            f"The column {name!r} has no query with the value "
            f"{shown(unknown[0] if values else values)}. It has {some}"
            f"{', ...' if len(ids) > 5 else ''}."
        )
    return np.isin(codes, [places[value] for value in values])


def _table_of_frame(frame, qid, by, ranker, metrics, sample_weight, instead):
    """Return the table of the values of a data frame, as `from_frame` describes."""
    names = _names_of_columns(frame)
    columns = {"qid": qid, "ranker": ranker, "sample_weight": sample_weight}
    for argument, name in columns.items():
        if name is not None:
            check_column_name(name, argument, "from_frame")
    by = [] if by is None or not np.size(by) else check_listed(by, "by", "from_frame")
    others = {*columns.values(), *by}
    keys = {"qid": _column_of_frame(frame, qid, names)}
    keys |= {name: _column_of_frame(frame, name, names) for name in by}
    weight, requests, values = None, [], []
    if sample_weight is not None:
        weight = _column_of_frame(frame, sample_weight, names)
        weight = check_weights(weight, len(keys["qid"]), "row")
        check_some_weight(weight)
    for name in _names_of_metrics(metrics, names, others):
        given = _column_of_frame(frame, name, names)
        given = as_floats(given, f"The values of the column {name!r}")
        if np.isinf(given).any():
            raise ValueError(f"The column {name!r} must be finite. Got infinity.")
        requests.append(request := request_for_values(name, given, instead))
        values.append(request.sign * given)
    rows_of = {None: slice(None)}
    if ranker is not None:
        of_ranker = _column_of_frame(frame, ranker, names)
        rows_of = {
            name: of_ranker == name for name in dict.fromkeys(of_ranker.tolist())
        }
    tables = []
    for rows in rows_of.values():
        own = {name: key[rows] for name, key in keys.items()}
        table = ValueTable(
            own,
            (None,),
            tuple(requests),
            ({},) * len(requests),
            (tuple(Measured(of_metric[rows]) for of_metric in values),),
            None if weight is None else weight[rows],
            kind_of(frame),
        )
        tables.append(join_queries([table]))  # sorted, and each query once
    return join_rankers(tables, tuple(rows_of))


def _names_of_columns(frame):
    """Return the names of the columns of a data frame, or raise."""
    names = column_names(frame)
    if names is None:
        raise TypeError(
            "The 'frame' parameter of from_frame must be a data frame or a dict of "
            f"columns. Got {type(frame).__name__} instead."
        )
    return names


def _names_of_metrics(metrics, names, others):
    """Return the names of the columns of values: by default all but the others."""
    if metrics is None:
        metrics = [name for name in names if name not in others]
    elif np.size(metrics):
        metrics = check_listed(metrics, "metrics", "from_frame")
    if not np.size(metrics):
        raise ValueError(f"from_frame needs a column of values. Got {names}.")
    return metrics


def _column_of_frame(frame, name, names):
    """Return a column as an array, or an index of that name."""
    column = frame[name] if name in names else find_named(name, X=frame)
    if column is None:
        raise ValueError(f"The data frame has no column {name!r}. Got {names}.")
    return np.asarray(unwrapped(column))


def request_for_values(name, values, instead):
    """Return the request that given values of queries answer."""
    if is_metric(name):
        _, metric, k, sign, own = read_metric(name)
        options = metric.defaults | metric.fixed | {"k": k} | dict(own)
        options = Options().changed(options)
        request = Request(name, metric, sign, options)
        is_ratio = options.adjusted or request.divides_sums
        if is_ratio or metric.inverse:
            raise ValueError(
                f"The values of the queries do not determine {name!r}, which is not a "
                "mean of them. Leave the column out, or keep the QueryScores itself: "
                "QueryScores.save writes it to a file, and QueryScores.concat joins "
                "several. A column of another name is summarized by its mean."
            )
    else:
        request = Request(name, metric_of_values(name), 1, Options())
        if instead is None and np.isnan(values).any():
            raise ValueError(
                f"The column {name!r} has missing values. Pass `replace_undefined_by` "
                "to QueryScores.from_frame: the value of these queries, or NaN, which "
                "leaves them out."
            )
    if instead is None:
        return request
    check_number(instead, "replace_undefined_by", "from_frame", nan=True)
    return request.changed(replace_undefined_by=instead)
