"""Scores of queries in a file: Parquet, with all parameters and a checksum."""

# SPDX-License-Identifier: BSD-3-Clause

import ast
import contextlib
import hashlib
import json
import os

import numpy as np

from skrank._checks import import_extra, shown
from skrank._engine.request import METRICS, Metric, Options, Request
from skrank._engine.summary import Measured
from skrank._engine.value_table import ValueTable

# Where the metadata of a file has all that is not a column.
PLACE = b"skrank"
# Increased whenever a file could not be read any more by what is released.
VERSION = 2


def write_scores(table, path):
    """Write a :class:`~skrank._engine.value_table.ValueTable` to a file of Parquet."""
    pa, parquet = import_extra("pyarrow"), import_extra("pyarrow.parquet")
    columns = _Columns()
    keys = [
        [name, *columns.add_ids(name, values)] for name, values in table.keys.items()
    ]
    weight = columns.add("sample_weight", table.weight)
    n_documents, measured = [], []
    for ranker, sizes, of_ranker in zip(
        table.rankers, table.n_documents, table.measured, strict=True
    ):
        before = "" if ranker is None else f"{ranker}/"
        n_documents.append(columns.add(f"{before}n_documents", sizes))
        measured.append(
            [
                {
                    part: columns.add(
                        f"{before}{name}/{part}".removesuffix("/values"), x
                    )
                    for part, x in one._asdict().items()
                }
                for name, one in zip(table.metrics, of_ranker, strict=True)
            ]
        )
    about = {
        "version": VERSION,
        "kind": table.kind,
        "keys": keys,
        "rankers": [_as_literal(name, "names of rankers") for name in table.rankers],
        "metrics": [_described(request) for request in table.requests],
        "extremes": table.extremes,
        "weight": weight,
        "n_documents": n_documents,
        "measured": measured,
    }
    about = json.dumps(about)
    found = pa.table(columns.arrays, columns.names)
    about = json.dumps({"checksum": _checksum(about, found), "scores": about})
    with whole_file(path) as part:
        parquet.write_table(found.replace_schema_metadata({PLACE: about}), part)


def read_scores(path):
    """Return the :class:`~skrank._engine.value_table.ValueTable` of a file."""
    parquet = import_extra("pyarrow.parquet")
    about = None
    if _is_parquet(path):
        with _refused(path):
            found = parquet.read_table(os.fspath(path), partitioning=None)
            about = (found.schema.metadata or {}).get(PLACE)
    if about is None:
        raise ValueError(
            "QueryScores.load reads files that QueryScores.save or `skrank evaluate "
            f"--save` has written. Got {shown(os.fspath(path))}, which is another one: "
            "QueryScores.from_frame takes a data frame of values."
        )
    with _refused(path):
        about = json.loads(about)
        checksum, about = about["checksum"], about["scores"]
        version = json.loads(about)["version"]
    if version != VERSION:
        cure = (
            "Install a newer skrank" if version > VERSION else "Save the scores again"
        )
        raise ValueError(
            f"The file {shown(os.fspath(path))} has the version {version}, and this "
            f"skrank reads version {VERSION}. {cure}."
        )
    if _checksum(about, found) != checksum:
        raise ValueError(_CHANGED.format(shown(os.fspath(path))))
    about = json.loads(about)
    columns = [column.to_numpy() for column in found.columns]
    read = {None: None} | dict(enumerate(columns))

    def measured(parts):
        ranks = parts["ranks"]
        if ranks is not None:
            # Metrics share them, and what is summarized reads them once.
            ranks = read.setdefault(
                tuple(ranks), np.vstack([columns[place] for place in ranks])
            )
        values = {name: read[parts[name]] for name in parts if name != "ranks"}
        return Measured(**values, ranks=ranks)

    return ValueTable(
        {
            name: _ids(columns[at], dtype, form)
            for name, at, dtype, form in about["keys"]
        },
        tuple(map(_value, about["rankers"])),
        tuple(_request(one) for one in about["metrics"]),
        tuple(about["extremes"]),
        tuple(tuple(map(measured, of_ranker)) for of_ranker in about["measured"]),
        tuple(read[place] for place in about["n_documents"]),
        read[about["weight"]],
        about["kind"],
    )


def is_saved(path):
    """Return True if a path is that of a file that :func:`write_scores` wrote."""
    if not _is_parquet(path):
        return False
    try:
        schema = import_extra("pyarrow.parquet").read_schema(os.fspath(path))
    except (OSError, ValueError) as error:
        raise ValueError(
            f"The file {shown(os.fspath(path))} cannot be read as Parquet: {error}"
        ) from error
    return PLACE in (schema.metadata or {})


def _is_parquet(path):
    """Return True if a file begins as those of Parquet do; raise if there is none."""
    with open(path, "rb") as file:
        return file.read(4) == b"PAR1"


_CHANGED = (
    "The file {} was changed after QueryScores.save wrote it: its checksum is not that "
    "of its contents. Save the scores again."
)


@contextlib.contextmanager
def _refused(path):
    """Say of a file that cannot be read that it was changed."""
    try:
        yield
    except (OSError, ValueError, KeyError, TypeError, NotImplementedError):
        raise ValueError(_CHANGED.format(shown(os.fspath(path)))) from None


