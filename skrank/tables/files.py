"""Parquet and CSV files as one table of DuckDB, in which no type is guessed.

DuckDB takes types from the first rows and the first files. Here all of them decide:
files of text are read as text before their columns get types, and the parts of a
Parquet table are compared with each other.
"""

# SPDX-License-Identifier: BSD-3-Clause

import csv
import difflib
import glob
import gzip
import os
import re
import zlib
from itertools import groupby
from pathlib import Path

from skrank._checks import import_extra, shown

READERS = {
    "parquet": "read_parquet",
    "pq": "read_parquet",
    "csv": "read_csv",
    "tsv": "read_csv",
    "arrow": "arrow",
    "feather": "arrow",
    "ipc": "arrow",
}
# The format for which DuckDB has no function.
ARROW = "arrow"
_ENDING = re.compile(r"\.([a-z]+)(\.gz|\.zst)?$", re.IGNORECASE)
_DELIMITERS = ",", "\t", ";", "|"

# The bits of the integers that types hold exactly.
_SIGNED = {"TINYINT": 7, "SMALLINT": 15, "INTEGER": 31, "BIGINT": 63}
_UNSIGNED = {"UTINYINT": 8, "USMALLINT": 16, "UINTEGER": 32, "UBIGINT": 64}
_FLOATS = {"FLOAT": 24, "DOUBLE": 53}


def relation_of_files(files, columns, fetch):
    """Return the SQL that stands for the named columns of files in a FROM clause.

    The files are those of :func:`files_of`, and `fetch` returns the rows of a query.
    """
    relation = {"read_csv": _csv, "read_parquet": _parquet}
    return relation[reader_of(files)](files, columns, fetch)


def arrow_files(files, names):
    """Return files of Arrow (IPC) as a dataset whose columns have one type each."""
    dataset = import_extra("pyarrow.dataset").dataset(files, format="ipc")
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


def is_path(source):
    """Return True for a path or a URL."""
    return isinstance(source, (str, os.PathLike))


def files_of(source, fetch):
    """Return the files of a path, a pattern, a directory or a URL, or of several.

    Those of a pattern or a directory are sorted, those of a list keep its order.
    """
    paths = source if isinstance(source, list) else [source]
    if not paths or not all(map(is_path, paths)):
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


def is_table_file(path):
    """Return True if the ending of a path is that of a file that DuckDB reads."""
    return _reader(os.fspath(path)) is not None


class UnknownColumn(ValueError):
    """A table lacks a column that was named."""


def check_known(columns, known, where="The source"):
    """Raise if a column is not among those that are known, or is there twice."""
    for name in columns.named():
        if name not in known:
            near = difflib.get_close_matches(str(name), known, n=1, cutoff=0.4)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise UnknownColumn(
                f"{where} has no column {name!r}.{hint} Got {list(known)}."
            )
        if list(known).count(name) > 1:
            raise ValueError(
                f"{where} must have one column {name!r}. Got {list(known)}."
            )


def first_failure(files, names, fetch):
    """Return the first file and column that cannot be read, or None and None.

    The files are of one format; `fetch` returns the rows of a query, or raises.
    """
    for file in files:
        table = f"{reader_of(files)}([{_literal(file)}])"
        try:
            fetch(f"DESCRIBE FROM {table}")
        except Exception:
            return file, None
        for name in names:
            try:
                fetch(f"SELECT max(hash({quoted(name)})) FROM {table}")
            except Exception:
                return file, name
    return None, None


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
    return READERS.get(match.group(1).lower()) if match else None


