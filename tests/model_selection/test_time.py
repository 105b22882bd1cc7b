"""Splits by time: nothing later than the test set is trained on."""

# SPDX-License-Identifier: BSD-3-Clause

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

from skrank.model_selection import LeaveLastOut, QueryTimeSeriesSplit, TimeRangeSplit


def parts_of(cv, qid, time):
    """The queries of each training and test set, as text."""
    qid = np.asarray(qid)
    return [
        ("".join(sorted(set(qid[train]))), "".join(sorted(set(qid[test]))))
        for train, test in cv.split(qid, qid=qid, time=time)
    ]


def sessions(n_queries=60, n_rows=600, length=40, seed=0):
    """Queries of random beginnings and lengths, rows mixed, with times in common."""
    rng = np.random.RandomState(seed)
    qid = np.r_[np.arange(n_queries), rng.randint(n_queries, size=n_rows)]
    qid = rng.permutation(qid)
    begin = rng.randint(0, 1000, n_queries)
    return qid, begin[qid] + rng.randint(0, length, len(qid))


SPLITTERS = [QueryTimeSeriesSplit(2), LeaveLastOut(n_splits=2)]
SPLITTERS += [TimeRangeSplit(2, test_size=0.3)]
X6, QID6 = np.zeros(6), list("abcdef")
DAYS = np.datetime64("2024-01-01", "ns") + np.arange(6) * np.timedelta64(1, "D")
UNEVEN = np.array([0, 1, 2, 3, 9, 9]) + np.datetime64("2024-01-01")
TOO_MANY = "Too many splits=3 for number of queries=6 with test_size=2 and gap=0"
NO_QUERY = (
    "no query to train on in split 0.*first row of the test set, at 1.*"
    "users whose rows spread over all times.*TimeRangeSplit"
)
NO_ROW = "no row to test in split 0, between 2024-01-04 and 2024-01-10"
NO_DATES = "'test_size' parameter of TimeRangeSplit must be a number where.*int64"
# The same times in other forms.
FORMS = {
    "float": lambda t: t.astype(float) / 7 - 3,
    "uint8": lambda t: t.astype(np.uint8),
    "list": lambda t: t.tolist(),
    "days": lambda t: np.datetime64("2020-01-01") + t,
    "pandas with a zone": lambda t: pd.Series(pd.to_datetime(t, unit="s", utc=True)),
    "polars": lambda t: pl.Series(np.datetime64("2020-01-01", "us") + t),
    "date": lambda t: [date.fromordinal(700_000 + int(day)) for day in t],
    "datetime": lambda t: [datetime.fromtimestamp(int(s), UTC) for s in t],
    "Decimal": lambda t: [Decimal(int(number)) / 3 for number in t],
    "large int": lambda t: [2**70 + int(number) for number in t],
    "nullable": lambda t: pd.Series(t, dtype="Int64"),
    "Period": lambda t: pd.PeriodIndex([pd.Period(ordinal=i, freq="M") for i in t]),
}


