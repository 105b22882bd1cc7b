"""Numbers that sort by score and carry the grade of the document."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import sys

import numpy as np

# A stretch of rows that stays in the cache while it is worked on.
STRETCH = 65_536

# The low byte of a float64: the last 8 bits of its fraction.
_LOW = np.uint64(0xFF)


def pack_keys(scores, codes):
    """Put the code of each document into the low byte of its negated score.

    There it decides nothing but the order within a tie class. Scores that differ in
    that byte alone look tied.

    Parameters
    ----------
    scores : ndarray of float of shape (n_documents,)
        The scores, finite.
    codes : ndarray of uint8 of shape (n_documents,)
        What the keys carry.

    Returns
    -------
    keys : ndarray of float64 of shape (n_documents,)
        The keys, smaller is better.
    """
    values = np.empty(len(scores))
    for start in range(0, len(scores), STRETCH):
        stretch = slice(start, start + STRETCH)
        np.subtract(0.0, scores[stretch], out=values[stretch])
        pack_in_place(values[stretch], codes[stretch])
    return values


def pack_in_place(keys, codes):
    """Put codes into the low byte of negated scores."""
    _low_bytes(keys)[...] = codes


def are_exact(scores):
    """Tell whether keys of these scores differ wherever the scores do."""
    return scores.dtype.itemsize < 8 or not (
        np.bitwise_or.reduce(scores.view(np.uint64)) & _LOW
    )


def codes_of(keys):
    """Return the codes that keys carry."""
    return keys.view(np.uint64).astype(np.uint8)


def without_codes(keys):
    """Return the keys with the code 0, alike for tied documents, in their own place."""
    bits = keys.view(np.uint64)
    bits &= ~_LOW
    return keys


def _low_bytes(keys):
    """Return a view of the low bytes of float64 numbers."""
    first = 0 if sys.byteorder == "little" else 7
    return keys.view(np.uint8)[..., first::8]
