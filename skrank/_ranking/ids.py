"""Ids of any type as integer codes, and the order of tied documents by their ids."""

# SPDX-License-Identifier: BSD-3-Clause

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from skrank._input.frames import (
    codes_of_column,
    has_missing,
    is_column,
    take_rows,
    unwrapped,
)
from skrank._ranking.arrays import starts_of

# So few values are sorted faster than hashed.
FEW_IDS = 2000

# The number of neighbours that tell whether the rows of text ids are scattered.
N_NEIGHBOURS = 1000


def encode_qid(qid, n_samples=None, *, name="qid"):
    """Return the distinct ids, and for each row the position of its id in them.

    The ids are of any dtype: numbers, strings, tuples, datetimes, categories. The
    distinct ones are in ascending order, or in the order of their first row if they
    cannot be compared with each other. Errors call the ids `name`.
    """
    heads = encode_heads(qid, n_samples, name=name)
    return heads.ids, heads.of_rows()


class Heads(NamedTuple):
    """Codes of ids, one per stretch of rows with the same id if the rows are grouped.

    `ids` are those that :func:`encode_qid` returns, `codes` the position in them of
    each stretch, or of each row, and `starts` the first row of each stretch; None if
    most rows have another id than the row before them, so that there is a code for each
    row. If there are as many codes as ids, the rows of each query follow one another::

        rows    b b b a a c c      ids [a b c]  codes [1 0 2]    starts [0 3 5]
        rows    b b a a b b        ids [a b]    codes [1 0 1]    starts [0 2 4]
        rows    b a c a b c        ids [a b c]  codes [1 0 2 0 1 2]    starts None
    """

    ids: np.ndarray
    codes: np.ndarray
    starts: np.ndarray | None
    n_samples: int

    def of_rows(self):
        """Return the code of each row."""
        if self.starts is None:
            return self.codes
        return np.repeat(self.codes, np.diff(self.starts, append=self.n_samples))