class TestQueryTimeSeriesSplit:
    @pytest.mark.parametrize(
        ("parameters", "expected"),
        [
            ({"n_splits": 2, "test_size": 1}, [("abcd", "e"), ("abcde", "f")]),
            ({"n_splits": 1}, [("abc", "def")]),
            ({"n_splits": 1, "test_size": 2}, [("abcd", "ef")]),
            ({"n_splits": 1, "test_size": 2, "gap": 1}, [("abc", "ef")]),
            ({"n_splits": 2, "max_train_size": 2}, [("ab", "cd"), ("cd", "ef")]),
            (
                {"n_splits": 2, "max_train_size": 2, "gap": 1},
                [("a", "cd"), ("bc", "ef")],
            ),
            ({"n_splits": 2, "gap": 1}, [("a", "cd"), ("abc", "ef")]),
        ],
    )
    def test_sizes_and_gap_count_queries(self, parameters, expected):
        qid = list("aabcccdeeef")
        time = [1, 1, 2, 3, 3, 3, 4, 5, 5, 5, 6]
        assert parts_of(QueryTimeSeriesSplit(**parameters), qid, time) == expected

    @pytest.mark.parametrize("days", [0, 1, 2])
    @pytest.mark.parametrize(
        "duration",
        [
            timedelta,
            lambda days: pd.Timedelta(days, "D"),
            lambda days: np.timedelta64(days, "D"),
            lambda days: f"{days}D",
            lambda days: f"{24 * days} h",
        ],
    )
    @pytest.mark.parametrize(
        "times",
        [
            lambda day: np.datetime64("2024-02-27") + day,
            lambda day: pd.Timestamp("2024-02-27T12:00") + pd.to_timedelta(day, "D"),
            lambda day: pd.Series(
                pd.Timestamp("2024-02-27", tz="Asia/Tokyo") + pd.to_timedelta(day, "D")
            ),
            lambda day: np.timedelta64(20, "D") + day,
        ],
        ids=["numpy days", "pandas", "time zone", "durations"],
    )
    def test_a_gap_may_be_a_duration(self, days, duration, times):
        qid = list("aabcdef")
        time = times(np.array([1, 2, 3, 4, 5, 6, 7]))
        # The test set begins with d on day 5; the others are over on 2, 3 and 4.
        cv = QueryTimeSeriesSplit(1, gap=duration(days))
        assert parts_of(cv, qid, time) == [("abc"[: 3 - days], "def")]

    @pytest.mark.parametrize("gap", [0, 3, np.timedelta64(30, "s")])
    @pytest.mark.parametrize("max_train_size", [None, 7])
    @pytest.mark.parametrize("seed", range(3))
    def test_it_agrees_with_a_loop_over_queries(self, gap, max_train_size, seed):
        qid, time = sessions(seed=seed)
        if not isinstance(gap, int):
            time = time * np.timedelta64(1, "s")
        cv = QueryTimeSeriesSplit(3, gap=gap, max_train_size=max_train_size)
        spans = sorted((min(time[qid == q]), max(time[qid == q]), q) for q in range(60))
        found = list(cv.split(qid, qid=qid, time=time))
        assert len(found) == 3
        for split, (train, test) in enumerate(found):
            start = 60 - 15 * (3 - split)
            skipped, wait = (gap, 0 * gap) if isinstance(gap, int) else (0, gap)
            before = spans[start][0] - wait
            past = [query for _, end, query in spans[: start - skipped] if end < before]
            if max_train_size is not None:
                past = past[-max_train_size:]
            future = [query for _, _, query in spans[start : start + 15]]
            assert_array_equal(train, np.flatnonzero(np.isin(qid, past)))
            assert_array_equal(test, np.flatnonzero(np.isin(qid, future)))
            assert time[train].max() < time[test].min()

    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("cv", SPLITTERS, ids=str)
    def test_the_kind_of_times_does_not_matter(self, cv, form):
        rng = np.random.RandomState(0)
        qid = rng.randint(0, 9, 60)
        time = 20 * qid + rng.randint(0, 40, 60)
        expected = list(cv.split(qid, qid=qid, time=time))
        found = list(cv.split(qid, qid=qid, time=FORMS[form](time)))
        for _, one, other in zip(range(2), expected, found, strict=True):
            assert_array_equal(one[0], other[0])
            assert_array_equal(one[1], other[1])

    @pytest.mark.parametrize(
        ("parameters", "time", "error", "message"),
        [
            ({"n_splits": 6}, range(6), ValueError, "folds=7 greater.*queries=6"),
            ({"n_splits": 3, "test_size": 2}, range(6), ValueError, TOO_MANY),
            ({"n_splits": 2, "gap": 2}, range(6), ValueError, "Too many .* gap=2"),
            ({"n_splits": 2}, [1] * 6, ValueError, NO_QUERY),
            ({"n_splits": 2, "gap": timedelta(9)}, DAYS, ValueError, "no .*days=9"),
            ({"n_splits": 2, "gap": timedelta(1)}, range(6), TypeError, "int64"),
        ],
    )
    def test_what_cannot_be_split_is_refused(self, parameters, time, error, message):
        with pytest.raises(error, match=message):
            next(QueryTimeSeriesSplit(**parameters).split(X6, qid=QID6, time=time))