def reader_of(files):
    """Return the function of DuckDB that reads some files."""
    readers = {_reader(name) for name in files}
    if readers <= {None}:
        raise ValueError(
            f"The names of files must end with "
            f"{', '.join('.' + ending for ending in READERS)}. Got {shown(files[0])}. "
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
    """Return how a file is packed, which DuckDB does not see in names with "?".

    None for a URL, where "?" is not a part of the name.
    """
    if "://" in file:
        return None
    ending = file.lower().rpartition(".")[2]
    return {"gz": "'gzip'", "zst": "'zstd'"}.get(ending, "'uncompressed'")


def _columns_in_sql(types):
    pairs = (f"{text_in_sql(name)}: '{kind}'" for name, kind in types.items())
    return "{" + ", ".join(pairs) + "}"


def _union(parts):
    """Return the SQL of the rows of parts, one after another."""
    return f"({' UNION ALL '.join(parts)})"


def _masks(columns):
    return {name for name in columns.masks().values() if name is not None}


def _parquet(files, columns, fetch):
    """Return the SQL of Parquet files whose types are equal, or cast exactly."""
    names, layouts = columns.named(), []
    for file in files:
        rows = fetch(f"DESCRIBE FROM {_call('read_parquet', [file])}")
        layouts.append({name: kind for name, kind, *_ in rows})
        check_known(columns, layouts[-1], f"The file {file!r}")
    _refuse_inexact_parquet(files, names, fetch)
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
    return _union(parts)


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


def _refuse_inexact_parquet(files, names, fetch):
    """Raise if DuckDB reads a column of a Parquet file with less digits than it has."""
    listed = ", ".join(map(_literal, files))
    rows = fetch(
        "SELECT file_name, name, precision, logical_type FROM "
        f"parquet_schema([{listed}]) WHERE num_children IS NULL AND "
        "(precision > 38 OR logical_type LIKE '%NANOS=Nano%')"
    )
    for file, name, precision, kind in rows:
        if name not in names:
            continue
        if precision is not None and precision > 38:
            raise ValueError(
                f"The column {name!r} of {file!r} must have at most 38 digits. Got a "
                f"decimal of {precision}: cast it, for example to text."
            )
        table = _call("read_parquet", [file])
        query = f"SELECT typeof({quoted(name)}) FROM {table} LIMIT 1"
        if any(not as_read.endswith("_NS") for (as_read,) in fetch(query)):
            raise ValueError(
                f"The column {name!r} of {file!r} must not hold nanoseconds, which "
                f"this version of DuckDB does not read. Got {kind}: cast it, for "
                "example to text, or upgrade DuckDB."
            )


def _csv(files, columns, fetch):
    """Return the SQL of CSV files: ids as text or integers, and numbers."""
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
            types = {f"c{i}": "VARCHAR" for i in range(len(header))}
            table = _call(
                "read_csv",
                [file for _, file in group],
                auto_detect="false",
                header="true",
                compression=compression,
                delim=text_in_sql(delimiter),
                quote="'\"'",
                escape="'\"'",
                columns=_columns_in_sql(types),
                **({"filename": "'the file'"} if more else {}),
            )
            chosen = [f"c{header.index(name)} AS {quoted(name)}" for name in names]
            parts.append(f"SELECT {', '.join([*chosen, *more])} FROM {table}")
        return _union(parts)

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
    """Return the delimiter of a CSV file and the names of its columns.

    It is the delimiter that finds most of the names that are asked for, and of several
    the one that finds most fields.
    """
    line = _first_line(file, fetch)
    if not line:
        raise ValueError(
            f"The file {file!r} must hold the names of the columns on its first line. "
            "Got an empty line."
        )
    found = []
    for delimiter in _DELIMITERS:
        header = next(csv.reader([line], delimiter=delimiter))
        found.append((len({*names} & {*header}), len(header), delimiter, header))
    *_, delimiter, header = max(found, key=lambda one: one[:2])
    return delimiter, header


# How files begin that are not text in UTF-8.
_NOT_UTF_8 = {
    b"\x1f\x8b": "a gzip file: let its name end in .csv.gz",
    b"\xff\xfe": "text in UTF-16: save it as UTF-8",
    b"\xfe\xff": "text in UTF-16: save it as UTF-8",
}


def _first_line(file, fetch):
    """Return the first line of a file of text; "" if it is empty."""
    if os.path.isfile(file) and not file.lower().endswith((".gz", ".zst")):
        with open(file, "rb") as content:
            begins = content.read(2)
        for bytes_, what in _NOT_UTF_8.items():
            if begins == bytes_:
                raise ValueError(f"The file {file!r} must be CSV in UTF-8. Got {what}.")
    if os.path.isfile(file) and not file.lower().endswith(".zst"):
        unpack = gzip.open if file.lower().endswith(".gz") else open
        try:
            # Bytes that are not UTF-8 are an error when the rows are read.
            with unpack(file, "rt", encoding="utf-8-sig", errors="replace") as lines:
                return lines.readline().rstrip("\n")
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(
                f"The file {file!r} must be gzip. Got: {error}."
            ) from error
    table = _call(
        "read_csv",
        [file],
        auto_detect="false",
        header="false",
        delim="'\x1f'",
        quote="''",
        escape="''",
        columns="{'line': 'VARCHAR'}",
    )
    return next((line for (line,) in fetch(f"SELECT line FROM {table} LIMIT 1")), "")


def _is_integer(name, kind):
    return f"CAST(TRY_CAST({name} AS {kind}) AS VARCHAR) = {name}"


def _is_boolean(name):
    return f"lower({name}) IN ('true', 'false')"


def _is_number(name):
    # DuckDB would read 1_000 as a number.
    return f"TRY_CAST({name} AS DOUBLE) IS NOT NULL AND strpos({name}, '_') = 0"


def _types_of_text(table, columns, fetch):
    """Return the type of each column of a table of text; None if it has none.

    An id is an integer only if every id of its column is the text of an integer: 007,
    1.10 and 1e5 are other ids than 7, 1.1 and 100000.
    """
    numbers, masks, counts, choices = columns.numbers(), _masks(columns), [], []
    for name in columns.named():
        value = quoted(name)
        if name in masks:
            tests = {"BOOLEAN": _is_boolean(value)}
        else:
            tests = {"BIGINT": _is_integer(value, "BIGINT")}
            if name in numbers or name in columns.of_any_kind():
                tests |= {"BOOLEAN": _is_boolean(value), "DOUBLE": _is_number(value)}
            else:
                kind = "DECIMAL(38, 0)"
                tests |= {kind: _is_integer(value, kind)}
            if name not in numbers:
                tests |= {"VARCHAR": "true"}
        choices.append((name, list(tests)))
        counts.append(f"count({value})")
        counts += [f"count({value}) FILTER ({test})" for test in tests.values()]
    (found,) = fetch(f"SELECT {', '.join(counts)} FROM {table}")
    found, types = list(found), {}
    for name, kinds in choices:
        n_values, *n_fitting = (found.pop(0) for _ in range(1 + len(kinds)))
        fitting = [k for k, n in zip(kinds, n_fitting, strict=True) if n == n_values]
        # Without a value all would fit: the last one is the most general.
        types[name] = (fitting[0] if n_values else kinds[-1]) if fitting else None
    return types


def _refuse_text(table, name, columns, fetch):
    """Raise with the first value of a CSV file that is not a number, or a boolean."""
    value = quoted(name)
    what, test = "numbers", _is_number(value)
    if name in _masks(columns):
        what, test = "booleans", _is_boolean(value)
    ((got, file),) = fetch(
        f'SELECT {value}, "the file" FROM {table} WHERE {value} IS NOT NULL '
        f"AND NOT ({test}) LIMIT 1"
    )
    raise ValueError(
        f"The column {name!r} of {file!r} must hold {what}. Got {shown(got)}."
    )
