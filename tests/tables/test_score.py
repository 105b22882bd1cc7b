"""Tables that are scored by DuckDB in batches, and in memory at once."""

# SPDX-License-Identifier: BSD-3-Clause

import datetime
import decimal
import sys
import uuid
from itertools import cycle

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather as feather
import pytest
from numpy.testing import assert_array_equal

from skrank.evaluation.evaluate import score_requests
from skrank.metrics import (
    catalogue_scores,
    evaluate,
    explain,
    query_report,
    score_queries,
    tie_report,
)
from skrank.tables import read_rows, score_table, stream
from skrank.tables.source import Source
from skrank.tables.stream import Columns
from tests.brute_force import ADJUSTABLE, LISTED, full_name
from tests.tables.sources import FORMS, ORDERS, SMALL, arrays, as_source, draw

FEW = ["ndcg@3", "map", "neg_median_rank"]


def assert_same(one, other):
    assert list(one) == list(other)
    assert_array_equal(list(one.values()), list(other.values()))


@pytest.mark.slow
@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize(("form", "order"), [*zip(FORMS, cycle(ORDERS))])
def test_every_source_in_any_order_is_scored_as_arrays_are(form, order, tmp_path):
    table = draw(order)
    scores = score_table(as_source(table, form, tmp_path), [*FEW, "err", "rbp@4"])
    given = arrays(table)
    given["qid"] = given["qid"].astype(str if form == "csv" else int)
    expected = score_queries(**given, metrics=[*FEW, "err", "rbp@4"])
    assert_array_equal(scores.values, expected.values)
    assert_array_equal(scores.keys["qid"], expected.keys["qid"])
    assert_same(scores.summary(), expected.summary())
    kind = dict.fromkeys(["pyarrow", "reader", "dataset", "scanner"], "pyarrow")
    kind = (kind | {"polars": "polars", "lazy": "polars"}).get(form)
    frame = scores.to_frame()
    assert type(frame).__module__.partition(".")[0] == (kind or "pandas")


PARAMS = {
    "default": {},
    "adjusted": {"adjusted": True},
    "weighted": {"average": "weighted", "sample_weight": "weight"},
    "pessimistic": {"ties": "pessimistic", "threshold": 1},
    "masks": {"judged": "judged", "returned": "returned"},
    "convention": {"convention": "ranx", "ties": "expected"},
}


@pytest.mark.slow
@pytest.mark.usefixtures("small_batches")
@pytest.mark.filterwarnings("ignore:The (adjusted )?metric is undefined")
@pytest.mark.parametrize("name", PARAMS)
def test_all_metrics_are_scored_as_in_memory(name):
    params, metrics = PARAMS[name], LISTED
    if name == "adjusted":
        metrics = [full_name(name) for name in ADJUSTABLE]
    if name == "convention":
        metrics = ["map", "ndcg@10", "mrr", "err", "bpref"]
    table = draw()
    scores = score_table(table, metrics, **params)
    names = table.column_names
    given = {key: table[c].to_numpy() for key, c in params.items() if c in names}
    expected = evaluate(**arrays(table), metrics=metrics, **(params | given))
    assert_same(scores.summary(), expected)


@pytest.mark.slow
@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("order", ORDERS)
def test_segments_and_several_rankers_are_scored_in_one_pass(order):
    table = draw(order)
    columns = {"bm25": "y_score", "dense": "other"}
    scores = score_table(table, FEW, y_score=columns, by="day")
    runs = {name: table[column].to_numpy() for name, column in columns.items()}
    expected = score_queries(
        **arrays(table) | {"y_score": runs},
        metrics=FEW,
        by={"day": table["day"].to_numpy()},
    )
    assert scores.summary() == expected.summary()
    assert scores.summary(by="day") == expected.summary(by="day")
    again = score_table(table, FEW, y_score=["y_score", "other"], by=["day"])
    assert_array_equal(again.values, scores.values)
    masks = {"bm25": "returned", "dense": "judged"}
    scores = score_table(table, FEW, y_score=columns, returned=masks)
    for name, column in columns.items():
        given = arrays(table, y_score=column, returned=masks[name])
        assert_same(scores.summary()[name], evaluate(**given, metrics=FEW))


