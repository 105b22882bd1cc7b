"""Query ids, times and items are found by name in every kind of table."""

# SPDX-License-Identifier: BSD-3-Clause

import datetime
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

from skrank._input.frames import as_frame, drop_column, find_column, in_utc
from skrank._input.query_ids import find_named
from skrank._ranking.ids import encode_qid

DATA = {"a": [1, 2], "qid": ["x", "x"], "b": [3, 4]}
TABLES = {
    "pandas": pd.DataFrame(DATA),
    "polars": pl.DataFrame(DATA),
    "pyarrow table": pa.table(DATA),
    "pyarrow batch": pa.RecordBatch.from_pydict(DATA),
}
every_table = pytest.mark.parametrize("X", TABLES.values(), ids=list(TABLES))


def names(X):
    return list(getattr(X, "column_names", X.columns))


def values(found):
    return np.asarray(found).tolist()


@every_table
@pytest.mark.parametrize("column", ["qid", 1, -2])
def test_a_column_is_found_and_dropped_in_every_table(X, column):
    assert values(find_column(X, column)) == ["x", "x"]
    rest = drop_column(X, column)
    assert names(rest) == ["a", "b"]
    assert type(rest) is type(X)
    assert names(X) == ["a", "qid", "b"]
    assert values(find_named("b", X=X)) == [3, 4]
    assert find_named("time", X=X) is None


def test_columns_of_the_same_name_are_all_kept():
    X = pd.DataFrame([[1, 2, 3]], columns=["a", "a", "qid"])
    assert drop_column(X, "qid").to_numpy().tolist() == [[1, 2]]


def test_the_libraries_that_a_frame_may_be_of_are_listed():
    with pytest.raises(ValueError, match="'kind' parameter of to_frame") as error:
        as_frame({}, "panda")
    said = "a str among {'pandas', 'polars', 'pyarrow'}. Got 'panda' instead."
    assert str(error.value).endswith(said)


def test_times_with_a_zone_become_those_of_utc():
    local = pd.to_datetime(["2024-03-10T01:30", "2024-03-10T03:30"])
    local = local.tz_localize("America/New_York")  # the hour between them is left out
    utc = np.array(["2024-03-10T06:30", "2024-03-10T07:30"], dtype="datetime64[s]")
    for times in (local, pd.Series(local)):
        assert_array_equal(np.asarray(in_utc(times)), utc)
        assert np.asarray(in_utc(times)).dtype.kind == "M"
    for times in (utc, [1, 2], pd.Series(utc), pl.Series(local.to_list())):
        assert in_utc(times) is times


DAY = datetime.date(2024, 1, 1)
NOON = datetime.datetime(2024, 1, 1, 12)
ARROW = {
    "integers": ([7, 3, 7, 3], None),
    "unsigned": ([7, 2**64 - 1, 7, 7], pa.uint64()),
    "floats": ([0.5, 0.25, 0.5, 0.5], None),
    "text": (["b", "a", "b", "b"], None),
    "large text": (["b", "a", "b", "b"], pa.large_string()),
    "dates": ([DAY, DAY + datetime.timedelta(1), DAY, DAY], None),
    "times": ([NOON, NOON + datetime.timedelta(1), NOON, NOON], None),
    "booleans": ([True, False, True, True], None),
    "bytes": ([b"b", b"a", b"b", b"b"], None),
    "decimals": ([2, 1, 2, 2], pa.decimal128(5)),
}


@pytest.mark.parametrize("kind", ARROW)
def test_ids_of_pyarrow_are_encoded_as_those_of_a_list_are(kind):
    ids, dtype = ARROW[kind]
    array = pa.array(ids, dtype)
    _, expected = encode_qid(ids)
    chunked = pa.chunked_array([array[:1], array[1:]])
    for qid in (array, chunked, array[::1], pa.table({"qid": chunked})["qid"]):
        found, codes = encode_qid(qid, 4)
        assert len(found) == 2
        assert_array_equal(codes, expected)
    for qid in (array.dictionary_encode(), chunked.dictionary_encode()):
        if kind not in ("decimals", "booleans"):
            assert_array_equal(encode_qid(qid)[1], expected)


@pytest.mark.parametrize("ids", [[1, None], ["a", None]])
def test_missing_ids_of_pyarrow_raise_an_error(ids):
    for qid in (pa.array(ids), pa.chunked_array([ids])):
        with pytest.raises(ValueError, match="missing values"):
            encode_qid(qid)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_the_error_names_a_library_that_is_not_installed(monkeypatch, kind):
    monkeypatch.setitem(sys.modules, kind, None)
    with pytest.raises(ImportError, match=f"kind='{kind}' needs `pip install {kind}`"):
        as_frame({"qid": np.arange(2)}, kind)
