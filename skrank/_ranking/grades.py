"""Grades as small integers, and how often each occurs in a query."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import NamedTuple

import numpy as np


class GradeCodes(NamedTuple):
    """The grades of the relevant documents, a byte each.

    `codes` has 0 for a row that is not relevant, else a position in the ascending
    `grades`.
    """

    codes: np.ndarray
    grades: np.ndarray


def code_bytes(grades, relevant):
    """Return the codes of integer grades of at most 255, which are codes themselves.

    None if a relevant document has the grade 0, the code of the others.
    """
    own = None if grades.dtype == np.uint8 else grades.astype(np.uint8)
    codes = np.multiply(grades if own is None else own, relevant.view(np.uint8), own)
    if np.count_nonzero(codes) < np.count_nonzero(relevant):
        return None
    return GradeCodes(codes, np.arange(256.0))


def code_grades(grades, rows, n_rows):
    """Return the codes of any grades, which the relevant `rows` have, or None.

    None if there are more different grades than a byte can name.
    """
    levels = np.unique(grades)
    if len(levels) > 255:
        return None
    codes = np.zeros(n_rows, dtype=np.uint8)
    codes[rows] = np.searchsorted(levels, grades) + 1
    return GradeCodes(codes, np.concatenate([[-np.inf], levels]))


def are_bytes(grades):
    """Return True if the grades are integers from 0 to 255."""
    if grades.dtype.kind not in "biu":
        return False
    # Read without its sign, a negative integer is a large one, of int8 above 127.
    dtype = grades.dtype
    unsigned = grades.view(f"{dtype.byteorder}u{dtype.itemsize}")
    return int(unsigned.max(initial=0)) < (128 if dtype == np.int8 else 256)


def count_by_grade(query, grade):
    """Count documents by query and grade.

    Parameters
    ----------
    query, grade : ndarray of shape (n_documents,)
        The query and the grade of each document.

    Returns
    -------
    query, grade, count : ndarray
        Each query and grade once, the highest grade of a query first.
    """
    levels, level = encode_levels(grade)
    top = len(levels) - 1
    n_keys = len(levels) * (int(query.max(initial=0)) + 1)
    keys, count = _count_keys(query * len(levels) + top - level, n_keys)
    query, level = np.divmod(keys, len(levels))
    return query, levels[top - level], count


def encode_levels(grade):
    """Return grades in ascending order, at least one, and the place of each in them."""
    if len(grade) and grade.min() >= 0 and grade.max() < 256:
        level = grade.astype(np.intp)
        if np.array_equal(level, grade):  # small integers are their own places
            return np.arange(level.max() + 1.0), level
    levels, level = np.unique(grade, return_inverse=True)
    return (levels if len(levels) else np.zeros(1)), level


def _count_keys(keys, n_keys):
    """Return the distinct keys in ascending order and how often each occurs."""
    if n_keys > 8 * len(keys) + 1024:
        return np.unique(keys, return_counts=True)
    counts = np.bincount(keys, minlength=n_keys)
    keys = np.flatnonzero(counts)
    return keys, counts[keys]
