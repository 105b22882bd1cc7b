"""Query ids of every type are encoded exactly."""

# SPDX-License-Identifier: BSD-3-Clause

import datetime as dt
import decimal
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from skrank._ranking.ids import encode_qid, sorted_unique

BIG = 2**53  # from here on, floats no longer distinguish neighbouring integers
DAY = dt.datetime(2024, 1, 1)
NEXT = dt.datetime(2024, 1, 2)
LEAST, MOST, TOP = -(2**63), 2**63 - 1, 2**64 - 1
UUIDS = [uuid.UUID(int=1), uuid.UUID(int=2)]
TUPLES = [("u", 2), ("u", 1), ("u", 2)]
NANOS = np.array([10**18, 10**18 + 1], "M8[ns]")
MONTHS = pd.PeriodIndex(["2024-01", "2024-02"], freq="M")
DATETIMES = pd.Series(pd.to_datetime([NEXT, DAY, NEXT]))
POLARS_STRINGS = pl.Series(["b", "a", "b"])
ARROW_STRINGS = pa.array(["b", "a", "b"])
# Each chunk has a dictionary of its own, and one has a word that does not occur.
ARROW_CHUNKS = pa.chunked_array(
    [
        pa.DictionaryArray.from_arrays([0, 2], ["b", "c", "a"]),
        pa.DictionaryArray.from_arrays([0], ["b"]),
    ]
)

# Three rows each, of which the first and the last are of one query (but in the range),
# and the ids in their order (in the order of the rows where they are mixed).
IDS = {
    "list of int": ([7, 3, 7], [3, 7]),
    "tuple of int": ((7, 3, 7), [3, 7]),
    "range": (range(3, 0, -1), [1, 2, 3]),
    "bool": ([True, False, True], [False, True]),
    "float": ([0.5, -1.0, 0.5], [-1.0, 0.5]),
    "infinite": ([np.inf, -np.inf, np.inf], [-np.inf, np.inf]),
    "int8 of full range": (np.array([127, -128, 127], np.int8), [-128, 127]),
    "uint8 of full range": (np.array([255, 0, 255], np.uint8), [0, 255]),
    "int64 of full range": (np.array([MOST, LEAST, MOST]), [LEAST, MOST]),
    "uint64": (np.array([TOP, 0, TOP], np.uint64), [0, TOP]),
    "near uint64": (np.array([TOP, TOP - 1, TOP], np.uint64), [TOP - 1, TOP]),
    "beyond float": ([BIG + 1, BIG, BIG + 1], [BIG, BIG + 1]),
    "beyond int64": ([2**63 + 1, -1, 2**63 + 1], [-1, 2**63 + 1]),
    "beyond uint64": ([2**70 + 1, 2**70, 2**70 + 1], [2**70, 2**70 + 1]),
    "NumPy scalars of two types": ([np.uint64(7), np.int64(3), np.uint64(7)], [3, 7]),
    "int and float": ([BIG + 1, float(BIG), BIG + 1], [BIG, BIG + 1]),
    "str": (["b", "a", "b"], ["a", "b"]),
    "str that end in a zero": (["a\0", "a", "a\0"], ["a", "a\0"]),
    "NumPy str": (np.array(["b", "a", "b"]), ["a", "b"]),
    "bytes": ([b"b", b"a", b"b"], [b"a", b"b"]),
    "object": (np.array(["b", "a", "b"], object), ["a", "b"]),
    "mixed": (["1", 1, "1"], ["1", 1]),
    "tuples": (TUPLES, [("u", 1), ("u", 2)]),
    "tuples of one length": ([(1, 2), (0, 2), (1, 2)], [(0, 2), (1, 2)]),
    "tuples of two lengths": ([(1, 2), (1,), (1, 2)], [(1,), (1, 2)]),
    "records": (
        np.array([(1, "b"), (1, "a"), (1, "b")], [("user", int), ("day", "U1")]),
        [(1, "a"), (1, "b")],
    ),
    "decimals": ([decimal.Decimal(2), decimal.Decimal(1), decimal.Decimal(2)], [1, 2]),
    "uuid": ([UUIDS[1], UUIDS[0], UUIDS[1]], UUIDS),
    "datetime": ([NEXT, DAY, NEXT], [DAY, NEXT]),
    "datetime64": (np.array([NEXT, DAY, NEXT], "M8[s]"), [DAY, NEXT]),
    "nanoseconds": (NANOS[[1, 0, 1]], NANOS),
    "timedelta64": (np.array([2, 1, 2], "m8[D]"), np.array([1, 2], "m8[D]")),
    "pandas int": (pd.Series([7, 3, 7], index=[5, 5, 0]), [3, 7]),
    "pandas Int64": (pd.Series([BIG + 1, BIG, BIG + 1], dtype="Int64"), [BIG, BIG + 1]),
    "pandas boolean": (pd.Series([True, False, True], dtype="boolean"), [False, True]),
    "pandas string": (pd.Series(["b", "a", "b"], dtype="string"), ["a", "b"]),
    "pandas Categorical": (pd.Categorical(["b", "a", "b"]), ["a", "b"]),
    "pandas category": (pd.Series(["b", "a", "b"], dtype="category"), ["a", "b"]),
    "pandas ordered category": (
        pd.Series(pd.Categorical(["b", "a", "b"], ["b", "c", "a"], ordered=True)),
        ["a", "b"],
    ),
    "pandas category of int": (pd.Series([7, 3, 7], dtype="category"), [3, 7]),
    "pandas CategoricalIndex": (pd.CategoricalIndex(["b", "a", "b"]), ["a", "b"]),
    "pandas datetime": (DATETIMES, [pd.Timestamp(DAY), pd.Timestamp(NEXT)]),
    "pandas datetime with a time zone": (
        DATETIMES.dt.tz_localize("Europe/Vienna"),
        [pd.Timestamp(day, tz="Europe/Vienna") for day in (DAY, NEXT)],
    ),
    "pandas Period": (pd.Series(MONTHS[[1, 0, 1]]), [*MONTHS]),
    "pandas MultiIndex": (pd.MultiIndex.from_tuples(TUPLES), [("u", 1), ("u", 2)]),
    "polars int": (pl.Series([7, 3, 7]), [3, 7]),
    "polars UInt64": (pl.Series([TOP, 0, TOP], dtype=pl.UInt64), [0, TOP]),
    "polars String": (POLARS_STRINGS, ["a", "b"]),
    "polars Categorical": (POLARS_STRINGS.cast(pl.Categorical), ["a", "b"]),
    "polars Enum": (POLARS_STRINGS.cast(pl.Enum(["b", "a"])), ["a", "b"]),
    "polars Datetime": (pl.Series([NEXT, DAY, NEXT]), [DAY, NEXT]),
    "polars Boolean": (pl.Series([True, False, True]), [False, True]),
    "pyarrow string": (ARROW_STRINGS, ["a", "b"]),
    "pyarrow string in chunks": (pa.chunked_array([["b", "a"], ["b"]]), ["a", "b"]),
    "pyarrow large_string": (ARROW_STRINGS.cast(pa.large_string()), ["a", "b"]),
    "pyarrow dictionary": (ARROW_STRINGS.dictionary_encode(), ["a", "b"]),
    "pyarrow dictionary in chunks": (ARROW_CHUNKS, ["a", "b"]),
    "pyarrow int": (pa.array([7, 3, 7]), [3, 7]),
    "pyarrow float": (pa.array([0.5, -1.0, 0.5]), [-1.0, 0.5]),
    "pyarrow timestamp": (pa.array([NEXT, DAY, NEXT]), [DAY, NEXT]),
    "unmasked": (np.ma.array([7, 3, 7]), [3, 7]),
}

