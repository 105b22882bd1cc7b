"""Text files of judgements and runs in the format of TREC, and ids as bytes."""

# SPDX-License-Identifier: BSD-3-Clause

from __future__ import annotations

import functools
import gzip
import io
import os
import re
import zlib
from typing import Literal, NamedTuple

import numpy as np
from sklearn.utils import Bunch

from skrank._input.callers import warn_caller
from skrank._input.checks import check_choice, check_flag
from skrank._ranking.ids import encode_qid
from skrank._text.docs import PathLike
from skrank.tables.source import how_to_read


def read_qrels(path: PathLike, *, subtopics: bool = False) -> Bunch:
    r"""Read relevance judgements in the text format of TREC.

    A line holds a query, an iteration that is not read, a document and a grade,
    separated by spaces or tabs. Empty lines and lines that begin with "#" are left out.

    Parameters
    ----------
    path : str or os.PathLike
        The file. One that ends in ".gz" is unpacked.
    subtopics : bool, default=False
        Whether the second field of a line is the subtopic of the query on which the
        document is judged, as in the diversity tasks of TREC.

    Returns
    -------
    qrels : Bunch
        The arrays `qid` and `doc_id` of str, and `grade`, with an entry for each line;
        with ``subtopics=True`` also `subtopic`, of str.

    Raises
    ------
    ValueError
        If a line has another number of fields, a grade is not a finite number, a field
        that is read has more than 4,096 bytes, a line has much more than 1 MB, or a
        control character other than a tab occurs. The error names the file and line.

    See Also
    --------
    align : Joins judgements with a run, and reads their files itself.

    Examples
    --------
    >>> from skrank.tables import read_qrels
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("301 0 FR94-1 0\n301 0 FR94-2 1\n")
    >>> read_qrels(path).doc_id.tolist()
    ['FR94-1', 'FR94-2']

    Judgements of two subtopics:

    >>> _ = path.write_text("301 1 FR94-1 1\n301 2 FR94-1 1\n")
    >>> read_qrels(path, subtopics=True).subtopic.tolist()
    ['1', '2']
    """
    check_flag(subtopics, "subtopics", "read_qrels")
    qrels = _bunch(triples_of_file(path, QRELS), "grade")
    if not subtopics:
        return qrels
    by_subtopic = triples_of_file(path, QRELS._replace(document=1))
    return Bunch(**qrels, subtopic=text_of(by_subtopic.doc_id))


def read_run(path: PathLike, *, order: Literal["score", "rank"] = "score") -> Bunch:
    r"""Read what a system returned, in the text format of TREC.

    A line holds a query, "Q0", a document, a rank, a score and a tag, separated by
    spaces or tabs. As for trec_eval, only the score orders the documents: the rank is
    not read. Empty lines and lines that begin with "#" are left out.

    Parameters
    ----------
    path : str or os.PathLike
        The file. One that ends in ".gz" is unpacked.
    order : {"score", "rank"}, default="score"
        The field that orders the documents. With "rank" the score of a document is
        minus its rank, and the score in the file is not read. Documents of a query
        with the same rank are tied.

    Returns
    -------
    run : Bunch
        The arrays `qid` and `doc_id` of str, and `score`, with an entry for each line.

    Raises
    ------
    ValueError
        If a line has less than six fields, a score is not a number (or, with
        ``order="rank"``, a rank), a field that is read has more than 4,096 bytes, a
        line has much more than 1 MB, or a control character other than a tab occurs.
        The error names the file and the line.

    Warns
    -----
    UserWarning
        If the scores of each query are equal, and the ranks are not.

    See Also
    --------
    align : Joins a run with judgements, and reads their files itself.

    Examples
    --------
    >>> from skrank.tables import read_run
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "bm25.run"
    >>> _ = path.write_text("301 Q0 FR94-2 1 7.25 bm25\n301 Q0 FR94-9 2 3.5 bm25\n")
    >>> read_run(path).score
    array([7.25, 3.5 ])
    >>> read_run(path, order="rank").score
    array([-1., -2.])
    """
    check_choice(order, ("score", "rank"), "order", "read_run")
    if order == "score":
        return _bunch(triples_of_file(path, RUN), "score")
    ranked = triples_of_file(path, RUN_BY_RANK)
    return _bunch(ranked._replace(value=0 - ranked.value), "score")


def _bunch(triples, name):
    qid, doc_id = map(text_of, triples[:2])
    return Bunch(**{"qid": qid, "doc_id": doc_id, name: triples.value})