@pytest.mark.slow
@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize(
    ("kind", "order"),
    [
        *(("ascii", order) for order in ORDERS),
        *((kind, "shuffled") for kind in ("unicode", "dictionary", "view")),
    ],
)
def test_ids_of_text_keep_their_order(kind, order):
    table = draw(order)
    numbers = table["qid"].to_numpy()
    words = pa.array([f"{'é' * (kind == 'unicode')}q{i:x}" for i in numbers])
    given = arrays(table) | {"qid": words.to_numpy(False)}
    expected = score_queries(**given, metrics=FEW)
    if kind == "dictionary":
        words = words.dictionary_encode()
    if kind == "view" and hasattr(pa, "string_view"):
        words = words.cast(pa.string_view())
    scores = score_table(table.set_column(0, "qid", words), FEW)
    assert scores.keys["qid"].tolist() == expected.keys["qid"].tolist()
    assert_array_equal(scores.values, expected.values)
    assert scores.summary() == expected.summary()


@pytest.mark.slow
def test_an_id_far_down_a_file_of_text_decides_on_the_type_of_all(tmp_path):
    n_rows = 50_000
    lines = ["qid,y_true,y_score", *(f"{i // 2},1,{i}" for i in range(n_rows))]
    (tmp_path / "t.csv").write_text("\n".join([*lines, "0301,1,1"]))
    ids = score_table(tmp_path / "t.csv", "mrr").keys["qid"].tolist()
    assert len(ids) == n_rows // 2 + 1
    assert {"0301", "301"} <= {*ids}


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize(
    "make",
    [
        lambda i: uuid.UUID(int=i),
        lambda i: datetime.date(2020, 1, 1) + datetime.timedelta(days=i),
        lambda i: datetime.datetime(2020, 1, 1, i),
        lambda i: 2**64 - 1 - i,
        float,
        bool,
    ],
)
def test_ids_of_many_types_are_read(make):
    ids = [make(i) for i in (3, 0, 1, 3)]
    column = [str(i) for i in ids] if isinstance(ids[0], uuid.UUID) else ids
    kind = pa.uint64() if isinstance(ids[0], int) and max(ids) > 2 else None
    table = pa.table({"qid": pa.array(column, kind), "y_true": [1, 1, 0, 0]})
    table = table.append_column("y_score", pa.array([1.0, 2, 3, 4]))
    scores = score_table(table, "mrr")
    assert scores.values.shape[2] == len(set(ids))
    assert scores.summary() == evaluate([1, 1, 0, 0], [1, 2, 3, 4], "mrr", qid=column)


@pytest.mark.slow
@pytest.mark.usefixtures("small_batches")
def test_extreme_grades_are_those_of_the_whole_source():
    table = draw()
    for judged in (None, "judged"):
        given = {} if judged is None else {"judged": table["judged"].to_numpy()}
        for threshold in (0, 2, 9, "max"):
            params = {"metrics": ["err", "rbp@3"], "threshold": threshold}
            scores = score_table(table, judged=judged, **params)
            assert_same(scores.summary(), evaluate(**arrays(table), **params, **given))
    # No grade is above 9.
    for metrics in (["spearman", "rbo"], ["err", "rbp(threshold=9)@4"]):
        scores = score_table(table, metrics)
        assert_same(scores.summary(), evaluate(**arrays(table), metrics=metrics))


def test_decimals_are_no_ids():
    for kind in (pa.decimal128(38, 0), pa.decimal128(20, 2)):
        table = {"qid": pa.array([1, 1], kind), "y_true": [1, 0], "y_score": [1.0, 2]}
        with pytest.raises(ValueError, match=r"'qid' must hold .* cast it"):
            score_table(pa.table(table), "mrr")


