"""
A million rows from Parquet
===========================

How do I evaluate a table of predictions that does not fit into memory?
:func:`~skrank.tables.score_table` reads a file in parts, scores whole queries, and
keeps one row per query. The numbers equal those of the whole table, to the last bit.
"""

# SPDX-License-Identifier: BSD-3-Clause

# sphinx_gallery_thumbnail_path = "thumbnails/million_rows.svg"

# %%
# The data
# --------
#
# There are four files of a million rows each. A row is a result of a search engine,
# with its score and whether it was clicked. The data are simulated: in some countries
# the scores have more noise.
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from skrank.metrics import score_queries
from skrank.stats import confidence_interval
from skrank.tables import score_table

folder = tempfile.TemporaryDirectory()
countries = np.array(["Chile", "France", "Ghana", "Japan", "Norway"])
noise = np.array([0.6, 0.8, 0.7, 1.4, 1.0])
rng = np.random.default_rng(0)


def draw(part):
    country = rng.integers(5, size=50_000).repeat(20)
    clicked = rng.random(1_000_000) < 0.1
    columns = {
        "query": 50_000 * part + np.arange(1_000_000) // 20,
        "country": countries[country],
        "clicked": clicked.astype(np.int8),
        "score": clicked + noise[country] * rng.normal(size=1_000_000),
    }
    return pa.table(columns)


files = [Path(folder.name) / f"part-{part}.parquet" for part in range(4)]
for part, file in enumerate(files):
    parquet.write_table(draw(part), file)
    n_rows = parquet.read_metadata(file).num_rows
    print(f"{file.name}: {n_rows} rows, {file.stat().st_size / 2**20:.0f} MB")

# %%
# Score one file
# --------------
#
# The names of the columns are parameters. ``by`` keeps a column of the queries, here
# the country. ``memory_limit`` is what DuckDB may use to bring the rows of a query
# together. A query without a click says nothing about the ranking, so
# ``replace_undefined_by=np.nan`` leaves it out.
columns = {"qid": "query", "y_true": "clicked", "y_score": "score"}
options = {"by": "country", "memory_limit": "1GB", "replace_undefined_by": np.nan}
start = perf_counter()
scores = score_table(files[0], ["mrr", "ndcg@10"], **columns, **options)
print(f"{perf_counter() - start:.2f} seconds")
print(scores)

# sphinx_gallery_start_ignore
table = parquet.read_table(files[0])
arrays = {name: table[column].to_numpy() for name, column in columns.items()}
arrays["replace_undefined_by"] = np.nan
whole = score_queries(metrics=["mrr", "ndcg@10"], **arrays)
for metric in ["mrr", "ndcg@10"]:
    values, expected = scores[metric].values, whole[metric].values
    assert np.array_equal(values, expected, equal_nan=True)
# sphinx_gallery_end_ignore

# %%
# Where is the engine good?
# -------------------------
#
# The scores are a small table with one row per query, for all functions that take
# scores. To look at the rows of some queries, read one file with
# :func:`~skrank.tables.read_rows`.
confidence_interval(scores["ndcg@10"], by="country")

# %%
# Time and memory
# ---------------
#
# One process reads one, two and four of the files in parts with ``score_table``. A
# second process reads them as a whole and scores them with ``score_queries``. The
# memory is the peak of the process so far, minus what Python and its packages need, as
# Linux counts it. With a few million rows both are fine. What matters is how the memory
# grows, because the second process keeps all rows in memory.
program = """
import glob, sys, time
import duckdb, numpy, pyarrow.parquet
from skrank.metrics import score_queries
from skrank.tables import score_table

def megabytes(name):
    words = open("/proc/self/status").read().split()
    return int(words[words.index(name) + 1]) / 1024

how, *patterns = sys.argv[1:]
before = megabytes("VmRSS:")
names = {"qid": "query", "y_true": "clicked", "y_score": "score"}
for pattern in patterns:
    start = time.perf_counter()
    if how == "in parts":
        score_table(pattern, ["mrr", "ndcg@10"], **names)
    else:
        table = pyarrow.parquet.read_table(sorted(glob.glob(pattern)))
        arrays = {name: table[names[name]].to_numpy() for name in names}
        score_queries(metrics=["mrr", "ndcg@10"], **arrays)
    print(time.perf_counter() - start, megabytes("VmHWM:") - before)
"""
n_files = [1, 2, 4]
parts = ["0", "[01]", "*"]
patterns = [f"{folder.name}/part-{part}.parquet" for part in parts]
peaks = {}
for how in ("in parts", "as a whole"):
    command = [sys.executable, "-c", program, how, *patterns]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    numbers = np.array(done.stdout.split(), dtype=float).reshape(3, 2)
    peaks[how] = numbers[:, 1]
    for n, (seconds, megabytes) in zip(n_files, numbers, strict=True):
        print(f"{n} million rows {how:<11}{seconds:6.2f} s{megabytes:6.0f} MB")
folder.cleanup()

# %%
# The memory for the whole table grows with the number of rows. The memory of
# ``score_table`` grows with the number of queries, because it keeps their values.
# DuckDB needs a fixed amount in addition.
#
# The same call scores a data frame of Spark or Dask, whose rows stay where they are.
# :doc:`/large_data` has more on files, memory and clusters. To score files from the
# command line, see :doc:`/shell`.

# sphinx_gallery_start_ignore
growth = {how: peak[-1] - peak[0] for how, peak in peaks.items()}
assert growth["as a whole"] > growth["in parts"]
# sphinx_gallery_end_ignore
