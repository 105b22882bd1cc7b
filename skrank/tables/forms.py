"""The forms in which people have judgements and runs, and their ids."""

# SPDX-License-Identifier: BSD-3-Clause

import contextlib
import difflib
import gzip
import json
import numbers
import os
import re
import zlib
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from sklearn.utils import Bunch

from skrank._input.checks import check_column_name, numeric_array, shown
from skrank._input.frames import (
    column_names,
    find_column,
    is_frame,
    is_only_arrow,
    unwrapped,
)
from skrank._text.tables import import_extra
from skrank.tables.source import UnknownColumn, is_table_file, read_table
from skrank.tables.stream import Columns
from skrank.tables.trec_text import (
    CODEC,
    QRELS,
    RUN,
    Format,
    Triples,
    fixed_width,
    text_of,
    triples_of_file,
)

_LISTS = list, tuple, np.ndarray


class Names(NamedTuple):
    """The names of the columns of a table, and of the keys of a hit."""

    qid: str
    doc_id: str
    value: str

    def checked(self, value, caller):
        """Return them, or raise; `value` is the parameter of the third one."""
        for name, column in zip(("qid", "doc_id", value), self, strict=True):
            check_column_name(column, name, caller)
        return self


# Those of judgements, of runs, and of a file of BEIR, such as qrels/test.tsv.
_OF_QRELS = Names("qid", "doc_id", "grade")
_OF_RUN = Names("qid", "doc_id", "score")
_BEIR = Names("query-id", "corpus-id", "score")


class Form(NamedTuple):
    """Judgements or a run."""

    name: str  # such as "qrels", "run" or "run['bm25']", for errors
    format: Format  # of the lines of its files
    takes: str  # what it may be, for errors

    @property
    def is_truth(self):
        """Return True for judgements."""
        return self.format is QRELS


_COMMON = (
    "the path of a TREC, Parquet, CSV or JSON file, a table, a list of tuples (query, "
    "document, {0}) or a dict of query ids to"
)
TRUTH = Form(
    "qrels",
    QRELS,
    f"{_COMMON.format('grade')} dicts of document ids to grades, or to sets or lists "
    "of the relevant document ids",
)
RESULT = Form(
    "run",
    RUN,
    f"{_COMMON.format('score')} dicts of document ids to scores, to ranked lists of "
    "document ids, to (document, score) pairs or to hits",
)


def read_form(data, form, names):
    """Return the Triples of judgements or a run, in any of their forms.

    `names` are those of the columns of a table. What was read is returned as it is.
    """
    if isinstance(data, Triples):
        return data
    if isinstance(data, (str, os.PathLike)):
        if is_trec(data):
            return triples_of_file(data, form.format)
        if _is_json(data):
            data = _json_of(data)
        else:
            data, names = _table_of_file(data, names)
    values = data.values() if isinstance(data, Mapping) else ()
    if form.is_truth and any(isinstance(x, Mapping) and _is_run(x) for x in values):
        raise TypeError(
            f"The '{form.name}' parameter must be the judgements of queries. Got a "
            "dict of names to these, as runs are: pass the judgements first."
        )
    if _is_table(data):
        table = import_extra("pyarrow").table(data) if is_only_arrow(data) else data
        columns = [_column_of_table(table, names, i, form) for i in range(len(names))]
    elif isinstance(data, Mapping):
        columns = _columns_of_dict(data, form, names)
    elif _is_list(data) and len(data) and all(map(_is_row, data)):
        columns = zip(*data, strict=True)
    else:
        cure = (
            "Several runs are a dict of names to runs. Lists of lists become a dict "
            "with dict(enumerate(lists)), lists of dicts pandas.DataFrame(rows)."
        )
        raise TypeError(
            f"The '{form.name}' parameter must be {form.takes}. Got {shown(data)} of "
            f"type {type(data).__name__} instead.{f' {cure}' * _is_list(data)}"
        )
    qid, doc_id, value = columns
    try:
        value = numeric_array(value, form.format.noun)
    except ValueError:
        for query, document, one in zip(qid, doc_id, value, strict=False):
            if one is None or isinstance(one, str):
                raise _no_number(one, document, query, form) from None
        raise
    triples = Triples(
        ids_of(qid, f"query ids of {form.name}"),
        ids_of(doc_id, f"document ids of {form.name}"),
        value.astype(np.int64) if value.dtype.kind == "b" else value,
    )
    sizes = [len(column) for column in triples]
    if len(set(sizes)) > 1 or not sizes[0]:
        raise ValueError(
            f"The '{form.name}' parameter must hold an id of a query, an id of a "
            f"document and a {form.format.noun} for each of one or more rows. "
            f"Got {sizes}."
        )
    _refuse_nan(triples, form)
    return triples


