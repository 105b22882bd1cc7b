"""Scores of parts of a source, kept on disk so that a stopped run can continue."""

# SPDX-License-Identifier: BSD-3-Clause

import hashlib
import os
from pathlib import Path

from skrank.tables.extra import import_extra
from skrank.tables.source import quoted
from skrank.tables.stream import score_source

# Rows of a part, which are scored again if a run is stopped.
PART = 2_500_000
MOST_PARTS = 64


def score_with_checkpoint(source, core, advance, n_rows, folder):
    """Return the tables of all queries as `score_source` does, part by part.

    The queries are divided by the hash of their keys. Each part is written when it is
    scored; parts that are there are read instead. The name of a part holds all that
    its values depend on.
    """
    parquet = import_extra("pyarrow.parquet")
    n_parts = min(max(1, -(-n_rows // PART)), MOST_PARTS)
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    name = key_of(source, core)
    keys = ", ".join(quoted(key) for key in core.columns.keys.values())
    tables = []
    for i in range(n_parts):
        file = folder / f"{name}-{i}-of-{n_parts}.parquet"
        if not file.exists():
            where = f"hash({keys}) % {n_parts} = {i}"
            part = score_source(source, core, advance, where)
            if not part:
                continue
            unfinished = file.with_suffix(f".{os.getpid()}.tmp")
            try:
                parquet.write_table(
                    import_extra("pyarrow").concat_tables(part), unfinished
                )
                unfinished.replace(file)
            finally:
                unfinished.unlink(missing_ok=True)
        else:
            advance(n_rows // n_parts)
        tables.append(parquet.read_table(file))
    return tables


def key_of(source, core):
    """Return a name for what the values depend on: the question and the files."""
    if source.files is None or any("://" in name for name in source.files):
        raise ValueError(
            "The 'checkpoint' parameter of score_table goes with files on disk, whose "
            "size and time say whether they have changed. Write the source to Parquet "
            "first, or pass checkpoint=None."
        )
    files = []
    for name in source.files:
        status = os.stat(name)
        files.append((os.path.abspath(name), status.st_size, status.st_mtime_ns))
    requests = [
        (
            request.key,
            request.metric.name,
            _described(("own", request.metric.own)),
            sorted(map(_described, request.options.by_name().items())),
        )
        for request in core.template.requests
    ]
    duckdb = import_extra("duckdb").__version__
    described = repr((files, requests, core.columns, sorted(core.params), duckdb))
    return hashlib.sha256(described.encode()).hexdigest()[:16]


def _described(option):
    name, value = option
    if not callable(value):
        return name, repr(value)
    described = [getattr(value, "__module__", ""), getattr(value, "__qualname__", "")]
    if (code := getattr(value, "__code__", None)) is not None:  # it may be edited
        plain = [one for one in code.co_consts if not hasattr(one, "co_code")]
        described += [code.co_code.hex(), code.co_names, plain]
    return name, repr(described)
