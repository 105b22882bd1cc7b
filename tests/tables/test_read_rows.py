"""The rows of files and tables as the arguments of metrics."""

# SPDX-License-Identifier: BSD-3-Clause

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from numpy.testing import assert_array_equal

from skrank.metrics import explain, query_report, tie_report
from skrank.tables import read_rows
from tests.tables.sources import FORMS, as_source, draw

pytestmark = pytest.mark.slow

# Two queries with ties, one without a relevant document, none of them sorted.
ROWS = {
    "user": ["é", "b", "é", "b", "c", "é"],
    "item": ["x", "ü", "y", "z", "x", "z"],
    "bought": [0, 2, 1, 0, 0, 0],
    "old": [2.0, 1.0, 2.0, 1.0, 5.0, 1.0],
    "new": [1, 2, 3, 1, 0, 2],
}
NAMES = {"qid": "user", "y_true": "bought", "doc_id": "item"}


@pytest.mark.parametrize("form", FORMS)
def test_rows_of_every_source_are_read_in_their_order(form, tmp_path):
    table = draw("shuffled")
    rows = read_rows(as_source(table, form, tmp_path))
    assert {*rows} == {"y_true", "y_score", "qid"}
    for name, values in rows.items():
        assert_array_equal(values, table[name].to_numpy())


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
    listed = {
        "y_true": ROWS["bought"],
        "y_score": ROWS["old"],
        "qid": ROWS["user"],
        "doc_id": ROWS["item"],
    }
    assert str(found) == str(explain(metric="mrr", **listed))


def test_the_columns_of_several_rankers_are_read():
    rows = read_rows(pa.table(ROWS), **NAMES, y_score=["old", "new"])
    assert {name: one.tolist() for name, one in rows.y_score.items()} == {
        "old": ROWS["old"],
        "new": ROWS["new"],
    }
    report = query_report(query="é", metric="mrr", **rows)
    assert report.values == {"old": (1 + 1 / 2) / 2, "new": 1}


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


def test_what_is_not_a_table_raises():
    with pytest.raises(TypeError, match="'source' parameter must be a path"):
        read_rows({"qid": [1]})


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
