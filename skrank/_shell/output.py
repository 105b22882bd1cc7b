"""What commands print and write: text, CSV, JSON, Markdown and files of values."""

# SPDX-License-Identifier: BSD-3-Clause

import contextlib
import csv
import io
import json
import math
import os
import re
import sys
from dataclasses import replace
from pathlib import Path

from skrank._checks import import_extra
from skrank._text_tables import TEXT, as_markdown, table
from skrank.evaluation.saved_scores import whole_file

STDOUT = "-"
# What a command knows besides the values of its options.
_NOT_OPTIONS = {
    *("command", "default_metrics", "fail", "form", "qrels", "run", "status")
}


def say(message, options):
    """Write one line to the errors, if they can be written.

    Parameters of Python that are options here are named as options.
    """
    words = " ".join(str(message).split())
    names = "|".join(vars(options).keys() - _NOT_OPTIONS)
    if names:
        words = re.sub(
            rf"The '({names})' parameter of \w+|`({names})`",
            lambda m: _option(m[1] or m[2]),
            words,
        )
        words = re.sub(
            rf"(?<![\w(])({names})='?([\w.+-]*\w)'?",
            lambda m: f"{_option(m[1])} {m[2]}",
            words,
        )
    with contextlib.suppress(OSError):
        write(f"skrank: {words}\n", sys.stderr)


def _option(name):
    return f"--{name.replace('_', '-')}"


def write(text, stream):
    r"""Write text to the output or the errors, quietly if nobody reads them any more.

    A character that the terminal does not have is written as its number: "\xe4".
    """
    if stream is None:  # Python has none if it was closed before
        return
    encoding = getattr(stream, "encoding", None) or "utf-8"
    text = text.encode(encoding, "backslashreplace").decode(encoding)
    try:
        stream.write(text)
        stream.flush()
    except OSError as error:
        # Python would write what is left once more at its end, and fail once more.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
        if not isinstance(error, BrokenPipeError):
            raise


def printed(form, header, rows):
    """Return rows of text and numbers as "text", "csv" or "markdown".

    All digits of a number are in CSV only.
    """
    if form == "csv":
        file = io.StringIO()
        write_csv(file, header, rows)
        return file.getvalue().removesuffix("\n")
    cells = [
        [f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in row]
        for row in rows
    ]
    if form == "markdown":
        return as_markdown("", [(header, cells)]).lstrip()
    return table(header, cells, left=(*TEXT, "qid"))


def as_json(data):
    """Return data as JSON, in which numbers that are not finite are null."""
    return json.dumps(_finite(data), indent=2)


def _finite(data):
    if isinstance(data, dict):
        return {str(name): _finite(value) for name, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_finite(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data


def write_csv(file, header, rows):
    """Write rows to an open file of text."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)


def rows_of_queries(scored):
    """Return the header and the rows of the values of queries, as they count."""
    metrics = next(iter(scored.values())).metrics
    rows = []
    for name, scores in scored.items():
        columns = scores.keys["qid"].tolist(), *scores.values[0].tolist()
        rows += [(name, *row) for row in zip(*columns, strict=True)]
    return ["ranker", "qid", *metrics], rows


def check_writable(path, option="--by-query"):
    """Raise if no file of this name can be written."""
    if path is None or (path == STDOUT and option == "--by-query"):
        return
    if option == "--save" and Path(path).suffix != ".parquet":
        raise ValueError(f"The file of --save must end in .parquet. Got {path!r}.")
    if Path(path).suffix not in _WRITERS:
        raise ValueError(
            "The file of --by-query must end in .csv or .parquet, or be '-' for the "
            f"standard output. Got {path!r}."
        )
    if Path(path).suffix == ".parquet":
        import_extra("pyarrow")
    if os.path.isdir(path):
        raise IsADirectoryError(21, "Is a directory", path)
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise FileNotFoundError(2, "No such file or directory", folder)


def save(path, scored):
    """Save the scores of one run, which keeps its name, for `QueryScores.load`."""
    if len(scored) > 1:
        raise ValueError(f"--save takes the scores of one run. Got {[*scored]}.")
    ((name, scores),) = scored.items()
    table = scores.table._replace(rankers=(name,))
    replace(scores, table=table).save(path)


def write_queries(path, scored):
    """Write the values of queries to a file, the whole of it or nothing."""
    with whole_file(path) as part:
        _WRITERS[Path(path).suffix](part, scored)


def _write_csv(path, scored):
    # Ids that are not UTF-8 are written as they were read.
    kept = {"encoding": "utf-8", "errors": "surrogateescape"}
    with open(path, "w", newline="", **kept) as file:
        write_csv(file, *rows_of_queries(scored))


def _write_parquet(path, scored):
    pyarrow, parquet = import_extra("pyarrow"), import_extra("pyarrow.parquet")
    parts = []
    for name, scores in scored.items():
        qid, (values,) = scores.keys["qid"], scores.values
        values = dict(zip(scores.metrics, values, strict=True))
        parts.append(pyarrow.table({"ranker": [name] * len(qid), "qid": qid} | values))
    parquet.write_table(pyarrow.concat_tables(parts), path)


_WRITERS = {".csv": _write_csv, ".parquet": _write_parquet}
