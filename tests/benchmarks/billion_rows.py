"""Time, CPU time and memory of scoring a billion rows of Parquet, with intervals.

Run ``python -m tests.benchmarks.billion_rows FOLDER``. It makes two tables of ten
million queries with 100 documents each, a batch at a time, if the folder lacks them:
in one the rows of a query stand together, in the other all rows are shuffled. They take
15 GB, and the shuffled one another 13 GB in the folder for temporary files while it is
scored, and more while it is sorted.
Each table is scored in a process of its own, whose peak memory is that of all of it:
Python, its packages, DuckDB and the result. ``--rows`` makes smaller tables.

Beside it, the same two means by what an expert would ask an engine for, without the
average over ties: in SQL by DuckDB with the same limit (aggregates, and a join for the
first relevant document), and by polars, which streams and has no limit. A bare ``SELECT
... ORDER BY qid`` of the shuffled table, whose rows are counted and dropped, is the
floor of a way that sorts. ``--ways`` names some of them.
"""

# SPDX-License-Identifier: BSD-3-Clause

import argparse
import contextlib
import resource
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
from pyarrow import parquet

from skrank.stats import confidence_interval
from skrank.tables import score_table
from tests import processes

METRICS = ["ndcg@10", "mrr"]
N_DOCUMENTS = 100
BATCH = 1_000_000