# File names and other text that is not UTF-8 keep their bytes.
CODEC = "utf-8", "surrogateescape"


class Triples(NamedTuple):
    """Queries, documents and values, a row for each pair of a query and a document.

    Ids are integers, or UTF-8 text in bytes of a width that is a multiple of 8: so
    they are compared and sorted without becoming Python objects, and in the order in
    which trec_eval sorts them.
    """

    qid: np.ndarray
    doc_id: np.ndarray
    value: np.ndarray


# Every id gets the width of the longest one: one text among ids would fill the memory.
_LONGEST_ID = 4096


def fixed_width(data, starts, ends, what="fields"):
    """Return parts of a string as bytes of a width that is a multiple of 8.

    The text is an array of uint8; the parts are in its order. Each is read in the width
    of the longest one, here 8 for "d7" and "FR94", and then masked:

        F R 9 4 _ 3 _ 2     what stands in the text from the start of a part
        255 x 4, 0 x 4      the mask for its length
        F R 9 4 0 0 0 0     the part, by "and" of eight bytes at once
    """
    length = ends - starts
    longest = int(length.max(initial=1))
    if longest > _LONGEST_ID:
        raise ValueError(
            f"The {what} must have at most {_LONGEST_ID:,} bytes. Got {longest:,}."
        )
    width = longest + -longest % 8
    if len(starts) and starts[-1] + width > len(data):
        data = np.append(data, np.zeros(width, dtype=np.uint8))
    n_starts = max(len(data) - width + 1, 0)
    parts = np.ndarray(n_starts, f"V{width}", data, strides=(1,))[starts]
    # What stands behind a part is set to 0.
    mask = _bytes_of_length(width)[length]
    return (parts.view(np.uint64) & mask.view(np.uint64)).view(f"S{width}")


@functools.lru_cache(maxsize=8)
def _bytes_of_length(width):
    """Return bytes for each length up to `width`: 255 up to it, and 0 behind it."""
    ones = np.tri(width + 1, width, -1, dtype=np.uint8)
    return (ones * np.uint8(255)).view(f"V{width}").ravel()


def text_of(ids):
    """Return ids as integers or str."""
    if ids.dtype.kind != "S":
        return ids
    if (ids.view(np.uint8) < 128).all():  # ASCII: many times faster
        width = ids.dtype.itemsize
        return ids.view(np.uint8).astype(np.uint32).view(f"U{width}")
    return np.char.decode(ids, *CODEC)


# The bytes that are parsed at once: what is made of them stays in the cache.
_CHUNK = 2**18
# The bytes without a line end that are waited for: they are searched at each chunk.
_LONGEST_LINE = 2**20
_TAB, _NEWLINE, _RETURN, _SPACE, _UNDERSCORE = b"\t\n\r _"
_DELETE = b"\x7f"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_END_OF_LINE = re.compile(rb"\r\n|\r|\n")
# How packed files begin.
_PACKED = {
    b"\x1f\x8b": "gz",
    b"BZh": "bz2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "zst",
    b"PK\x03\x04": "zip",
}
_CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")
_WORD = re.compile(rb"[^ \t]+")
# What is read behind the bytes of a chunk.
_PADDING = bytes(64)


class Format(NamedTuple):
    """What stands on a line: the query id first."""

    fields: str  # for errors
    n_fields: int
    value: int  # the position of the grade, the score or the rank
    noun: str  # what the value is called
    # Whether more words may follow: trec_eval takes them for a part of the last field.
    is_open: bool
    document: int = 2  # the position of the document id


QRELS = Format("query, iteration, document, grade", 4, 3, "grade", False)
RUN = Format("query, Q0, document, rank, score, tag", 6, 4, "score", True)
RUN_BY_RANK = RUN._replace(value=3, noun="rank")


def triples_of_file(path, format):
    """Return the Triples of a file of a format; ``.gz`` is unpacked."""
    with open(os.fspath(path), "rb") as file:
        return read_open(file, path, format)[0]


