"""Queries, documents and values, with ids as integers or as bytes of a fixed width."""

# SPDX-License-Identifier: BSD-3-Clause

import functools
import numbers
import re
from typing import NamedTuple

import numpy as np

from skrank._checks import shown
from skrank._columns import unwrapped

# File names and other text that is not UTF-8 keep their bytes.
_CODEC = "utf-8", "surrogateescape"
_INTEGER = re.compile(rb"0|-?[1-9][0-9]*")


class Triples(NamedTuple):
    """Queries, documents and values, a row for each pair of a query and a document.

    Ids are integers, or UTF-8 text in bytes of a width that is a multiple of 8: so
    they are compared and sorted without becoming Python objects, and in the order in
    which trec_eval sorts them.
    """

    qid: np.ndarray
    doc_id: np.ndarray
    value: np.ndarray


def fixed_width(data, starts, ends):
    """Return parts of a string as bytes of a width that is a multiple of 8.

    The text is an array of uint8; the parts are in its order.
    """
    length = ends - starts
    longest = int(length.max(initial=1))
    width = longest + -longest % 8
    if len(starts) and starts[-1] + width > len(data):
        data = np.append(data, np.zeros(width, dtype=np.uint8))
    n_starts = max(len(data) - width + 1, 0)
    parts = np.ndarray(n_starts, f"V{width}", data, strides=(1,))[starts]
    # What stands behind a part is set to 0.
    mask = _masks(width)[length]
    return (parts.view(np.uint64) & mask.view(np.uint64)).view(f"S{width}")


@functools.lru_cache(maxsize=8)
def _masks(width):
    """Return bytes for each length up to `width`: 255 up to it, and 0 behind it."""
    ones = np.tri(width + 1, width, -1, dtype=np.uint8)
    return (ones * np.uint8(255)).view(f"V{width}").ravel()


def ids_of(values, what):
    """Return ids as int64, or text as bytes; others raise.

    Errors name `what` they are, such as "document ids of run".
    """
    text = _text_of_arrow(values)
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
        return _encoded(values)
    if all(map(_is_integer, types)):
        if max(map(abs, values)) < 2**63:
            return np.fromiter(values, np.int64, len(values))
        raise ValueError(
            f"The {what} must be within the range of int64. Got "
            f"{max(values, key=abs)}: make them text with str()."
        )
    if all(issubclass(kind, str) or _is_integer(kind) for kind in types):
        text, integer = (
            next(id for id in values if isinstance(id, str) is is_text)
            for is_text in (True, False)
        )
        raise TypeError(
            f"The {what} must be all text or all integers. Got both, such as "
            f"{shown(text)} and {integer}: make them text with str()."
        )
    bad = next(
        id for id in values if not (isinstance(id, str) or _is_integer(type(id)))
    )
    raise TypeError(
        f"The {what} must be text or integers. Got {shown(bad)} of type "
        f"{type(bad).__name__}: make other ids text with str(), and leave out rows "
        "without an id."
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


def _text_of_arrow(column):
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
    return fixed_width(data, bounds[:-1], bounds[1:])


def _is_integer(kind):
    return issubclass(kind, numbers.Integral) and kind is not bool


def _encoded(texts):
    encoded = [text.encode(*_CODEC) for text in texts]
    length = np.fromiter(map(len, encoded), np.int64, len(encoded))
    end = np.cumsum(length)
    data = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    return fixed_width(data, end - length, end)


def as_text(ids):
    """Return integers as text in bytes."""
    return ids.astype("S24")


def first_no_integer(ids):
    """Return the first text id that no integer is written as, in an array, or none."""
    for i, id in enumerate(ids.tolist()):
        if not _INTEGER.fullmatch(id):
            return ids[i : i + 1]
    return ids[:0]


def text_of(ids):
    """Return ids as integers or str."""
    if ids.dtype.kind != "S":
        return ids
    if (ids.view(np.uint8) < 128).all():  # ASCII: many times faster
        width = ids.dtype.itemsize
        return ids.view(np.uint8).astype(np.uint32).view(f"U{width}")
    return np.char.decode(ids, *_CODEC)