@contextlib.contextmanager
def whole_file(path):
    """Yield the path of a new file, which replaces that of a path when it is whole."""
    path = os.path.realpath(path)  # the file that a link leads to
    part = f"{path}.{os.getpid()}.part"
    try:
        yield part
        os.replace(part, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(part)
        raise


class _Columns:
    """The columns of a file. An array that several metrics share is one of them."""

    def __init__(self):
        self.names, self.arrays, self._places = [], [], {}

    def add(self, name, values):
        """Return the place of an array among the columns, of a matrix those of rows."""
        if values is None:
            return None
        if id(values) not in self._places:
            if values.ndim == 2:
                places = [
                    self._append(f"{name}/{i}", row) for i, row in enumerate(values)
                ]
            else:
                places = self._append(name, values)
            self._places[id(values)] = places
        return self._places[id(values)]

    def add_ids(self, name, ids):
        """Return the place of ids, their dtype, and the form in which they are kept."""
        dtype = "StringDType" if ids.dtype.kind == "T" else ids.dtype.str
        form = "numbers"
        if ids.dtype.kind in "mM":  # of any unit
            form, ids = "integers", ids.view(f"{dtype[0]}i8")
        elif ids.dtype.kind not in "biuf":
            form, ids = "text", ids.tolist()
            if not all(map(_is_text, ids)):
                form = "literals"
                ids = [_as_literal(one, f"ids in {name!r}") for one in ids]
        return self._append(name, ids), dtype, form

    def _append(self, name, values):
        if isinstance(values, np.ndarray):
            values = values.astype(values.dtype.newbyteorder("="), copy=False)
        else:
            values = import_extra("pyarrow").array(values, "large_string")
        while name in self.names:
            name += "'"
        self.names.append(name)
        self.arrays.append(import_extra("pyarrow").array(values))
        return len(self.names) - 1


def _is_text(value):
    """Return True for a str that UTF-8 can hold, as ids that were read may not be."""
    try:
        return type(value) is str and value.encode() is not None
    except UnicodeEncodeError:
        return False


def _ids(values, dtype, form):
    """Return ids as :meth:`_Columns.add_ids` got them."""
    dtype = np.dtypes.StringDType() if dtype == "StringDType" else np.dtype(dtype)
    if form == "integers":
        return values.astype(f"{dtype.str[0]}i8").view(dtype)
    if form == "literals":
        values = [*map(_value, values)]
    # Tuples would become rows of a matrix.
    ids = np.empty(len(values), dtype=dtype)
    ids[:] = values if dtype.kind != "O" else [None] * len(values)
    if dtype.kind == "O":
        for place, one in enumerate(values):
            ids[place] = one
    return ids


def _checksum(about, table):
    """Return the checksum of all that is read of a file."""
    found = hashlib.sha256(about.encode())
    for name, column in zip(table.column_names, table.columns, strict=True):
        values = column.to_numpy()
        kind = f"{column.type} {column.null_count} {values.dtype}"
        found.update(json.dumps([name, kind, len(values)]).encode())
        if values.dtype == object:
            found.update(json.dumps(values.tolist()).encode())
        else:
            found.update(np.ascontiguousarray(values))
    return found.hexdigest()


def _described(request):
    """Return what JSON can hold of a request."""
    metric = request.metric
    # A metric of the user's own may not be there when the file is read, and the values
    # that it had are all that is needed.
    is_known = METRICS.get(metric.name) is metric and metric.own is None
    of = f"among the parameters of {request.key!r}"
    return {
        "key": request.key,
        "metric": metric.name,
        "sign": request.sign,
        "greater_is_better": None if is_known else metric.greater_is_better,
        "options": {
            name: _as_literal(value, f"the {name!r} {of}")
            for name, value in request.options.by_name().items()
        },
    }


def _request(found):
    """Return the request of which :func:`_described` returned this."""
    name, is_better = found["metric"], found["greater_is_better"]
    if is_better is not None:
        metric = metric_of_values(name, greater_is_better=is_better)
    elif name in METRICS:
        metric = METRICS[name]
    else:
        raise ValueError(
            f"The scores have the metric {name!r}, which this version of skrank does "
            "not have. Install the version that saved them."
        )
    options = {key: _value(value) for key, value in found["options"].items()}
    return Request(found["key"], metric, found["sign"], Options().changed(options))


def metric_of_values(name, **more):
    """Return a metric whose values were given, and cannot be computed again."""
    return Metric(name, _no_definition, limits=(-np.inf, np.inf), **more)


def _no_definition(ranking, **own):
    raise ValueError(f"Values that were given cannot be computed of {shown(ranking)}.")


_NOT_FINITE = ("nan", "inf", "-inf")


def _as_literal(value, what):
    """Return a value as a literal of Python; `what` is what errors call several of it.

    Numbers and arrays of NumPy become numbers and lists of Python.
    """
    value = value.tolist() if isinstance(value, (np.generic, np.ndarray)) else value
    with np.printoptions(legacy="1.21"):  # numbers in a tuple without their types
        text = repr(value)
    with contextlib.suppress(ValueError, SyntaxError):
        if text in _NOT_FINITE or _value(text) == value:
            return text
    raise TypeError(
        f"QueryScores.save keeps {what} that are str, numbers, or lists, tuples and "
        f"dicts of them. Got {shown(value)} of type {type(value).__name__}."
    )


def _value(text):
    """Return the value of which :func:`_as_literal` returned this."""
    return float(text) if text in _NOT_FINITE else ast.literal_eval(text)
