"""Memory and Ctrl-C while a table is scored."""

# SPDX-License-Identifier: BSD-3-Clause

import gc
import os
import signal
import sys
import tempfile
import threading
import traceback

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from skrank.metrics import evaluate
from skrank.tables import score_table
from skrank.tables.source import Source
from skrank.tables.stream import Columns
from tests import processes
from tests.tables.sources import SMALL, as_source, draw


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_large_file_is_numbered_in_its_order(kind, tmp_path):
    rng = np.random.default_rng(0)
    n_rows = 400_000
    data = {
        "qid": rng.integers(0, 40_000, n_rows),
        "y_true": rng.integers(0, 2, n_rows),
        "y_score": rng.integers(0, 2, n_rows),
    }
    file, table = tmp_path / f"t.{kind}", pa.table(data)
    if kind == "csv":
        pyarrow.csv.write_csv(table, file)
    else:
        pq.write_table(table, file, row_group_size=10_000)
    scores = score_table(file, "mrr", ties="first", memory_limit="700MB")
    assert scores.summary() == evaluate(**data, metrics="mrr", ties="first")


@pytest.mark.slow
@pytest.mark.parametrize("form", ["parquet", "csv", "polars"])
def test_a_memory_limit_that_cannot_be_kept_is_refused_with_the_least(form, tmp_path):
    # The number of queries is an estimate of DuckDB, which is exact for two of them.
    table = pa.table(SMALL)
    message = r"at least '601MB' here\. Got 400 MB\. Of about 2 queries"
    with pytest.raises(ValueError, match=message):
        score_table(as_source(table, form, tmp_path), "mrr", memory_limit="400MB")
    score_table(as_source(table, form, tmp_path), "mrr", memory_limit="601MB")


@pytest.mark.slow
def test_the_engine_gets_less_memory_if_there_are_many_values(monkeypatch):
    limits = []
    fetch = Source.fetch

    def seen(source, statement):
        if "memory_limit" in statement:
            limits.append(statement)
        return fetch(source, statement)

    monkeypatch.setattr(Source, "fetch", seen)
    # 5 * 10**6 queries whose keys have 100 letters.
    counted = 5 * 10**6, 5 * 100
    monkeypatch.setattr(Source, "count_queries", lambda *args: counted)
    score_table(pa.table(SMALL), "neg_median_rank", memory_limit="10GB")
    values = 5 * (5 * 100 + 8)
    with pytest.raises(
        ValueError, match=f"at least '{500 + int(3.5 * values)}MB' here"
    ):
        score_table(pa.table(SMALL), "neg_median_rank", memory_limit="4GB")
    shares = [10_000 - 500, 10_000 - 500 - values, 4000 - 500]
    assert limits == [f"SET memory_limit = '{share}MB'" for share in shares]


@pytest.fixture
def file(tmp_path):
    pq.write_table(draw(), tmp_path / "t.parquet")
    return tmp_path / "t.parquet"


def interrupt():
    """Press Ctrl-C, from any thread."""
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)


@pytest.fixture
def ctrl_c(tmp_path, monkeypatch):
    """Let SIGINT raise KeyboardInterrupt; temporary files have a folder of their own.

    A process in the background may have been started with the signal ignored.
    """
    if sys.platform == "win32":
        pytest.skip("there is no SIGINT to send")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    gc.disable()  # an interrupt within a callback of it, such as Hypothesis's, is lost
    yield folder
    gc.enable()
    signal.signal(signal.SIGINT, before)


@pytest.mark.slow
def test_an_interrupt_stops_the_reading_of_a_stream(ctrl_c):
    batch = pa.RecordBatch.from_pydict(SMALL)
    n_read = []

    def batches():
        yield batch
        interrupt()
        for i in range(10**6):
            n_read.append(i)
            yield batch

    reader = pa.RecordBatchReader.from_batches(batch.schema, batches())
    with pytest.raises(KeyboardInterrupt):
        score_table(reader, "mrr")
    assert len(n_read) < 10**6
    assert not [*ctrl_c.iterdir()]


