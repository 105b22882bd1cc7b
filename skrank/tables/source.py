"""Files, URLs, data frames and tables of Arrow as tables of DuckDB, checked.

DuckDB takes types from the first rows and the first files. Here all of them decide:
files of text are read as text before their columns get types, and the parts of a
Parquet table are compared with each other.

What has ``__arrow_c_stream__`` is a source without a change. A format that pyarrow
reads as a dataset, or DuckDB reads, is an entry of `FORMATS`, or of `_RELATIONS` as
well. For anything else `Source._open` makes a frame, a dataset or a stream of Arrow,
and `as_source` and `FORMS` of ``tests/tables/sources.py`` test it in every order of the
rows.
"""

# SPDX-License-Identifier: BSD-3-Clause

import _thread
import contextlib
import csv
import difflib
import glob
import os
import re
import shutil
import tempfile
import time
from itertools import groupby
from pathlib import Path
from queue import Empty, SimpleQueue

from skrank._input.checks import shown
from skrank._input.frames import (
    column_names,
    frame_in_arrow,
    is_list,
    is_pandas_or_polars,
    kind_of,
)
from skrank._text.tables import import_extra

# Megabytes for Python, its packages and the rows that are being scored, and the fewest
# for DuckDB, as was measured: its limit bounds neither those nor the values by query.
FOR_THE_REST, FOR_DUCKDB = 500, 100
_CSV_ERROR = re.compile(r"CSV Error on Line: (\d+)\n(.*?)\n\s+file = ([^\n]*)", re.S)
_SAYS = re.compile(r"^[A-Z]\w*( \w+)* (Error|exception): |No space left")
_CSV_FILE = re.compile(r"^\s+file = (.*)$", re.MULTILINE)
_SIZE = re.compile(r"\s*([0-9]+\.?[0-9]*|\.[0-9]+)\s*([kmgt]i?b)\s*", re.IGNORECASE)
_MEGABYTES = {"k": 1e-3, "m": 1, "g": 1e3, "t": 1e6}
_MOST_MEGABYTES = 2**63 / 1e6  # DuckDB counts the bytes in 64 bits

# What types of DuckDB hold; ids may be any of it but decimals.
_TYPES_OF_KINDS = {
    "boolean": "BOOLEAN",
    "number": "U?(TINY|SMALL|BIG)?INT(EGER)?|FLOAT|DOUBLE",
    "decimal": "DECIMAL.*|U?HUGEINT",
    "date": "DATE|TIMESTAMP.*",
    "text": "VARCHAR|ENUM.*|UUID|BLOB|TIME.*",
}
# Lists of these, such as FLOAT[] and FLOAT[3]; lists of lists are not read.
_LIST = re.compile(r"([^\[\]]+)\[\d*\]")


def read_table(path, columns):
    """Return the columns of a file, or of several, as a table of Arrow."""
    with Source(path, columns, reads_all=True) as source:
        query = f"SELECT * FROM {source.relation}"
        return source.run(lambda: source.connection.sql(query).to_arrow_table())


