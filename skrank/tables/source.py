"""Files, URLs and data frames as tables of DuckDB."""

# SPDX-License-Identifier: BSD-3-Clause

import contextlib
import difflib
import glob
import os
import re
import tempfile
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

from skrank._checks import shown
from skrank.metrics.query_scores import kind_of
from skrank.tables.extra import import_extra

READERS = {
    "parquet": "read_parquet",
    "pq": "read_parquet",
    "csv": "read_csv",
    "tsv": "read_csv",
    "json": "read_json",
    "jsonl": "read_json",
    "ndjson": "read_json",
}
_ENDING = re.compile(r"\.([a-z]+)(\.gz|\.zst)?$", re.IGNORECASE)
# DuckDB's limit bounds neither the rows that are being scored nor the values by query.
FOR_THE_REST = 500
_SIZE = re.compile(r"\s*([0-9.]+)\s*([kmgt]i?b)\s*", re.IGNORECASE)
_MEGABYTES = {"k": 1e-3, "m": 1, "g": 1e3, "t": 1e6}

NUMBERS = re.compile(r"U?(TINY|SMALL|BIG)?INT(EGER)?|FLOAT|DOUBLE|BOOLEAN")
DATES = re.compile(r"DATE|TIMESTAMP.*")


def _without_views(table):
    """Return a table whose text is no view: not all of Arrow compares views."""
    pa = import_extra("pyarrow")
    for i, field in enumerate(table.schema):
        if str(field.type) == "string_view":
            table = table.set_column(i, field.name, table[i].cast(pa.large_string()))
    return table


def is_table_file(path):
    """Return True if the ending of a path is that of a file that DuckDB reads."""
    return _reader(os.fspath(path)) is not None


def read_table(path):
    """Return a file, or several, as a table of Arrow."""
    with Source(path) as source:
        query = f"SELECT * FROM {source.relation}"
        return source.run(lambda: source.connection.sql(query).to_arrow_table())