def test_decimals_and_booleans_are_numbers():
    table = pa.table(
        {
            "qid": [1, 1, 2, 2],
            "y_true": [True, False, False, True],
            "y_score": pa.array([decimal.Decimal(i) / 8 for i in (2, 1, 2, 1)]),
        }
    )
    assert score_table(table, "mrr").summary() == {"mrr": (1 + 1 / 2) / 2}


@pytest.mark.slow
@pytest.mark.usefixtures("small_batches")
def test_grades_and_scores_may_be_missing_where_they_are_not_read():
    table = draw()
    for name, mask in (("y_true", "judged"), ("y_score", "returned")):
        kept = pa.array(table[mask].to_numpy())
        values = pa.compute.if_else(kept, table[name], None)
        table = table.set_column(table.column_names.index(name), name, values)
    scores = score_table(table, FEW, judged="judged", returned="returned")
    whole = draw()
    given = arrays(whole, judged="judged", returned="returned")
    assert_same(scores.summary(), evaluate(**given, metrics=FEW))


@pytest.mark.slow
@pytest.mark.usefixtures("small_batches")
def test_tied_documents_are_ordered_by_their_ids():
    table = draw()
    rules = {"convention": "trec_eval", "doc_id": "doc"}
    scores = score_table(table, ["map", "ndcg@5", "bpref"], **rules)
    rules["doc_id"] = table["doc"].to_numpy()
    expected = evaluate(**arrays(table), metrics=["map", "ndcg@5", "bpref"], **rules)
    assert_same(scores.summary(), expected)


@pytest.mark.slow
@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize(
    ("form", "order"),
    [("parquet", "grouped"), ("pyarrow", "shuffled"), ("reader", "grouped")],
)
def test_missing_values_in_the_first_of_many_batches_are_counted(form, order, tmp_path):
    table = draw(order, n_queries=300)
    scores = table["y_score"].to_pylist()
    scores[3] = scores[-1] = None
    table = table.set_column(
        table.column_names.index("y_score"), "y_score", pa.array(scores, pa.float32())
    )
    message = f"'y_score' has 2 missing values .* among {len(table):,} rows"
    with pytest.raises(ValueError, match=message):
        score_table(as_source(table, form, tmp_path), "mrr")


IN_ORDER = ["lightgbm", "rax", "torchmetrics"]


@pytest.mark.slow
@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize(("convention", "order"), [*zip(IN_ORDER, ORDERS, strict=True)])
def test_tied_documents_keep_the_order_of_the_rows(convention, order, tmp_path):
    metrics = ["mrr", "hits@3", "ndcg@5", "recall@4", "neg_median_rank"]
    table = draw(order)
    rules = {"metrics": metrics, "convention": convention}
    expected = evaluate(**arrays(table), **rules)
    assert expected != evaluate(**arrays(table), **rules, ties="expected")
    for form in ("directory", "csv", "reader"):
        scores = score_table(as_source(table, form, tmp_path), **rules)
        assert_same(scores.summary(), expected)
    words = pa.array([f"q{i}" for i in table["qid"].to_pylist()])
    given = arrays(table) | {"qid": words.to_pylist()}
    table = table.set_column(0, "qid", words)
    for form in ("parquet", "pandas"):
        scores = score_table(as_source(table, form, tmp_path), **rules)
        assert_same(scores.summary(), evaluate(**given, **rules))


@pytest.mark.slow
def test_other_columns_of_a_table_in_memory_are_not_read():
    table = pa.table(SMALL)
    reversed_ids = pa.chunked_array([table["qid"].to_pylist()[::-1]])
    table = table.add_column(0, "QID", reversed_ids).append_column("odd", reversed_ids)
    expected = evaluate(**SMALL, metrics="mrr")
    for form in ("pandas", "polars", "pyarrow", "reader"):
        given = as_source(table, form, None)
        with Source(given, Columns("qid", "y_true", {None: "y_score"})) as source:
            assert [*source.types] == [*SMALL]
        scores = score_table(as_source(table, form, None), "mrr")
        assert_same(scores.summary(), expected)
        with pytest.raises(ValueError, match=r"no column 'q'.* Got \['QID', 'qid'.*od"):
            score_table(as_source(table, form, None), "mrr", qid="q")


