"""Columns of Arrow as arrays of NumPy; text as codes, never as Python objects."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank.tables._extra import import_extra


def as_numpy(column):
    """Return a column of numbers, booleans or dates as an array."""
    return one_chunk(column).to_numpy(zero_copy_only=False)


def one_chunk(column):
    """Return a chunked column as one array."""
    pa = import_extra("pyarrow")
    if not isinstance(column, pa.ChunkedArray):
        return column
    if column.num_chunks == 1:
        return column.chunk(0)
    if column.num_chunks == 0:
        return pa.array([], column.type)
    return pa.concat_arrays(column.chunks)


def is_text(column):
    """Return True if a column holds text."""
    types = import_extra("pyarrow").types
    kind = column.type
    views = getattr(types, "is_string_view", lambda kind: False)
    return types.is_string(kind) or types.is_large_string(kind) or views(kind)


def equality_codes(column):
    """Return values that are equal where those of a column are: codes, for text."""
    if not is_text(column):
        return as_numpy(column)
    return as_numpy(encoded_text(column).indices)


def ordered_keys(column):
    """Return values in the order of those of a column, and what they stand for.

    For text these are codes and an array of the different texts, in ascending order;
    other columns have their own values, and None.
    """
    if not is_text(column):
        return as_numpy(column), None
    encoded = encoded_text(column)
    # Bytes of UTF-8 have the order of the characters, which is that of NumPy too.
    order = import_extra("pyarrow.compute").sort_indices(encoded.dictionary)
    rank = np.empty(len(order), dtype=np.intp)
    rank[as_numpy(order)] = np.arange(len(order))
    return rank[as_numpy(encoded.indices)], _as_text(encoded.dictionary.take(order))


def encoded_text(column):
    """Return a column of text as an Arrow dictionary array."""
    large = import_extra("pyarrow").large_string()
    return one_chunk(column).cast(large).dictionary_encode()


def _as_text(array):
    """Return an array of large strings as one of NumPy's text, by their bytes."""
    _, offsets, content = array.buffers()
    offsets = np.frombuffer(offsets, np.int64)[array.offset :][: len(array) + 1]
    content = np.frombuffer(content or b"", np.uint8)[offsets[0] : offsets[-1]]
    lengths = np.diff(offsets)
    width = max(int(lengths.max(initial=0)), 1)
    is_plain = not len(content) or (content.max() < 128 and content.min() > 0)
    if not is_plain or width * len(array) > 16 * len(content) + 2**20:
        return array.to_numpy(zero_copy_only=False)
    letters = np.zeros((len(array), width), dtype=np.uint8)
    letters[np.arange(width) < lengths[:, np.newaxis]] = content
    return letters.view(f"S{width}").ravel().astype("U")
