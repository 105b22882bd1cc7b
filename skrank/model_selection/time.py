"""Train on the past and test on the future, or on users and items that are new."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, date, timedelta
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skrank._input.callers import warn_caller
from skrank._input.checks import (
    check_count,
    check_lengths,
    count_rows,
    shown,
    warn_if_out_of_order,
)
from skrank._input.frames import in_utc
from skrank._input.query_ids import check_qid_column, find_named, require_named
from skrank._ranking.ids import encode_qid
from skrank._text.docs import Splits, share_split_words
from skrank.model_selection.query_splitter import (
    QuerySplitter,
    check_all_rows,
)


class _TimeSplitter(QuerySplitter):
    """Base of the splitters that read the times of the rows."""

    __metadata_request__split = {"time": True}

    @share_split_words
    def split(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        *,
        qid: ArrayLike | None = None,
        time: ArrayLike | None = None,
    ) -> Splits:
        """Generate the rows of each training and test set."""
        check_all_rows(X=X, y=y, time=time)
        queries = self._group(X, y, groups, qid)
        times, codes = self._read_times(time, X, y, len(queries.codes))
        yield from self._iter_rows(queries, times, codes)

    def _read_times(self, time, X, y, n_samples):
        """Return the sorted distinct times, and for each row its place among them."""
        if time is None:
            time = self.time
            if isinstance(time, str):
                found = find_named(time, X=X, y=y)
                caller = type(self).__name__
                time = require_named(found, time, argument="time", caller=caller, X=X)
            elif count_rows(time) != n_samples:
                raise ValueError(
                    "Found input variables with inconsistent numbers of samples: "
                    f"{[n_samples, count_rows(time)]}. In a nested search, name a "
                    "column of X with the times, as in time='when'."
                )
            warn_if_out_of_order({"X": X, "y": y, "time": time})
        time = in_utc(time)
        times, codes = encode_qid(time, n_samples, name="time")
        if len(codes) == 0:
            raise ValueError(
                f"{type(self).__name__} needs at least one row. Got 0 rows."
            )
        if times.dtype.kind in "USV" or isinstance(times[0], (str, bytes, tuple)):
            raise TypeError(
                "The 'time' parameter must hold numbers or dates. Got "
                f"{times[0]!r} of type {type(times[0]).__name__} instead. Text does "
                "not sort by time in general: convert it, for instance with "
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
        if isinstance(times[0], date):
            times = np.array([_without_zone(one) for one in times], "datetime64[us]")
        return times, codes


class TimeRangeSplit(_TimeSplitter):
    """Train on the rows before a time, and test on the rows from then on.

    This is the split of a log of users, items and times, as recommenders have it: a
    user may have rows on both sides, and nothing later than the test set is trained on.
    With several splits, each tests the range of time before that of the next one.

    Parameters
    ----------
    n_splits : int, default=1
        The number of splits, at least 1.
    test_size : float, int, str, timedelta or datetime, default=0.1
        The size of each test set: a float in (0, 1) is a fraction of the rows, an int a
        number of rows, and a str such as ``"7D"``, ``"12h"`` or ``"30min"`` a range of
        time, in weeks (W), days (D), hours (h), minutes (min) or seconds (s). A
        ``datetime.timedelta``, ``numpy.timedelta64`` or ``pandas.Timedelta`` is one as
        well. A date such as ``"2026-05-01"`` or a ``datetime``, in UTC where times have
        time zones, tests the rows from then on; `n_splits` is then 1.
    gap : int, str or timedelta, default=0
        What to leave out between the training and the test set: a number of rows, or a
        range of time.
    time : str or array-like of shape (n_samples,), default="time"
        The times, if they are not passed to ``split``: the name of a column of a table
        `X` or of an index of `y` or `X`, or the times themselves, one per row: numbers
        or dates, with or without time zones.

    See Also
    --------
    QueryTimeSeriesSplit : Whole queries, such as sessions, in order of time.
    LeaveLastOut : The last rows of each user, at whatever time.

    Notes
    -----
    The last test set ends with the last row. With ``test_size="7D"`` it has the rows of
    the last seven days: those later than the last time less seven days. A day has 24
    hours. The test set before it has the seven days before these, and so on. Each
    training set has all rows that are earlier than the first test row, and earlier by
    more than a `gap` that is a range of time.

    Rows of the same time are never split. A test set of a number of rows may therefore
    have more of them; a fraction is rounded to a number of rows.

    The splitter does not read the query ids, which are the users, but scorers need
    them. Scorers warn of split queries; :class:`~skrank.exceptions.QuerySplitWarning`
    shows how to silence the warning. With metadata routing enabled, scikit-learn
    forwards `qid`, `groups` and `time`.

    What a user had before is in the training rows. If it is not recommended again, pass
    it to the metrics as `exclude`, as the gallery does in "A recommender against
    popularity".

    Examples
    --------
    >>> import numpy as np
    >>> from skrank.model_selection import TimeRangeSplit
    >>> user = ["a", "b", "a", "b", "c", "a"]
    >>> days = ["2024-05-01", "2024-05-02", "2024-05-09"]
    >>> time = np.array(days, dtype="datetime64[D]")[[0, 0, 1, 1, 2, 2]]
    >>> for train, test in TimeRangeSplit(test_size="7D").split(user, time=time):
    ...     print(train, test)
    [0 1 2 3] [4 5]
    """

    def __init__(
        self,
        n_splits: int = 1,
        *,
        test_size: float | str | timedelta | np.timedelta64 | date = 0.1,
        gap: int | str | timedelta | np.timedelta64 = 0,
        time: str | ArrayLike = "time",
    ) -> None:
        caller = "TimeRangeSplit"
        if not isinstance(n_splits, Integral):
            raise TypeError(
                "n_splits must be an instance of int, not "
                f"{type(n_splits).__name__}. Did you mean test_size={n_splits!r}?"
            )
        self.n_splits = check_count(n_splits, "n_splits")
        self.test_size: Any = _check_test_size(test_size, caller)
        if _as_moment(test_size) is not None and n_splits > 1:
            raise ValueError(
                f"n_splits must be 1 if test_size is a date. Got n_splits={n_splits}."
            )
        self.gap: Any = _check_gap(gap, caller)
        self.time = _check_time(time, caller)

    @share_split_words
    def split(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        *,
        qid: ArrayLike | None = None,
        time: ArrayLike | None = None,
    ) -> Splits:
        """Generate the rows of each training and test set."""
        check_all_rows(X=X, y=y, time=time)
        check_lengths(X=X, qid=qid, groups=groups)
        n_samples = count_rows(y if X is None else X)
        times, codes = self._read_times(time, X, y, n_samples)
        for split, (deadline, first, end) in enumerate(self._ranges(times, codes)):
            train = codes < deadline
            test = (codes >= first) & (codes < end)
            if not train.any():
                raise ValueError(
                    f"TimeRangeSplit has no row to train on in split {split}: none is "
                    f"earlier than the test set, which begins at {times[first]}, and "
                    f"the gap={self.gap!r}. Use fewer splits, smaller test sets or a "
                    "smaller gap."
                )
            if not test.any():
                raise ValueError(
                    f"TimeRangeSplit has no row to test in split {split}, between "
                    f"{times[first - 1]} and {times[first]}. Use fewer splits or a "
                    f"larger test_size. Got test_size={self.test_size!r}."
                )
            yield np.flatnonzero(train), np.flatnonzero(test)

    def _ranges(self, times, codes):
        """Yield of each split the places among the times where its parts end.

        They are the end of the training set, the start of the test set and its end.
        With ``test_size="2D"``, ``gap="1D"`` and two splits of a row a day:

            place     0  1  2  3  4  5  6  7
            split 0   t  t  t  .  T  T          (3, 4, 6)
            split 1   t  t  t  t  t  .  T  T    (5, 6, 8)
        """
        caller, size = "TimeRangeSplit", _as_duration(self.test_size)
        n_before = np.concatenate([[0], np.cumsum(np.bincount(codes))])
        n_rows, moment = self.test_size, _as_moment(self.test_size)
        _warn_if_days(n_rows, times, len(codes), "rows")
        if isinstance(n_rows, Real) and not isinstance(n_rows, Integral):
            n_rows = max(round(n_rows * len(codes)), 1)
        ends = [len(times)]
        for split in range(1, self.n_splits + 1):
            if moment is not None:
                if times.dtype.kind != "M":
                    raise TypeError(
                        "Times must be dates if test_size is one. Got "
                        f"{self.test_size!r}, and times of type {times.dtype}."
                    )
                start = int(np.searchsorted(times, moment))
            elif size is None:
                start = _place_of_rows(n_before, ends[-1], n_rows)
            else:
                last = len(times) - 1
                start = _place_before(
                    times, last, split * size, "test_size", caller, side="right"
                )
            ends.append(start)
        gap = _as_duration(self.gap)
        for end, first in zip(ends[-2::-1], ends[:0:-1], strict=True):
            if gap is None:
                deadline = _place_of_rows(n_before, first, self.gap)
            else:
                deadline = _place_before(times, first, gap, "gap", caller)
            yield deadline, first, end


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
    gap : int, str or timedelta, default=0
        What to leave out between the training and the test set: an int is a number
        of queries; a str such as ``"7D"``, a ``datetime.timedelta``,
        ``numpy.timedelta64`` or ``pandas.Timedelta`` is a range of time, as for
        :class:`TimeRangeSplit`, and the last row of the training set is earlier than
        the first row of the test set by more than that.
    max_train_size : int, default=None
        The maximum number of queries to train on; the latest ones are kept. None
        means all of them.
    test_size : int, default=None
        The number of queries in each test set. None means
        ``n_queries // (n_splits + 1)``.
    time : str or array-like of shape (n_samples,), default="time"
        The times, if they are not passed to ``split``: the name of a column of a table
        `X` or of an index of `y` or `X`, or the times themselves, one per row.
    qid_column : str or int, default="qid"
        The column of `X` with the query ids, as for :class:`QueryKFold`.

    See Also
    --------
    TimeRangeSplit : Splits rows by time, with users on both sides.
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
        gap: int | str | timedelta | np.timedelta64 = 0,
        max_train_size: int | None = None,
        test_size: int | None = None,
        time: str | ArrayLike = "time",
        qid_column: str | int = "qid",
    ) -> None:
        caller = "QueryTimeSeriesSplit"
        self.n_splits = check_count(n_splits, "n_splits")
        self.gap: Any = _check_gap(gap, caller)
        if max_train_size is not None:
            max_train_size = check_count(max_train_size, "max_train_size")
        if test_size is not None:
            test_size = check_count(test_size, "test_size")
        self.max_train_size = max_train_size
        self.test_size = test_size
        self.time = _check_time(time, caller)
        self.qid_column = check_qid_column(qid_column, caller)

    def _iter_rows(self, queries, times, codes):
        # The codes of the earliest and of the latest time of each query.
        begin = np.full(len(queries.ids), len(codes))
        np.minimum.at(begin, queries.codes, codes)
        end = np.zeros(len(queries.ids), dtype=np.intp)
        np.maximum.at(end, queries.codes, codes)
        order = np.lexsort((end, begin))
        n_queries, gap = len(order), _as_duration(self.gap)
        n_skipped = self.gap if gap is None else 0
        test_size = self._n_tested(n_queries, n_skipped)
        _warn_if_days(self.test_size, times, n_queries, "queries")
        first = n_queries - self.n_splits * test_size
        for split, start in enumerate(range(first, n_queries, test_size)):
            test = order[start : start + test_size]
            train, deadline = order[: start - n_skipped], begin[test[0]]
            if gap is not None:
                caller = "QueryTimeSeriesSplit"
                deadline = _place_before(times, deadline, gap, "gap", caller)
            train = train[end[train] < deadline]
            if len(train) == 0:
                raise ValueError(
                    "QueryTimeSeriesSplit has no query to train on in split "
                    f"{split}: none ends before the first row of the test set, at "
                    f"{times[begin[test[0]]]}, and the gap={self.gap!r}. Use fewer "
                    "splits, smaller test sets or a smaller gap. If the queries are "
                    "users whose rows spread over all times, split the rows by time: "
                    "TimeRangeSplit."
                )
            if self.max_train_size is not None:
                train = train[-self.max_train_size :]
            yield queries.rows(train), queries.rows(test)

    def _n_tested(self, n_queries, n_skipped):
        """Return the number of queries of each test set."""
        if self.n_splits + 1 > n_queries:
            raise ValueError(
                f"Cannot have number of folds={self.n_splits + 1} greater than the "
                f"number of queries={n_queries}."
            )
        test_size = self.test_size or n_queries // (self.n_splits + 1)
        if n_queries - n_skipped - test_size * self.n_splits <= 0:
            raise ValueError(
                f"Too many splits={self.n_splits} for number of queries={n_queries} "
                f"with test_size={test_size} and gap={self.gap!r}."
            )
        return test_size


class LeaveLastOut(_TimeSplitter):
    """Test the last rows of each query on a model of all earlier rows.

    Use it if a query is a user and the rows are the history of that user: the last
    `n_last` rows of each user are for testing and all rows before them for training.
    Queries are split, and training rows are not always older than test rows.

    Parameters
    ----------
    n_last : int, default=1
        The number of rows of each query to test, at least 1.
    n_splits : int, default=1
        The number of splits, at least 1. The last split tests the last `n_last` rows of
        each query, the one before it the `n_last` rows before those, and so on. Rows
        after the tested ones are not in the training set.
    time : str or array-like of shape (n_samples,), default="time"
        The times, if they are not passed to ``split``: the name of a column of a table
        `X` or of an index of `y` or `X`, or the times themselves, one per row.
    qid_column : str or int, default="qid"
        The column of `X` with the query ids, as for :class:`QueryKFold`.

    Warnings
    --------
    The future leaks across users. The tested rows of one user may be earlier than the
    training rows of another, from which a model learns what became popular later.
    In production it could not know that, so its score is too good. If that matters,
    use :class:`TimeRangeSplit`.

    See Also
    --------
    TimeRangeSplit : Known users, and training rows before all test rows.
    QueryTimeSeriesSplit : Whole queries, with training rows before test rows.

    Notes
    -----
    Among rows with the same time, the row further down counts as later. A query is
    tested only if at least one of its rows is left to train on; the rows of shorter
    queries stay in the training set.

    The test list of a query has `n_last` rows. A metric is meaningful only if these
    include documents that the user did not choose; choose `n_last` accordingly.

    Scorers warn of split queries. :class:`~skrank.exceptions.QuerySplitWarning` shows
    how to silence the warning.

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
        self,
        n_last: int = 1,
        *,
        n_splits: int = 1,
        time: str | ArrayLike = "time",
        qid_column: str | int = "qid",
    ) -> None:
        self.n_last = check_count(n_last, "n_last")
        self.n_splits = check_count(n_splits, "n_splits")
        self.time = _check_time(time, "LeaveLastOut")
        self.qid_column = check_qid_column(qid_column, "LeaveLastOut")

    def _iter_rows(self, queries, times, codes):
        # By query, then by time, then by row: faster than np.lexsort of the two codes.
        order = np.argsort(queries.codes * len(times) + codes, kind="stable")
        # How many rows of its query come after each row.
        after = np.empty(len(order), dtype=np.intp)
        ends = np.repeat(np.cumsum(queries.sizes), queries.sizes)
        after[order] = ends - 1 - np.arange(len(order))
        size = queries.sizes[queries.codes]
        for split in range(self.n_splits)[::-1]:
            last = split * self.n_last
            tested = size > last + self.n_last
            test = tested & (after >= last) & (after < last + self.n_last)
            if not test.any():
                raise ValueError(
                    f"LeaveLastOut(n_last={self.n_last}, n_splits={self.n_splits}) "
                    f"needs a query of more than {last + self.n_last} rows. The "
                    f"longest has {queries.sizes.max()}."
                )
            train = ~test & (after >= last)
            yield np.flatnonzero(train), np.flatnonzero(test)