class Source:
    """A table that DuckDB reads, as often as it is asked.

    Use it in a ``with`` statement: it removes DuckDB's temporary files.

    DuckDB only runs in a thread of the source, one statement after the other. The main
    thread waits, and Ctrl-C raises KeyboardInterrupt there: DuckDB would turn it into
    an error of its own, and it cannot close a connection that is in use.

    Parameters
    ----------
    source : object
        As in :func:`score_table`.
    memory_limit : str, default=None
        As in :func:`score_table`.
    names : list of str, default=()
        The columns that will be read.
    """

    def __init__(self, source, memory_limit=None, names=()):
        duckdb = import_extra("duckdb")
        self.megabytes = None if memory_limit is None else _megabytes(memory_limit)
        self.kind = kind_of(source)
        self._thread = ThreadPoolExecutor(1)
        self._closing = contextlib.ExitStack()
        self._closing.callback(self._thread.shutdown)
        try:
            self.connection = self.run(duckdb.connect, ":memory:")
            folder = tempfile.TemporaryDirectory(
                prefix="skrank-", ignore_cleanup_errors=True
            )
            self._closing.enter_context(folder)
            self._closing.callback(self._disconnect)
            self.execute(f"SET temp_directory = {_text(folder.name)}")
            self.leave_memory(0)
            self.relation = self.run(self._open, source, names)
            query = f"DESCRIBE SELECT * FROM {self.relation}"
            self.types = {name: kind for name, kind, *_ in self.fetch(query)}
            check_known(names, self.types)
        except duckdb.Error as error:
            self.close()
            raise ValueError(f"DuckDB cannot read {shown(source)}: {error}") from error
        except BaseException:
            self.close()
            raise

    def _open(self, source, names):
        """Return the SQL that stands for the source in a FROM clause.

        Of a table in memory only the columns in `names` are converted and stored, and
        DuckDB sees no other ones, from which it does not tell "qid" and "QID" apart.
        """
        if isinstance(source, (str, os.PathLike)):
            source = os.fspath(source)
            files = [source] if "://" in source else files_of(source)
            listed = ", ".join(map(_text, files))
            reader = _reader_of(files)
            if reader == "read_csv":
                return self._typed_csv(listed)
            return f"{reader}([{listed}])"
        pa = import_extra("pyarrow")
        library = type(source).__module__.partition(".")[0]
        if library == "pandas" and hasattr(source, "columns"):
            check_known(names, source.columns)
            source = pa.Table.from_pandas(source[names], preserve_index=False)
        elif library == "polars" and hasattr(source, "to_arrow"):
            check_known(names, source.columns)
            source = source.select(names).to_arrow()
        if not hasattr(source, "__arrow_c_stream__"):
            raise TypeError(
                "The 'source' parameter of score_table must be a path, a URL or a "
                "table that speaks the Arrow PyCapsule protocol, such as a data frame "
                "of pandas, polars or pyarrow (collect a lazy one first). "
                f"Got {type(source).__name__} instead."
            )
        if isinstance(source, pa.Table):
            check_known(names, source.column_names)
            self.connection.register("source", _without_views(source.select(names)))
            return "source"
        # A stream can be read only once.
        reader = pa.RecordBatchReader.from_stream(source)
        check_known(names, reader.schema.names)
        schema = pa.schema([reader.schema.field(name) for name in names])
        batches = (batch.select(names) for batch in reader)
        stream = pa.RecordBatchReader.from_batches(schema, batches)
        self.connection.register("stream", stream)
        self.connection.execute("CREATE TABLE source AS SELECT * FROM stream")
        self.connection.unregister("stream")
        return "source"

    def _typed_csv(self, names):
        """Return the SQL of CSV files with the types that all of their rows have.

        By the first rows alone, the id 0301 further down could be taken for 301.
        """
        query = f"DESCRIBE FROM read_csv([{names}], sample_size = -1)"
        types = ", ".join(
            f"{_text(name)}: {_text(kind)}"
            for name, kind, *_ in self.connection.sql(query).fetchall()
        )
        return f"read_csv([{names}], types = {{{types}}})"

    def start(self, function, *args):
        """Call a function in the thread of the source, and return its future."""
        return self._thread.submit(function, *args)

    def run(self, function, *args):
        """Call a function in the thread of the source, and return its result."""
        return self.result_of(self.start(function, *args))

    @staticmethod
    def result_of(future):
        """Wait for what was started, and return its result."""
        while not future.done():  # an interrupt just before a wait does not end it
            wait([future], timeout=0.1)
        return future.result()

    def execute(self, statement):
        """Run a statement that returns nothing."""
        self.run(self.connection.execute, statement)

    def fetch(self, query):
        """Return the rows that a query returns."""
        return self.run(lambda: self.connection.sql(query).fetchall())

    def leave_memory(self, megabytes):
        """Leave memory of the limit to the values by query, beside that for the rest.

        DuckDB gets what remains, but not less than a part of the limit.
        """
        if self.megabytes is not None:
            rest, least = FOR_THE_REST + megabytes, 4 if megabytes else 2
            limit = max(int(self.megabytes - rest), int(self.megabytes / least), 1)
            self.execute(f"SET memory_limit = '{limit}MB'")

    def count_queries(self, columns):
        """Return about how many queries there are, and the bytes of the keys of one."""
        keys = [quoted(name) for name in columns.keys.values()]
        # The text of a key is held as UTF-8, and with four bytes for each character.
        lengths = [
            f"5 * max(strlen({key}::VARCHAR))" if self.is_text(name) else "8"
            for key, name in zip(keys, columns.keys.values(), strict=True)
        ]
        ((n_queries, key_bytes),) = self.fetch(
            f"SELECT approx_count_distinct(hash({', '.join(keys)})), "
            f"{' + '.join(lengths)} FROM {self.relation}"
        )
        return n_queries, key_bytes

    def stop(self):
        """Interrupt what DuckDB does, and wait for its end."""
        end = self.start(int)
        while not end.done():  # an interrupt before a query begins has no effect
            self.connection.interrupt()
            wait([end], timeout=0.1)

    def check(self, columns):
        """Raise if there are no rows or the type of a column is wrong."""
        if not self.fetch(f"SELECT 1 FROM {self.relation} LIMIT 1"):
            raise ValueError("The source has no rows. Got columns only.")
        check_types(columns, self.types, _is_numeric, "BOOLEAN".__eq__)

    def extreme_grades(self, columns):
        """Return the lowest and the highest grade, or None and None."""
        y_true, judged = quoted(columns.y_true), columns.judged
        where = "" if judged is None else f" WHERE {quoted(judged)}"
        ((low, high),) = self.fetch(
            f"SELECT min({y_true}), max({y_true}) FROM {self.relation}{where}"
        )
        return low, high

    def selected(self, columns):
        """Return the SQL of the columns to read, in types that the core reads."""
        masks, keys = columns.masks(), columns.keys.values()
        parts = []
        for name in columns.named():
            value, kind = quoted(name), self.types[name]
            if name in (*keys, columns.doc_id):
                if not NUMBERS.fullmatch(kind) and not DATES.fullmatch(kind):
                    value = f"CAST({value} AS VARCHAR)"
            elif not NUMBERS.fullmatch(kind):
                value = f"CAST({value} AS DOUBLE)"
            if masks.get(name) is not None:  # where it is not read it may be missing
                value = f"CASE WHEN {quoted(masks[name])} THEN {value} ELSE 0 END"
            parts.append(f"{value} AS {quoted(name)}")
        return ", ".join(parts)

    def is_text(self, name):
        """Return True if a key is compared as text."""
        return not re.fullmatch(f"{NUMBERS.pattern}|{DATES.pattern}", self.types[name])

    def refuse_missing(self, columns):
        """Raise if ids, grades, scores, masks or weights are missing, with counts."""
        inner = f"SELECT {self.selected(columns)} FROM {self.relation}"
        counts = ["count(*)"]
        for name in columns.named():
            test = f"{quoted(name)} IS NULL"
            if self.types[name] in ("FLOAT", "DOUBLE"):
                test += f" OR isnan({quoted(name)})"
            counts.append(f"count(*) FILTER ({test})")
        ((n_rows, *missing),) = self.fetch(f"SELECT {', '.join(counts)} FROM ({inner})")
        for name, n_missing in zip(columns.named(), missing, strict=True):
            check_none_missing(name, n_missing, f"{n_rows:,} rows", columns)

    def close(self):
        """Close the connection and remove its temporary files."""
        self._closing.close()

    def _disconnect(self):
        self.stop()
        self.run(self.connection.close)

    def __enter__(self):
        """Return the source itself."""
        return self

    def __exit__(self, *error):
        """Close it."""
        self.close()


