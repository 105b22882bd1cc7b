"""Scores of queries in a file, and files that are written whole."""

# SPDX-License-Identifier: BSD-3-Clause

import contextlib
import hashlib
import json
import os
import secrets
import stat

import numpy as np

from skrank._engine.names import NOT_FINITE, literal
from skrank._engine.request import METRICS, Metric, Options, Request
from skrank._engine.summary import Measured
from skrank._engine.value_table import ValueTable, named_summaries
from skrank._input.checks import shown
from skrank._text.tables import import_extra

# Where the metadata of a file has all that is not a column, after its checksum.
PLACE = b"skrank"
# Increased whenever a file could not be read any more by what is released.
VERSION = 3


def write_scores(table, path):
    """Write a :class:`~skrank._engine.value_table.ValueTable` to a file of Parquet."""
    pa, parquet = import_extra("pyarrow"), import_extra("pyarrow.parquet")
    names = {id(ids): name for name, ids in table.keys.items()}
    for ranker, of_ranker in zip(table.rankers, table.measured, strict=True):
        for metric, one in zip(table.metrics, of_ranker, strict=True):
            names[id(one.values)] = metric if ranker is None else f"{ranker}/{metric}"
    columns, types, places = {}, {}, {}

    def stored(part):
        """Return the name of the column of an array, or a list for a tuple of them."""
        if isinstance(part, tuple):
            return [*map(stored, part)]
        if part is not None and id(part) not in places:  # metrics share some
            name = names.get(id(part), f"_{len(columns)}")
            while name in columns:
                name += "'"
            columns[name], types[name] = _as_column(part)
            places[id(part)] = name
        return places.get(id(part))

    keys = tuple(table.keys.values())
    about = {
        "version": VERSION,
        "arrays": stored((keys, table.measured, table.weight, table.judgements)),
        "types": types,
        "keys": [*table.keys],
        "rankers": [*map(_as_literal, table.rankers)],
        "metrics": [_described(request) for request in table.requests],
        "extremes": table.extremes,
        "kind": table.kind,
    }
    about, found = json.dumps(about), pa.table(columns)
    about = {PLACE: _checksum(about, found) + about}
    with whole_file(path) as file:
        parquet.write_table(found.replace_schema_metadata(about), file)


def read_scores(path):
    """Return the :class:`~skrank._engine.value_table.ValueTable` of a file."""
    parquet, about = import_extra("pyarrow.parquet"), _metadata(path)
    if about is None:
        raise ValueError(
            "QueryScores.load reads files that QueryScores.save or `skrank evaluate "
            f"--save` has written. Got {shown(os.fspath(path))}, which is another one: "
            "QueryScores.from_frame takes a data frame of values."
        )
    with _refused(path):
        checksum, text = about[:64].decode(), about[64:].decode()
        about = json.loads(text)
        if about["version"] != VERSION:
            raise ValueError(f"version {about['version']} of the format, not {VERSION}")
        found = parquet.read_table(os.fspath(path), partitioning=None)
        if _checksum(text, found) != checksum:
            raise ValueError("another checksum")
        types = about["types"].items()
        arrays = {name: _as_array(found[name], dtype) for name, dtype in types}

        def loaded(part):
            if isinstance(part, list):
                return tuple(map(loaded, part))
            return None if part is None else arrays[part]

        keys, measured, weight, judgements = loaded(about["arrays"])
        table = ValueTable(
            dict(zip(about["keys"], keys, strict=True)),
            tuple(map(literal, about["rankers"])),
            tuple(_request(*one) for one in about["metrics"]),
            tuple(about["extremes"]),
            tuple(tuple(Measured(*one) for one in of_ranker) for of_ranker in measured),
            weight,
            about["kind"],
            judgements,
        )
        # Of one query, this raises if the parts do not belong together.
        one = table.take(np.arange(len(found))[:1]).summaries(average=None)
        named_summaries(table.rankers, table.metrics, one)
    return table


def is_saved(path):
    """Return True if a path is that of a file that :func:`write_scores` wrote."""
    return _metadata(path) is not None


def _metadata(path):
    """Return what a file of Parquet says of scores; None if there are none in it."""
    with open(os.fspath(path), "rb") as file:
        if file.read(4) != b"PAR1":
            return None
    parquet = import_extra("pyarrow.parquet")
    with _refused(path):
        return (parquet.read_schema(os.fspath(path)).metadata or {}).get(PLACE)


@contextlib.contextmanager
def _refused(path):
    """Say of a file that cannot be read what may have happened to it."""
    try:
        yield
    except Exception as error:
        raise ValueError(
            f"The file {shown(os.fspath(path))} cannot be read: it was changed after "
            "QueryScores.save wrote it, is damaged, or is of another version of "
            "skrank. Save the scores again, or install that version. "
            f"Got {shown(error)}."
        ) from error


