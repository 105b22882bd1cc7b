"""Ids of any type, as integer codes."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._ranking.neighbours import lengths_of


def encode_qid(qid, n_samples=None, *, name="qid"):
    """Turn query ids into codes.

    Parameters
    ----------
    qid : array-like of shape (n_samples,)
        Query ids of any dtype: numbers, strings, tuples, datetimes, categories.

    n_samples : int, default=None
        The number of rows that the ids must have.

    name : str, default="qid"
        The parameter that errors name.

    Returns
    -------
    ids : ndarray of shape (n_queries,)
        The distinct ids in ascending order; in the order of their first row if
        they cannot be compared with each other.

    codes : ndarray of shape (n_samples,)
        For each row the position of its id in `ids`.
    """
    qid = _as_ids(qid, name)
    ids, codes, starts = encode_heads(qid, n_samples, name=name)
    return ids, repeat_heads(codes, starts, len(qid))


def encode_heads(qid, n_samples=None, *, name="qid"):
    """Turn query ids into codes, one per stretch of rows with the same id if any.

    Parameters
    ----------
    qid, n_samples, name
        As in :func:`encode_qid`.

    Returns
    -------
    ids : ndarray of shape (n_queries,)
        As in :func:`encode_qid`.

    codes : ndarray of shape (n_stretches,) or (n_samples,)
        For each stretch, or each row, the position of its id in `ids`.

    starts : ndarray of shape (n_stretches,) or None
        The first row of each stretch; None if most rows have another id than the row
        before them, so that there is a code for each row.
    """
    qid = _as_ids(qid, name)
    if n_samples is not None and len(qid) != n_samples:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"{[n_samples, len(qid)]}. The {name!r} parameter must hold one id per row."
            + _cure_for_sizes(qid, n_samples)
        )
    if qid.dtype.kind in "OTV":
        ids, codes = _encode_objects(qid, name)
        starts = _find_heads(codes)
        return ids, codes if starts is None else codes[starts], starts
    if qid.dtype.kind in "fmM" and (qid != qid).any():
        raise ValueError(_MISSING.format(name))
    # The rows of a query mostly stand together: encode the first of them only.
    starts = _find_heads(qid)
    return *_encode_values(qid if starts is None else qid[starts]), starts


def _find_heads(values):
    """Return where stretches of equal values start, or None if there are many."""
    new = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    few = 2 * np.count_nonzero(new) <= len(values) + 2
    return np.flatnonzero(new) if few else None


def repeat_heads(codes, starts, n_samples):
    """Return the code of each row from what :func:`encode_heads` returns."""
    if starts is None:
        return codes
    return np.repeat(codes, lengths_of(starts, n_samples))


def _cure_for_sizes(qid, n_samples):
    """Return the end of an error if the ids look like the sizes of the queries."""
    if qid.dtype.kind not in "iu" or int(qid.sum()) != n_samples:
        return ""
    return (
        " Got integers that sum to the number of rows: if they are the sizes of the "
        "queries, pass np.repeat(np.arange(len(sizes)), sizes) instead."
    )


_MISSING = (
    "The {!r} parameter must hold an id for every row. "
    "Got missing values (None, NaN or NaT) instead."
)


def _as_ids(qid, name):
    """Return `qid` as a 1-D array whose dtype tells its ids apart exactly."""
    if np.ma.is_masked(qid):
        raise ValueError(_MISSING.format(name))
    if isinstance(qid, (list, tuple)):
        array = _array_of_list(qid, name)
    elif getattr(qid, "ndim", 1) != 1 or isinstance(qid, (str, bytes, dict, set)):
        raise ValueError(_not_one_dimensional(getattr(qid, "shape", ()), name))
    elif hasattr(qid, "to_numpy") and hasattr(qid, "dtype"):
        array = qid.to_numpy()  # pyarrow has no dtype, and needs np.asarray for text
    elif hasattr(qid, "__array__") or not np.iterable(qid):
        array = np.asarray(qid)
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


def _encode_values(values):
    """Do as np.unique does, but without sorting integers that lie close together."""
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
    if values.dtype.kind in "iumMUS" and values.dtype.isnative and len(values):
        return _encode_by_hash(values)
    ids, codes = np.unique(values, return_inverse=True)
    return ids, codes.reshape(-1)


def _encode_by_hash(values):
    """Do as np.unique does, but sort only the distinct values.

    Each row writes its number to a table, at the hash of its value, and reads what
    stands there: a row of the same value, which then stands for it, or one of another
    value with the same hash. Those rows try again with another hash.
    """
    words, random = _words(values), np.random.default_rng(0)
    # At first a table that stays in the cache: ids mostly are few.
    standing_for, chosen, left = _meet(words, 16, random)
    while len(left):
        n_bits = len(left).bit_length() + 1
        left_words = [word[left] for word in words]
        found, more, unmet = _meet(left_words, n_bits, random)
        standing_for[left] = left[found]
        chosen = np.concatenate([chosen, left[more]])
        left = left[unmet]
    ids, codes = np.unique(values[chosen], return_inverse=True)
    code_of = np.empty(len(values), dtype=np.intp)
    code_of[chosen] = codes.reshape(-1)
    return ids, code_of[standing_for]


def _meet(words, n_bits, random):
    """Let rows meet in a table, by a hash of their words.

    Returns the row that each row finds, those that were found, and those that found
    one of another value.
    """
    odd = 2 * random.integers(2**63, size=len(words), dtype=np.uint64) + 1
    place = words[0] * odd[0]
    for word, factor in zip(words[1:], odd[1:], strict=True):
        place += word * factor
    place >>= np.uint64(64 - n_bits)
    place = place.view(np.int64)  # an index of another type would be converted
    table = np.full(2**n_bits, -1)
    table[place] = np.arange(len(place))
    found = table[place]
    differs = words[0][found] != words[0]
    for word in words[1:]:
        differs |= word[found] != word
    return found, table[table >= 0], np.flatnonzero(differs)


def _words(values):
    """Return the bytes of an array as columns of 64-bit words."""
    values = np.ascontiguousarray(values)
    size = values.dtype.itemsize
    if size % 8 == 0:
        cells = values
    elif values.dtype.kind in "iu":
        cells = values.astype(np.int64)
    else:  # text, which ends with as many zeros as its type has room for
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
    if any(map(_is_missing, distinct)):
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


def _is_missing(id):
    """Return True if an id, or a part of a tuple, is None, NaN, NaT or NA."""
    if isinstance(id, tuple):
        return any(map(_is_missing, id))
    try:
        return id is None or bool(id != id)
    except TypeError:  # pandas.NA is neither equal to itself nor different
        return True
