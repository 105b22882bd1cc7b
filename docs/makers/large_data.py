"""The CPU time and memory of `score_table`, and of reading everything.

The table takes two minutes, 4 GB of memory and 600 MB of disk. It has CPU times, of all
threads together, because other work on the machine hardly changes them.
"""

# SPDX-License-Identifier: BSD-3-Clause

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

METRICS = ["ndcg@10", "mrr", "map", "recall@100"]
N_ROWS, LONGEST, N_RUNS = 20_000_000, 239, 5

ORDERS = {"shuffled": "Shuffled rows", "grouped": "Rows of a query together"}
WAYS = {
    "evaluate": "read everything, then ``evaluate``",
    "score_table": "``score_table``",
}


def make_rows(rng, n_rows):
    """Return a table whose queries have 5 to 239 rows, a tenth of them relevant."""
    import pyarrow as pa

    lengths = rng.integers(5, LONGEST + 1, n_rows // 5)
    qid = np.repeat(np.arange(len(lengths)), lengths)[:n_rows]
    grades = rng.integers(1, 5, n_rows) * (rng.random(n_rows) < 0.1)
    columns = {"y_true": grades.astype(np.int8), "y_score": rng.normal(size=n_rows)}
    return pa.table({"qid": qid, **columns})


def run(way, path):
    """Compute the metrics; print the CPU time, the peak memory and the metrics."""
    from pyarrow import parquet

    from skrank.metrics import evaluate
    from skrank.tables import score_table

    start = time.process_time()
    if way == "evaluate":
        table = parquet.read_table(path)
        qid, y_true, y_score = (column.to_numpy() for column in table.columns)
        values = evaluate(y_true, y_score, METRICS, qid=qid)
    else:
        values = score_table(path, METRICS).summary()
    seconds = time.process_time() - start
    status = Path("/proc/self/status").read_text("utf-8").split()
    megabytes = int(status[status.index("VmHWM:") + 1]) / 1024
    print(seconds, megabytes, [value.hex() for value in values.values()], sep="\n")


def measure(folder):
    """Return the CPU time and the peak memory by order of the rows and way."""
    from pyarrow import parquet

    table = make_rows(np.random.default_rng(0), N_ROWS)
    order = np.random.default_rng(1).permutation(N_ROWS)
    for name in ORDERS:
        rows = table if name == "grouped" else table.take(order)
        parquet.write_table(rows, folder / f"{name}.parquet")
    del table, rows
    found, values = {}, {}
    for _ in range(N_RUNS):
        for name in ORDERS:
            for way in WAYS:
                command = [sys.executable, __file__, way, folder / f"{name}.parquet"]
                printed = subprocess.run(command, check=True, capture_output=True)
                seconds, megabytes, text = printed.stdout.decode().splitlines()
                values.setdefault(text, (name, way))
                found.setdefault((name, way), []).append(
                    (float(seconds), float(megabytes))
                )
    if len(values) > 1:
        raise AssertionError(f"Different numbers: {values}.")
    medians = {}
    for key, runs in found.items():
        medians[key] = [statistics.median(part) for part in zip(*runs, strict=True)]
    return medians


def as_rst(found):
    """Return the table of the documentation, with times as ratios."""
    times = "\N{MULTIPLICATION SIGN}"
    (unit, _), *_ = found.values()
    rows = [["20 million rows", "How", "CPU time", "Peak memory"]]
    for (name, way), (seconds, megabytes) in found.items():
        ratio = f"{seconds / unit:.2f} {times}"
        rows.append([ORDERS[name], WAYS[way], ratio, f"{megabytes:,.0f} MB"])
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for cells in rows:
        lines += [f"   {' ' if i else '*'} - {cell}" for i, cell in enumerate(cells)]
    return "\n".join(lines) + "\n"


def files():
    """Return the table, with anew measured figures."""
    with tempfile.TemporaryDirectory() as folder:
        return {"tables/large_data.rst": as_rst(measure(Path(folder)))}


if __name__ == "__main__":
    run(*sys.argv[1:])