def rows_of(cv, time, **data):
    """The rows of each training and test set."""
    return [
        (train.tolist(), test.tolist())
        for train, test in cv.split(np.zeros(len(time)), time=time, **data)
    ]


# Dates of three users and four items, in no order:
#   row    0  1  2  3  4  5  6  7
LOG_DAY = [9, 1, 3, 8, 2, 3, 5, 9]
PAST = [1, 2, 3, 4, 5, 6]
DATES = {
    "days of NumPy": lambda day: np.datetime64("2024-02-25") + np.asarray(day),
    "nanoseconds": lambda day: (
        np.datetime64("2024-02-25", "ns") + np.asarray(day) * np.timedelta64(1, "D")
    ),
    "date": lambda day: [date(2024, 2, 25) + timedelta(one) for one in day],
    "datetime": lambda day: [
        datetime(2024, 2, 25, tzinfo=UTC) + timedelta(one) for one in day
    ],
    "pandas": lambda day: pd.Series(pd.to_datetime(day, unit="D")),
    "pandas with a time zone": lambda day: pd.Series(
        pd.to_datetime(day, unit="D", utc=True).tz_convert("America/New_York")
    ),
    "polars": lambda day: pl.Series(DATES["date"](day)),
    "polars with a time zone": lambda day: pl.Series(
        DATES["datetime"](day)
    ).dt.convert_time_zone("Asia/Tokyo"),
    "pyarrow with a time zone": lambda day: pa.array(
        DATES["datetime"](day), pa.timestamp("us", tz="Europe/Berlin")
    ),
}