def read_open(file, path, format):
    """Return the Triples of an open file of a format, and the tag of a run.

    `path` is what errors call it; if that ends in ".gz" it is unpacked. The tag is that
    of the first line, and None for judgements. If only the ranks of a run order its
    documents, or order them the other way round, and the format does not read them,
    this warns.
    """
    parts, n_lines, tag = [], 0, None
    # The ranks of a run in which all documents of each query are tied so far. Most runs
    # have two scores for a query in the first lines: then no more ranks are looked at.
    ranks = [] if format is RUN else None
    if str(path).endswith(".gz"):
        file = gzip.GzipFile(fileobj=file, mode="rb")
    for chunk in _whole_lines(file, path):
        part, n_more = _parse(chunk, format)
        if part is None or not chunk.endswith((b"\n", b"\r")):
            raise ValueError(_first_error(chunk, format, path, n_lines))
        n_lines += n_more
        if not len(part.value):
            continue
        if format is RUN:
            tag = tag or _tag(chunk)
            if not parts:
                _warn_of_distances(chunk, path)
        if ranks is not None:
            by_rank = _parse(chunk, RUN_BY_RANK)[0] if _are_tied(part) else None
            ranks = None if by_rank is None else [*ranks, by_rank.value]
        parts.append(part)
    if not parts:
        raise ValueError(
            f"{path} must hold lines of {format.n_fields} fields ({format.fields}). "
            "Got no line."
        )
    columns = list(zip(*parts, strict=True))
    del part, parts  # each column is freed when it is joined
    triples = Triples(*(np.concatenate(columns.pop(0)) for _ in range(3)))
    if ranks is not None:
        _warn_of_ranks(triples, ranks, path)
    return triples, tag


def _tag(chunk):
    """Return the tag on the first line of a run, or None if there is no line."""
    for line in io.BytesIO(chunk):
        words = line.partition(b"\r")[0].split(maxsplit=RUN.n_fields - 1)
        if len(words) == RUN.n_fields and not words[0].startswith(b"#"):
            return words[-1].strip().decode("utf-8", "surrogateescape")
    return None


_BY_RANK = "read the file by skrank.tables.read_run(path, order='rank')."


def _warn_of_ranks(triples, ranks, path):
    """Warn if the scores of each query are equal, and the ranks of a run are not."""
    by_rank = triples._replace(value=np.concatenate(ranks))
    if _are_tied(triples) and not _are_tied(by_rank):
        warn_caller(
            f"The scores of {path} are equal for all documents of a query, and the "
            "ranks are not. Only scores order documents, so that all of them are tied. "
            f"If the ranks should order them, {_BY_RANK}",
            UserWarning,
        )


def _warn_of_distances(chunk, path):
    """Warn if the scores of the first lines of a run rise with the ranks."""
    # Of most runs the very first lines show that they do not.
    head = chunk[: chunk.find(b"\n", 1000) + 1] or chunk
    if _are_distances(head) and _are_distances(chunk):
        warn_caller(
            f"The scores of {path} rise with the ranks in every query, as distances "
            "do, but larger scores rank first. If the ranks should order the "
            f"documents, {_BY_RANK}",
            UserWarning,
        )


def _are_distances(lines):
    """Return True if the scores of a run rise with the ranks in each query."""
    (by_score, _), (by_rank, _) = (_parse(lines, form) for form in (RUN, RUN_BY_RANK))
    if by_rank is None:  # what stands there are no numbers
        return False
    _, query = encode_qid(by_rank.qid)
    order = np.lexsort((by_rank.value, query))
    query, score, rank = query[order], by_score.value[order], by_rank.value[order]
    is_next = query[1:] == query[:-1]
    rises = (score[1:] > score[:-1]) & (rank[1:] > rank[:-1])
    return bool(is_next.any() and rises[is_next].all())


def _are_tied(triples):
    """Return True if the values of each query are equal."""
    if not len(triples.value):
        return True
    ids, query = encode_qid(triples.qid)
    one = np.empty(len(ids), dtype=triples.value.dtype)
    one[query] = triples.value
    return bool((one[query] == triples.value).all())


def _whole_lines(file, path):
    """Yield the bytes of a file, some whole lines at a time; too long ones in parts."""
    try:
        left = file.read(_CHUNK).removeprefix(_BYTE_ORDER_MARK)
        while left:
            more = file.read(_CHUNK)
            if not more:
                yield left if left.endswith(b"\n") else left + b"\n"
                return
            end = left.rfind(b"\n") + 1
            # What comes after a return at the very end may be its newline.
            end = max(end, left.rfind(b"\r", end, -1) + 1)
            if end or len(left) > _LONGEST_LINE:
                yield left[: end or None]
            left = left[end:] + more
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{path} cannot be unpacked: {error}") from None


