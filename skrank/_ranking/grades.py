"""Grades as codes and as levels, and how often each occurs."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from typing import NamedTuple

import numpy as np

from skrank._ranking.blocks import STRETCH


class GradeCodes(NamedTuple):
    """The grades of the relevant documents, a byte each.

    `codes` has 0 for a row that is not relevant, else a position in the ascending
    `grades`.
    """

    codes: np.ndarray
    grades: np.ndarray


def as_bytes(grades):
    """Return grades as bytes if all are integers from 0 to 255, else as they are."""
    kind, size = grades.dtype.kind, grades.dtype.itemsize
    if kind == "b":
        return grades.view(np.uint8)
    if kind == "u" and size == 1:
        return grades
    small = np.empty(len(grades), dtype=np.uint8)
    for start in range(0, len(grades), STRETCH):
        stretch = slice(start, start + STRETCH)
        part = grades[stretch]
        if kind == "f":
            is_small = part.min() >= 0 and part.max() <= 255
        else:
            # Read without its sign, a negative integer is a large one.
            unsigned = part.view(f"{part.dtype.byteorder}u{size}")
            is_small = unsigned.max() < (128 if size == 1 else 256)
        if not is_small:
            return grades
        np.copyto(small[stretch], part, casting="unsafe")
        if kind == "f" and (small[stretch] != part).any():
            return grades
    return small


def grades_as_floats(grades):
    """Return grades as floats; integers that no float holds exactly raise."""
    floats = grades.astype(np.float64)
    is_wide = grades.dtype.kind in "iu" and grades.dtype.itemsize == 8
    if is_wide and np.abs(floats).max(initial=0) >= 2**53:
        raise ValueError(
            "y_true must hold integers below 2 ** 53: a float does not hold larger "
            f"ones exactly. Got {grades.max()}; rescale the grades."
        )
    return floats


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
    return count_by_level(query, level, levels)


def count_by_level(query, level, levels):
    """Count documents as :func:`count_by_grade` does, by the places of their grades."""
    top = len(levels) - 1
    keys = query * len(levels) + top - level
    n_keys = len(levels) * (int(query.max(initial=0)) + 1)
    if n_keys > 8 * len(keys) + 1024:
        keys, count = np.unique(keys, return_counts=True)
    else:
        counts = np.bincount(keys, minlength=n_keys)
        keys = np.flatnonzero(counts)
        count = counts[keys]
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
