"""Text files of judgements, runs and grades: TREC and LETOR."""

# SPDX-License-Identifier: BSD-3-Clause

import gzip
import re
import zlib
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.utils import Bunch

from skrank.tables.triples import Triples, fixed_width, text_of


def read_qrels(path):
    r"""Read relevance judgements in the text format of TREC.

    A line holds a query, an iteration that is not read, a document and a grade,
    separated by spaces or tabs. Empty lines and lines that begin with "#" are left out.

    Parameters
    ----------
    path : str or os.PathLike
        The file. One that ends in ".gz" is unpacked.

    Returns
    -------
    qrels : Bunch
        The arrays `qid` and `doc_id` of str, and `grade`, with an entry for each line.

    Raises
    ------
    ValueError
        If a line has another number of fields, or a grade is not a finite number. The
        error names the file and the line.

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
    """
    return _bunch(read_triples(path, QRELS), "grade")


def read_run(path):
    r"""Read what a system returned, in the text format of TREC.

    A line holds a query, "Q0", a document, a rank, a score and a tag, separated by
    spaces or tabs. Only the score orders the documents: the rank is not read. Empty
    lines and lines that begin with "#" are left out.

    Parameters
    ----------
    path : str or os.PathLike
        The file. One that ends in ".gz" is unpacked.

    Returns
    -------
    run : Bunch
        The arrays `qid` and `doc_id` of str, and `score`, with an entry for each line.

    Raises
    ------
    ValueError
        If a line has less than six fields, or a score is not a number. The error names
        the file and the line.

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
    """
    return _bunch(read_triples(path, RUN), "score")


def _bunch(triples, name):
    qid, doc_id = map(text_of, triples[:2])
    return Bunch(**{"qid": qid, "doc_id": doc_id, name: triples.value})


def read_letor(path, *, n_features=None, dtype=np.float64):
    r"""Read a file of grades and features in the text format of LETOR (SVMlight).

    A line such as ``2 qid:10 1:0.5 3:1.25 # doc7`` holds a grade, a query id and
    features that are numbered from 1. scikit-learn's
    :func:`~sklearn.datasets.load_svmlight_file` reads it.

    Parameters
    ----------
    path : str or os.PathLike
        The file. One that ends in ".gz" or ".bz2" is unpacked.
    n_features : int, default=None
        The number of features; that of the training data when test data are read. If
        None, the largest number of a feature in the file.
    dtype : dtype, default=np.float64
        The type of the features.

    Returns
    -------
    X : csr_matrix of shape (n_samples, n_features)
        The features. ``X.toarray()`` for rankers that take dense data only.
    y : ndarray of shape (n_samples,)
        The grades.
    qid : ndarray of shape (n_samples,)
        The query ids.

    Raises
    ------
    ValueError
        If a line is malformed or lacks a query id.

    See Also
    --------
    skrank.rankers.QueryRanker : Learns to rank such data.

    Examples
    --------
    >>> from skrank.tables import read_letor
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "train.txt"
    >>> _ = path.write_text("2 qid:10 1:0.5 3:1.25 # doc7\n0 qid:10 2:1 # doc8\n")
    >>> X, y, qid = read_letor(path)
    >>> X.shape, y.tolist(), qid.tolist()
    ((2, 3), [2, 0], [10, 10])
    """
    X, y, qid = load_svmlight_file(
        str(path), n_features=n_features, dtype=dtype, zero_based=False, query_id=True
    )
    if len(qid) != len(y):
        raise ValueError(
            f"{path} must hold a query id on each line, such as 'qid:10' after the "
            f"grade. Got {len(qid)} of {len(y)}: if the sizes of the queries are in "
            "another file, read it with sklearn.datasets.load_svmlight_file, and pass "
            "qid=np.repeat(np.arange(len(sizes)), sizes)."
        )
    if not np.isfinite(y).all():
        raise ValueError(f"{path} must hold finite grades. Got NaN or infinity.")
    is_integer = (y == np.floor(y)).all() and (np.abs(y) < 2**53).all()
    return X, y.astype(np.int64) if is_integer else y, qid


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