class Source:
    """A table that DuckDB reads, as often as it is asked.

    Use it in a ``with`` statement: it removes DuckDB's temporary files.

    DuckDB only runs in a thread of the source, one statement after the other. The main
    thread waits, and Ctrl-C raises KeyboardInterrupt there: DuckDB would turn it into
    an error of its own, and it cannot close a connection that is in use.
    """

    def __init__(self, source, columns, memory_limit=None, *, reads_all=False):
        duckdb = import_extra("duckdb")
        self.reads_all = reads_all
        self.kind = kind_of(source)
        self.files = self._schema = self._reader = None
        self._names = columns.named()
        if memory_limit is not None:
            self.megabytes = _megabytes(memory_limit)
        self._thread = Threads(1)
        self._closing = contextlib.ExitStack()
        self._closing.callback(self._thread.close)
        with contextlib.ExitStack() as failing:
            failing.push(self.__exit__)
            self.connection = self.run(duckdb.connect, ":memory:")
            folder = tempfile.TemporaryDirectory(
                prefix="skrank-", ignore_cleanup_errors=True
            )
            self.folder = folder.name
            self._closing.callback(self.run, folder.cleanup)
            self._closing.callback(
                _locked_file(os.path.join(folder.name, "lock")).close
            )
            _remove_what_was_left()
            self._closing.callback(self._disconnect)
            self.fetch(f"SET temp_directory = {text_in_sql(self.folder)}")
            # Else DuckDB writes a bar to the standard output of slow statements.
            self.fetch("SET enable_progress_bar = false")
            # An extension is a native library, which no path may download.
            self.fetch("SET autoinstall_known_extensions = false")
            if memory_limit is not None:
                self.leave_memory(0)
            self.relation = self._open(source, columns)
            query = f"DESCRIBE SELECT * FROM {self.relation}"
            self.types = {name: kind for name, kind, *_ in self.fetch(query)}
            self.kinds = {name: _kind(type) for name, type in self.types.items()}
            failing.pop_all()

    def _open(self, source, columns):
        """Return the SQL that stands for the source in a FROM clause.

        Files are read by DuckDB. Everything else becomes a table or a stream of Arrow
        of the columns to read: DuckDB does not distinguish "qid" and "QID".
        """
        pa, names = import_extra("pyarrow"), columns.named()
        if isinstance(source, (str, os.PathLike, list)):
            self.files = files_of(source, self.fetch)
            reader = reader_of(self.files)
            if reader in _RELATIONS:
                return _RELATIONS[reader](self.files, columns, self.fetch)
            source = self.run(arrow_files, self.files, names, reader)
        if hasattr(source, "projected_schema"):  # a scanner, which is read once
            source = source.to_reader()
        is_frame, is_dataset = is_pandas_or_polars(source), hasattr(source, "scanner")
        if not (is_frame or is_dataset or isinstance(source, pa.Table)):
            if not hasattr(source, "__arrow_c_stream__"):
                raise TypeError(
                    "The 'source' parameter must be a path, a URL, a list of them, or "
                    "a table that speaks the Arrow PyCapsule protocol, such as a data "
                    "frame of pandas, polars or pyarrow, or a data frame of Spark or "
                    "Dask itself. "
                    f"Got {type(source).__name__} instead."
                )
            # It is closed at the end, since it may be of a connection of the user.
            source = self._reader = self.run(pa.RecordBatchReader.from_stream, source)
        check_known(columns, column_names(source) if is_frame else source.schema.names)
        if is_frame:
            source = frame_in_arrow(source, names)
        elif is_dataset:
            source = source.scanner(columns=names).to_reader()
        self._schema = _schema_to_read(source.schema, names)
        if isinstance(source, pa.Table):
            table = _converted(source, self._schema)
            self.run(self.connection.register, "source", table)
            return "source"
        self._reader = source  # a stream, which can be read only once
        batches = (_converted(batch, self._schema) for batch in source)
        stream = pa.RecordBatchReader.from_batches(self._schema, batches)
        self.run(self.connection.register, "stream", stream)
        self.fetch("CREATE TABLE source AS SELECT * FROM stream")
        self.run(self.connection.unregister, "stream")
        return "source"

    def start(self, function, *args):
        """Call a function in the thread of the source, and return the task."""
        return self._thread.start(function, *args)

    def run(self, function, *args):
        """Call a function in the thread of the source, and return its result."""
        return self.start(function, *args).result()

    def fetch(self, statement):
        """Run a statement, and return the rows that it returns."""
        try:
            return self.run(lambda: self.connection.execute(statement).fetchall())
        except Exception as error:
            needed = re.search(r"INSTALL (\w+)", str(error))
            if needed is None:
                raise
            raise ImportError(
                f"This path needs DuckDB's extension {needed[1]!r}, which skrank does "
                f"not download. Install it: duckdb.sql('INSTALL {needed[1]}')."
            ) from error

    def leave_memory(self, megabytes):
        """Leave memory of the limit to the values by query, next to the rest."""
        limit = max(int(self.megabytes - FOR_THE_REST - megabytes), FOR_DUCKDB)
        self.fetch(f"SET memory_limit = '{limit}MB'")

    def count(self):
        """Return the number of rows."""
        return self.fetch(f"SELECT count(*) FROM {self.relation}")[0][0]

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

    def count_cut(self, columns):
        """Return how many queries have parts of different sizes, by other columns."""
        qid, *by = (quoted(name) for name in columns.keys.values())
        parts = f"SELECT {qid} AS q, count(*) AS n FROM {self.relation}"
        parts += f" GROUP BY {qid}, {', '.join(by)}"
        cut = f"SELECT q FROM ({parts}) GROUP BY q HAVING min(n) < max(n)"
        return self.fetch(f"SELECT count(*) FROM ({cut})")[0][0]

    def stop(self):
        """Interrupt what DuckDB does, and wait for its end."""
        end, seconds = self.start(int), 0
        while not end.wait(seconds):
            # An interrupt before a query begins has no effect.
            self.connection.interrupt()
            seconds = 0.1

    def check(self, columns):
        """Raise if there are no rows, or the type of a column is wrong."""
        if not self.fetch(f"SELECT 1 FROM {self.relation} LIMIT 1"):
            raise ValueError("The source has no rows. Got columns only.")
        check_types(columns, self.types, self.kinds)
        for name in columns.ids() if self._schema is not None else ():
            as_given = str(self._schema.field(name).type)
            if "[ns" in as_given and not self.types[name].endswith("_NS"):
                _refuse_id(name, as_given)
        for name in columns.numbers():
            if self.kinds[name] == "decimal":
                self._refuse_rounded(name)

    def _refuse_rounded(self, name):
        """Raise if different decimals of a column could become one float."""
        value = quoted(name)
        # The shortest text of a float is one decimal, which has to be the value.
        text = f"CAST(CAST(CAST({value} AS VARCHAR) AS DOUBLE) AS VARCHAR)"
        rows = self.fetch(
            f"SELECT {value} FROM {self.relation} WHERE "
            f"TRY_CAST({text} AS {self.types[name]}) IS DISTINCT FROM {value} LIMIT 1"
        )
        if rows:
            raise ValueError(
                f"The column {name!r} must hold numbers that a float holds with all "
                f"their digits. Got {rows[0][0]}: cast it to float64 to round."
            )

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
        masks, parts = columns.masks(), []
        for name in columns.named():
            value, to = quoted(name), self._type_as_read(name)
            if to == "DOUBLE":  # DuckDB 1.1 rounds decimals twice, but not their text
                value = f"CAST({value} AS VARCHAR)"
            if to is not None:
                value = f"CAST({value} AS {to})"
            if masks.get(name) is not None:  # where it is not read it may be missing
                value = f"CASE WHEN {quoted(masks[name])} THEN {value} ELSE 0 END"
            parts.append(f"{value} AS {quoted(name)}")
        return ", ".join(parts)

    def _type_as_read(self, name):
        """Return the type of DuckDB in which a column is read; None for its own."""
        kind = self.kinds[name]
        if kind == "decimal":
            return "DOUBLE"
        if kind == "list":
            inner = _kind(_LIST.fullmatch(self.types[name])[1])
            return {"decimal": "DOUBLE[]", "text": "VARCHAR[]"}.get(inner)
        return "VARCHAR" if self.is_text(name) else None

    def is_text(self, name):
        """Return True if a key is compared as text, and not as it is."""
        return self.kinds[name] not in ("boolean", "number", "date")

    def refuse_missing(self, columns):
        """Raise if ids, grades, scores, masks or weights are missing, with counts."""
        inner = f"SELECT {self.selected(columns)} FROM {self.relation}"
        counts = ["count(*)"]
        names = columns.whole()
        for name in names:
            test = f"{quoted(name)} IS NULL"
            if self.types[name] in ("FLOAT", "DOUBLE"):
                test += f" OR isnan({quoted(name)})"
            counts.append(f"count(*) FILTER ({test})")
        ((n_rows, *missing),) = self.fetch(f"SELECT {', '.join(counts)} FROM ({inner})")
        for name, n_missing in zip(names, missing, strict=True):
            check_none_missing(name, n_missing, f"{n_rows:,} rows", columns)

    def _disconnect(self):
        self.stop()
        if self._reader is not None:
            self.run(self._reader.close)
        self.run(self.connection.close)

    def __enter__(self):
        """Return the source itself."""
        return self

    def __exit__(self, kind, error, trace):
        """Close it, and turn the errors of engines into errors of skrank."""
        self._closing.close()
        engines = import_extra("duckdb").Error, import_extra("pyarrow").ArrowException
        # Arrow passes on what DuckDB says while it reads a table in batches, and what
        # the system says where it writes rows to the disk.
        may_be_passed_on = isinstance(error, (OSError, RuntimeError))
        is_passed_on = may_be_passed_on and _SAYS.search(str(error))
        if isinstance(error, engines) or is_passed_on:
            raise self._failure(error) from error

    def _failure(self, error):
        """Return an error of DuckDB as one that names the file and the column."""
        text = str(error)
        # Arrow adds the beginning of a traceback where a stream of Python breaks off.
        cause = text.partition("\n")[0].partition(" Detail: ")[0].strip().rstrip(".")
        return (
            self._failure_of_space(text, cause)
            or _failure_of_csv(text, cause)
            or self._failure_of_file(text, cause)
        )

    def _failure_of_space(self, text, cause):
        """Return the error of a disk or a memory that is too small, or None."""
        no_sort = "or write the rows query by query, which needs no sort."
        if "No space left" in text or "max_temp_directory_size" in text:
            return OSError(
                "score_table needs more disk for its temporary files, which are in "
                f"{tempfile.gettempdir()!r}. Got: {cause}. Set the environment "
                "variable TMPDIR to a larger disk, raise `memory_limit`, "
                f"{no_sort}"
            )
        if "Out of Memory" not in text:
            return None
        needs = f"score_table needs more memory: raise `memory_limit`, {no_sort}"
        if self.reads_all:
            needs = (
                "The columns that are read have to fit into memory. `score_table` "
                "scores tables that do not."
            )
        return OSError(f"{needs} Got: {cause}.")

    def _failure_of_file(self, text, cause):
        """Return the error of a file that DuckDB cannot read, or of another source."""
        file = None
        if "state machine reached an invalid state" in text:
            cause = "lines that end in different ways, with \\r\\n and with \\n"
        if (named := _CSV_FILE.search(text)) is not None:
            file = named[1]
        elif self.files is not None:
            # After an internal error the connection cannot be used.
            with contextlib.closing(import_extra("duckdb").connect()) as connection:
                file = _first_unread(self.files, self._names, connection)
            if len(self.files) == 1:
                (file,) = self.files
        what = "the source" if file is None else repr(file)
        kind = OSError if cause.startswith(("IO Error", "HTTP Error")) else ValueError
        return kind(f"DuckDB cannot read {what}. Got: {cause}.")