# Months and years have no fixed length.
_UNITS = {"w": "weeks", "d": "days", "h": "hours", "min": "minutes", "s": "seconds"}
_DURATION = re.compile(rf"(\d+(?:\.\d+)?) ?({'|'.join(_UNITS)})", re.IGNORECASE)


def _as_duration(value):
    """Return a range of time such as "7D" as a timedelta; None for what is not one."""
    if isinstance(value, timedelta):  # of pandas, too
        return timedelta(value.days, value.seconds, value.microseconds)
    if isinstance(value, np.timedelta64):
        return value
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return None
    return timedelta(**{_UNITS[match[2].lower()]: float(match[1])})


def _without_zone(value):
    if getattr(value, "tzinfo", None) is None:
        return value
    return value.astimezone(UTC).replace(tzinfo=None)


def _as_moment(value):
    """Return a date such as "2026-05-01" as a datetime64; None for what is not one."""
    value = _without_zone(value)
    is_text = isinstance(value, str) and re.match(r"\d{4}-\d\d", value)
    if is_text or isinstance(value, (date, np.datetime64)):
        with suppress(TypeError, ValueError):  # NaT of pandas, text that is not a date
            moment = np.datetime64(value, "us")
            return None if np.isnat(moment) else moment
    return None


def _warn_if_days(size, times, n, things):
    """Warn of up to 90 rows or queries, which may be meant as days."""
    is_count = isinstance(size, Integral) and not isinstance(size, np.timedelta64)
    if is_count and size <= 90 < n and times.dtype.kind == "M":
        text = f"test_size={size} counts {things}, of {n:,}. {size} days are "
        warn_caller(f"{text}TimeRangeSplit(test_size='{size}D').", UserWarning)


