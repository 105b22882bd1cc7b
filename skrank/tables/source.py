"""Files, URLs and data frames as tables of DuckDB."""

# SPDX-License-Identifier: BSD-3-Clause

import contextlib
import re
import tempfile

from skrank._checks import import_extra, shown
from skrank._columns import (
    arrow_columns,
    column_names,
    is_list,
    is_pandas_or_polars,
    kind_of,
    library_of,
    polars_batches,
)
from skrank.tables.files import (
    ARROW,
    arrow_files,
    check_known,
    files_of,
    first_failure,
    is_path,
    quoted,
    reader_of,
    relation_of_files,
    text_in_sql,
)
from skrank.tables.threads import Threads

# DuckDB's limit bounds neither the rows that are being scored nor the values by query.
FOR_THE_REST = 500
_CSV_ERROR = re.compile(r"CSV Error on Line: (\d+)\n(.*?)\n\s+file = ([^\n]*)", re.S)
_SAYS = re.compile(r"[A-Z]\w*( \w+)* (Error|exception): ")
_CSV_FILE = re.compile(r"^\s+file = (.*)$", re.MULTILINE)
_SIZE = re.compile(r"\s*([0-9]+\.?[0-9]*|\.[0-9]+)\s*([kmgt]i?b)\s*", re.IGNORECASE)
_MEGABYTES = {"k": 1e-3, "m": 1, "g": 1e3, "t": 1e6}
_MOST_MEGABYTES = 2**63 / 1e6  # DuckDB counts the bytes in 64 bits

# What the types of columns hold; ids may be any of it.
KINDS = {
    "boolean": "BOOLEAN",
    "number": "U?(TINY|SMALL|BIG)?INT(EGER)?|FLOAT|DOUBLE",
    "decimal": "DECIMAL.*|U?HUGEINT",
    "date": "DATE|TIMESTAMP.*",
    "text": "VARCHAR|ENUM.*|UUID|BLOB|TIME.*",
}
# Lists of these, such as FLOAT[] and FLOAT[3]; lists of lists are not read.
_LIST = re.compile(r"([^\[\]]+)\[\d*\]")
# The kinds that are compared as they are; others as text.
COMPARED = {"boolean", "number", "date"}


def read_table(path, columns):
    """Return the columns of a file, or of several, as a table of Arrow."""
    with Source(path, columns, reads_all=True) as source:
        # Arrow has no integers of this size, and `align` takes no decimals.
        longs = [
            f"CAST({quoted(name)} AS VARCHAR) AS {quoted(name)}"
            for name in columns.ids()
            if source.kinds[name] == "decimal"
        ]
        read = f"* REPLACE ({', '.join(longs)})" if longs else "*"
        query = f"SELECT {read} FROM {source.relation}"
        return source.run(lambda: source.connection.sql(query).to_arrow_table())