def _locked_file(path):
    """Return an open file that is locked, until it is closed or the process ends."""
    file = open(path, "ab")  # noqa: SIM115
    with contextlib.suppress(ImportError, OSError):
        import fcntl  # which Windows lacks

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return file
    file.close()
    return file


def _remove_what_was_left():
    """Remove the folders of processes that were killed: their locks are open.

    Those of the last minute may not be locked yet.
    """
    folder = tempfile.gettempdir()
    for name in glob.glob("skrank-*/lock", root_dir=folder):
        path = os.path.join(folder, name)
        with contextlib.suppress(OSError):
            if time.time() - os.path.getmtime(path) > 60:
                lock = _locked_file(path)
                if not lock.closed:
                    shutil.rmtree(os.path.dirname(path), ignore_errors=True)
                lock.close()


def _failure_of_csv(text, cause):
    """Return the error of a line of a CSV file, or None."""
    if (found := _CSV_ERROR.search(text)) is None:
        return None
    line, problem, file = found.groups()
    n_fields = re.search(r"Number of Columns: (\d+) Found: (\d+)", problem)
    if n_fields:
        return ValueError(
            f"Each line of {file!r} must hold {n_fields[1]} fields, as the first one "
            f"does. Got {n_fields[2]} on line {line}."
        )
    if "unicode" in problem:
        cause = "bytes that are not UTF-8"
    elif "unterminated" in problem:
        cause = "a quote that is not closed"
    return ValueError(
        f"The file {file!r} must be CSV in UTF-8. Got {cause} on line {line}."
    )