def _as_column(values):
    """Return an array as a column, and its dtype.

    A matrix becomes lists of the values of its rows.
    """
    pa, dtype = import_extra("pyarrow"), values.dtype
    if dtype.kind in "biufmM":
        values = values.astype(dtype.newbyteorder("="), copy=False)
        values = values.view("i8") if dtype.kind in "mM" else values  # of any unit
        column = pa.array(values.T.ravel())
        if values.ndim == 2:
            column = pa.FixedSizeListArray.from_arrays(column, len(values))
        return column, dtype.str
    ids = values.tolist()
    try:
        "".join(ids).encode()
    except (TypeError, UnicodeEncodeError):  # no text, or none that UTF-8 can hold
        raise TypeError(
            "QueryScores.save keeps ids and segments that are text, numbers or dates. "
            f"Got {shown(ids)}."
        ) from None
    return pa.array(ids, "large_string"), "T" if dtype.kind == "T" else dtype.str


def _as_array(column, dtype):
    """Return the array of which :func:`_as_column` returned this."""
    values, dtype = _numpy_of(column), np.dtype(dtype)
    if dtype.itemsize > 2**24:
        raise ValueError("ids that take too much memory")
    if dtype.kind in "biufmM":
        return values.view(dtype.newbyteorder("=")).astype(dtype, copy=False)
    return np.fromiter(values, dtype)


def _numpy_of(column):
    column = column.combine_chunks()
    if hasattr(column.type, "list_size"):
        return column.flatten().to_numpy().reshape(-1, column.type.list_size).T
    return column.to_numpy(zero_copy_only=False)


def _checksum(about, table):
    """Return the checksum of all that is read of a file."""
    found = hashlib.sha256(about.encode())
    for name, column in zip(table.column_names, table.columns, strict=True):
        values = _numpy_of(column)
        kind = [name, str(values.dtype), values.shape, column.null_count]
        kind += values.tolist() if values.dtype == object else []
        found.update(json.dumps(kind).encode())
        found.update(b"" if values.dtype == object else np.ascontiguousarray(values))
    return found.hexdigest()


def _described(request):
    """Return what JSON can hold of a request."""
    metric, options = request.metric, request.options.by_name()
    # A metric of the user's own may not be there when the file is read, and the values
    # that it had are all that is needed.
    is_known = METRICS.get(metric.name) is metric and metric.own is None
    is_better = None if is_known else metric.greater_is_better
    options = {name: _as_literal(value) for name, value in options.items()}
    return request.key, metric.name, request.sign, is_better, options


def _request(key, name, sign, is_better, options):
    """Return the request of which :func:`_described` returned this."""
    metric = METRICS[name] if is_better is None else metric_of_values(name, is_better)
    options = {name: literal(value) for name, value in options.items()}
    return Request(key, metric, sign, Options().changed(options))


def metric_of_values(name, is_better=True):
    """Return a metric whose values were given, and cannot be computed again."""
    limits = -np.inf, np.inf
    return Metric(name, _no_definition, limits=limits, greater_is_better=is_better)


def _no_definition(ranking, **own):
    raise ValueError(f"Values that were given cannot be computed of {shown(ranking)}.")


def _as_literal(value):
    """Return a value as a literal of Python.

    Numbers and arrays of NumPy become numbers and lists of Python.
    """
    value = value.tolist() if isinstance(value, (np.generic, np.ndarray)) else value
    with np.printoptions(legacy="1.21"):  # numbers in a tuple without their types
        text = repr(value)
    with contextlib.suppress(ValueError, SyntaxError):
        if text in NOT_FINITE or literal(text) == value:
            return text
    raise TypeError(
        "QueryScores.save keeps names and parameters that are str, numbers, or lists, "
        "tuples and dicts of them. "
        f"Got {shown(value)} of type {type(value).__name__}."
    )


@contextlib.contextmanager
def whole_file(path):
    """Yield a new open file, which replaces that of a path when it is whole.

    It has the mode of the one that it replaces. A pipe or a device is yielded itself.
    """
    path = os.fspath(path)
    is_there = os.path.exists(path)
    if is_there and not os.path.isfile(path):
        with open(path, "wb") as file:
            yield file
        return
    path = os.path.realpath(path)  # the file that a link leads to
    mode = stat.S_IMODE(os.stat(path).st_mode) if is_there else 0o666
    # Nobody can guess its name, and "x" follows no link. `tempfile` ignores the umask.
    part = f"{path}.{secrets.token_hex(8)}.part"
    try:
        with open(part, "xb", opener=lambda *given: os.open(*given, mode)) as file:
            if is_there:
                os.chmod(file.fileno() if os.chmod in os.supports_fd else part, mode)
            yield file
        os.replace(part, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(part)
        if getattr(error, "errno", None) and error.filename is None:  # a full disk
            raise OSError(error.errno, error.strerror, path) from error
        raise