def encode_heads(qid, n_samples=None, *, name="qid"):
    """Return the :class:`Heads` of query ids; the parameters are as `encode_qid`'s."""
    if isinstance(qid, Heads):
        if n_samples not in (None, qid.n_samples):
            raise _wrong_length(qid.ids[qid.of_rows()], n_samples, name)
        return qid
    values, codes = qid, None
    if type(qid) is not np.ndarray or qid.ndim != 1 or qid.dtype.kind == "c":
        values, codes = codes_of_column(qid)
        values = _as_ids(qid, name) if codes is None else values
    rows = values if codes is None else codes
    if n_samples not in (None, len(rows)):
        raise _wrong_length(rows, n_samples, name)
    # The rows of a query mostly stand together: encode the first of them only.
    new = np.ones(len(rows), dtype=bool)
    try:
        # To compare all of these takes long.
        part = rows[: N_NEIGHBOURS + 1] if rows.dtype.kind in "OTUS" else rows
        np.not_equal(part[1:], part[:-1], out=new[1 : len(part)])
        are_few = 2 * np.count_nonzero(new[: len(part)]) <= len(part) + 2
        if are_few and len(part) < len(rows):
            if rows.dtype.kind in "US" and rows.flags.c_contiguous:
                # NumPy compares text letter by letter, and words of 64 bits at once.
                word = math.gcd(rows.dtype.itemsize, 8)
                words, n = rows.view(f"u{word}"), rows.dtype.itemsize // word
                new[1:] = False
                new[(words[n:] != words[:-n]).nonzero()[0] // n + 1] = True
            else:
                np.not_equal(rows[1:], rows[:-1], out=new[1:])
            are_few = 2 * np.count_nonzero(new) <= len(rows) + 2
    except (TypeError, ValueError):  # as of pandas.NA, which is not True or False
        are_few = False
    starts = new.nonzero()[0] if are_few else None
    del new  # so that its memory is used again
    heads = rows if starts is None else rows[starts]
    if codes is None:
        return Heads(*_encode_array(heads, name), starts, len(rows))
    used, place = _encode_array(heads, name)
    if len(used) and used[0] < 0:
        raise ValueError(_MISSING.format(name))
    ids, codes = _encode_array(_as_ids(take_rows(values, used), name), name)
    return Heads(ids, codes[place], starts, len(rows))


def _wrong_length(qid, n_samples, name):
    """Return the error of ids whose number is not that of the rows."""
    return ValueError(
        "Found input variables with inconsistent numbers of samples: "
        f"{[n_samples, len(qid)]}. The {name!r} parameter must hold one value per row."
        + _cure_for_sizes(qid, n_samples)
    )


def _cure_for_sizes(qid, n_samples):
    """Return the end of an error if the ids look like the sizes of the queries."""
    kind = getattr(getattr(qid, "dtype", None), "kind", None)
    if kind is None or kind not in "iu" or int(qid.sum()) != n_samples:
        return ""
    return (
        " Got integers that sum to the number of rows: if they are the sizes of the "
        "queries, pass np.repeat(np.arange(len(sizes)), sizes) instead."
    )


_MISSING = (
    "The {!r} parameter must hold a value for every row. "
    "Got missing values (None, NaN or NaT) instead: leave these rows out, or give them "
    "values."
)


def _as_ids(qid, name):
    """Return `qid` as a 1-D array whose dtype tells its ids apart exactly."""
    if np.ma.is_masked(qid):
        raise ValueError(_MISSING.format(name))
    if isinstance(qid, (list, tuple)):
        array = _array_of_list(qid, name)
    elif isinstance(qid, str):
        raise ValueError(
            f"The {name!r} parameter must be an array-like of shape (n_samples,). Got "
            f"{qid!r} instead: pass the column itself, X[{qid!r}]."
        )
    elif getattr(qid, "ndim", 1) != 1 or isinstance(qid, (bytes, dict, set)):
        raise ValueError(_not_one_dimensional(getattr(qid, "shape", ()), name))
    elif hasattr(qid, "__array__") or not np.iterable(qid):
        array = np.asarray(unwrapped(qid))
    else:
        array = _array_of_list(list(qid), name)
    if array.ndim != 1:
        raise ValueError(_not_one_dimensional(array.shape, name))
    if array.dtype.kind == "c":
        raise ValueError(
            f"The {name!r} parameter must not be complex. Got complex ids."
        )
    return array


def _not_one_dimensional(shape, name):
    return (
        f"The {name!r} parameter must be an array-like of shape (n_samples,). "
        f"Got an array of shape {shape} instead."
    )


def _array_of_list(ids, name):
    """Return a list as an array.

    Only numbers of one type are left to NumPy, which would turn tuples into
    columns, mixed ids into strings and some lists of large integers into floats.
    """
    if any(isinstance(id, (list, np.ndarray)) for id in ids[:1]):
        raise ValueError(_not_one_dimensional(f"({len(ids)}, {len(ids[0])})", name))
    kinds = set(map(type, ids))
    if len(kinds) == 1 and issubclass(*kinds, (int, float, complex, np.generic)):
        array = np.asarray(ids)
        if array.dtype.kind != "f" or not issubclass(*kinds, int):
            return array
    return np.fromiter(ids, dtype=object, count=len(ids))


def check_ids(ids, n_samples, name):
    """Return ids of rows as they are, or a list of an iterable of them.

    They are not looked at, so that missing ones raise only where the container knows
    of them.
    """
    if not is_column(ids):
        ids = _as_ids(ids, name)
    elif len(shape := getattr(ids, "shape", (0,))) != 1:
        raise ValueError(_not_one_dimensional(shape, name))
    if len(ids) != n_samples:
        raise _wrong_length(ids, n_samples, name)
    if has_missing(ids):
        raise ValueError(_MISSING.format(name))
    return ids


def _encode_array(values, name):
    """Return the distinct values of an array, and the place of each in them.

    As np.unique does, but without sorting integers that lie close together.
    """
    if values.dtype.kind in "OTV":
        return _encode_objects(values, name)
    if values.dtype.kind in "fmM" and (values != values).any():
        raise ValueError(_MISSING.format(name))
    if len(values) > FEW_IDS and all(
        (part[1:] > part[:-1]).all() for part in (values[:N_NEIGHBOURS], values)
    ):
        return values.copy(), np.arange(len(values))  # they rise already
    if values.dtype.kind in "iu" and len(values):
        low = values.min()
        if int(values.max()) - int(low) < 4 * len(values):
            place = values
            if low != 0:  # int8 could not hold 127 - (-128)
                wide = np.int64 if values.dtype.kind == "i" else np.uint64
                place = np.subtract(values, low, dtype=wide)
            seen = np.zeros(int(place.max()) + 1, dtype=bool)
            seen[place] = True
            ids = np.flatnonzero(seen).astype(values.dtype) + low
            if seen.all():
                return ids, np.ascontiguousarray(place, dtype=np.intp)
            return ids, (np.cumsum(seen) - 1)[place]
    can_be_hashed = values.dtype.kind in "iumMUS" and values.dtype.isnative
    if can_be_hashed and len(values) > FEW_IDS:
        # Sort only the distinct values.
        alike = find_alike(values)
        (chosen,) = (alike == np.arange(len(alike))).nonzero()
        ids, codes = np.unique(values[chosen], return_inverse=True)
        code_of = np.empty(len(values), dtype=np.intp)
        code_of[chosen] = codes.reshape(-1)
        return ids, code_of[alike]
    ids, codes = np.unique(values, return_inverse=True)
    return ids, codes.reshape(-1)


def sorted_unique(values):
    """Return the distinct values in ascending order; ``np.unique`` hashes integers."""
    values = np.sort(values)
    return values[starts_of(values)]


def find_alike(values, group=None):
    """Return for each row the number of a row with the same value in the same group.

    Rows with the same value get the same number. Each row writes its number to a
    table, at the hash of its value, and reads what stands there: a row of the same
    value, which then stands for it, or one of another value with the same hash. Those
    rows try again with another hash. `group` holds small integers; each group has a
    part of the table.
    """
    #     row       0   1   2   3   4
    #     value     a   b   a   c   b
    #     place     5   2   5   5   2      of each in the table, by its hash
    #     table     . . 4 . . 3 . .        the last row that wrote there
    #     found     3   4   3   3   4      what each row reads: b stands for b,
    #     again     0       2              but a finds c, and tries another hash
    words, random = _words(values), np.random.default_rng(0)
    alike = left = None  # the rows to try again, at first all
    n_bits = 16  # of a table that stays in the cache: ids mostly are few
    while left is None or len(left):
        # Multiply-shift hashing (Dietzfelbinger et al., J. Algorithms 25, 1997): the
        # highest bits of sum_i word_i odd_i mod 2^64.
        odd = 2 * random.integers(2**63, size=len(words), dtype=np.uint64) + 1
        place = words[0] * odd[0]
        for word, factor in zip(words[1:], odd[1:], strict=True):
            place += word * factor
        if group is None:
            n_cells = 2**n_bits
            place >>= np.uint64(64 - n_bits)
        else:
            sizes = 4 * np.bincount(group)
            n_cells = int(sizes.sum())
            place >>= np.uint64(32)
            place *= sizes.astype(np.uint64)[group]
            place >>= np.uint64(32)
            place += (np.cumsum(sizes) - sizes).astype(np.uint64)[group]
        place = place.view(np.int64)  # an index of another type would be converted
        table = np.empty(n_cells, dtype=np.intp)
        table[place] = np.arange(len(place))
        found = table[place]
        differs = words[0][found] != words[0]
        for word in words[1:]:
            differs |= word[found] != word
        (again,) = differs.nonzero()
        if left is None:
            alike, left = found, again
        else:
            alike[left] = left[found]
            left = left[again]
        words = [word[again] for word in words]
        group = None if group is None else group[again]
        n_bits = len(left).bit_length() + 1
    return alike


def _words(values):
    """Return the bytes of an array as columns of 64-bit words."""
    values = np.ascontiguousarray(values)
    size = values.dtype.itemsize
    if size % 8 == 0:
        cells = values
    elif values.dtype.kind in "iu":
        cells = values.astype(np.int64)
    else:  # text, which zeros fill up to the length of its type
        letter = 4 if values.dtype.kind == "U" else 1
        length = (size + -size % 8) // letter
        cells = values.astype(f"{values.dtype.kind}{length}")
    return list(cells.view(np.uint64).reshape(len(values), -1).T)


def _encode_objects(qid, name):
    """Encode Python objects by their hash and equality, never by conversion."""
    values = qid.tolist()
    try:
        distinct = dict.fromkeys(values)
    except TypeError as error:
        raise TypeError(
            f"The {name!r} parameter must hold hashable ids. Got {error} instead."
        ) from None
    if any(map(is_missing, distinct)):
        raise ValueError(_MISSING.format(name))
    try:
        distinct = sorted(distinct)
    except TypeError:
        distinct = list(distinct)
    table = {id: code for code, id in enumerate(distinct)}
    codes = np.fromiter(map(table.__getitem__, values), np.intp, len(values))
    if qid.dtype.kind in "OV":
        return np.fromiter(distinct, object, len(distinct)), codes
    return np.array(distinct, dtype=qid.dtype), codes


def is_missing(id):
    """Return True if an id, or a part of a tuple, is None, NaN, NaT or NA."""
    if isinstance(id, tuple):
        return any(map(is_missing, id))
    try:
        return id is None or bool(id != id)
    except TypeError:  # pandas.NA is neither equal to itself nor different
        return True


@dataclass(frozen=True, eq=False)
class DocOrder:
    """How tied documents are ordered by their ids.

    Most documents are tied with none, and to encode the ids of all documents takes many
    times as long as to rank them. So an id is looked at when it is first asked for.
    """

    ids: np.ndarray  # of all rows of the input
    descending: bool
    found: np.ndarray  # the numbers found so far, and in which search; 0 is none
    rows: np.ndarray | None = None  # those of the input; None if these are all of them

    @classmethod
    def of_input(cls, doc_id, descending, n_samples):
        """Return the order of all rows of the input."""
        found = np.zeros((2, n_samples), dtype=np.intp)
        return cls(check_ids(doc_id, n_samples, "doc_id"), descending, found)

    def at(self, rows):
        """Return the order of the documents at some rows."""
        return replace(self, rows=rows if self.rows is None else self.rows[rows])

    def codes(self, rows, group):
        """Return numbers that rise in the order of documents, within a tie group.

        `group` is the tie group of each of the rows; those of a group stand together.
        """
        rows = rows if self.rows is None else self.rows[rows]
        known, searches = self.found
        found_in = searches[rows]
        # The other rankings of the same documents ask for the same groups again.
        is_same = (found_in[1:] == found_in[:-1]) | (group[1:] != group[:-1])
        if found_in.min(initial=1) == 0 or not is_same.all():
            _, codes = encode_qid(take_rows(self.ids, rows), name="doc_id")
            known[rows] = -codes if self.descending else codes
            searches[rows] = searches.max() + 1
        return known[rows]