def _kind(type):
    """Return what a type of DuckDB holds: a kind, "list" of one, or None."""
    if type.endswith("]"):
        match = _LIST.fullmatch(type)
        return "list" if match is not None and _kind(match[1]) else None
    kinds = _TYPES_OF_KINDS.items()
    return next((kind for kind, types in kinds if re.fullmatch(types, type)), None)


def _schema_to_read(schema, names):
    """Return the schema of columns in types that DuckDB and older Arrow compute."""
    pa, fields = import_extra("pyarrow"), []
    for field in map(schema.field, names):
        if pa.types.is_decimal256(field.type):
            raise ValueError(
                f"The column {field.name!r} must have a type that DuckDB reads. Got "
                f"{field.type}: cast it, for example to float64 or, for ids, to text."
            )
        fields.append(field.with_type(_type_to_read(pa, field.type)))
    return pa.schema(fields)


def _type_to_read(pa, kind):
    """Return a type of Arrow that DuckDB and older versions of Arrow compute."""
    if str(kind) == "string_view":  # not all of Arrow compares views
        return pa.large_string()
    if pa.types.is_float16(kind):
        return pa.float32()
    if is_list(kind):
        inner = _type_to_read(pa, kind.value_type)
        if inner != kind.value_type:
            n_fixed = pa.types.is_fixed_size_list(kind) and kind.list_size
            return pa.list_(inner, n_fixed or -1)
    return kind


def _converted(rows, schema):
    """Return the columns of a table or a batch of Arrow in the types of a schema."""
    columns = (rows.column(rows.schema.get_field_index(name)) for name in schema.names)
    columns = [
        column if column.type == kind else column.cast(kind)
        for column, kind in zip(columns, schema.types, strict=True)
    ]
    return type(rows).from_arrays(columns, schema=schema)


def check_types(columns, types, kinds):
    """Raise if a column has another type than grades, scores, masks or ids have."""
    for name in columns.numbers():
        if kinds[name] not in ("boolean", "number", "decimal"):
            raise ValueError(
                f"The column {name!r} must hold numbers. Got {types[name]}."
            )
    for name in columns.masks().values():
        if name is not None and kinds[name] != "boolean":
            raise ValueError(
                f"The column {name!r} must hold booleans. Got {types[name]}."
            )
    for name in columns.ids():
        if kinds[name] in ("decimal", "list", None):
            _refuse_id(name, types[name])
    for name in columns.values():
        if kinds[name] is None:
            raise ValueError(
                f"The column {name!r} must hold numbers, text, dates or lists of "
                f"numbers or text. Got {types[name]}."
            )


def _refuse_id(name, kind):
    raise ValueError(
        f"The column {name!r} must hold numbers, text or dates. "
        f"Got {kind}: cast it, for example to text."
    )