MISSING = {
    "NaN": [1.0, np.nan],
    "NaN in float16": np.array([1, np.nan], np.float16),
    "None": [1, None],
    "None only": [None, None],
    "None among str": ["a", None],
    "NaN among str": np.array(["a", np.nan], object),
    "Decimal NaN": [decimal.Decimal(1), decimal.Decimal("nan")],
    "NaT": np.array(["2024-01-01", "NaT"], "M8[D]"),
    "NaT of a duration": np.array([1, "NaT"], "m8[D]"),
    "pandas NA": pd.Series([1, None], dtype="Int64"),
    "pandas NA in a list": ["a", pd.NA],
    "pandas string": pd.Series(["a", None], dtype="string"),
    "pandas boolean": pd.Series([True, None], dtype="boolean"),
    "pandas str": pd.Series(["a", None]),
    "pandas category": pd.Series(["a", None], dtype="category"),
    "pandas Categorical": pd.Categorical(["a", None]),
    "pandas NaT": pd.Series(pd.to_datetime(["2024-01-01", None])),
    "pandas NaT with a time zone": pd.Series(
        pd.to_datetime(["2024-01-01", None])
    ).dt.tz_localize("UTC"),
    "part of a tuple": [("u", 1), ("u", None)],
    "part of a MultiIndex": pd.MultiIndex.from_tuples([("u", 1.0), ("u", np.nan)]),
    "polars int": pl.Series([1, None]),
    "polars String": pl.Series(["a", None]),
    "polars Categorical": pl.Series(["a", None], dtype=pl.Categorical),
    "polars Datetime": pl.Series([DAY, None]),
    "polars NaN": pl.Series([1.0, float("nan")]),
    "pyarrow string": pa.array(["a", None]),
    "pyarrow int in chunks": pa.chunked_array([[1], [None]], type=pa.int64()),
    "pyarrow dictionary": pa.array(["a", None]).dictionary_encode(),
    "pyarrow NaN": pa.array([1.0, float("nan")]),
    "masked": np.ma.array([1, 2], mask=[False, True]),
}