def check_known(names, known):
    """Raise if a column is not among those that are known."""
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(str(name), known, n=1, cutoff=0.4)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ValueError(
                f"The source has no column {name!r}.{hint} Got {list(known)}."
            )


def check_types(columns, types, is_number, is_boolean):
    """Raise if grades, scores or weights are no numbers, or masks no booleans."""
    for name in (columns.y_true, *columns.y_score.values(), columns.sample_weight):
        if name is not None and not is_number(types[name]):
            raise ValueError(
                f"The column {name!r} must hold numbers. Got {types[name]}."
            )
    for name in columns.masks().values():
        if name is not None and not is_boolean(types[name]):
            raise ValueError(
                f"The column {name!r} must hold booleans. Got {types[name]}."
            )


def check_none_missing(name, n_missing, among, columns):
    """Raise if a column has missing values."""
    if n_missing:
        raise ValueError(
            f"The column {name!r} has {n_missing:,} missing values (NULL or NaN) among "
            f"{among}. {_cure_for_missing(name, columns)}"
        )


def _cure_for_missing(name, columns):
    if name == columns.y_true and columns.judged is None:
        return "Name a boolean column of the documents with a grade as `judged`."
    if name in columns.y_score.values() and columns.returned is None:
        return "Name a boolean column of the documents with a score as `returned`."
    return "Leave these rows out, or give them values."


def files_of(path):
    """Return the sorted files of a path, a pattern or a directory."""
    path = os.path.expanduser(path)
    if os.path.isdir(path):
        inside = sorted(map(str, Path(path).rglob("*")))
        found = [name for name in inside if _reader(name) and os.path.isfile(name)]
        if not found:
            raise FileNotFoundError(
                f"The directory {path!r} holds no file that ends with "
                f"{', '.join('.' + ending for ending in READERS)}."
            )
        return found
    found = [path] if os.path.isfile(path) else sorted(glob.glob(path, recursive=True))
    if not found:
        raise FileNotFoundError(f"There is no file {path!r}.")
    return found


def _reader(name):
    match = _ENDING.search(name.partition("?")[0])
    return READERS.get(match.group(1).lower()) if match else None


def _reader_of(files):
    """Return the function of DuckDB that reads some files."""
    readers = {_reader(name) for name in files}
    if readers <= {None}:
        raise ValueError(
            f"score_table reads files that end with "
            f"{', '.join('.' + ending for ending in READERS)}. Got {shown(files[0])}."
        )
    if len(readers) > 1:
        raise ValueError(
            "All files must be of one format. Got files of several: "
            f"{shown(sorted({Path(name).suffix for name in files}))}."
        )
    return readers.pop()


def _megabytes(memory_limit):
    """Return the megabytes of a limit such as "2GB"."""
    match = _SIZE.fullmatch(memory_limit) if isinstance(memory_limit, str) else None
    if match is None:
        raise ValueError(
            "The 'memory_limit' parameter of score_table must be a str such as '2GB' "
            f"or '500MB', or None. Got {shown(memory_limit)} instead."
        )
    number, unit = match.groups()
    return float(number) * _MEGABYTES[unit[0].lower()]


def _is_numeric(kind):
    return bool(NUMBERS.fullmatch(kind)) or kind.startswith(("DECIMAL", "HUGEINT"))


def quoted(name):
    """Return the name of a column in SQL."""
    return '"' + name.replace('"', '""') + '"'


def _text(value):
    return "'" + value.replace("'", "''") + "'"