def check_none_missing(name, n_missing, among, columns):
    """Raise if a column has missing values."""
    if not n_missing:
        return
    cure = "Leave these rows out, or give them values."
    if name == columns.y_true and columns.judged is None:
        cure = "Name a boolean column of the documents with a grade as `judged`."
    elif name in columns.y_score.values() and columns.returned is None:
        cure = "Name a boolean column of the documents with a score as `returned`."
    raise ValueError(
        f"The column {name!r} has {n_missing:,} missing values (NULL or NaN) among "
        f"{among}. {cure}"
    )


def _megabytes(memory_limit):
    """Return the megabytes of a limit such as "2GB"."""
    match = _SIZE.fullmatch(memory_limit) if isinstance(memory_limit, str) else None
    megabytes = match and float(match[1]) * _MEGABYTES[match[2][0].lower()]
    if not 0 < (megabytes or 0) <= _MOST_MEGABYTES:
        raise ValueError(
            "The 'memory_limit' parameter of score_table must be a str such as '2GB' "
            f"or '500MB', or None. Got {shown(memory_limit)} instead."
        )
    return megabytes


class Task:
    """The call of a function in another thread."""

    def __init__(self, function, args):
        self._function, self._args = function, args
        self._outcome, self._found = SimpleQueue(), None

    def run(self):
        """Call the function and keep what it returns or raises."""
        try:
            self._outcome.put((self._function(*self._args), None))
        except BaseException as error:
            self._outcome.put((None, error))

    def wait(self, seconds):
        """Wait for at most some seconds, and return True if the call has ended."""
        if self._found is None:
            try:
                self._found = self._outcome.get(timeout=seconds)
            except Empty:
                return False
        return True

    def result(self):
        """Wait for the end of the call, and return its result."""
        while not self.wait(0.1):  # an interrupt just before a wait does not end it
            pass
        returned, error = self._found
        if error is not None:
            raise error
        return returned


class Threads:
    """`n` threads that call functions, in the order in which they were started.

    The main thread waits without a lock of Python's: an interrupt, such as Ctrl-C, that
    strikes while such a lock is taken or released may leave it locked for ever. So this
    is not a ThreadPoolExecutor.
    """

    def __init__(self, n):
        self._tasks, self._is_closed = SimpleQueue(), False
        self._ends = [Task(self._work, ()) for _ in range(n)]
        for end in self._ends:
            _thread.start_new_thread(end.run, ())

    def start(self, function, *args):
        """Call a function in one of the threads, and return the :class:`Task`."""
        task = Task(function, args)
        self._tasks.put(task)
        return task

    def close(self):
        """Wait for the calls that have begun; those that have not never do."""
        if not self._is_closed:
            self._is_closed = True
            for _ in self._ends:
                self._tasks.put(None)
            for end in self._ends:
                end.result()

    def _work(self):
        while (task := self._tasks.get()) is not None:
            if not self._is_closed:
                task.run()
            del task  # or it would keep its arguments until the next one comes


# What reads files, by how their names end: a function of DuckDB, or a format of Arrow.
FORMATS = {
    "parquet": "read_parquet",
    "pq": "read_parquet",
    "csv": "read_csv",
    "tsv": "read_csv",
    "arrow": "ipc",
    "feather": "ipc",
    "ipc": "ipc",
}
_ENDING = re.compile(r"\.([a-z]+)(\.gz|\.zst)?$", re.IGNORECASE)
_HIDDEN = re.compile(r"(^|/)[._]")
_DELIMITERS = ",", "\t", ";", "|"

# The bits of the integers that types hold exactly.
_SIGNED = {"TINYINT": 7, "SMALLINT": 15, "INTEGER": 31, "BIGINT": 63}
_UNSIGNED = {"UTINYINT": 8, "USMALLINT": 16, "UINTEGER": 32, "UBIGINT": 64}
_FLOATS = {"FLOAT": 24, "DOUBLE": 53}


def arrow_files(files, names, format):
    """Return files that Arrow reads as a dataset whose columns have one type each."""
    dataset = import_extra("pyarrow.dataset").dataset(files, format=format)
    for fragment in dataset.get_fragments():
        for name in {*names} & {*dataset.schema.names}:
            kind, own = dataset.schema.field(name).type, fragment.physical_schema
            got = own.field(name).type if name in own.names else "none"
            if got != kind:
                raise ValueError(
                    f"The column {name!r} must have one type in all files. Got {kind} "
                    f"in {files[0]!r} and {got} in {fragment.path!r}."
                )
    return dataset


