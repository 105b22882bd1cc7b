"""The time and memory of `score_table` beside reading everything, and a picture of it.

The table takes a minute, 4 GB of memory and 600 MB of disk.
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
N_ROWS, LONGEST, N_RUNS = 20_000_000, 239, 3

ORDERS = {"shuffled": "Shuffled rows", "grouped": "Rows of a query together"}
WAYS = {
    "evaluate": "read everything, then ``evaluate``",
    "score_table": "``score_table``",
}

# The boxes of the picture, each a column of them.
BOXES = [
    ["Parquet, CSV, JSON", "pandas, polars, Arrow", "Spark", "Dask"],
    ["DuckDB", "Spark", "Dask"],
    ["skrank, query by query"],
    ["a row per query"],
    ["QueryScores", "a lazy data frame"],
]
TITLES = ["your data", "brings queries together", "scores them", "keeps", "returns"]


def make_rows(rng, n_rows):
    """Return a table whose queries have 5 to 239 rows, a tenth of them relevant."""
    import pyarrow as pa

    lengths = rng.integers(5, LONGEST + 1, n_rows // 5)
    qid = np.repeat(np.arange(len(lengths)), lengths)[:n_rows]
    grades = rng.integers(1, 5, n_rows) * (rng.random(n_rows) < 0.1)
    columns = {"y_true": grades.astype(np.int8), "y_score": rng.normal(size=n_rows)}
    return pa.table({"qid": qid, **columns})


def run(way, path):
    """Compute the metrics; print the time, the peak of the memory and the metrics."""
    from pyarrow import parquet

    from skrank.metrics import evaluate
    from skrank.tables import score_table

    start = time.perf_counter()
    if way == "evaluate":
        table = parquet.read_table(path)
        qid, y_true, y_score = (column.to_numpy() for column in table.columns)
        values = evaluate(y_true, y_score, METRICS, qid=qid)
    else:
        values = score_table(path, METRICS).summary()
    seconds = time.perf_counter() - start
    status = Path("/proc/self/status").read_text("utf-8").split()
    megabytes = int(status[status.index("VmHWM:") + 1]) / 1024
    print(seconds, megabytes, [value.hex() for value in values.values()], sep="\n")


def measure(folder):
    """Return the time and the peak memory of each order of the rows and each way."""
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
    rows = [["20 million rows", "How", "Time", "Peak memory"]]
    for (name, way), (seconds, megabytes) in found.items():
        ratio = f"{seconds / unit:.2f} {times}"
        rows.append([ORDERS[name], WAYS[way], ratio, f"{megabytes:,.0f} MB"])
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for cells in rows:
        lines += [f"   {' ' if i else '*'} - {cell}" for i, cell in enumerate(cells)]
    return "\n".join(lines) + "\n"


def as_svg():
    """Return the picture: boxes in columns, and arrows from each column to the next."""
    width, height, gap, top = 150, 34, 26, 40
    tallest = max(map(len, BOXES)) * (height + 10)
    parts, centres = [], []
    for i, boxes in enumerate(BOXES):
        left = i * (width + gap)
        middle = top + tallest / 2
        parts.append(
            f'<text x="{left + width / 2}" y="18" class="title">{TITLES[i]}</text>'
        )
        first = middle - len(boxes) * (height + 10) / 2 + 5
        for j, text in enumerate(boxes):
            y = first + j * (height + 10)
            parts.append(
                f'<rect x="{left}" y="{y}" width="{width}" height="{height}"/>'
            )
            x, y = left + width / 2, y + height / 2 + 4
            parts.append(f'<text x="{x}" y="{y}">{text}</text>')
        centres.append((left, middle))
    for left, middle in centres[1:]:
        start = left - gap + 4
        parts.append(f'<path d="M{start} {middle}H{left - 8}"/>')
        parts.append(
            f'<path d="M{left - 12} {middle - 4}L{left - 4} {middle}'
            f'L{left - 12} {middle + 4}Z" class="head"/>'
        )
    total = len(BOXES) * (width + gap) - gap
    style = (
        "rect{fill:none;stroke:#459db9;stroke-width:1.5;rx:5}"
        "text{font:11px sans-serif;text-anchor:middle;fill:#6b7785}"
        ".title{font-weight:bold}path{stroke:#6b7785;fill:none}.head{fill:#6b7785}"
    )
    box = f"-2 0 {total + 4} {top + tallest}"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}">'
    return "\n".join([head, f"<style>{style}</style>", *parts, "</svg>", ""])


def files(*names):
    """Return the picture, and the table with anew measured figures."""
    made = {}
    if not names or "picture" in names:
        made["large_data.svg"] = as_svg()
    if not names or "table" in names:
        with tempfile.TemporaryDirectory() as folder:
            made["tables/large_data.rst"] = as_rst(measure(Path(folder)))
    return made


if __name__ == "__main__":
    run(*sys.argv[1:])
