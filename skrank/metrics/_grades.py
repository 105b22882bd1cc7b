"""Grades of documents."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._checks import check_number


def highest_grade(ranking, max_grade, caller):
    """Return the grade that others are measured by: `max_grade`, if it is not None."""
    if ranking._lowest_grade < 0:
        raise ValueError(
            f"{caller} takes no negative grades. Got a lowest grade of "
            f"{ranking._lowest_grade} in y_true; shift the grades."
        )
    highest = float(ranking._highest_grade)
    if max_grade is None:
        return highest or 1.0
    max_grade = check_number(max_grade, "max_grade", caller)
    if not max(highest, 0) <= max_grade < np.inf or max_grade == 0:
        raise ValueError(
            f"The 'max_grade' parameter of {caller} must be a finite number above 0, "
            f"and no less than the highest grade, {highest}. Got {max_grade!r} instead."
        )
    return max_grade