def files_of(source, fetch):
    """Return the files of a path, a pattern, a directory or a URL, or of several.

    Those of a pattern or a directory are sorted, those of a list keep its order.
    """
    paths = source if isinstance(source, list) else [source]
    if not paths or not all(isinstance(one, (str, os.PathLike)) for one in paths):
        raise TypeError(
            "The 'source' parameter must be a path, or a list of at "
            f"least one path, where it is a list. Got {shown(source)} instead."
        )
    found, first = [], {}
    for file in (one for path in paths for one in _files_of(os.fspath(path), fetch)):
        identity = file
        if os.path.isfile(file):
            about = os.stat(file)
            identity = about.st_dev, about.st_ino
            if not about.st_size:
                raise ValueError(f"The file {file!r} must hold a table. Got 0 bytes.")
        if identity in first:
            other = first[identity]
            got = f"{file!r} twice"
            if other != file:
                got = f"{other!r} and {file!r}, which are the same file"
            raise ValueError(
                "Each file must be read once, or its rows would count twice. Got "
                f"{got}: leave one out."
            )
        first[identity] = file
        found.append(file)
    return found


def _files_of(path, fetch):
    if "://" in path:
        is_pattern = not path.startswith("http") and glob.has_magic(path)
        query = f"SELECT file FROM glob({text_in_sql(path)}) ORDER BY file"
        return [file for (file,) in fetch(query)] if is_pattern else [path]
    path = os.path.expanduser(path)
    if os.path.isdir(path):
        below = (file.relative_to(path) for file in Path(path).rglob("*"))
        # pandas, pyarrow and Spark leave out copies, parts and logs by these names.
        shown_ones = (one for one in below if not _HIDDEN.search(one.as_posix()))
        inside = sorted(os.path.join(path, one) for one in shown_ones)
        found = [name for name in inside if _reader(name) and os.path.isfile(name)]
        if not found:
            raise FileNotFoundError(
                f"The directory {path!r} holds no file that ends with "
                f"{', '.join('.' + ending for ending in FORMATS)}, in names that begin "
                "with neither '.' nor '_'."
            )
        return found
    found = [path] if os.path.isfile(path) else sorted(glob.glob(path, recursive=True))
    if not found:
        raise FileNotFoundError(f"There is no file {path!r}.")
    return found


def is_table_file(path):
    """Return True if the ending of a path is that of a file that DuckDB reads."""
    return _reader(os.fspath(path)) is not None


class UnknownColumn(ValueError):
    """A table lacks a column that was named."""


def check_known(columns, known, where="The source"):
    """Raise if a column is not among those that are known, or is there twice."""
    for name in columns.named():
        if not name or "\0" in str(name):
            raise ValueError(
                f"Columns to read need a name without NUL. Got {name!r}: rename it."
            )
        if name not in known:
            near = difflib.get_close_matches(str(name), known, n=1, cutoff=0.5)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise UnknownColumn(
                f"{where} has no column {name!r}.{hint} Got {list(known)}."
            )
        if list(known).count(name) > 1:
            raise ValueError(
                f"{where} must have one column {name!r}. Got {list(known)}."
            )


def _first_unread(files, names, connection):
    """Return the first file that cannot be read, or None."""
    hashed = ", ".join(map(quoted, names))
    for file in files:
        table = f"{reader_of(files)}([{_literal(file)}])"
        try:
            connection.sql(f"SELECT max(hash({hashed})) FROM {table}").fetchall()
        except Exception:
            return file
    return None


def quoted(name):
    """Return the name of a column in SQL."""
    return '"' + name.replace('"', '""') + '"'


def text_in_sql(value):
    """Return a string in SQL."""
    return "'" + value.replace("'", "''") + "'"


def _reader(name):
    if "://" in name:
        name = name.partition("?")[0]
    match = _ENDING.search(name)
    return FORMATS.get(match.group(1).lower()) if match else None


def reader_of(files):
    """Return the function of DuckDB that reads some files."""
    readers = {_reader(name) for name in files}
    if readers <= {None}:
        raise ValueError(
            f"The names of files must end with "
            f"{', '.join('.' + ending for ending in FORMATS)}. Got {shown(files[0])}. "
            "Of a database pass a query, such as duckdb.connect(file).sql('FROM t')."
        )
    if len(readers) > 1:
        raise ValueError(
            "All files must be of one format. Got files of several: "
            f"{shown(sorted({Path(name).suffix for name in files}))}."
        )
    return readers.pop()


def _literal(file):
    """Return a file in SQL: DuckDB takes names with these letters for patterns."""
    if "://" not in file:
        file = re.sub(r"[*?[]", r"[\g<0>]", file)
    return text_in_sql(file)


def _call(reader, files, **options):
    """Return the SQL of a call of a reader."""
    # Names of folders such as "y_true=0" are not read as columns.
    options = {"hive_partitioning": "false", **options}
    given = ", ".join(f"{name} = {value}" for name, value in options.items() if value)
    return f"{reader}([{', '.join(map(_literal, files))}], {given})"


def _compression(file):
    """Return how a file is packed, which DuckDB does not see in names with "?"."""
    if "://" in file:
        return None
    ending = file.lower().rpartition(".")[2]
    return {"gz": "'gzip'", "zst": "'zstd'"}.get(ending, "'uncompressed'")