@pytest.mark.slow
def test_a_query_in_sql_is_scored(tmp_path):
    file, table = str(tmp_path / "some.duckdb"), draw()
    with duckdb.connect(file) as connection:
        connection.register("drawn", table)
        connection.execute('CREATE TABLE "my rows" AS SELECT * FROM drawn')
        query = connection.sql('FROM "my rows"')
        expected = evaluate(**arrays(table), metrics=FEW)
        assert_same(score_table(query, FEW).summary(), expected)
        few = connection.sql('FROM "my rows" WHERE qid < 3')
        assert len(score_table(few, FEW).keys["qid"]) == 3
        none = connection.sql('FROM "my rows" WHERE false')
        with pytest.raises(ValueError, match="The source has no rows"):
            score_table(none, FEW)
    with pytest.raises(ValueError, match=r"must end with .*duckdb\.connect\(file\)\.s"):
        score_table(file, FEW)


@pytest.mark.slow
def test_a_bad_list_of_paths_or_file_of_arrow_is_refused(tmp_path):
    file = as_source(pa.table(SMALL), "arrow", tmp_path)
    other = pa.table(SMALL | {"qid": ["a", "b", "c"]})
    feather.write_feather(other, tmp_path / "u.arrow")
    with pytest.raises(ValueError, match=r"'qid' must have one type .*int64.*string"):
        score_table([file, tmp_path / "u.arrow"], "mrr")
    for source in ([], [pa.table(SMALL)]):
        with pytest.raises(TypeError, match="list of at least one path"):
            score_table(source, "mrr")
    with pytest.raises(ValueError, match="no column 'q'"):
        score_table(file, "mrr", qid="q")
    file.write_bytes(file.read_bytes()[:-200])
    with pytest.raises((ValueError, OSError), match=r"t\.arrow"):
        score_table(file, "mrr")


@pytest.mark.slow
def test_a_stream_may_hold_floats_of_two_bytes():
    halves = pa.array(np.array([2.0, 1.0, 1.0], dtype=np.float16))
    try:
        halves.cast(pa.float32())
    except pa.ArrowNotImplementedError:
        pytest.skip("this version of pyarrow does not convert floats of two bytes")
    table = pa.table(SMALL | {"y_score": halves})
    for source in (table, table.to_reader()):
        assert score_table(source, "mrr").summary() == {"mrr": 1.0}


@pytest.mark.slow
def test_one_query_may_be_longer_than_a_batch(small_batches):
    rng = np.random.default_rng(0)
    qid = np.repeat([5, 3, 8], [700, 1300, 2])
    data = {"qid": qid, "y_true": rng.integers(0, 2, 2002), "y_score": rng.random(2002)}
    expected = evaluate(**data, metrics=FEW)
    for rows in (np.arange(2002), rng.permutation(2002)):
        table = pa.table({name: values[rows] for name, values in data.items()})
        assert_same(score_table(table, FEW).summary(), expected)


@pytest.mark.slow
def test_grouped_rows_are_read_without_a_sort(small_batches, monkeypatch):
    queries = []
    batches = stream._batches

    def seen(source, query, *options):
        queries.append(query)
        return batches(source, query, *options)

    monkeypatch.setattr(stream, "_batches", seen)
    score_table(draw("grouped"), "mrr")
    assert len(queries) == 1
    assert "ORDER BY" not in queries[0]
    score_table(draw("one query cut in two"), "mrr")
    assert "ORDER BY" not in queries[1]
    assert "hash(" in queries[2]
    for n_queries in (60, 1000):  # these have mostly one row in a batch
        del queries[:]
        table = draw("shuffled", n_queries)
        scores = score_table(table, "mrr")
        assert len(queries) == 2
        assert "hash(" in queries[1]
        assert "ORDER BY" not in queries[1]
        assert_same(scores.summary(), evaluate(**arrays(table), metrics="mrr"))