def _check_gap(gap, caller):
    """Return the parameter `gap` of a splitter; raise if it has an invalid value."""
    duration = _as_duration(gap)
    if isinstance(gap, str) and duration is None:
        raise ValueError(
            f"The 'gap' parameter of {caller} must be an int, a timedelta or a str "
            f"like '7D', '12h' or '30min' (units: W, D, h, min, s). Got {gap!r}."
        )
    if duration is None:
        return check_count(gap, "gap", least=0)
    if not duration >= 0 * duration:  # NaT is neither
        raise ValueError(f"gap == {gap!r}, must be >= 0.")
    return gap


def _check_time(value, caller):
    """Return the parameter `time` of a splitter; raise on other types."""
    if not isinstance(value, str) and (np.isscalar(value) or not np.iterable(value)):
        raise TypeError(
            f"The 'time' parameter of {caller} must be a str (the name of a column "
            "of X or of an index of y or X) or an array-like of shape (n_samples,). "
            f"Got {value!r} instead."
        )
    return value


def _check_test_size(size, caller):
    """Return the parameter `test_size`; raise if it has an invalid value."""
    if _as_moment(size) is not None:
        return size
    duration = _as_duration(size)
    accepted = (
        f"The 'test_size' parameter of {caller} must be a float in the range "
        "(0.0, 1.0) (a fraction of the rows), an int in the range [1, inf) (a number "
        "of rows), a timedelta or a str such as '7D', '12h' or '30min' (units: W, D, "
        f"h, min, s), or a date such as '2026-05-01'. Got {shown(size)} instead."
    )
    is_number = isinstance(size, Real) and not isinstance(size, (bool, np.bool_))
    if duration is None and not is_number and not isinstance(size, str):
        raise TypeError(accepted)
    if duration is not None:
        is_valid = duration > 0 * duration
    elif is_number:
        is_valid = size >= 1 if isinstance(size, Integral) else 0 < size < 1
    else:
        is_valid = False
    if not is_valid:
        raise ValueError(accepted)
    return size