def _parquet(files, columns, fetch):
    """Return the SQL of Parquet files whose types are equal, or cast exactly."""
    names, layouts = columns.named(), []
    for file in files:
        rows = fetch(f"DESCRIBE FROM {_call('read_parquet', [file])}")
        layouts.append({name: kind for name, kind, *_ in rows})
        check_known(columns, layouts[-1], f"The file {file!r}")
    _refuse_inexact_parquet(files, layouts, names, fetch)
    types = {}
    for name in names:
        first = {}
        for file, layout in zip(files, layouts, strict=True):
            first.setdefault(layout[name], file)
        types[name] = _exact_type(list(first))
        if types[name] is None:
            got = " and ".join(f"{kind} in {file!r}" for kind, file in first.items())
            raise ValueError(
                f"The column {name!r} must have one type in all files, or types that "
                f"one of them can hold exactly. Got {got}: write the files with one "
                "type."
            )
    parts = []
    both = zip(layouts, files, strict=True)
    for layout, group in groupby(both, key=lambda pair: pair[0]):
        table = _call("read_parquet", [file for _, file in group])
        chosen = ", ".join(
            quoted(name)
            if layout[name] == kind
            else f"CAST({quoted(name)} AS {kind}) AS {quoted(name)}"
            for name, kind in types.items()
        )
        parts.append(f"SELECT {chosen} FROM {table}")
    return f"({' UNION ALL '.join(parts)})"


def _exact_type(types):
    """Return the type that holds the values of all types exactly, or None."""
    if len(types) == 1:
        return types[0]
    integers = _SIGNED | _UNSIGNED
    bits = max((integers | _FLOATS).get(kind, 99) for kind in types)
    if {*types} <= {*_UNSIGNED}:
        fitting = _UNSIGNED
    else:
        fitting = _SIGNED if {*types} <= {*integers} else _FLOATS
    return next((kind for kind, holds in fitting.items() if holds >= bits), None)


def _refuse_inexact_parquet(files, layouts, names, fetch):
    """Raise if DuckDB reads a column of a Parquet file with less digits than it has."""
    rows = fetch(
        "SELECT file_name, name, logical_type FROM "
        f"parquet_schema([{', '.join(map(_literal, files))}]) WHERE num_children IS "
        "NULL AND (precision > 38 OR logical_type LIKE '%NANOS=Nano%')"
    )
    types = dict(zip(files, layouts, strict=True))
    for file, name, kind in rows:
        if name in names and not types[file][name].endswith("_NS"):
            raise ValueError(
                f"The column {name!r} of {file!r} must have a type that this version "
                f"of DuckDB reads with all digits. Got {kind}: cast it, for example to "
                "text."
            )


def _csv(files, columns, fetch):
    """Return the SQL of CSV files: ids as text, and numbers."""
    names, layouts = columns.named(), []
    for file in files:
        delimiter, header = _header(file, names, fetch)
        check_known(columns, header, f"The file {file!r}")
        layouts.append((delimiter, _compression(file), header))

    def text(*more):
        parts = []
        both = zip(layouts, files, strict=True)
        for layout, group in groupby(both, key=lambda pair: pair[0]):
            delimiter, compression, header = layout
            # Numbered, since names may be equal but for their case.
            types = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(header)))
            table = _call(
                "read_csv",
                [file for _, file in group],
                auto_detect="false",
                header="true",
                compression=compression,
                delim=text_in_sql(delimiter),
                quote="'\"'",
                escape="'\"'",
                columns=f"{{{types}}}",
                **({"filename": "'the file'"} if more else {}),
            )
            chosen = [f"c{header.index(name)} AS {quoted(name)}" for name in names]
            parts.append(f"SELECT {', '.join([*chosen, *more])} FROM {table}")
        return f"({' UNION ALL '.join(parts)})"

    types = _types_of_text(text(), columns, fetch)
    for name, kind in types.items():
        if kind is None:
            _refuse_text(text('"the file"'), name, columns, fetch)
    typed = ", ".join(
        f"CAST({quoted(name)} AS {kind}) AS {quoted(name)}"
        for name, kind in types.items()
    )
    return f"(SELECT {typed} FROM {text()})"


def _header(file, names, fetch):
    """Return the delimiter that finds most names, then most fields, and the fields."""
    line = _first_line(file, fetch)
    if not line:
        raise ValueError(
            f"The file {file!r} must hold the names of the columns on its first line. "
            "Got an empty line."
        )
    found = []
    for delimiter in _DELIMITERS:
        with contextlib.suppress(csv.Error):  # of a field that is too long
            header = next(csv.reader([line], delimiter=delimiter))
            found.append((len({*names} & {*header}), len(header), delimiter, header))
    n_found, _, delimiter, header = max(found, key=lambda one: one[:2], default=[0] * 4)
    if not found or (n_found < len(names) and line.count('"') % 2):
        raise ValueError(
            f"The file {file!r} must hold the names of the columns on its first line, "
            f"without line ends in names. Got {shown(line)}."
        )
    words = line.split()
    is_trec = len(words) in (4, 6) and words[1] in ("0", "Q0")
    noun = next((name for name in ("grade", "score") if name in names), None)
    has_number = any(re.fullmatch(r"-?\d[\d.e+-]*", one) for one in header)
    if not n_found and (is_trec or has_number):
        raise ValueError(
            f"The file {file!r} must hold the names of the columns on its first line. "
            f"Got {shown(line)}. "
            + how_to_read(words if is_trec else header, noun, delimiter)
        )
    return delimiter, header