def mixed(numbers, n_bits=64):
    """Return numbers of so many bits, each as another one that looks random."""
    mask, found = np.uint64(2**n_bits - 1), numbers.astype(np.uint64)
    for factor in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB):
        found = (found * np.uint64(factor)) & mask  # odd, so that it can be undone
        found ^= found >> np.uint64(n_bits // 2 + 1)
    return found


def shuffled(numbers, n_rows):
    """Return the numbers below `n_rows` as other ones, each of them once."""
    n_bits = int(n_rows - 1).bit_length()
    found = mixed(numbers, n_bits)
    while (beyond := found >= n_rows).any():
        found[beyond] = mixed(found[beyond], n_bits)
    return found


def rows_of(numbers):
    """Return the rows of these numbers: a tenth has a grade from 1 to 4."""
    random = mixed(numbers)
    grade = (random % np.uint64(40)).astype(np.int8)
    grade[grade > 4] = 0
    score = (random >> np.uint64(40)).astype(np.float32) / 2**24 + grade / 32
    return pa.table(
        {
            "qid": (numbers // N_DOCUMENTS).astype(np.int64),
            "y_true": grade,
            "y_score": score.astype(np.float32),
        }
    )


def make(folder, n_rows):
    """Write the tables that the folder lacks, and return their paths by name."""
    paths = {}
    for name, order in {"grouped": None, "shuffled": shuffled}.items():
        paths[name] = folder / f"{name}_{n_rows}.parquet"
        if paths[name].exists():
            continue
        unfinished = paths[name].with_suffix(".part")
        with parquet.ParquetWriter(unfinished, rows_of(np.arange(0)).schema) as file:
            for start in range(0, n_rows, BATCH):
                numbers = np.arange(start, min(start + BATCH, n_rows), dtype=np.uint64)
                if order is not None:
                    numbers = order(numbers, n_rows)
                file.write_table(rows_of(numbers))
        unfinished.rename(paths[name])
    return paths


def score(path, memory_limit):
    """Yield what is done, and its result: the metrics, then their intervals."""
    scores = score_table(path, METRICS, memory_limit=memory_limit)
    yield "score_table", scores.summary()
    found = confidence_interval(scores).to_frame()
    yield "intervals", found[["metric", "low", "high"]].to_numpy().tolist()


@contextlib.contextmanager
def connected(memory_limit):
    """Give a connection to DuckDB with a limit, and a folder for what is beyond it."""
    with (
        tempfile.TemporaryDirectory() as folder,
        duckdb.connect(config={"temp_directory": folder}) as connection,
    ):
        connection.execute(f"SET memory_limit = '{memory_limit}'")
        yield connection


def sort(path, memory_limit):
    """Yield what a bare sort is called, and the number of its rows."""
    with connected(memory_limit) as connection:
        query = f"SELECT qid, y_true, y_score FROM '{path}' ORDER BY qid"
        relation = connection.sql(query)
        read = getattr(relation, "to_arrow_reader", None)  # of DuckDB 1.4
        batches = (read or relation.fetch_arrow_reader)(BATCH)
        yield "ORDER BY qid", sum(len(batch) for batch in batches)


DISCOUNT = (1 / np.log2(np.arange(2, 12))).tolist()
QUERY = f"""
    WITH lists AS (
        SELECT qid, arg_max(2.0 ** y_true - 1, y_score, 10) AS shown,
            max(2.0 ** y_true - 1, 10) AS best,
            max(y_score) FILTER (y_true > 0) AS first
        FROM docs GROUP BY qid
    ), ranks AS (
        SELECT qid, 1 + count(*) AS rank
        FROM docs JOIN lists USING (qid) WHERE y_score > first GROUP BY qid
    ), sums AS (
        SELECT first, coalesce(rank, 1) AS rank,
            list_inner_product(shown, {DISCOUNT}[:len(shown)]) AS dcg,
            list_inner_product(best, {DISCOUNT}[:len(best)]) AS ideal
        FROM lists LEFT JOIN ranks USING (qid)
    )
    SELECT avg(CASE WHEN ideal > 0 THEN dcg / ideal ELSE 0 END),
        avg(CASE WHEN first IS NULL THEN 0 ELSE 1 / rank END)
    FROM sums
"""


def ask_duckdb(path, memory_limit):
    """Yield what the query in SQL is called, and the metrics."""
    with connected(memory_limit) as connection:
        connection.execute(f"CREATE VIEW docs AS FROM '{path}'")
        found = connection.execute(QUERY).fetchone()
    yield "DuckDB", dict(zip(METRICS, found, strict=True))


def ask_polars(path, memory_limit):
    """Yield what the query of polars is called, and the metrics."""
    import polars as pl

    gain = 2.0 ** pl.col("y_true") - 1
    discount = (pl.int_range(pl.len().clip(upper_bound=10)) + 2).log(2)
    ranked = pl.col("y_true").sort_by("y_score", descending=True)
    first = (ranked > 0).arg_max() + 1

    def dcg(by):
        return (gain.sort_by(by, descending=True).head(10) / discount).sum()

    sums = (
        pl.scan_parquet(path)
        .group_by("qid")
        .agg(dcg=dcg("y_score"), ideal=dcg("y_true"), rank=first)
    )
    has = pl.col("ideal") > 0
    means = sums.select(
        pl.when(has).then(pl.col("dcg") / pl.col("ideal")).otherwise(0).mean(),
        pl.when(has).then(1 / pl.col("rank")).otherwise(0).mean().alias("mrr"),
    )
    found = means.collect(engine="streaming").row(0)
    yield "polars", dict(zip(METRICS, found, strict=True))


WAYS = {"score": score, "duckdb": ask_duckdb, "polars": ask_polars, "sort": sort}


def run(way, path, memory_limit):
    """Print a line with the figures of each step of a way, and one with its result."""
    wall, cpu = time.perf_counter(), time.process_time()
    for name, result in WAYS[way](path, memory_limit):
        seconds = time.perf_counter() - wall, time.process_time() - cpu
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
        print(f"{name:14}{seconds[0]:8.1f} s{seconds[1]:8.1f} CPU s{peak:8,.0f} MB")
        print(result)
        wall, cpu = time.perf_counter(), time.process_time()


def run_alone(*arguments):
    """Print the figures of a way in a process of its own, and return its results."""
    command = [sys.executable, "-m", "tests.benchmarks.billion_rows", *arguments]
    found = processes.run(command, check=True, stderr=None, timeout=None)
    lines = found.stdout.splitlines()
    print(*lines[::2], sep="\n", flush=True)
    return lines[1::2]


def main():
    """Make the tables, score both in each way, and sort the shuffled one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where the tables are, or will be")
    parser.add_argument("--rows", type=int, default=10**9, help="of each table")
    parser.add_argument("--memory-limit", default="4GB", help="as score_table takes it")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=[*WAYS])
    parser.add_argument("--way", choices=WAYS, help="one way, in this process")
    options = parser.parse_args()
    if options.way:
        run(options.way, options.folder, options.memory_limit)
        return
    paths, limit = make(options.folder, options.rows), options.memory_limit
    results = {}
    for name, path in paths.items():
        print(f"{name}, {options.rows:,} rows, a memory_limit of {limit}", flush=True)
        for way in options.ways:
            if way != "sort" or name == "shuffled":
                found = run_alone(path, "--memory-limit", limit, "--way", way)
                results.setdefault(way, []).append(found)
    for way, found in results.items():
        print(way, *found[0], sep="\n")
    of_both = results.get("score", [0, 0])
    if of_both[0] != of_both[1]:
        raise AssertionError(f"Different numbers of the same rows: {of_both}.")


if __name__ == "__main__":
    main()