class TestTimeRangeSplit:
    @pytest.mark.parametrize(
        ("parameters", "expected"),
        [
            # The ends of the days: 1 | 2 | 3 3 | 5 | 8 | 9 9
            ({"test_size": 2}, [([1, 2, 3, 4, 5, 6], [0, 7])]),
            # Half of the rows would begin between the two of day 3.
            ({"test_size": 0.5}, [([1, 2, 4, 5], [0, 3, 6, 7])]),
            ({"test_size": 5}, [([1, 4], [0, 2, 3, 5, 6, 7])]),
            ({"test_size": 6}, [([1, 4], [0, 2, 3, 5, 6, 7])]),
            ({"test_size": 7}, [([1], [0, 2, 3, 4, 5, 6, 7])]),
            ({"test_size": 0.01}, [([1, 2, 3, 4, 5, 6], [0, 7])]),
            # 2.4 and 2.8 of 8 rows are rounded.
            ({"test_size": 0.3}, [([1, 2, 3, 4, 5, 6], [0, 7])]),
            ({"test_size": 0.35}, [([1, 2, 4, 5, 6], [0, 3, 7])]),
            ({"n_splits": 2, "test_size": 2}, [([1, 2, 4, 5], [3, 6]), (PAST, [0, 7])]),
            ({"n_splits": 3, "test_size": 1},
             [([1, 2, 4, 5], [6]), ([1, 2, 4, 5, 6], [3]), (PAST, [0, 7])]),
            ({"test_size": 2, "gap": 1}, [([1, 2, 4, 5, 6], [0, 7])]),
            # The third row before them is at the same time as the fourth.
            ({"test_size": 2, "gap": 3}, [([1, 4], [0, 7])]),
            # Later than the day 9 - 1, than 9 - 4, than 9 - 6.
            ({"test_size": "1D"}, [([1, 2, 3, 4, 5, 6], [0, 7])]),
            ({"test_size": "4D"}, [([1, 2, 4, 5, 6], [0, 3, 7])]),
            ({"test_size": "6D"}, [([1, 2, 4, 5], [0, 3, 6, 7])]),
            ({"test_size": "1W"}, [([1, 4], [0, 2, 3, 5, 6, 7])]),
            ({"test_size": timedelta(4)}, [([1, 2, 4, 5, 6], [0, 3, 7])]),
            ({"test_size": np.timedelta64(96, "h")}, [([1, 2, 4, 5, 6], [0, 3, 7])]),
            ({"test_size": pd.Timedelta("4D")}, [([1, 2, 4, 5, 6], [0, 3, 7])]),
            ({"n_splits": 2, "test_size": "3D"},
             [([1, 2, 4, 5], [6]), ([1, 2, 4, 5, 6], [0, 3, 7])]),
            # Earlier than 8 by more than 2, 3 and 5 days.
            ({"test_size": "4D", "gap": "2D"}, [([1, 2, 4, 5, 6], [0, 3, 7])]),
            ({"test_size": "4D", "gap": "3 d"}, [([1, 2, 4, 5], [0, 3, 7])]),
            ({"test_size": "4D", "gap": timedelta(5)}, [([1, 4], [0, 3, 7])]),
            ({"test_size": 2, "gap": "24h"}, [([1, 2, 4, 5, 6], [0, 7])]),
            ({"test_size": 2, "gap": "1380min"}, [([1, 2, 3, 4, 5, 6], [0, 7])]),
        ],
    )  # fmt: skip
    @pytest.mark.parametrize("dates", DATES)
    def test_worked_by_hand(self, parameters, expected, dates):
        cv = TimeRangeSplit(**parameters)
        assert rows_of(cv, DATES[dates](LOG_DAY)) == expected
        assert cv.get_n_splits() == len(expected)

    @pytest.mark.parametrize("seed", range(3))
    @pytest.mark.parametrize("gap", ["0h", "30h"])
    def test_it_agrees_with_a_loop_over_rows(self, seed, gap):
        rng = np.random.RandomState(seed)
        n, hour = 300, np.timedelta64(1, "h")
        time = np.datetime64("2024-01-01T00", "s") + rng.randint(0, 700, n) * hour
        found = rows_of(TimeRangeSplit(3, test_size="4D", gap=gap), time)
        assert len(found) == 3
        stop = time.max()
        for train, test in found[::-1]:
            start = stop - 96 * hour
            within = [row for row in range(n) if start < time[row] <= stop]
            first = min(time[row] for row in within)
            past = [row for row in range(n) if first - time[row] > int(gap[:-1]) * hour]
            assert (train, test) == (past, within)
            stop = start

    def test_the_day_on_which_clocks_change_has_24_hours(self):
        # Two o'clock became three o'clock on 10 March 2024 in New York.
        local = ["2024-03-09T12:30", "2024-03-09T13:30", "2024-03-10T13:00"]
        time = pd.Series(pd.to_datetime(local)).dt.tz_localize("America/New_York")
        # 24 hours before 13:00 it was 12:00, since the night had an hour less.
        with pytest.raises(ValueError, match="no row to train on"):
            rows_of(TimeRangeSplit(test_size="1D"), time)
        assert rows_of(TimeRangeSplit(test_size="23h"), time) == [([0], [1, 2])]
        assert rows_of(TimeRangeSplit(test_size="22h"), time) == [([0, 1], [2])]

    def test_query_ids_are_not_read(self):
        day = np.arange(4)
        assert rows_of(TimeRangeSplit(test_size=1), day) == [([0, 1, 2], [3])]
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            rows_of(TimeRangeSplit(test_size=1), day, qid=list("abc"))

    def test_a_whole_log_is_split_by_its_columns(self):
        log = pd.DataFrame({"user": list(range(8)), "date": DATES["pandas"](LOG_DAY)})
        cv = TimeRangeSplit(test_size="4D", time="date")
        expected = [([1, 2, 4, 5, 6], [0, 3, 7])]
        for table in (log, pl.DataFrame(log)):
            assert [(a.tolist(), b.tolist()) for a, b in cv.split(table)] == expected

    @pytest.mark.parametrize(
        ("parameters", "time", "error", "message"),
        [
            ({"test_size": 6}, range(6), ValueError, "no row to train on in split 0"),
            ({"test_size": 9}, range(6), ValueError, "no row to train on in split 0"),
            ({}, [1] * 6, ValueError, "no row to train on.*begins at 1, and the gap=0"),
            ({"gap": 5}, range(6), ValueError, "no row to train on.*gap=5"),
            ({"test_size": "9999W"}, DAYS, ValueError, "no row to train on"),
            ({"n_splits": 2, "test_size": "2D"}, UNEVEN, ValueError, NO_ROW),
            ({"test_size": "7D"}, range(6), TypeError, NO_DATES),
            ({"test_size": "7D"}, [Decimal(1)] * 6, TypeError, "type Decimal: convert"),
            ({"gap": "7D"}, range(6), TypeError, "'gap' parameter of TimeRangeSplit"),
        ],
    )
    def test_what_cannot_be_split_is_refused(self, parameters, time, error, message):
        with pytest.raises(error, match=message):
            next(TimeRangeSplit(**parameters).split(X6, qid=QID6, time=time))