def how_to_read(words, noun, delimiter):
    """Say what the fields of a file without names may be, and how it is read.

    There are as many names as fields: pandas would take further ones for an index.
    """
    reader = {4: "read_qrels", 6: "read_run"}.get(len(words))
    if reader and words[1] in ("0", "Q0"):
        return f"As in TREC: pass skrank.tables.{reader}(path), or name it .txt."
    more = ".assign(grade=1)" if len(words) == 2 else ""
    if noun == "score" and words[-1].isdigit():
        noun, more = "rank", ".assign(score=lambda x: -x['rank'])"
    read = f"pandas.read_csv(path, sep={delimiter!r}, names="
    if noun is None or len(words) not in ((2, 3) if noun == "grade" else (3,)):
        return f"Read it by {read}[...]), with a name for each of {len(words)} fields."
    names = ["qid", "doc_id", noun][: len(words)]
    return f"If the fields are {', '.join(names)}, read it by {read}{names}){more}."


def _first_line(file, fetch):
    """Return the first line of a file of text; "" if it is empty."""
    table = _call(
        "read_csv",
        [file],
        auto_detect="false",
        header="false",
        compression=_compression(file),
        delim="'\x1e'",
        quote="''",
        escape="''",
        columns="{'line': 'VARCHAR'}",
    )
    return next((line for (line,) in fetch(f"SELECT line FROM {table} LIMIT 1")), "")


# Whether a text in a CSV file is that of a value of a type:
#
#     text      BIGINT  BOOLEAN  DOUBLE
#     "7"       yes     no       yes
#     "1e5"     no      no       yes
#     "True"    no      yes      no
#     "1_000"   no      no       no      though DuckDB casts it to a number
_IS_TEXT_OF = {
    "BOOLEAN": "lower({0}) IN ('true', 'false')",
    "BIGINT": "CAST(TRY_CAST({0} AS BIGINT) AS VARCHAR) = {0}",
    "DOUBLE": "TRY_CAST({0} AS DOUBLE) IS NOT NULL AND strpos({0}, '_') = 0",
    "VARCHAR": "true",
}


def _types_of_text(table, columns, fetch):
    """Return the type of each column of a table of text; None if it has none.

    Ids are text. Of other columns it is the first type whose text all values are, in
    all files.
    """
    counts, choices = [], {}
    for name in columns.named():
        if name in columns.masks().values():
            choices[name] = ["BOOLEAN"]
        elif name in columns.numbers():
            choices[name] = ["BIGINT", "BOOLEAN", "DOUBLE"]
        elif name in columns.ids():
            continue
        else:
            choices[name] = ["BIGINT", "BOOLEAN", "DOUBLE", "VARCHAR"]
        value = quoted(name)
        counts.append(f"count({value})")
        for kind in choices[name]:
            counts.append(f"count({value}) FILTER ({_IS_TEXT_OF[kind].format(value)})")
    (found,) = fetch(f"SELECT {', '.join(counts)} FROM {table}")
    found, types = list(found), dict.fromkeys(columns.ids(), "VARCHAR")
    for name, kinds in choices.items():
        n_values, *n_fitting = (found.pop(0) for _ in range(1 + len(kinds)))
        fitting = [k for k, n in zip(kinds, n_fitting, strict=True) if n == n_values]
        # Without a value all would fit: the last one is the most general.
        types[name] = (fitting[0] if n_values else kinds[-1]) if fitting else None
    return types


def _refuse_text(table, name, columns, fetch):
    """Raise with the first value of a CSV file that is not a number, or a boolean."""
    is_mask, value = name in columns.masks().values(), quoted(name)
    what, kind = ("booleans", "BOOLEAN") if is_mask else ("numbers", "DOUBLE")
    ((got, file),) = fetch(
        f'SELECT {value}, "the file" FROM {table} WHERE {value} IS NOT NULL '
        f"AND NOT ({_IS_TEXT_OF[kind].format(value)}) LIMIT 1"
    )
    raise ValueError(
        f"The column {name!r} of {file!r} must hold {what}. Got {shown(got)}."
    )


# What stands for the named columns of files in a FROM clause, by the reader of DuckDB.
_RELATIONS = {"read_csv": _csv, "read_parquet": _parquet}