@pytest.mark.slow
@pytest.mark.usefixtures("small_batches")
def test_an_interrupt_of_any_statement_raises_keyboard_interrupt(
    ctrl_c, tmp_path, monkeypatch
):
    table, started, interrupted = draw("one query cut in two", 30), [], []
    start, done = Source.start, set()

    def start_with_interrupt(source, function, *args):
        frames = traceback.walk_stack(None)
        lines = [(frame.f_code.co_filename, line) for frame, line in frames]
        started.append((*lines,))
        if len(started) not in interrupted:
            return start(source, function, *args)

        def call():
            interrupt()
            return function(*args)

        return start(source, call)

    monkeypatch.setattr(Source, "start", start_with_interrupt)

    def score(form):
        score_table(as_source(table, form, tmp_path), "err")

    for form in ("csv", "reader"):
        started[:], interrupted[:] = [], []
        score(form)
        places = [*started]
        assert len(places) > 10
        for at, place in enumerate(places):
            # Of a loop the first statement and one that follows it.
            step = place, places[at - 1] == place
            if step in done:
                continue
            done.add(step)
            started[:], interrupted[:] = [], [at + 1]
            with pytest.raises(KeyboardInterrupt):
                score(form)
            assert not [*ctrl_c.iterdir()]


@pytest.mark.slow
@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_a_source_that_is_left_stops_its_query_before_it_is_closed(error, ctrl_c):
    query = "SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000000) c"
    source = Source(pa.table(SMALL), Columns("qid", "y_true", {}))
    running = source.start(lambda: source.connection.sql(query).fetchall())
    with pytest.raises(error), source:
        raise error
    with pytest.raises(duckdb.InterruptException):
        running.result()
    with pytest.raises(duckdb.ConnectionException):
        source.connection.execute("SELECT 1")
    assert not [*ctrl_c.iterdir()]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("memory_limit", "megabytes"),
    [
        ("601MB", 101),
        ("1 GB", 500),
        ("2gb", 1500),
        ("1500MiB", 1000),
        ("900000kB", 400),
    ],
)
def test_a_memory_limit_reaches_the_engine(memory_limit, megabytes, monkeypatch):
    seen = []

    def check(source, columns):
        seen.extend(source.fetch("SELECT current_setting('memory_limit')")[0])

    monkeypatch.setattr(Source, "check", check)
    score_table(pa.table(SMALL), "mrr", memory_limit=memory_limit)
    with duckdb.connect() as connection:
        connection.execute(f"SET memory_limit = '{megabytes}MB'")
        query = "SELECT current_setting('memory_limit')"
        assert seen == [*connection.sql(query).fetchall()[0]]


PEAK = """
import sys
from pathlib import Path
from skrank.tables import score_table
scores = score_table(sys.argv[1], "map", memory_limit="640MB")
status = Path("/proc/self/status").read_text().split()
print(scores.summary()["map"], status[status.index("VmHWM:") + 1])
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_five_million_rows_fit_into_their_limit(tmp_path):
    # Twenty times all queries in a scattered order, where the scores rise each time: a
    # relevant document that comes at time t has the rank 20 - t.
    n_queries = 250_000
    query, time = np.tile(np.arange(n_queries) * 77_773 % n_queries, 20), np.arange(20)
    time = np.repeat(time, n_queries)
    data = {
        "qid": query,
        "y_true": (query % 20 == time).astype(np.int8),
        "y_score": time + query / n_queries,
    }
    pq.write_table(pa.table(data), tmp_path / "t.parquet", use_dictionary=False)
    command = [sys.executable, "-c", PEAK, str(tmp_path / "t.parquet")]
    result = processes.run(command, check=True)
    value, peak = result.stdout.split()
    assert float(value) == pytest.approx((1 / np.arange(1, 21)).mean(), rel=1e-12)
    assert int(peak) * 1024 < 1.1 * 640e6


def test_folders_of_processes_that_were_killed_are_removed(ctrl_c):
    fcntl = pytest.importorskip("fcntl")
    left = [ctrl_c / f"skrank-{name}" for name in ("dead", "alive", "young")]
    for folder in left:
        folder.mkdir()
        (folder / "lock").touch()
        if folder.name != "skrank-young":
            os.utime(folder / "lock", (0, 0))
    with open(left[1] / "lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        score_table(pa.table(SMALL), "mrr")
    assert sorted(ctrl_c.iterdir()) == sorted(left[1:])
