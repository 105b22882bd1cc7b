"""Splits that train on the past and test on the future."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

from datetime import timedelta

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_consistent_length

from skrank._checks import check_count
from skrank._docs import describe_split
from skrank._ranking.ids import encode_qid
from skrank._types import Splits
from skrank.model_selection.base import (
    QuerySplitter,
    check_name_or_values,
    find_values,
)


class _TimeSplitter(QuerySplitter):
    """Base of the splitters that read the times of the rows."""

    __metadata_request__split = {"time": True}

    @describe_split
    def split(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        *,
        qid: ArrayLike | None = None,
        time: ArrayLike | None = None,
    ) -> Splits:
        check_consistent_length(X, y, time)
        queries = self._group(X, y, groups, qid)
        time = find_values(
            time, self.time, X=X, y=y, name="time", caller=type(self).__name__
        )
        yield from self._iter_rows(queries, *_encode_times(time, len(queries.codes)))


class QueryTimeSeriesSplit(_TimeSplitter):
    """Time series cross-validation over whole queries.

    The queries are sorted by time, and the last ones are divided into `n_splits` test
    sets. The training set of each consists of the queries whose last row is earlier
    than the first row of the test set. No query is split, and all rows of a training
    set are earlier than those of its test set.

    Parameters
    ----------
    n_splits : int, default=5
        The number of splits, at least 1.
    gap : int or timedelta, default=0
        What to leave out between the training and the test set: an int is a number
        of queries; a ``datetime.timedelta``, ``numpy.timedelta64`` or
        ``pandas.Timedelta`` is a duration, and the last row of the training set is
        earlier than the first row of the test set by more than that.
    max_train_size : int, default=None
        The maximum number of queries to train on; the latest ones are kept. None
        means all of them.
    test_size : int, default=None
        The number of queries in each test set. None means
        ``n_queries // (n_splits + 1)``.
    time : str or array-like of shape (n_samples,), default="time"
        The times, if they are not passed to ``split``: the name of a column of a table
        `X` or of an index of `y` or `X`, or the times themselves, one per row.

    See Also
    --------
    LeaveLastOut : The last rows of each query are tested.
    sklearn.model_selection.TimeSeriesSplit : For rows in order of time; it splits
        queries.

    Notes
    -----
    A query with rows of different times (the sessions of a user) starts with its
    earliest and ends with its latest row. Queries are sorted by their start, then by
    their end, then by their ids. The test sets follow each other in this order.
    Queries that start before the test set and end after its start are in neither set
    of that split, and neither are queries at the exact time of its first row.

    Sizes and `gap` are counted in queries, because ranking metrics are means over
    queries: with equal numbers of queries, test sets have scores of similar precision.

    The query ids are found as described for :class:`QueryKFold`. With metadata routing
    enabled, scikit-learn forwards `qid`, `groups` and `time`, as in
    ``cross_validate(..., params={"qid": qid, "time": time})``. Without it, the index
    of `y` can hold both, as two levels. A column of times in `X` is a feature to most
    estimators. Times that the splitter itself is given belong to all rows: in a nested
    search the inner splitter sees fewer rows and raises an error.

    Examples
    --------
    >>> from skrank.model_selection import QueryTimeSeriesSplit
    >>> cv = QueryTimeSeriesSplit(n_splits=2)
    >>> X = [[0], [1], [2], [3], [4], [5]]
    >>> qid = ["a", "a", "b", "b", "c", "c"]
    >>> time = [2, 2, 1, 1, 3, 3]
    >>> for train, test in cv.split(X, qid=qid, time=time):
    ...     print(train, test)
    [2 3] [0 1]
    [0 1 2 3] [4 5]
    """

    def __init__(
        self,
        n_splits: int = 5,
        *,
        gap: int | timedelta | np.timedelta64 = 0,
        max_train_size: int | None = None,
        test_size: int | None = None,
        time: str | ArrayLike = "time",
    ) -> None:
        caller = "QueryTimeSeriesSplit"
        self.n_splits = check_count(n_splits, "n_splits")
        if not _is_duration(gap):
            gap = check_count(gap, "gap", least=0)
        elif not gap >= 0 * gap:  # NaT is neither
            raise ValueError(f"gap == {gap!r}, must be >= 0.")
        if max_train_size is not None:
            max_train_size = check_count(max_train_size, "max_train_size")
        if test_size is not None:
            test_size = check_count(test_size, "test_size")
        self.gap = gap
        self.max_train_size = max_train_size
        self.test_size = test_size
        self.time = check_name_or_values(time, "time", caller)

    def _iter_rows(self, queries, times, codes):
        begin, end = _spans(queries, codes)
        order = np.lexsort((end, begin))
        n_queries, test_size = len(order), self._n_tested(len(order))
        first = n_queries - self.n_splits * test_size
        for split, start in enumerate(range(first, n_queries, test_size)):
            test = order[start : start + test_size]
            train = order[: start - self._n_skipped()]
            train = train[end[train] < self._deadline(times, begin[test[0]])]
            if len(train) == 0:
                raise ValueError(
                    "QueryTimeSeriesSplit has no query to train on in split "
                    f"{split}: none ends before the first row of the test set, at "
                    f"{times[begin[test[0]]]}, and the gap={self.gap!r}. Use fewer "
                    "splits, smaller test sets or a smaller gap."
                )
            if self.max_train_size is not None:
                train = train[-self.max_train_size :]
            yield queries.rows(train), queries.rows(test)

    def _n_tested(self, n_queries):
        """Return the number of queries of each test set."""
        if self.n_splits + 1 > n_queries:
            raise ValueError(
                f"Cannot have number of folds={self.n_splits + 1} greater than the "
                f"number of queries={n_queries}."
            )
        test_size = self.test_size or n_queries // (self.n_splits + 1)
        if n_queries - self._n_skipped() - test_size * self.n_splits <= 0:
            raise ValueError(
                f"Too many splits={self.n_splits} for number of queries={n_queries} "
                f"with test_size={test_size} and gap={self.gap!r}."
            )
        return test_size

    def _n_skipped(self):
        """Return the number of queries to leave out before each test set."""
        return 0 if _is_duration(self.gap) else self.gap

    def _deadline(self, times, first):
        """Return the code of the time before which training queries must end."""
        if not _is_duration(self.gap):
            return first
        if times.dtype.kind not in "mMO":
            raise TypeError(
                "The 'gap' parameter of QueryTimeSeriesSplit must be an int (a number "
                f"of queries) where times are numbers. Got {self.gap!r} instead, with "
                f"times of dtype {times.dtype}."
            )
        gap = self.gap if times.dtype == object else np.timedelta64(self.gap)
        return np.searchsorted(times, times[first] - gap)


class LeaveLastOut(_TimeSplitter):
    """Test the last rows of each query on a model of all earlier rows.

    Use it if a query is a user and the rows are the history of that user: the last `k`
    rows of each user are for testing and all rows before them for training. Queries
    are split, and training rows are not always older than test rows.

    Parameters
    ----------
    k : int, default=1
        The number of rows of each query to test, at least 1.
    n_splits : int, default=1
        The number of splits, at least 1. The last split tests the last `k` rows of
        each query, the one before it the `k` rows before those, and so on. Rows after
        the tested ones are not in the training set.
    time : str or array-like of shape (n_samples,), default="time"
        The times, if they are not passed to ``split``: the name of a column of a table
        `X` or of an index of `y` or `X`, or the times themselves, one per row.

    Warnings
    --------
    The future leaks across users. The tested rows of one user may be earlier than the
    training rows of another, from which a model learns what became popular later.
    In production it could not know that, so its score is too good. If that matters,
    use :class:`QueryTimeSeriesSplit`.

    See Also
    --------
    QueryTimeSeriesSplit : Whole queries, with training rows before test rows.
    ColdStartKFold : Users or items that the model has never seen.

    Notes
    -----
    Among rows with the same time, the row further down counts as later. A query is
    tested only if at least one of its rows is left to train on; the rows of shorter
    queries stay in the training set.

    With `k` test rows per query, the test lists have `k` rows. A metric is meaningful
    only if these include documents that the user did not choose; choose `k`
    accordingly.

    Scorers warn of split queries. To silence the warning, call
    ``warnings.simplefilter("ignore", QuerySplitWarning)``, with the category from
    `skrank.exceptions`.

    The query ids and times are found as described for :class:`QueryTimeSeriesSplit`.

    Examples
    --------
    >>> from skrank.model_selection import LeaveLastOut
    >>> X = [[0], [1], [2], [3], [4], [5]]
    >>> user = ["a", "a", "a", "b", "b", "c"]
    >>> time = [3, 1, 2, 7, 9, 5]
    >>> for train, test in LeaveLastOut().split(X, qid=user, time=time):
    ...     print(train, test)
    [1 2 3 5] [0 4]
    """

    def __init__(
        self, k: int = 1, *, n_splits: int = 1, time: str | ArrayLike = "time"
    ) -> None:
        self.k = check_count(k, "k")
        self.n_splits = check_count(n_splits, "n_splits")
        self.time = check_name_or_values(time, "time", "LeaveLastOut")

    def _iter_rows(self, queries, times, codes):
        # By query, then by time, then by row: faster than np.lexsort of the two codes.
        order = np.argsort(queries.codes * len(times) + codes, kind="stable")
        # How many rows of its query come after each row.
        after = np.empty(len(order), dtype=np.intp)
        ends = np.repeat(np.cumsum(queries.sizes), queries.sizes)
        after[order] = ends - 1 - np.arange(len(order))
        size = queries.sizes[queries.codes]
        for split in range(self.n_splits)[::-1]:
            last = split * self.k
            tested = size > last + self.k
            test = tested & (after >= last) & (after < last + self.k)
            if not test.any():
                raise ValueError(
                    f"LeaveLastOut(k={self.k}, n_splits={self.n_splits}) needs a query "
                    f"of more than {last + self.k} rows. The longest has "
                    f"{queries.sizes.max()}."
                )
            train = ~test & (after >= last)
            yield np.flatnonzero(train), np.flatnonzero(test)


def _is_duration(gap):
    return isinstance(gap, (timedelta, np.timedelta64))


def _spans(queries, codes):
    """Return the codes of the earliest and of the latest time of each query."""
    begin = np.full(len(queries.ids), len(codes))
    np.minimum.at(begin, queries.codes, codes)
    end = np.zeros(len(queries.ids), dtype=np.intp)
    np.maximum.at(end, queries.codes, codes)
    return begin, end


def _encode_times(time, n_samples):
    """Return the sorted distinct times, and for each row its place among them."""
    times, codes = encode_qid(time, n_samples, name="time")
    if times.dtype.kind in "USV" or isinstance(times[0], (str, bytes, tuple)):
        raise TypeError(
            "The 'time' parameter must hold numbers or dates. Got "
            f"{times[0]!r} of type {type(times[0]).__name__} instead. Text does not "
            "sort by time in general: convert it, for instance with "
            "np.asarray(time, dtype='datetime64[s]') or pandas.to_datetime(time)."
        )
    if times.dtype == object:
        try:
            sorted(times)
        except TypeError as error:
            raise TypeError(
                "The 'time' parameter must hold numbers or dates that can be "
                f"compared with each other. Got times where {error}."
            ) from None
    return times, codes