def is_trec(path):
    """Return True if the ending of a path is that of no table and no JSON file."""
    return not is_table_file(path) and not _is_json(path)


def _is_json(path):
    return re.search(r"\.json(\.gz)?$", os.fspath(path), re.IGNORECASE) is not None


def _json_of(path):
    """Return what a JSON file holds; ``.gz`` is unpacked."""
    is_packed = os.fspath(path).lower().endswith(".gz")
    try:
        with (gzip.open if is_packed else open)(path, "rb") as file:
            return json.loads(file.read(), object_pairs_hook=_dict_of_pairs)
    except (EOFError, RecursionError, ValueError, OSError, zlib.error) as error:
        if isinstance(error, OSError) and error.errno:  # such as no file
            raise
        raise ValueError(f"{path} cannot be read as JSON: {error}.") from None


def _table_of_file(path, names):
    """Return the table of a file, and the names of its columns: those of BEIR, too."""
    try:
        columns = Columns(names.qid, names.value, {}, doc_id=names.doc_id)
        return read_table(path, columns), names
    except UnknownColumn:
        with contextlib.suppress(UnknownColumn):
            if names in (_OF_QRELS, _OF_RUN):
                return _table_of_file(path, _BEIR)
        raise


def _dict_of_pairs(pairs):
    """Return an object of JSON as a dict; raise if a key occurs twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        ((twice, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"the key {shown(twice)} occurs twice in an object")
    return found


def are_runs(run):
    """Return True for a dict of names to runs, False for the run of one system."""
    if not isinstance(run, Mapping) or _is_table(run):
        return False
    return any(map(_is_run, run.values()))


def _is_run(value):
    """Return True for a whole run, False for what it holds for one query."""
    if isinstance(value, (str, os.PathLike)) or _is_table(value):
        return True
    if isinstance(value, Mapping):
        return isinstance(next(iter(value.values()), None), (Mapping, *_LISTS))
    return _is_list(value) and len(value) > 0 and _is_row(value[0])


def _is_list(value):
    return isinstance(value, _LISTS) and getattr(value, "ndim", 1) > 0


def _is_row(value):
    return isinstance(value, tuple) and len(value) == 3


def _is_table(data):
    """Return True for tables that know their columns by name."""
    return isinstance(data, Bunch) or is_frame(data)


def _column_of_table(table, names, position, form):
    """Return the column of a table by one of the names of its columns."""
    name = names[position]
    if isinstance(table, Bunch):
        names, column = list(table), table.get(name)
    else:
        names, column = column_names(table) or (), find_column(table, name)
    if column is not None:
        return column
    is_grade = form.is_truth and position == 2
    # Interactions: each row is a relevant document.
    if is_grade and len(names) == 2 and is_frame(table):
        return np.ones(len(table), dtype=np.int64)
    near = difflib.get_close_matches(name, map(str, names), n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    if is_grade and not near:
        hint = (
            " If each row is a relevant document, such as a click, pass the columns of "
            "ids alone, or grades of 1: frame.assign(grade=1)."
        )
    raise ValueError(
        f"The '{form.name}' parameter must have the columns that are named by 'qid', "
        f"'doc_id' and '{form.format.noun}'. Got no column {name!r} among "
        f"{shown(names)}.{hint}"
    )


def _columns_of_dict(data, form, names):
    """Return the query ids, document ids and values of a dict of queries."""
    documents, values, lengths = [], [], []
    for qid, found in data.items():
        ids, scores = _of_query(qid, found, form, names)
        documents.extend(ids)
        values.extend(scores)
        lengths.append(len(ids))
    ids = ids_of(list(data), f"query ids of {form.name}")
    return np.repeat(ids, lengths), documents, values


def _of_query(qid, found, form, names):
    """Return the document ids of one query, and their values."""
    if isinstance(found, (dict, Mapping)):  # to ask for a dict first is faster
        return found.keys(), found.values()
    is_set = isinstance(found, (set, frozenset))
    if not _is_list(found) and not (is_set and form.is_truth):
        cure = " A set has no order: pass scores or a ranked list." if is_set else ""
        raise TypeError(
            f"The '{form.name}' parameter must be {form.takes}. Got {shown(found)} of "
            f"type {type(found).__name__} for query {qid!r} instead.{cure}"
        )
    found = list(found)
    if found and isinstance(found[0], Mapping):
        missing = {names.doc_id, names.value} - found[0].keys()
        if missing:
            raise ValueError(
                f"A hit of {form.name} must have the keys that are named by 'doc_id' "
                f"and '{form.format.noun}'. Got no key {min(missing)!r} among "
                f"{shown(list(found[0]))}."
            )
        found = [(hit[names.doc_id], hit[names.value]) for hit in found]
    if found and _is_list(found[0]):
        if not all(_is_list(pair) and len(pair) == 2 for pair in found):
            raise ValueError(
                f"The '{form.name}' parameter must be {form.takes}. Got lists that are "
                f"not all pairs for query {qid!r}: {shown(found)}."
            )
        documents, values = zip(*found, strict=True)
        return documents, values
    return found, [1] * len(found) if form.is_truth else range(len(found), 0, -1)


def _refuse_nan(triples, form):
    """Raise if a score is NaN, or a grade NaN or infinite."""
    bad = np.isnan(triples.value)
    if form.is_truth:
        bad |= np.isinf(triples.value)
    if bad.any():
        row = np.flatnonzero(bad)[:1]
        query, document = (text_of(ids[row]).tolist()[0] for ids in triples[:2])
        raise _no_number(triples.value[row[0]].item(), document, query, form)


def _no_number(value, document, query, form):
    query = query.decode(*CODEC) if isinstance(query, bytes) else query
    cure = "leave out a document that has none"
    if isinstance(value, str):
        cure = "make numbers of text with float()"
    return ValueError(
        f"The {form.format.noun}s of {form.name} must be numbers. Got {shown(value)} "
        f"for document {document!r} of query {query!r}: {cure}."
    )


_INTEGER = re.compile(rb"0|-?[1-9][0-9]*")


def ids_of(values, what):
    """Return ids as int64, or text as bytes; others raise.

    Errors name `what` they are, such as "document ids of run".
    """
    text = _text_of_arrow(values, what)
    if text is not None:
        return text
    values = unwrapped(values)
    if hasattr(values, "__array__"):
        values = np.asanyarray(values)
    if isinstance(values, np.ndarray):
        is_plain = values.ndim == 1 and not np.ma.is_masked(values)
        if values.dtype.kind == "S" and is_plain:
            width = max(values.dtype.itemsize, 1)
            return values.astype(f"S{width + -width % 8}")
        if values.dtype.kind == "U" and is_plain and len(values):
            text = _ascii(values)
            if text is not None:
                return text
        if values.dtype.kind in "iu" and is_plain and values.max(initial=0) < 2**63:
            return values.astype(np.int64)
        values = values.tolist()
    types = set(map(type, values))
    if all(issubclass(kind, str) for kind in types):
        return _encoded(values, what)
    if all(map(_is_integer_type, types)):
        if min(values) > -(2**63) and max(values) < 2**63:
            return np.fromiter(values, np.int64, len(values))
        raise ValueError(
            f"The {what} must be within the range of int64. Got "
            f"{max(values, key=abs)}: make them text with str()."
        )
    first = {type(id): id for id in [*values][::-1]}
    got = [f"{shown(id)} of type {kind.__name__}" for kind, id in first.items()][::-1]
    cure = "make them text with str()"
    none = "None", "nan", "NaT", "<NA>"
    missing = [row for row, id in enumerate(values) if str(id) in none]
    if missing:
        got = [f"{shown(values[missing[0]])} in row {missing[0]}"]
        cure = "leave out rows without an id"
    elif any(map(_is_list, values)):
        cure = "frame.explode makes a row of each id in a list"
    raise TypeError(
        f"The {what} must be all text or all integers. Got {' and '.join(got)}: {cure}."
    )


def _ascii(texts):
    """Return an array of str as bytes, or None if it holds more than ASCII."""
    width = max(texts.dtype.itemsize // 4, 1)
    letters = np.ascontiguousarray(texts.astype(f"=U{width}")).view(np.uint32)
    if letters.max() > 127:
        return None
    text = np.zeros((len(texts), width + -width % 8), dtype=np.uint8)
    text[:, :width] = letters.reshape(len(texts), width)
    return text.view(f"S{text.shape[1]}").ravel()


def _text_of_arrow(column, what):
    """Return the text of a column that Arrow can read, or None for another column."""
    is_object = getattr(column, "dtype", None) is np.dtype(object)
    if is_object or not hasattr(column, "__arrow_c_stream__"):
        return None
    try:
        import pyarrow
    except ImportError:
        return None
    column = pyarrow.chunked_array(column)
    is_text = str(column.type) in ("string", "large_string", "string_view")
    if not is_text or column.null_count:
        return None
    text = column.cast(pyarrow.large_string()).combine_chunks()
    _, bounds, data = text.buffers()
    bounds = np.frombuffer(bounds, dtype=np.int64)[text.offset :][: len(text) + 1]
    data = np.frombuffer(data or b"", dtype=np.uint8)
    if not data.all():
        _refuse_nul(data, bounds[:-1], bounds[1:], what)
    return fixed_width(data, bounds[:-1], bounds[1:], what)


def _is_integer_type(kind):
    return issubclass(kind, numbers.Integral) and kind is not bool


def _encoded(texts, what):
    try:
        encoded = [text.encode(*CODEC) for text in texts]
    except UnicodeEncodeError as error:
        raise ValueError(
            f"The {what} must be text that UTF-8 can encode. Got {shown(error.object)}."
        ) from None
    length = np.fromiter(map(len, encoded), np.int64, len(encoded))
    end = np.cumsum(length)
    joined = b"".join(encoded)
    data = np.frombuffer(joined, dtype=np.uint8)
    if b"\0" in joined:
        _refuse_nul(data, end - length, end, what)
    return fixed_width(data, end - length, end, what)


def _refuse_nul(data, starts, ends, what):
    """Raise if an id ends in NUL, with which bytes of one width are filled up."""
    filled = np.flatnonzero(ends > starts)
    cut = filled[data[ends[filled] - 1] == 0]
    if len(cut):
        id = bytes(data[starts[cut[0]] : ends[cut[0]]]).decode(*CODEC)
        raise ValueError(
            f"The {what} must not end in NUL, by which they could not be told from "
            f"those without it. Got {shown(id)}."
        )


def first_no_integer(ids):
    """Return the first text id that is not that of an integer, in an array, or none."""
    for i, id in enumerate(ids.tolist()):
        if not _INTEGER.fullmatch(id):
            return ids[i : i + 1]
    return ids[:0]
