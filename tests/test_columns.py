"""Query ids, times and items are found by name in every kind of table."""

# SPDX-License-Identifier: BSD-3-Clause

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from numpy.testing import assert_array_equal
from scipy import sparse

from skrank._columns import (
    drop_column,
    find_column,
    find_named,
    find_qid,
    in_utc,
    require_named,
    require_qid,
)
from skrank._ranking.ids import encode_qid

pytestmark = pytest.mark.slow_rows


DATA = {"a": [1, 2], "qid": ["x", "x"], "b": [3, 4]}
TABLES = {
    "pandas": pd.DataFrame(DATA),
    "polars": pl.DataFrame(DATA),
    "pyarrow table": pa.table(DATA),
    "pyarrow batch": pa.RecordBatch.from_pydict(DATA),
}
every_table = pytest.mark.parametrize("X", TABLES.values(), ids=list(TABLES))
INDEXED_X = pd.DataFrame({"a": [1, 2]}, index=pd.Index(["z", "z"], name="qid"))
Y = pd.Series([1, 0], index=pd.Index(["y", "y"], name="qid"))


def names(X):
    return list(getattr(X, "column_names", X.columns))


def values(found):
    return np.asarray(found).tolist()


@every_table
def test_query_ids_are_found_in_order(X):
    assert find_qid([1, 1], X=X, y=Y, groups=[2, 2]) == [1, 1]
    assert find_qid(X=X, y=Y, groups=[2, 2]) == [2, 2]
    assert values(find_qid(X=X, y=Y)) == ["x", "x"]
    assert values(find_qid(X=drop_column(X, "qid"), y=Y)) == ["y", "y"]


def test_the_index_of_y_comes_before_that_of_X():
    assert values(find_qid(X=INDEXED_X, y=Y)) == ["y", "y"]
    assert values(find_qid(X=INDEXED_X, y=[1, 0])) == ["z", "z"]
    assert values(find_qid(X=INDEXED_X.assign(qid="x"), y=Y)) == ["x", "x"]


def test_a_level_of_an_index_is_enough():
    levels = pd.MultiIndex.from_arrays([[0, 1], ["p", "q"]], names=["row", "qid"])
    for data in (pd.Series([1, 0], index=levels), pd.DataFrame([1, 0], index=levels)):
        assert values(find_qid(y=data)) == ["p", "q"]
        assert values(find_qid(X=data)) == ["p", "q"]
        assert values(find_named("row", X=data)) == [0, 1]


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (None, None),
        (np.zeros((2, 2)), np.zeros(2)),
        ([[1], [2]], [1, 2]),
        (sparse.csr_matrix((2, 2)), (1, 2)),
        (TABLES["pandas"][["a"]], pd.Series([1, 2])),
        (TABLES["polars"][["a"]], pl.Series([1, 2])),
        (TABLES["pyarrow table"].select(["a"]), pa.array([1, 2])),
        (
            pd.DataFrame(
                [[1, 2]], columns=pd.MultiIndex.from_tuples([("qid", 1), ("a", 1)])
            ),
            None,
        ),
        (pd.DataFrame([[1, 2]]), pd.Series([1], index=pd.Index([1], name="query"))),
    ],
)
def test_without_the_name_nothing_is_found(X, y):
    assert find_qid(X=X, y=y) is None


@every_table
def test_other_names_are_found_as_well(X):
    assert values(find_named("b", X=X)) == [3, 4]
    assert find_named("time", X=X) is None


@every_table
@pytest.mark.parametrize("position", [1, -2])
def test_a_position_is_found_in_every_table(X, position):
    assert values(find_column(X, position)) == ["x", "x"]
    rest = drop_column(X, position)
    assert names(rest) == ["a", "b"]
    assert type(rest) is type(X)


@every_table
def test_the_column_is_dropped_and_the_type_kept(X):
    assert names(drop_column(X, "qid")) == ["a", "b"]
    assert type(drop_column(X, "qid")) is type(X)
    assert names(X) == ["a", "qid", "b"]


def test_columns_of_the_same_name_are_all_kept():
    X = pd.DataFrame([[1, 2, 3]], columns=["a", "a", "qid"])
    assert drop_column(X, "qid").to_numpy().tolist() == [[1, 2]]


@pytest.mark.parametrize(
    "X",
    [
        np.zeros((2, 2)),
        TABLES["pandas"][["a"]],
        TABLES["polars"][["a"]],
        TABLES["pyarrow table"].select(["a"]),
        None,
    ],
)
def test_without_the_column_the_same_object_is_returned(X):
    assert drop_column(X, "qid") is X


def test_the_errors_name_all_places():
    assert require_named([1], "time", argument="time", caller="f") == [1]
    places = r".*as `time`.*column named 'at'.*index of y named 'at' \(or of X\)"
    with pytest.raises(ValueError, match="^F needs to know the time" + places):
        require_named(None, "at", argument="time", caller="F")


def test_the_error_without_query_ids_shows_the_calls_that_work():
    assert require_qid([1], "f") == [1]
    with pytest.raises(ValueError, match=r"^F needs to know which rows") as error:
        require_qid(None, "F", takes_groups=True)
    first, *calls, last = str(error.value).split("\n")
    assert first.endswith("Got no query ids. Pass them in one of these ways:")
    assert [call.strip() for call in calls] == [
        "fit(X, y, qid=qid)",
        "cross_validate(estimator, X, y, params={'qid': qid})",
        "a column 'qid' of a table X, or another one by F(..., qid_column='user_id')",
    ]
    assert "index of y or X named 'qid'" in last
    assert "sklearn.set_config(enable_metadata_routing=True)" in last
    assert "groups" not in last
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.raises(ValueError, match=r"G\(..., qid_column='user_id'\)") as error,
    ):
        require_qid(None, "f", of_column="G")
    assert "set_config" not in str(error.value)
    assert "`groups` reaches splitters only" in str(error.value)


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