class TestLeaveLastOut:
    QID = list("abacbaab")
    TIME = [5, 1, 2, 4, 3, 9, 7, 2]  # a: rows 2, 0, 6, 5; b: rows 1, 7, 4; c: row 3
    REST = [0, 1, 2, 3, 6, 7]

    @pytest.mark.parametrize(
        ("parameters", "expected"),
        [
            ({}, [([0, 1, 2, 3, 6, 7], [4, 5])]),
            ({"n_last": 2}, [([0, 1, 2, 3], [4, 5, 6, 7])]),
            ({"n_last": 3}, [([1, 2, 3, 4, 7], [0, 5, 6])]),
            ({"n_splits": 2}, [([0, 1, 2], [6, 7]), ([0, 1, 2, 3, 6, 7], [4, 5])]),
            ({"n_splits": 3}, [([1, 2], [0]), ([0, 1, 2], [6, 7]), (REST, [4, 5])]),
        ],
    )
    def test_worked_by_hand(self, parameters, expected):
        cv = LeaveLastOut(**parameters)
        found = [
            (train.tolist(), test.tolist())
            for train, test in cv.split(self.QID, qid=self.QID, time=self.TIME)
        ]
        assert found == expected
        assert cv.get_n_splits(self.QID, qid=self.QID, time=self.TIME) == len(found)

    def test_of_rows_with_one_time_the_later_row_is_later(self):
        [(train, test)] = LeaveLastOut(2).split(X6, qid=list("aabbaa"), time=[0] * 6)
        assert train.tolist() == [0, 1, 2, 3]
        assert test.tolist() == [4, 5]

    @pytest.mark.parametrize("k", [1, 2, 5])
    @pytest.mark.parametrize("n_splits", [1, 3])
    def test_it_agrees_with_a_loop_over_queries(self, k, n_splits):
        qid, time = sessions(40, 500, 50)
        found = list(LeaveLastOut(k, n_splits=n_splits).split(qid, qid=qid, time=time))
        assert len(found) == n_splits
        for back, (train, test) in enumerate(found[::-1]):
            past, last = [], []
            for query in range(40):
                rows = [row for row in range(len(qid)) if qid[row] == query]
                rows.sort(key=lambda row: (time[row], row))
                rows = rows[: max(len(rows) - back * k, 0)]
                cut = len(rows) - k if len(rows) > k else len(rows)
                past += rows[:cut]
                last += rows[cut:]
            assert train.tolist() == sorted(past)
            assert test.tolist() == sorted(last)

    def test_queries_that_are_all_too_short_are_refused(self):
        cv = LeaveLastOut(2, n_splits=2)
        said = r"n_last=2, n_splits=2\) needs a query of more than 4 rows.*3"
        with pytest.raises(ValueError, match=said):
            next(cv.split(X6, qid=list("aaabbb"), time=range(6)))