class Source:
    """A table that DuckDB reads, as often as it is asked.

    Use it in a ``with`` statement: it removes DuckDB's temporary files.

    DuckDB only runs in a thread of the source, one statement after the other. The main
    thread waits, and Ctrl-C raises KeyboardInterrupt there: DuckDB would turn it into
    an error of its own, and it cannot close a connection that is in use.

    The parameters but `columns` and `reads_all` are those of :func:`score_table`.
    `reads_all` is whether all rows are read at once.
    """

    def __init__(
        self,
        source,
        columns,
        memory_limit=None,
        *,
        reads_all=False,
    ):
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
            self._closing.callback(self.run, folder.cleanup)
            self._closing.callback(self._disconnect)
            self.fetch(f"SET temp_directory = {text_in_sql(folder.name)}")
            # Else DuckDB writes a bar to the standard output of slow statements.
            self.fetch("SET enable_progress_bar = false")
            if memory_limit is not None:
                self.leave_memory(0)
            self.relation = self._open(source, columns)
            query = f"DESCRIBE SELECT * FROM {self.relation}"
            self.types = {name: kind for name, kind, *_ in self.fetch(query)}
            self.kinds = {name: _kind(type) for name, type in self.types.items()}
            failing.pop_all()

    def _open(self, source, columns):
        """Return the SQL that stands for the source in a FROM clause.

        Of a table in memory only the named columns are converted and stored, and DuckDB
        sees no other ones, from which it does not tell "qid" and "QID" apart.
        """
        pa = import_extra("pyarrow")
        if is_path(source) or isinstance(source, list):
            self.files = files_of(source, self.fetch)
            if reader_of(self.files) != ARROW:
                return relation_of_files(self.files, columns, self.fetch)
            source = self.run(arrow_files, self.files, self._names)
        elif library_of(source) == "polars" and hasattr(source, "collect"):
            check_known(columns, source.collect_schema().names())
            source = polars_batches(source.select(self._names))
        elif is_pandas_or_polars(source):
            check_known(columns, column_names(source))
            source = pa.table(arrow_columns(source, self._names))
        if hasattr(source, "scanner"):  # a dataset of Arrow
            check_known(columns, source.schema.names)
            source = source.scanner(columns=self._names)
        if hasattr(source, "projected_schema"):  # a scanner, which is read once
            source = source.to_reader()
        if not hasattr(source, "__arrow_c_stream__"):
            raise TypeError(
                "The 'source' parameter must be a path, a URL, a list "
                "of them, or a table that speaks the Arrow PyCapsule protocol, such as "
                "a data frame of pandas, polars or pyarrow. "
                f"Got {type(source).__name__} instead."
            )
        if not isinstance(source, pa.Table):  # a stream, which can be read only once
            source = self._reader = self.run(pa.RecordBatchReader.from_stream, source)
        check_known(columns, source.schema.names)
        self._schema = _readable(source.schema, self._names)
        if self._reader is None:
            table = _converted(source, self._schema)
            self.run(self.connection.register, "source", table)
            return "source"
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
        return self.run(lambda: self.connection.execute(statement).fetchall())

    def leave_memory(self, megabytes):
        """Leave memory of the limit to the values by query, next to the rest.

        DuckDB gets what remains, but not less than a part of the limit.
        """
        rest, least = FOR_THE_REST + megabytes, 4 if megabytes else 2
        limit = max(int(self.megabytes - rest), int(self.megabytes / least), 1)
        self.fetch(f"SET memory_limit = '{limit}MB'")

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
        end, seconds = self.start(int), 0
        while not end.wait(seconds):
            # An interrupt before a query begins has no effect.
            self.connection.interrupt()
            seconds = 0.1

    def check(self, columns):
        """Raise if there are no rows, a column is missing or its type is wrong."""
        check_known(columns, self.types)
        if not self.fetch(f"SELECT 1 FROM {self.relation} LIMIT 1"):
            raise ValueError("The source has no rows. Got columns only.")
        check_types(columns, self.types, self.kinds, KINDS)
        for name in columns.ids() if self._schema is not None else ():
            as_given = str(self._schema.field(name).type)
            if "[ns" in as_given and not self.types[name].endswith("_NS"):
                _refuse_id(name, as_given)
        for name in dict.fromkeys([*columns.numbers(), *columns.values()]):
            if self.kinds[name] == "decimal":
                self._check_digits(name)

    def _check_digits(self, name):
        """Raise if different decimals of a column would become one float."""
        value, kind = quoted(name), self.types[name]
        # The shortest text of a float is one decimal, which has to be the value.
        text = f"CAST(CAST(CAST({value} AS VARCHAR) AS DOUBLE) AS VARCHAR)"
        rows = self.fetch(
            f"SELECT {value} FROM {self.relation} "
            f"WHERE TRY_CAST({text} AS {kind}) IS DISTINCT FROM {value} LIMIT 1"
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
        masks, keys = columns.masks(), columns.keys.values()
        others, parts = columns.values(), []
        for name in columns.named():
            value, kind = quoted(name), self.kinds[name]
            if kind in ("boolean", "number"):
                pass
            elif name in keys or (name == columns.doc_id and kind != "decimal"):
                if self.is_text(name):
                    value = f"CAST({value} AS VARCHAR)"
            elif name == columns.doc_id:  # ordered as a number
                if self.types[name].endswith("HUGEINT"):
                    value = f"CAST({value} AS DECIMAL(38, 0))"
            elif name in columns.ids() or (name in others and kind != "decimal"):
                value = self._as_text_or_lists(name)
            else:  # DuckDB 1.1 rounds decimals twice, but not their text
                value = f"CAST(CAST({value} AS VARCHAR) AS DOUBLE)"
            if masks.get(name) is not None:  # where it is not read it may be missing
                value = f"CASE WHEN {quoted(masks[name])} THEN {value} ELSE 0 END"
            parts.append(f"{value} AS {quoted(name)}")
        return ", ".join(parts)

    def _as_text_or_lists(self, name):
        """Return the SQL of a column that metrics read, in types of Arrow."""
        value = quoted(name)
        if self.kinds[name] == "list":
            inner = _kind(_LIST.fullmatch(self.types[name])[1])
            to = {"decimal": "DOUBLE[]", "text": "VARCHAR[]"}.get(inner)
            return value if to is None else f"CAST({value} AS {to})"
        return f"CAST({value} AS VARCHAR)" if self.is_text(name) else value

    def has_lists(self, columns):
        """Return True if a column that is read holds lists."""
        return any(self.kinds[name] == "list" for name in columns.values())

    def is_text(self, name):
        """Return True if a key is compared as text."""
        return self.kinds[name] not in COMPARED

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
        if self._reader is not None:  # it may be of a connection of the user
            self.run(self._reader.close)
        self.run(self.connection.close)

    def __enter__(self):
        """Return the source itself."""
        return self

    def __exit__(self, kind, error, trace):
        """Close it, and turn the errors of engines into errors of skrank."""
        self._closing.close()
        engines = import_extra("duckdb").Error, import_extra("pyarrow").ArrowException
        # Arrow passes on what DuckDB says while it reads a table in batches.
        is_passed_on = isinstance(error, (OSError, RuntimeError)) and _SAYS.match(
            str(error)
        )
        if isinstance(error, engines) or is_passed_on:
            raise self._failure(error) from error

    def _failure(self, error):
        """Return an error of DuckDB as one that names the file and the column."""
        text = str(error)
        # Arrow adds the beginning of a traceback where a stream of Python breaks off.
        cause = text.partition("\n")[0].partition(" Detail: ")[0].strip().rstrip(".")
        if "No space left" in text or "max_temp_directory_size" in text:
            return OSError(
                "score_table needs more disk for its temporary files, which are in "
                f"{tempfile.gettempdir()!r}. Got: {cause}. Set the environment "
                "variable TMPDIR to a larger disk, raise `memory_limit`, or write the "
                "rows query by query, which needs no sort."
            )
        if "Out of Memory" in text and self.reads_all:
            return OSError(
                "The columns that are read have to fit into memory. `score_table` "
                f"scores tables that do not. Got: {cause}."
            )
        if "Out of Memory" in text:
            return OSError(
                "score_table needs more memory: raise `memory_limit`, or write the "
                f"rows query by query, which needs no sort. Got: {cause}."
            )
        if (found := _CSV_ERROR.search(text)) is not None:
            file, (line, problem) = found[3], found.group(1, 2)
            n_fields = re.search(r"Number of Columns: (\d+) Found: (\d+)", problem)
            if n_fields:
                return ValueError(
                    f"Each line of {file!r} must hold {n_fields[1]} fields, as the "
                    f"first one does. Got {n_fields[2]} on line {line}."
                )
            if "unicode" in problem:
                problem = "bytes that are not UTF-8"
            elif "unterminated" in problem:
                problem = "a quote that is not closed"
            else:
                problem = cause
            return ValueError(
                f"The file {file!r} must be CSV in UTF-8. Got {problem} on line {line}."
            )
        file = column = None
        if "state machine reached an invalid state" in text:
            cause = "lines that end in different ways, with \\r\\n and with \\n"
        if (named := _CSV_FILE.search(text)) is not None:
            file = named[1]
        elif self.files is not None:
            duckdb = import_extra("duckdb")
            # After an internal error the connection cannot be used.
            with contextlib.closing(duckdb.connect(":memory:")) as connection:
                file, column = first_failure(
                    self.files,
                    self._names,
                    lambda query: connection.sql(query).fetchall(),
                )
            if file is None and len(self.files) == 1:
                (file,) = self.files
        what = "the source" if file is None else repr(file)
        if column is not None:
            what = f"the column {column!r} of {what}"
        kind = OSError if cause.startswith(("IO Error", "HTTP Error")) else ValueError
        return kind(f"DuckDB cannot read {what}. Got: {cause}.")


def _kind(type):
    """Return what a type of DuckDB holds: one of KINDS, "list" of one, or None."""
    if type.endswith("]"):
        match = _LIST.fullmatch(type)
        return "list" if match is not None and _kind(match[1]) else None
    return next((kind for kind in KINDS if re.fullmatch(KINDS[kind], type)), None)


def _readable(schema, names):
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


def check_types(columns, types, kinds, ids):
    """Raise if a column has another type than grades, scores, masks or ids have.

    `kinds` are those of columns by their names, and `ids` the kinds of ids.
    """
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
        if kinds[name] not in ids:
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


def _megabytes(memory_limit):
    """Return the megabytes of a limit such as "2GB"."""
    match = _SIZE.fullmatch(memory_limit) if isinstance(memory_limit, str) else None
    megabytes = 0.0
    if match is not None:
        number, unit = match.groups()
        megabytes = float(number) * _MEGABYTES[unit[0].lower()]
    if not 0 < megabytes <= _MOST_MEGABYTES:
        raise ValueError(
            "The 'memory_limit' parameter of score_table must be a str such as '2GB' "
            f"or '500MB', or None. Got {shown(memory_limit)} instead."
        )
    return megabytes