def _parse(chunk, format):
    """Return the Triples of some lines, None if one is malformed, and their number."""
    # A newline before the first word, and zeros to read words of a fixed width.
    data = np.frombuffer(b"\n%b%b" % (chunk, _PADDING), dtype=np.uint8)
    newlines = np.flatnonzero(data == _NEWLINE)
    n_returns = np.count_nonzero(data == _RETURN) if b"\r" in chunk else 0
    if n_returns > np.count_nonzero(data[newlines - 1] == _RETURN):
        return _parse(chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n"), format)
    n_lines = len(newlines) - 1
    n_control = np.count_nonzero(data < _SPACE) - len(_PADDING)
    n_known = len(newlines) + n_returns
    if n_control > n_known:
        n_known += np.count_nonzero(data == _TAB)
    if n_control > n_known or _DELETE in chunk:
        return None, n_lines
    # Words begin and end where the bytes change between space and letters:
    #
    #     data      \n  3  0  1     Q  0  \n     the line "301 Q0"
    #     is_word    0  1  1  1  0  1  1  0
    #     edges         1        4  5     7      starts are 1 and 5, ends 4 and 7
    is_word = data > _SPACE
    edges = np.flatnonzero(is_word[1:] != is_word[:-1]) + 1
    starts, ends = edges[::2], edges[1::2]
    words = _words_of_lines(data, starts, ends, newlines, format)
    if words is None:
        return None, n_lines
    try:
        columns = [
            fixed_width(data, starts[words + i], ends[words + i])
            for i in (0, format.document, format.value)
        ]
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
    # A score may be infinite.
    if np.isnan(values).any() or (format is not RUN and np.isinf(values).any()):
        raise ValueError("Not a number.")
    return values


def _first_error(chunk, format, path, n_before):
    """Return the error for the first malformed line."""
    for start, kind in _PACKED.items():
        if n_before == 0 and chunk.startswith(start):
            cure = "let its name end in .gz" if kind == "gz" else "unpack it"
            return f"{path} is packed ({kind}): {cure}."
    if n_before == 0 and chunk.lstrip().startswith((b"{", b"[")):
        return (
            f"{path} is JSON, not TREC: pandas.read_json(path, lines=True) reads an "
            "object on each line. score_runs, align and the command line read one "
            "object from a file whose name ends in .json."
        )
    for number, line in enumerate(_END_OF_LINE.split(chunk), n_before + 1):
        where = f"{path}, line {number}: "
        control = _CONTROL.search(line)
        if control:
            got = repr(line[:100].decode("utf-8", "replace"))
            is_zero = control[0] == b"\0"
            return (
                f"{where}fields must be separated by spaces or tabs, without other "
                f"control characters. Got the byte 0x{control[0].hex()}: {got}."
                + " Is it text in UTF-16? Save it as UTF-8."
                * is_zero
            )
        words = _WORD.findall(line)
        if not words or words[0].startswith(b"#"):
            continue
        got = repr(line.decode("utf-8", "replace").strip()[:100])
        read = (words[i] for i in (0, format.document, format.value) if i < len(words))
        if max(map(len, read)) > _LONGEST_ID:
            return f"{where}fields must have at most {_LONGEST_ID:,} bytes. Got {got}."
        too_many = len(words) > format.n_fields and not format.is_open
        if len(words) < format.n_fields or too_many:
            words = line.decode("utf-8", "replace").split()
            return (
                f"{where}{format.n_fields} fields expected ({format.fields}). "
                f"Got {len(words)}: {got}. {_what_else(words, number, format)}".rstrip()
            )
        try:
            _numbers(np.array([words[format.value]]), format)
        except ValueError:
            return f"{where}the {format.noun} must be a number. Got {got}."
    return f"{where}a line must have at most {_LONGEST_LINE:,} bytes. Got a longer one."


def _what_else(words, number, format):
    """Say what a line with another number of fields may be, and how it is read."""
    if format is QRELS and len(words) == RUN.n_fields:
        return "This looks like a run. The judgements come first."
    if format.is_open and len(words) == QRELS.n_fields:
        return "These look like judgements, which come first."
    if number == 1 and words[0] == "query-id":
        return "Is it a table, as those of BEIR? Let its name end in .tsv."
    if number == 1 and len(words) in (2, 3):
        return how_to_read(words, format.noun, r"\s+")
    if format is QRELS and len(words) > RUN.n_fields:
        lines = "map(str.split, Path(path).read_text().splitlines())"
        read = f"{{qid: ids for qid, *ids in {lines}}}"
        return f"If a line is a query and its documents, pass {read}."
    return ""