@pytest.mark.parametrize("cv", SPLITTERS, ids=str)
@pytest.mark.parametrize(
    ("time", "error", "message"),
    [
        (range(5), ValueError, "inconsistent numbers of samples"),
        ([1, 2, np.nan, 4, 5, 6], ValueError, "'time' parameter.*missing values"),
        (np.array(["2024", "NaT"] * 3, "M8[D]"), ValueError, "'time'.*missing values"),
        ([1, 2, None, 4, 5, 6], ValueError, "'time' parameter.*missing values"),
        (np.zeros((6, 1)), ValueError, r"'time'.*shape \(n_samples,\)"),
        (["2024-01-01"] * 6, TypeError, "numbers or dates. Got '2024-01-01' of type"),
        (np.array(list("abcdef")), TypeError, "Text does not sort by time"),
        ([1, 2, 3, 4, 5, date(2024, 1, 1)], TypeError, "compared with each other"),
        (7, TypeError, "array-like"),
    ],
)
def test_bad_times_are_refused(cv, time, error, message):
    with pytest.raises(error, match=message):
        next(cv.split(X6, qid=list("ababcc"), time=time))


def test_times_in_another_order_of_rows_are_noticed():
    X, time = pd.DataFrame({"f": range(6)}), pd.Series(DAYS)
    cv = TimeRangeSplit(test_size="2D", time=time[::-1])
    with pytest.warns(UserWarning, match="X and time have the same labels"):
        list(cv.split(X))


MAY_5 = datetime(2026, 5, 5)


@pytest.mark.parametrize(
    "test_size",
    [
        *("2026-05-05", "2026-05-05T00:00", date(2026, 5, 5), np.datetime64(MAY_5)),
        *(MAY_5, pd.Timestamp(MAY_5), pd.Timestamp("2026-05-05T02:00+02:00")),
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "form",
    [
        lambda days: days,
        lambda days: pd.Series(days).dt.tz_localize("UTC"),
        lambda days: [day.date() for day in pd.Series(days)],
        lambda days: [day.to_pydatetime() for day in pd.Series(days)],
        lambda days: [day.replace(tzinfo=UTC) for day in pd.to_datetime(days)],
    ],
    ids=["NumPy", "zone", "dates", "datetimes", "datetimes with a zone"],
)
def test_a_date_tests_the_rows_from_then_on(test_size, form):
    time = form(
        np.datetime64("2026-05-01", "ns") + np.arange(6) * np.timedelta64(1, "D")
    )
    ((train, test),) = TimeRangeSplit(test_size=test_size).split(X6, time=time)
    assert (train.tolist(), test.tolist()) == ([0, 1, 2, 3], [4, 5])


def test_a_date_does_not_go_with_several_splits_or_numbers_as_times():
    with pytest.raises(ValueError, match=r"n_splits must be 1 if test_size is a date"):
        TimeRangeSplit(2, test_size="2026-05-05")
    with pytest.raises(TypeError, match=r"must be dates if .* times of type int64"):
        list(TimeRangeSplit(test_size="2026-05-05").split(X6, time=range(6)))
    with pytest.raises(ValueError, match=r"or a date such as .* Got '2026-99-05'"):
        TimeRangeSplit(test_size="2026-99-05")


def test_a_small_number_where_days_may_be_meant_is_noticed():
    time = np.datetime64("2026-05-01") + np.arange(200)
    with pytest.warns(UserWarning, match="counts rows, of 200. 14 days are"):
        list(TimeRangeSplit(test_size=14).split(np.zeros(200), time=time))
    cv = QueryTimeSeriesSplit(2, test_size=14)
    with pytest.warns(UserWarning, match="counts queries, of 200. 14 days are"):
        list(cv.split(np.zeros(200), qid=np.arange(200), time=time))
    list(cv.split(np.zeros(200), qid=np.arange(200), time=np.arange(200)))


def test_times_of_other_rows_name_the_column():
    cv = QueryTimeSeriesSplit(2, time=np.arange(9))
    with pytest.raises(ValueError, match=r"samples: \[6, 9\]. .* time='when'"):
        list(cv.split(X6, qid=QID6))