@pytest.mark.slow
def test_scattered_rows_of_a_query_keep_their_order(small_batches):
    rng = np.random.default_rng(0)
    qid, items = rng.permutation(np.arange(4000) % 500), rng.random((4000, 3))
    features = pa.array(items.tolist())
    y_score = np.zeros(4000)
    expected = evaluate(None, y_score, "ild", qid=qid, features=items)
    table = pa.table({"qid": qid, "y_score": y_score, "features": features})
    scores = score_table(table, "ild", y_true=None, features="features")
    assert scores.summary() == expected  # it adds up in the order of the rows


def test_scattered_floats_are_divided_by_their_value(small_batches):
    qid = np.where(np.arange(4000) % 2 == 0, -0.0, 0.0) + np.arange(4000) // 4 % 2
    y_score = np.random.default_rng(0).random(4000)
    data = {"qid": qid, "y_true": np.arange(4000) % 3 == 0, "y_score": y_score}
    scores = score_table(pa.table(data), "map")
    assert scores.summary() == evaluate(**data, metrics="map")
    assert scores.values.shape == (1, 1, 2)


def test_text_is_never_turned_into_objects_of_python(small_batches, monkeypatch):
    table = draw()
    words = pa.array([f"q{i}" for i in table["qid"].to_numpy()])
    table = table.set_column(0, "qid", words)
    seen = []

    def scored(requests, arrays, rankers, **params):
        seen.append(np.asarray(arrays.qid).dtype.kind)
        return score_requests(requests, arrays, rankers, **params)

    monkeypatch.setattr("skrank.tables.stream.score_requests", scored)
    ids = score_table(table, "mrr").keys["qid"]
    assert set(seen) == {"i"}
    assert len(seen) > 1
    assert ids.dtype.kind == "U"


@pytest.mark.parametrize(
    ("changed", "params", "message"),
    [
        ({"qid": [1, None, 2]}, {}, "'qid' has 1 missing .* among 3 rows. Leave these"),
        ({"qid": [1.0, np.nan, 2]}, {}, "'qid' has 1 missing values"),
        ({"y_true": [1, None, None]}, {}, "'y_true' has 2 missing .*`judged`"),
        ({"y_score": [1, np.nan, 2]}, {}, "'y_score' has 1 missing .*`returned`"),
        ({"seen": [True, None, True]}, {"judged": "seen"}, "'seen' has 1 missing"),
        ({}, {"y_score": "y_scores"}, r"no column 'y_scores'\. Did you mean 'y_score'"),
        ({}, {"y_true": "item"}, r"no column 'item'\. Got"),  # it has 'y_true'
        ({}, {"by": ["zzz"]}, r"no column 'zzz'\. Got \['qid'"),
        ({}, {"judged": "y_true"}, "'y_true' must hold booleans. Got BIGINT"),
        ({"y_true": ["a", "b", "c"]}, {}, "'y_true' must hold numbers. Got VARCHAR"),
        ({}, {"convention": "trec_eval"}, "Pass the ids as `doc_id`"),
        ({}, {"memory_limit": 3}, "'memory_limit' parameter .* such as '2GB'"),
        ({}, {"y_score": []}, "'y_score' parameter of score_table must name"),
        ({}, {"y_score": [[]]}, "'y_score' parameter of score_table must name"),
        ({}, {"y_score": 3}, "'y_score' parameter of score_table must name"),
        ({}, {"metrics": "mmr"}, "Did you mean 'mrr'"),
        ({}, {"average": None}, "'average' parameter of score_table"),
        ({"y_true": [1, -1, 0]}, {"metrics": "spearman"}, "negative grades with"),
        ({}, {"by": "qid"}, "'by' parameter of score_table"),
        ({"mrr": [1, 1, 1]}, {"by": "mrr"}, r"names of .* different.* \['mrr'\] twice"),
    ],
)
def test_score_table_refuses_bad_input(changed, params, message):
    with pytest.raises(ValueError, match=message):
        score_table(pa.table(SMALL | changed), **{"metrics": "mrr"} | params)