class TestEncode:
    @pytest.mark.parametrize("kind", IDS)
    def test_ids_of_every_kind_are_distinguished(self, kind):
        qid, expected = IDS[kind]
        ids, codes = encode_qid(qid, 3)
        assert isinstance(ids, np.ndarray)
        assert ids.shape == (len(expected),)
        assert all(one == other for one, other in zip(ids, expected, strict=True))
        assert codes.dtype.kind == "i"
        by_kind = {"range": [2, 1, 0], "mixed": [0, 1, 0]}
        assert codes.tolist() == by_kind.get(kind, [1, 0, 1])

    @pytest.mark.parametrize("kind", MISSING)
    def test_missing_ids_are_refused(self, kind):
        with pytest.raises(ValueError, match=r"a value for every row\. Got missing"):
            encode_qid(MISSING[kind])

    @pytest.mark.parametrize("seed", range(2))
    @pytest.mark.parametrize("dtype", ["i1", "u2", "i8", "f4", "U4", "M8[D]"])
    @pytest.mark.parametrize("order", ["sorted", "grouped", "mixed"])
    def test_it_agrees_with_np_unique(self, seed, dtype, order):
        rng = np.random.RandomState(seed)
        values = rng.randint(-100, 100, 30)
        if dtype == "u2":
            values = values + 100
        qid = np.repeat(values, rng.randint(1, 9, 30))
        qid = {"sorted": np.sort, "grouped": np.asarray, "mixed": rng.permutation}[
            order
        ](qid).astype(dtype)
        ids, codes = encode_qid(qid)
        expected, inverse = np.unique(qid, return_inverse=True)
        assert ids.dtype == expected.dtype
        assert_array_equal(ids, expected)
        assert_array_equal(codes, inverse)

    def test_integers_far_apart_are_distinguished(self):
        qid = np.random.RandomState(0).randint(0, 2**62, 50)[np.arange(200) % 50]
        expected, inverse = np.unique(qid, return_inverse=True)
        ids, codes = encode_qid(qid)
        assert_array_equal(ids, expected)
        assert_array_equal(codes, inverse)

    @pytest.mark.parametrize("kind", ["mixed", "tuples", "NumPy str", "int64"])
    def test_the_input_is_left_as_it_is(self, kind):
        qid = np.array([3, 1, 2]) if kind == "int64" else IDS[kind][0]
        before = list(qid)
        encode_qid(qid)
        assert list(qid) == before

    def test_no_rows_have_no_queries(self):
        for empty in (
            [],
            np.zeros(0, int),
            np.zeros(0, "U1"),
            pd.Series([], dtype=str),
            pa.array([], pa.string()),
            pa.chunked_array([], pa.string()),
        ):
            ids, codes = encode_qid(empty, 0)
            assert ids.shape == codes.shape == (0,)

    @pytest.mark.parametrize(
        ("qid", "error", "message"),
        [
            (np.zeros((3, 1)), ValueError, r"\(n_samples,\).*Got .*\(3, 1\)"),
            ([[1], [2], [3]], ValueError, r"Got .*\(3, 1\)"),
            (list(np.zeros((3, 2))), ValueError, r"Got .*\(3, 2\)"),
            (pd.DataFrame({"qid": [1, 2, 3]}), ValueError, r"Got .*\(3, 1\)"),
            (pl.DataFrame({"qid": [1, 2, 3]}), ValueError, r"Got .*\(3, 1\)"),
            (sparse.csr_matrix([[1], [2], [3]]), ValueError, r"Got .*\(3, 1\)"),
            (5, ValueError, r"Got .*\(\)"),
            ("abc", ValueError, r"Got 'abc' .*pass the column .*, X\['abc'\]"),
            ({1, 2, 3}, ValueError, r"Got .*\(\)"),
            ({1: 2}, ValueError, r"Got .*\(\)"),
            ([1j, 2j, 3j], ValueError, "complex"),
            (np.array([1j, 2, 3]), ValueError, "complex"),
            ([1, 2], ValueError, r"samples: \[3, 2\].*'qid'.*one value per row"),
            ([1, {}, 3], TypeError, "hashable"),
            (pl.Series([[1], [2], [3]]), TypeError, "hashable"),
            (pa.array(["a", "b"]), ValueError, r"samples: \[3, 2\].*'qid'"),
            (pa.table({"qid": [1, 2, 3]}), ValueError, r"Got .*\(3, 1\)"),
        ],
    )
    def test_what_is_no_list_of_ids_is_refused(self, qid, error, message):
        with pytest.raises(error, match=message):
            encode_qid(qid, 3)

    def test_objects_that_only_know_the_array_protocol_are_read_as_arrays(self):
        class Tensor:
            def __array__(self, dtype=None, copy=None):
                return np.array([7, 3, 7])

            def __iter__(self):
                return iter([object(), object(), object()])

        ids, codes = encode_qid(Tensor())
        assert ids.tolist() == [3, 7]
        assert codes.tolist() == [1, 0, 1]


