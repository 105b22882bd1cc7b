"""The text format of TREC: words on lines, read by NumPy alone."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import gzip
import re
import zlib
from typing import NamedTuple

import numpy as np

from skrank.tables._triples import Triples, fixed_width

# The bytes that are parsed at once: what is made of them stays in the cache.
_CHUNK = 2**18
_NEWLINE, _UNDERSCORE = b"\n_"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_WORD = re.compile(rb"[^\x00-\x20]+")


class Format(NamedTuple):
    """What stands on a line.

    Attributes
    ----------
    fields : str
        The fields, for errors.
    n_fields : int
        How many there are.
    value : int
        The position of the grade or the score. Those of the query id and the document
        id are 0 and 2.
    noun : str
        What the value is called.
    is_open : bool
        Whether more words may follow: trec_eval takes them for a part of the last
        field.
    """

    fields: str
    n_fields: int
    value: int
    noun: str
    is_open: bool


QRELS = Format("query, iteration, document, grade", 4, 3, "grade", False)
RUN = Format("query, Q0, document, rank, score, tag", 6, 4, "score", True)


def read_triples(path, format):
    """Return the Triples of a file; ``.gz`` is unpacked.

    Parameters
    ----------
    path : str or os.PathLike
        The file.

    format : Format
        What stands on its lines.
    """
    unpack = gzip.open if str(path).endswith(".gz") else open
    parts, n_lines = [], 0
    with unpack(path, "rb") as file:
        for chunk in _whole_lines(file, path):
            part, n_more = _parse(chunk, format)
            if part is None:
                raise ValueError(_first_error(chunk, format, path, n_lines))
            parts.append(part)
            n_lines += n_more
    if not sum(len(part.value) for part in parts):
        raise ValueError(
            f"{path} must hold lines of {format.n_fields} fields ({format.fields}). "
            "Got no line."
        )
    columns = list(zip(*parts, strict=True))
    del part, parts  # each column is freed when it is joined
    return Triples(*(np.concatenate(columns.pop(0)) for _ in range(3)))


def _whole_lines(file, path):
    """Yield the bytes of a file, some whole lines at a time."""
    left = _read(file, path).removeprefix(_BYTE_ORDER_MARK)
    while left:
        more = _read(file, path)
        if not more:
            yield left if left.endswith(b"\n") else left + b"\n"
            return
        end = left.rfind(b"\n") + 1
        if end:
            yield left[:end]
        left = left[end:] + more


def _read(file, path):
    try:
        return file.read(_CHUNK)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path} cannot be unpacked: {error}") from None


def _parse(chunk, format):
    """Return the Triples of some lines, None if one is malformed, and their number."""
    # A newline before the first word, and zeros to read words of a fixed width.
    data = np.frombuffer(b"\n%b%b" % (chunk, bytes(64)), dtype=np.uint8)
    is_word = data > ord(" ")
    edges = np.flatnonzero(is_word[1:] != is_word[:-1]) + 1
    starts, ends = edges[::2], edges[1::2]
    newlines = np.flatnonzero(data == _NEWLINE)
    n_lines = len(newlines) - 1
    words = _words_of_lines(data, starts, ends, newlines, format)
    if words is None:
        return None, n_lines
    columns = [
        fixed_width(data, starts[words + i], ends[words + i])
        for i in (0, 2, format.value)
    ]
    try:
        columns[-1] = _numbers(columns[-1], format)
    except ValueError:
        return None, n_lines
    return Triples(*columns), n_lines


def _words_of_lines(data, starts, ends, newlines, format):
    """Return the first word of each line; None if a line has too few or too many.

    Lines that are empty or begin with "#" are left out.
    """
    n, width = len(newlines) - 1, format.n_fields
    if len(starts) == n * width:
        first = np.arange(n) * width
        in_line = starts[first] > newlines[:-1]
        if (in_line & (ends[first + width - 1] <= newlines[1:])).all():
            is_comment = data[starts[first]] == ord("#")
            return first[~is_comment] if is_comment.any() else first
    word = np.searchsorted(starts, newlines)
    first, n_words = word[:-1], np.diff(word)
    kept = n_words > 0
    kept[kept] = data[starts[first[kept]]] != ord("#")
    n_words = n_words[kept]
    fits = n_words >= width if format.is_open else n_words == width
    return first[kept] if fits.all() else None


def _numbers(text, format):
    """Return numbers from their text; raise if they are unreadable or missing."""
    if (text.view(np.uint8) == _UNDERSCORE).any():
        raise ValueError("Python reads 1_000, but no other tool does.")
    if format is QRELS:
        try:
            return text.astype(np.int64)
        except (ValueError, OverflowError):
            pass
    values = text.astype(np.float64)
    if not _are_valid(values, format):
        raise ValueError("Not a number.")
    return values


def _are_valid(values, format):
    """Return True if values can be evaluated. A score may be infinite."""
    if format is RUN:
        return not np.isnan(values).any()
    return np.isfinite(values).all()


def _first_error(chunk, format, path, n_before):
    """Return the error for the first malformed line."""
    for number, line in enumerate(chunk.split(b"\n"), n_before + 1):
        words = _WORD.findall(line)
        if not words or words[0].startswith(b"#"):
            continue
        where = f"{path}, line {number}: "
        shown = repr(line.decode("utf-8", "replace").strip()[:100])
        too_many = len(words) > format.n_fields and not format.is_open
        if len(words) < format.n_fields or too_many:
            return (
                f"{where}{format.n_fields} fields expected ({format.fields}). "
                f"Got {len(words)}: {shown}."
            )
        try:
            _numbers(np.array([words[format.value]]), format)
        except ValueError:
            return f"{where}the {format.noun} must be a number. Got {shown}."
    return f"{path} is not a text file of TREC."