@pytest.mark.slow
def test_sources_that_are_no_tables_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"holds no file that ends with \.parq"):
        score_table(tmp_path, "mrr")
    with pytest.raises(FileNotFoundError, match=r"There is no file '.*none\.parquet'"):
        score_table(tmp_path / "none.parquet", "mrr")
    (tmp_path / "notes.txt").write_text("1 2 3")
    with pytest.raises(ValueError, match=r"names of files must end with \.parquet"):
        score_table(tmp_path / "notes.txt", "mrr")
    (tmp_path / "broken.parquet").write_text("1 2 3")
    with pytest.raises(ValueError, match=r"of one format. Got .*'\.parquet', '\.txt'"):
        score_table([tmp_path / "broken.parquet", tmp_path / "notes.txt"], "mrr")
    with pytest.raises(ValueError, match="DuckDB cannot read"):
        score_table(tmp_path / "broken.parquet", "mrr")
    (tmp_path / "t.csv").write_text("qid,y_true,y_score\n")
    with pytest.raises(ValueError, match=r"one format.*\['\.csv', '\.parquet'\]"):
        score_table(tmp_path, "mrr")
    with pytest.raises(TypeError, match=r"Arrow PyCapsule protocol.* Got dict instead"):
        score_table(SMALL, "mrr")


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "pyarrow"])
def test_an_empty_source_is_refused(form, tmp_path):
    empty = pa.table(SMALL).slice(0, 0)
    if form == "csv":
        (tmp_path / "t.csv").write_text("qid,y_true,y_score\n")
        empty = tmp_path / "t.csv"
    for metric in ("map", "err"):
        with pytest.raises(ValueError, match="has no rows"):
            score_table(empty, metric)


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(ImportError, match=r"\.\[tables\]"):
        score_table(pa.table(SMALL), "mrr")


# The rows of files and tables as the arguments of metrics.

# Two queries with ties, one without a relevant document, none of them sorted.
ROWS = {
    "user": ["é", "b", "é", "b", "c", "é"],
    "item": ["x", "ü", "y", "z", "x", "z"],
    "bought": [0, 2, 1, 0, 0, 0],
    "old": [2.0, 1.0, 2.0, 1.0, 5.0, 1.0],
    "new": [1, 2, 3, 1, 0, 2],
}

NAMES = {"qid": "user", "y_true": "bought", "doc_id": "item"}


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_rows_of_every_source_are_read_in_their_order(form, tmp_path):
    table = draw("shuffled")
    rows = read_rows(as_source(table, form, tmp_path))
    assert {*rows} == {"y_true", "y_score", "qid"}
    for name, values in rows.items():
        expected = table[name].to_numpy()
        expected = expected.astype(str) if (form, name) == ("csv", "qid") else expected
        assert_array_equal(values, expected)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["parquet", "csv", "pandas", "polars", "relation"])
def test_a_metric_of_the_rows_of_a_table_is_explained(form, tmp_path):
    source = as_source(pa.table(ROWS), form, tmp_path)
    rows = read_rows(source, **NAMES, y_score="old")
    found = explain(metric="mrr", **rows)
    # One relevant document is tied with another one at the top of two of the queries.
    assert found.values["skrank"] == pytest.approx((2 * (1 + 1 / 2) / 2 + 0) / 3)
    # By rows x precedes y, and ü precedes z.
    assert found.values["lightgbm"] == pytest.approx((1 / 2 + 1 + 0) / 3)
    # By descending ids y precedes x, and ü precedes z.
    assert found.values["trec_eval"] == pytest.approx((1 + 1 + 0) / 3)
    assert found.n_differing == 2
    assert found.qid.tolist() == ["é", "b"]
    assert_array_equal(found.by_query["lightgbm"], [1 / 2, 1])