@pytest.mark.slow
@pytest.mark.parametrize("n_ids", [3, 100_000])
@pytest.mark.parametrize("dtype", ["int64", "uint64", "M8[s]", "U7", "U20", "S5", "S8"])
def test_many_scattered_ids_are_encoded_as_unique_does(dtype, n_ids):
    # So many that ids meet in the table of hashes and have to try again.
    rng = np.random.default_rng(0)
    values = rng.integers(2**62, size=n_ids)
    if np.dtype(dtype).kind in "US":
        values = values % 10**5
    qid = values.astype(dtype)[rng.integers(n_ids, size=150_000)]
    ids, codes = encode_qid(qid)
    expected_ids, expected_codes = np.unique(qid, return_inverse=True)
    np.testing.assert_array_equal(ids, expected_ids)
    np.testing.assert_array_equal(codes, expected_codes)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["U20", "S20"])
def test_many_ids_that_begin_alike_are_distinguished(dtype):
    # They are compared in words of 8 bytes, of which the last one alone differs.
    numbers = np.random.default_rng(1).permutation(50_000)
    qid = np.char.mod("the-document-%d", numbers).astype(dtype)
    ids, codes = encode_qid(qid)
    assert ids.tolist() == sorted(qid.tolist())
    np.testing.assert_array_equal(ids[codes], qid)


WORDS = ["", "a", "a\0b", "ab", "b", "Ä", "ä", "日本", "𒀀", "a" * 22, "a" * 21 + "b"]


@pytest.mark.parametrize("dtype", ["U22", ">U22", "<U23", "U25", "S6", "S7", "S8", "O"])
@pytest.mark.parametrize("order", ["rising", "grouped", "scattered", "late"])
def test_text_of_every_width_is_encoded_as_unique_does(dtype, order):
    words = np.array(sorted(WORDS), "U25")
    if dtype[0] == "S":
        words = np.array([b"", b"\1", b"\xff", b"a", b"a\0b", b"ab", b"abcdef"])
    rng = np.random.default_rng(0)
    which = np.repeat(np.arange(len(words)), rng.integers(1, 400, len(words)))
    if order == "grouped":
        words = rng.permutation(words)
    elif order != "rising":  # the first thousand rows may look as if they were grouped
        start = 1100 if order == "late" else 0
        which[start:] = rng.permutation(which[start:])
    qid = words.astype(dtype)[which]
    if dtype == "S7":  # with other bytes between the ids
        qid = np.rec.fromarrays([qid, qid[::-1]], names="id,other")["id"]
    ids, codes = encode_qid(qid)
    expected, inverse = np.unique(qid, return_inverse=True)
    assert ids.tolist() == expected.tolist()
    assert_array_equal(codes, inverse)
    if dtype != "O":
        assert ids.dtype == expected.dtype
        if dtype[0] == "U" and np.lib.NumpyVersion(np.__version__) >= "2.0.0":
            qid = qid.astype("U25").astype(np.dtypes.StringDType())
        assert_array_equal(encode_qid(qid)[1], inverse)


def test_ids_that_rise_are_copied():
    qid = np.arange(3000) * 7
    ids, _ = encode_qid(qid)
    qid[:] = 0
    assert ids.tolist() == list(range(0, 21_000, 7))


@pytest.mark.parametrize("values", [[], [7], [3, 0, 3, -2, 10**15, 0, 3]])
def test_distinct_values_are_those_of_a_set_in_ascending_order(values):
    given = np.array(values, dtype=np.int64)
    assert sorted_unique(given).tolist() == sorted(set(values))
    assert given.tolist() == values  # it was not sorted itself
