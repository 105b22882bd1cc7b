"""Types and names of files and data frames, and the errors of bad ones."""

# SPDX-License-Identifier: BSD-3-Clause

import datetime
import decimal
import gzip
import os
import sys
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from skrank._shell.commands import main
from skrank.metrics import of_items, score_queries
from skrank.tables import align, score_table
from tests.studies import random_sources
from tests.tables.sources import SMALL


def write(folder, rows, name="t.csv", header="qid,y_true,y_score"):
    """Write a CSV file and return its path."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([header, *rows, ""]))
    return path


def ids(source, **params):
    return score_table(source, "mrr", **params).keys["qid"].tolist()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_random_tables_are_scored_as_lists_or_refused_by_name(tmp_path):
    found = []
    for seed in range(50):
        (tmp_path / str(seed)).mkdir()
        found.append(random_sources.outcome(seed, tmp_path / str(seed))[0])
        assert found[-1] in ("equal", "refused", "cannot be made"), seed
    assert found.count("equal") > 18
    assert found.count("refused") > 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1.1", "1.10"),
        ("1e5", "100000"),
        ("TRUE", "true"),
        ("007", "7"),
        ("+3", "3"),
        (" 4", "4"),
        ("-0", "0"),
        ("2020-01-01", "2020-1-1"),
        ("1" * 45, "1" * 44 + "2"),
    ],
)
def test_ids_that_differ_as_text_are_different_queries(one, other, tmp_path):
    path = write(tmp_path, [f"{one},1,2", f"{other},0,1", f"{other},1,0"])
    scores = score_table(path, "mrr")
    assert scores.keys["qid"].tolist() == sorted([one, other])
    # The first relevant document of the second query is at rank 2.
    assert scores.summary() == {"mrr": (1 + 1 / 2) / 2}
    if one == "007":
        assert ids(path, by="y_true") == [one, other, other]


@pytest.mark.slow
def test_ids_of_csv_files_are_text(tmp_path):
    assert ids(write(tmp_path, ["17,1,1", "-5,1,1", "9,1,1"])) == ["-5", "17", "9"]
    assert ids(write(tmp_path, ["17,1,1", "-5,1,1", "00,1,1"])) == ["-5", "00", "17"]


@pytest.mark.slow
def test_the_last_of_many_csv_files_decides_on_types_too(tmp_path):
    for i in range(12):
        write(tmp_path, [f"{i},1,1", f"{i},0,2"], f"{i:02}.csv")
    write(tmp_path, ["007,1,0.25", "007,0,0.5", "7,1,0.75"], "99.csv")
    scores = score_table(tmp_path, "mrr")
    assert {"007", "7", "0", "11"} <= {*scores.keys["qid"].tolist()}
    assert len(scores.keys["qid"]) == 13
    # Query 7 has a document of score 0.75 and two others of scores 1 and 2: with 0.25
    # read as 0 and 0.75 as 1, it would be tied.
    assert scores.summary()["mrr"] == pytest.approx((12 * 1 / 2 + 1 / 2) / 13)


@pytest.mark.slow
def test_each_csv_file_may_have_its_own_delimiter_and_order_of_columns(tmp_path):
    write(tmp_path, ["a,1,2", "a,0,3"], "1.csv")
    write(tmp_path, ["1;b;2"], "2.csv", header="y_score;qid;y_true")
    (tmp_path / "3.tsv.gz").write_bytes(
        gzip.compress(b'other\ty_true\t"qid"\ty_score\r\nx\t1\t"a"\t4\r\n')
    )
    scores = score_table(tmp_path, "mrr")
    assert scores.keys["qid"].tolist() == ["a", "b"]
    assert scores.values[0, 0].tolist() == [1, 1]


def test_names_of_columns_may_differ_only_in_their_case(tmp_path):
    path = write(tmp_path, ["a,x,1,1"], header="QID,qid,y_true,y_score")
    assert ids(path) == ["x"]


def write_parts(folder, name, *columns):
    """Write a Parquet file for each column, of other values than `name` as in SMALL."""
    folder.mkdir()
    for i, column in enumerate(columns):
        part = {key: pa.array(values) for key, values in SMALL.items()}
        pq.write_table(pa.table(part | {name: column}), folder / f"{i}.parquet")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("is_reversed", [False, True])
def test_parts_of_parquet_keep_their_values_whatever_the_first_is_called(
    is_reversed, tmp_path
):
    whole, halves = pa.array([2, 1, 1], pa.int32()), pa.array([0.25, 0.5, 0.75])
    parts = [whole, halves][:: -1 if is_reversed else 1]
    scores = score_table(write_parts(tmp_path / "t", "y_score", *parts), "mrr")
    # Query 1: the scores 2 and .25 of relevant documents, 1 and .5 of others.
    assert scores.values[0, 0].tolist() == [1, 1]
    whole, beyond = pa.array([1, 1, 2], pa.int8()), pa.array([1, 300, 300])
    parts = [whole, beyond][:: -1 if is_reversed else 1]
    assert ids(write_parts(tmp_path / "q", "qid", *parts)) == [1, 2, 300]


@pytest.mark.parametrize(
    ("kind", "other"),
    [
        (pa.int64(), pa.string()),
        (pa.int64(), pa.float64()),
        (pa.int64(), pa.uint64()),
        (pa.int64(), pa.bool_()),
        (pa.int64(), pa.decimal128(20, 1)),
        (pa.timestamp("us"), pa.timestamp("ns")),
        (pa.string(), pa.date32()),
    ],
)
def test_parts_of_parquet_with_types_that_do_not_fit_are_refused(kind, other, tmp_path):
    values = pa.array([1, 1, 2])
    if kind == pa.string():
        values, others = pa.array(["1", "1", "2"]), values.cast(pa.int32()).cast(other)
    else:
        others = values.cast(other)
        values = values.cast(kind)
    folder = write_parts(tmp_path / "t", "qid", values, others)
    with pytest.raises(ValueError, match=r"'qid' must have one type.*0\.parquet.* and"):
        score_table(folder, "mrr")


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ([pa.int8(), pa.int64(), pa.uint16()], "iu"),
        ([pa.uint8(), pa.uint64()], "iu"),
        ([pa.float32(), pa.float64(), pa.int32()], "f"),
        ([pa.int16(), pa.float32()], "f"),
        ([pa.int32(), pa.float32()], "f"),
    ],
)
def test_parts_of_parquet_whose_types_fit_are_scored(kinds, expected, tmp_path):
    parts = [pa.array([1, 1, 2]).cast(kind) for kind in kinds]
    found = score_table(write_parts(tmp_path / "t", "qid", *parts), "mrr").keys["qid"]
    assert found.tolist() == [1, 2]
    assert found.dtype.kind in expected


def test_integers_that_a_float_does_not_hold_are_not_made_such_floats(tmp_path):
    integers = pa.array([2**24, 2**24, 2**24 + 1], pa.int32())
    floats = pa.array([1.5, 1.5, 2.5], pa.float32())
    found = ids(write_parts(tmp_path / "t", "qid", integers, floats))
    assert found == [1.5, 2.5, 2**24, 2**24 + 1]


@pytest.mark.slow
def test_folders_neither_add_nor_override_a_column(tmp_path):
    path = tmp_path / "y_true=0" / "day=3" / "r.parquet"
    path.parent.mkdir(parents=True)
    pq.write_table(pa.table(SMALL), path)
    assert score_table(tmp_path, "mrr").summary() == {"mrr": 1.0}
    with pytest.raises(ValueError, match=r"r\.parquet' has no column 'day'"):
        score_table(tmp_path, "mrr", by="day")
    path.unlink()
    write(path.parent, ["1,1,2", "1,0,1", "2,1,1"])
    assert score_table(tmp_path, "mrr").summary() == {"mrr": 1.0}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        *(".ipynb_checkpoints/0-checkpoint.parquet", "day/_temporary/0.parquet"),
        *("_delta_log/0.checkpoint.parquet", "._0.parquet", "_SUCCESS"),
        *("README.md", "1.csv/README"),
    ],
)
def test_a_folder_is_read_as_other_tools_read_it(name, tmp_path):
    folder = tmp_path / "_out" / ".today"  # only names below the folder count
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_bytes(b"\0\5\x16\7")
    if name.endswith(".parquet") and name != "._0.parquet":
        pq.write_table(pa.table(SMALL), folder / name)
    with pytest.raises(FileNotFoundError, match="holds no file that ends with "):
        score_table(folder, "mrr")
    pq.write_table(pa.table(SMALL), folder / "0.parquet")
    assert score_table(folder, "num_ret").summary() == {"num_ret": 3}
    if name[0] in "._d":
        assert pq.read_table(folder).num_rows == 3


@pytest.mark.slow
@pytest.mark.parametrize("name", ["", "a\0b"])
def test_a_column_whose_name_no_engine_takes_is_refused_by_every_reader(name, tmp_path):
    columns = {name if one == "qid" else one: SMALL[one] for one in SMALL}
    frame = pd.DataFrame(columns)
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    sources = [frame, pa.table(columns), tmp_path / "t.csv", tmp_path / "t.parquet"]
    for source in sources + [pl.DataFrame(columns)] * (name == ""):
        with pytest.raises(ValueError, match="need a name without NUL"):
            score_table(source, "mrr", qid=name)
        score_table(source, "mrr", qid="y_true")  # which does not read it


def test_decimals_with_more_digits_than_duckdb_reads_are_refused(tmp_path):
    large = [decimal.Decimal(10**45), decimal.Decimal(10**45 + 1), decimal.Decimal(1)]
    table = pa.table(SMALL | {"qid": pa.array(large, pa.decimal256(50, 0))})
    pq.write_table(table, tmp_path / "t.parquet")
    for source in (tmp_path / "t.parquet", table):
        with pytest.raises(ValueError, match=r"'qid'.* must have .*cast it"):
            score_table(source, "mrr")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["y_true", "y_score"])
def test_decimals_that_would_become_one_float_are_refused(name):
    close = [decimal.Decimal(f"0.3000000000000000000{i}") for i in (1, 2, 3)]
    with pytest.raises(ValueError, match=rf"'{name}' must hold numbers that a float"):
        score_table(pa.table(SMALL | {name: pa.array(close)}), "mrr")
    plain = [decimal.Decimal(text) for text in ("0.3", "12345.1", "-7.25")]
    column = pa.array(plain).cast(pa.decimal128(38, 30))
    found = score_table(pa.table(SMALL | {"y_score": column}), "mrr").summary()
    assert found == {"mrr": (1 / 2 + 1) / 2}


@pytest.mark.slow
def test_tied_documents_are_ordered_by_their_ids_text_or_integers(tmp_path):
    # As text, "9" comes after "10": with descending ids it is first.
    table = {"qid": [1, 1], "y_true": [1, 0], "y_score": [1.0, 1.0]}
    rules = {"doc_order": "descending", "ties": "first", "doc_id": "doc"}
    for first, second, value, of_text in ((10, 9, 1, 1 / 2), (9, 10, 1 / 2, 1)):
        found = score_table(pa.table(table | {"doc": [first, second]}), "mrr", **rules)
        assert found.summary() == {"mrr": value}
        rows = [f"1,1,1,{first}", f"1,0,1,{second}"]
        path = write(tmp_path, rows, header="qid,y_true,y_score,doc")
        assert score_table(path, "mrr", **rules).summary() == {"mrr": of_text}


def test_items_of_csv_files_meet_integers(tmp_path):
    rows = ["1,10,2", "1,9,1", "2,9,1", "2,3,0"]
    path = write(tmp_path, rows, header="qid,item,y_score")
    rules = {"metrics": "neg_popularity@1", "y_true": None}
    views = {10: 3.0, 9: 5.0}
    for table in (views, {"10": 3.0, "9": 5.0}, [0.0] * 9 + [5.0, 3.0]):
        column = of_items(table, "item")
        found = score_table(path, **rules, popularity=column).summary()
        assert found == {"neg_popularity@1": -(3 + 5) / 2}
    path = write(tmp_path, ["1,010,2"], header="qid,item,y_score")
    with pytest.raises(ValueError, match=r"no item '010' of type str .* of type int"):
        score_table(path, **rules, popularity=of_items(views, "item"))


NAMES = ["run[1]", "all*", "a[b", "x]y", "*[?]*"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
@pytest.mark.parametrize(
    ("name", "ending"),
    [(name, "csv") for name in NAMES]
    + [("*[?]*", ending) for ending in ("csv.gz", "parquet")],
)
def test_the_name_of_a_file_that_exists_is_not_read_as_a_pattern(
    name, ending, tmp_path
):
    folder = tmp_path / f"in {name}"
    folder.mkdir()
    other = pd.DataFrame(SMALL).assign(qid=[8, 9, 9], y_true=[0, 1, 1])
    for path, frame in (
        (folder / f"{name}.{ending}", pd.DataFrame(SMALL)),
        (tmp_path / f"run1.{ending}", other),
        (tmp_path / f"allx.{ending}", other),
    ):
        if ending.startswith("csv"):
            frame.to_csv(path, index=False)
        else:
            frame.to_parquet(path)
    expected = [1, 2] if ending == "parquet" else ["1", "2"]
    for path in (folder / f"{name}.{ending}", folder):
        assert ids(path) == expected
    (folder / f"{name}.{ending}").rename(tmp_path / f"{name}.{ending}")
    assert ids(tmp_path / f"{name}.{ending}") == expected
    if name == "run[1]":
        assert ids(tmp_path / "r*1.csv") == ["8", "9"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
def test_align_and_the_command_line_take_such_names(capsys, tmp_path):
    run = write(tmp_path, ["1,a,2", "1,b,1"], "run[1].csv", "qid,doc_id,score")
    write(tmp_path, ["1,b,2", "1,a,1"], "run1.csv", "qid,doc_id,score")
    qrels = write(tmp_path, ["1,a,1"], "q*?.csv", "qid,doc_id,grade")
    assert align(qrels, run).y_score.tolist() == [2, 1]
    assert main(["evaluate", str(qrels), str(run), "-m", "mrr"]) == 0
    assert "1.0000" in capsys.readouterr().out
    for name, text in (("q[1].txt", "1 0 a 1\n"), ("r[1].txt", "1 Q0 a 1 2.5 t\n")):
        (tmp_path / name).write_text(text)
    aligned = align(tmp_path / "q[1].txt", tmp_path / "r[1].txt")
    assert aligned.y_score.tolist() == [2.5]


@pytest.mark.slow
def test_ids_of_align_in_files_are_those_of_the_text(tmp_path):
    qrels = write(tmp_path, ["1.10,007,1", "1.1,7,1"], "q.csv", "qid,doc_id,grade")
    run = write(tmp_path, ["1.1,7,2.5", "1.1,07,2"], "r.csv", "qid,doc_id,score")
    aligned = align(qrels, run)
    assert aligned.qid.tolist() == ["1.1", "1.1", "1.10"]
    assert {*aligned.doc_id.tolist()} == {"7", "07", "007"}
    long = "1" * 25
    qrels = write(tmp_path, [f"1,{long},1"], "q.csv", "qid,doc_id,grade")
    run = write(tmp_path, [f"1,{long},2"], "r.csv", "qid,doc_id,score")
    assert align(qrels, run).doc_id.tolist() == [long]


HEADER = "qid,y_true,y_score\n"
ROW = HEADER + "1,1,2\n"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", ROW + "1,0\n", r"of '.*t\.csv' must hold 3 fields.* 2 on line 3"),
        ("t.csv", ROW + "1,0,3,4\n", r"t\.csv' must hold 3 fields.* 4 on line 3"),
        ("t.csv", "", r"t\.csv' must hold a table\. Got 0 bytes"),
        ("t.parquet", "", r"t\.parquet' must hold a table\. Got 0 bytes"),
        ("t.csv", "\n1,1,1\n", r"t\.csv' must hold the names of the columns"),
        ("t.csv", HEADER, "The source has no rows"),
        ("t.csv", '"a\n",' + HEADER, r"t\.csv' must hold the names .* Got '\"a'"),
        ("t.csv", "x" * 200_000, r"t\.csv' must hold the names .* Got 'x+\.\.\."),
        ("t.csv", HEADER + "1,1,x\n", r"'y_score' of '.*t\.csv' must hold .*Got 'x'"),
        ("t.csv", HEADER + "1,1,1_0\n", r"'y_score' of '.*t\.csv' must hold numbers"),
        ("t.csv", HEADER + "1,,1\n", "'y_true' has 1 missing"),
        ("t.csv", HEADER + '"1,1,1\n', r"t\.csv' must be CSV.*is not closed.*line 2"),
        ("t.csv", HEADER + "\udce9,1,1\n", r"t\.csv' must be CSV.*not UTF-8.*line 2"),
        ("t.csv", f"qid,{HEADER}1,2,1,1\n", r"t\.csv' must have one column 'qid'"),
        ("t.csv", "qid,y_true,y_scor\n1,2,1\n", r"t\.csv' has no column 'y_score'. "),
    ],
)  # fmt: skip
def test_bad_files_are_refused_with_their_name_and_column(
    name, content, message, tmp_path
):
    (tmp_path / name).write_bytes(content.encode(errors="surrogateescape"))
    with pytest.raises(ValueError, match=message):
        score_table(tmp_path / name, "mrr")


@pytest.mark.slow
def test_a_short_row_far_down_is_found_in_its_file(tmp_path):
    rows = [f"{i},1,{i}" for i in range(30_000)]
    write(tmp_path, rows, "1.csv")
    write(tmp_path, [*rows, "5"], "2.csv")
    with pytest.raises(ValueError, match=r"2\.csv'.* hold 3 fields.* 1 on line 30002"):
        score_table(tmp_path, "mrr")


def damaged(path, name):
    """Write a Parquet file in which the pages of a column are not what they were."""
    rng = np.random.default_rng(0)
    columns = {"qid": np.arange(5000) // 5, "y_true": rng.integers(0, 2, 5000)}
    pq.write_table(pa.table(columns | {"y_score": rng.random(5000)}), path)
    place = pq.read_metadata(path).row_group(0)
    column = place.column(["qid", "y_true", "y_score"].index(name))
    start = column.dictionary_page_offset or column.data_page_offset
    data = bytearray(path.read_bytes())
    size = column.total_compressed_size
    data[start : start + size] = b"\xff" * size
    path.write_bytes(bytes(data))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["qid", "y_true", "y_score"])
def test_damaged_pages_are_found_in_their_file(name, tmp_path):
    for i in range(3):
        pq.write_table(pa.table(SMALL), tmp_path / f"{i}.parquet")
    damaged(tmp_path / "1.parquet", name)
    with pytest.raises(
        (ValueError, OSError), match=r"cannot read .*1\.parquet'"
    ) as error:
        score_table(tmp_path, "mrr")
    assert not isinstance(error.value, (duckdb.Error, pa.ArrowException))


@pytest.mark.slow
def test_a_file_that_is_cut_off_is_named(tmp_path):
    for i in range(3):
        pq.write_table(pa.table(SMALL), tmp_path / f"{i}.parquet")
    (tmp_path / "t.csv.gz").write_text(ROW)
    with pytest.raises(OSError, match=r"cannot read .*t\.csv\.gz'.* GZIP"):
        score_table(tmp_path / "t.csv.gz", "mrr")
    (tmp_path / "t.csv.gz").unlink()
    data = (tmp_path / "1.parquet").read_bytes()
    (tmp_path / "1.parquet").write_bytes(data[:-20])
    with pytest.raises((ValueError, OSError), match=r"cannot read .*1\.parquet'"):
        score_table(tmp_path, "mrr")


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has a full disk")
def test_a_full_disk_is_an_error_with_the_folder_and_the_cure(monkeypatch):
    new_file = pa.ipc.new_file
    monkeypatch.setattr(pa.ipc, "new_file", lambda _, like: new_file("/dev/full", like))
    rows = np.arange(3 * 10**6)
    table = pa.table({"qid": rows % 10**5, "y_true": rows % 3, "y_score": rows})
    with pytest.raises(OSError, match=r"needs more disk.*TMPDIR"):
        score_table(table, "mrr")


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"qid": ["a", "b"]}, r"'qid' parameter of score_table .* by=\['b'\]"),
        ({"qid": None}, "'qid' parameter of score_table must be a str"),
        ({"y_true": 3}, "'y_true' parameter of score_table must be a str"),
        ({"judged": ["a"]}, "'judged' parameter of score_table must be a str"),
        ({"doc_id": ("a", "b")}, "'doc_id' parameter of score_table must be a str"),
        ({"sample_weight": [1.0]}, "'sample_weight' parameter of score_table must be"),
        ({"by": 3}, "'by' parameter of score_table must be a str"),
        ({"by": [3]}, "'by' parameter of score_table must be a str"),
        ({"returned": ["a"]}, "'returned' parameter of score_table must be a str"),
        ({"returned": {"x": "y_true"}}, "'returned' parameter of score_table"),
        ({"y_score": {"x": 3}}, "'y_score' parameter of score_table must name"),
    ],
)  # fmt: skip
def test_a_parameter_that_names_one_column_takes_one_name(params, message):
    with pytest.raises(ValueError, match=message):
        score_table(pa.table(SMALL), "mrr", **params)


def test_the_columns_of_align_have_one_name_each():
    for name in ("qid", "doc_id", "grade", "score"):
        with pytest.raises(ValueError, match=f"'{name}'.* of align must be a str"):
            align({}, {}, **{name: ["a", "b"]})


day = datetime.date(2020, 1, 1)
noon = datetime.datetime(2020, 1, 1, 12)


@pytest.mark.parametrize(
    "mixed",
    [[1, "1", 1], ["a", b"a", "b"], [True, 1, 0], [day, noon, day], [1, (1,), 2]],
)
def test_objects_of_several_types_are_refused_in_a_column(mixed):
    frame = pd.DataFrame(SMALL | {"qid": pd.Series(mixed, dtype=object)})
    with pytest.raises(ValueError, match=r"'qid' must hold values of one type. Got "):
        score_table(frame, "mrr")


@pytest.mark.slow
def test_values_that_arrow_does_not_hold_are_refused_with_their_column():
    for column in ([10**30, 1, 2], [(1, "a"), (2, "b"), (3, "c")], [1j, 2j, 3j]):
        frame = pd.DataFrame(SMALL | {"qid": pd.Series(column)})
        with pytest.raises(ValueError, match="'qid' must hold numbers, text or dates"):
            score_table(frame, "mrr")
    with pytest.raises(ValueError, match=r"does not hold: .*type 15"):  # complex ids
        score_table(frame, "mrr")
    series = pl.Series([object(), object(), object()], dtype=pl.Object)
    with pytest.raises(ValueError, match="'qid' must hold numbers, text or dates"):
        score_table(pl.DataFrame(SMALL).with_columns(qid=series), "mrr")


def test_ids_that_are_lists_are_refused():
    table = pa.table(SMALL | {"qid": [["a, b"], ["a", "b"], ["c"]]})
    with pytest.raises(ValueError, match=r"'qid' must hold numbers, text or dates"):
        score_table(table, "mrr")


@pytest.mark.slow
def test_ids_whose_nanoseconds_would_be_lost_are_refused_or_kept(tmp_path):
    for kind in (pa.timestamp("ns"), pa.timestamp("ns", "UTC"), pa.time64("ns")):
        table = pa.table(SMALL | {"qid": pa.array([1, 1, 2], kind)})
        pq.write_table(table, tmp_path / "t.parquet")
        for source in (table, tmp_path / "t.parquet"):
            try:
                n_queries = score_table(source, "mrr").values.shape[2]
            except ValueError as error:
                n_queries = 2 if "'qid'" in str(error) else 0
            assert n_queries == 2


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
@pytest.mark.parametrize(
    "qid", [[(1, "a"), (2, "b")], [(1, 2), (3, 4)], [1, "a"], [{1}, {2}]]
)
def test_ids_that_a_data_frame_does_not_hold_are_refused_by_name(kind, qid):
    qid = [frozenset(one) if isinstance(one, set) else one for one in qid]
    scores = score_queries([1, 1], [1, 2], "mrr", qid=qid)
    with pytest.raises(ValueError, match=r"'qid' must hold .*pass kind=\"pandas\""):
        scores.to_frame(kind)
    assert scores.to_frame("pandas")["qid"].tolist() == list(scores.keys["qid"])


@pytest.mark.parametrize("name", ["what?.parquet", "what?x=1.parquet"])
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
def test_the_ending_of_a_file_with_a_question_mark_is_known(name, tmp_path):
    pq.write_table(pa.table(SMALL), tmp_path / name)
    assert ids(tmp_path / name) == [1, 2]
    assert Path(tmp_path / name).exists()


@pytest.mark.slow
def test_grades_that_are_decimals_are_the_nearest_floats():
    rng = np.random.default_rng(0)
    texts = [f"{grade:.4f}" for grade in rng.integers(1, 10**8, 300) / 1e4]
    column = pa.array(list(map(decimal.Decimal, texts))).cast(pa.decimal128(38, 30))
    columns = {"qid": np.arange(300), "y_score": np.arange(300) + 0.5}
    # A cutoff of 1 and one document: the value of a query is its grade.
    rule = {"gain": "linear", "metrics": "dcg@1"}
    scores = score_table(pa.table(columns | {"y_true": column}), **rule)
    assert scores.values[0, 0].tolist() == list(map(float, texts))


@pytest.mark.slow
@pytest.mark.parametrize("again", ["a.csv", "./a.csv", "*.csv", "link.csv", "hard.csv"])
def test_the_same_file_twice_is_refused(again, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text(HEADER + "1,1,2\n1,0,1\n")
    (tmp_path / "link.csv").symlink_to(tmp_path / "a.csv")
    (tmp_path / "hard.csv").hardlink_to(tmp_path / "a.csv")
    (tmp_path / "copy.csv").write_text(HEADER + "2,1,2\n2,0,1\n")
    message = "must be read once, or its rows would count twice. Got .*a.csv"
    with pytest.raises(ValueError, match=message):
        score_table(["a.csv", again], "num_ret")
    with pytest.raises(ValueError, match=message):  # a folder with links
        score_table(tmp_path, "num_ret")
    assert score_table(["a.csv", "copy.csv"], "num_ret").values.tolist() == [[[2, 2]]]


@pytest.mark.parametrize(
    ("text", "got"),
    [
        (gzip.compress(b"qid,y_true,y_score\n1,1,2\n"), "must be CSV in UTF-8"),
        ("qid,y_true,y_score\n1,1,2\n".encode("utf-16"), "must be CSV in UTF-8"),
        pytest.param(
            b"qid,y_true,y_score\r\n1,1,2\r\n1,0,1\n2,1,1\n",
            "end in different ways",
            marks=pytest.mark.skipif(
                duckdb.__version__.startswith("1.1."), reason="which reads such a file"
            ),
        ),
    ],
    ids=["gzip", "UTF-16", "line ends"],
)
def test_a_csv_file_that_is_something_else_is_called_what_it_is(tmp_path, text, got):
    (tmp_path / "scores.csv").write_bytes(text)
    with pytest.raises(ValueError, match=rf"scores\.csv'.*{got}"):
        score_table(tmp_path / "scores.csv", "mrr")


def test_a_stream_that_breaks_off_is_an_error_without_a_traceback():
    def batches():
        yield pa.RecordBatch.from_pydict(SMALL)
        raise OSError("lost")

    reader = pa.RecordBatchReader.from_batches(pa.table(SMALL).schema, batches())
    with pytest.raises(ValueError, match="lost") as error:
        score_table(reader, "mrr")
    assert "Traceback" not in str(error.value)


def test_weights_of_a_table_must_not_all_be_0():
    with pytest.raises(ValueError, match="at least one non-zero number"):
        score_table(pa.table(SMALL | {"w": [0.0] * 3}), "mrr", sample_weight="w")


@pytest.mark.parametrize("limit", ["0GB", "99999999999999999999GB", "1.2.3GB"])
def test_a_memory_limit_that_cannot_be_is_refused(limit):
    with pytest.raises(ValueError, match=f"'memory_limit' .* '2GB'.* Got '{limit}'"):
        score_table(pa.table(SMALL), "mrr", memory_limit=limit)


def test_a_path_does_not_make_duckdb_install_an_extension(monkeypatch, tmp_path):
    connect = duckdb.connect
    monkeypatch.setattr(
        duckdb,
        "connect",
        lambda name: connect(name, config={"extension_directory": str(tmp_path)}),
    )
    sentence = r"extension 'httpfs', .*: duckdb\.sql\('INSTALL httpfs'\)\.$"
    for path in ("https://localhost:1/a.parquet", "s3://bucket/*.parquet"):
        with pytest.raises(ImportError, match=sentence):
            score_table(path, "mrr")
    assert not [*tmp_path.iterdir()]