def _place_of_rows(n_before, end, n_rows):
    """Return the last place from which on there are `n_rows` rows before `end`.

    `n_before` holds the number of rows that are earlier than each distinct time.
    """
    left = max(int(n_before[end]) - n_rows, -1)
    place = np.searchsorted(n_before, left, side="right") - 1
    return max(int(place), 0)


def _place_before(times, place, duration, name, caller, *, side="left"):
    """Return the place among the times of what is a duration earlier than one of them.

    It is that of the first time from then on, or with the `side` "right" after it.
    """
    try:
        if times.dtype.kind in "biuf":
            raise TypeError("these are numbers")
        if times.dtype.kind in "mM":
            duration = np.timedelta64(duration)
        # The difference could be out of the range of the type.
        if times[place] - times[0] < duration:
            return 0
        return int(np.searchsorted(times, times[place] - duration, side=side))
    except (TypeError, ValueError):
        kind = times.dtype if times.dtype != object else type(times[place]).__name__
        raise TypeError(
            f"The {name!r} parameter of {caller} must be a number where times are not "
            f"dates. Got {duration!r} instead, with times of type {kind}: convert "
            "these, for instance by np.asarray(time, dtype='datetime64[s]') or "
            "pandas.to_datetime(time, unit='s')."
        ) from None
