"""A table in every order of its rows and in every form that `score_table` reads."""

# SPDX-License-Identifier: BSD-3-Clause

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset as dataset
import pyarrow.feather as feather
import pyarrow.parquet as pq

from tests.drawn_tables import draw as draw_grouped

ORDERS = ["grouped", "shuffled", "one query cut in two"]


def draw(order="shuffled", n_queries=60, seed=0):
    """Return a table of lists with ties, in some order of the rows."""
    table = pa.Table.from_pandas(draw_grouped(n_queries, seed))
    qid, rows = table["qid"].to_numpy(), np.arange(len(table))
    if order == "shuffled":
        np.random.default_rng(seed).shuffle(rows)
    if order == "one query cut in two":
        rows = np.roll(rows, np.flatnonzero(qid == qid[0])[-1] // 2 + 1)
    return table.take(rows)


def arrays(table, **names):
    names = {"qid": "qid", "y_true": "y_true", "y_score": "y_score"} | names
    return {key: table[name].to_numpy() for key, name in names.items()}


def as_source(table, form, folder):
    if form == "parquet":
        pq.write_table(table, folder / "t.parquet", row_group_size=150)
        return folder / "t.parquet"
    if form == "pattern":
        pq.write_table(table.slice(0, 300), folder / "a-1.parquet")
        pq.write_table(table.slice(300), folder / "a-2.parquet")
        return str(folder / "a-*.parquet")
    if form == "directory":
        (folder / "inside").mkdir()
        pq.write_table(table.slice(0, 300), folder / "1.parquet")
        pq.write_table(table.slice(300), folder / "inside" / "2.parquet")
        return folder
    if form == "list":
        pq.write_table(table.slice(0, 300), folder / "b.parquet")
        pq.write_table(table.slice(300), folder / "a.parquet")
        return [folder / "b.parquet", str(folder / "a.parquet")]
    if form == "arrow":
        feather.write_feather(table, folder / "t.arrow", chunksize=150)
        return folder / "t.arrow"
    if form == "dataset":
        return dataset.dataset(as_source(table, "directory", folder))
    if form == "csv":
        pyarrow.csv.write_csv(table, folder / "t.csv")
        return folder / "t.csv"
    return {
        "pandas": table.to_pandas,
        "polars": lambda: pl.from_arrow(table),
        "pyarrow": lambda: table,
        "reader": lambda: table.to_reader(max_chunksize=97),
        "lazy": lambda: pl.from_arrow(table).lazy().with_columns(other=0),
        "scanner": lambda: dataset.dataset(table).scanner(batch_size=97),
        "relation": lambda: duckdb.from_arrow(table),
    }[form]()


FORMS = ["parquet", "pattern", "directory", "csv"]
FORMS += ["pandas", "polars", "pyarrow", "reader", "relation"]
FORMS += ["list", "arrow", "dataset", "lazy", "scanner"]


SMALL = {"qid": [1, 1, 2], "y_true": [1, 0, 1], "y_score": [2.0, 1.0, 1.0]}