def test_the_columns_of_several_rankers_are_read():
    rows = read_rows(pa.table(ROWS), **NAMES, y_score=["old", "new"])
    assert {name: one.tolist() for name, one in rows.y_score.items()} == {
        "old": ROWS["old"],
        "new": ROWS["new"],
    }
    report = query_report(query="é", metric="mrr", **rows)
    assert report.values == {"old": (1 + 1 / 2) / 2, "new": 1}


def test_the_lists_of_a_table_are_scored_together():
    table = {"user": ["u", "v", "u", "v"], "item": ["a", "a", "b", "b"]}
    table = pa.table({**table, "score": [2, 2, 1, 1]})
    names = {"qid": "user", "y_true": None, "y_score": "score"}
    rows = read_rows(table, **names, item="item")
    assert rows.item.tolist() == ["a", "a", "b", "b"]
    scores = catalogue_scores(rows.y_score, qid=rows.qid, item=rows.item, k=1, items=4)
    assert scores.counts == {"a": 2.0}
    assert scores.summary()["coverage"] == 1 / 4


@pytest.mark.slow
def test_masks_and_weights_are_read():
    table = {
        "qid": [1, 1, 2],
        "y_true": [1, None, 0],
        "y_score": [1.0, 2.0, None],
        "has_grade": [True, False, True],
        "in_a": [True, True, False],
        "weight": [2, 2, 1],
    }
    names = {"judged": "has_grade", "sample_weight": "weight"}
    rows = read_rows(pa.table(table), **names, returned="in_a")
    assert rows.judged.tolist() == table["has_grade"]
    assert rows.returned.tolist() == table["in_a"]
    assert rows.sample_weight.tolist() == table["weight"]
    assert_array_equal(rows.y_true[np.array(table["has_grade"])], [1, 0])
    rankers = {"y_score": {"a": "y_score"}, "returned": {"a": "in_a"}}
    rows = read_rows(pa.table(table), **names, **rankers)
    assert rows.returned["a"].tolist() == table["in_a"]
    assert tie_report(**read_rows(pa.table(ROWS), **NAMES, y_score="old")).values


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({}, "The source has no column 'qid'"),
        ({**NAMES, "y_score": 3}, "'y_score' parameter of read_rows must name a col"),
        ({**NAMES, "qid": 3}, "'qid' parameter of read_rows must be a str"),
        ({**NAMES, "y_score": "item"}, "column 'item' must hold numbers. Got VARCHAR"),
        ({**NAMES, "y_score": "gap"}, "'gap' has 1 missing values .* among 6 rows"),
    ],
)
def test_columns_that_cannot_be_read_are_named(names, message):
    table = pa.table({**ROWS, "gap": [1, None, 2, 3, 4, 5]})
    with pytest.raises(ValueError, match=message):
        read_rows(table, **names)


@pytest.mark.slow
def test_rows_that_do_not_fit_into_memory_are_an_error_with_the_cure(
    monkeypatch, tmp_path
):
    connect = duckdb.connect

    def limited(*args):
        connection = connect(*args)
        connection.execute("SET memory_limit = '10MB'")
        connection.execute("SET max_temp_directory_size = '0MB'")
        return connection

    n = 100_000
    qid = [f"{i:0100}" for i in range(n)]
    table = pa.table({"qid": qid, "y_true": [0] * n, "y_score": [0] * n})
    pa.csv.write_csv(table, tmp_path / "rows.csv")
    monkeypatch.setattr(duckdb, "connect", limited)
    with pytest.raises(OSError, match=r"^The columns .* fit into memory.*score_table"):
        read_rows(tmp_path / "rows.csv")
