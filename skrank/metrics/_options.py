"""Checks of the parameters that only a few metrics have."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._validation import check_number


def check_beta(beta, caller):
    """Return a weight, a finite number >= 0."""
    beta = check_number(beta, "beta", caller)
    if not 0 <= beta < np.inf:
        raise ValueError(
            f"The 'beta' parameter of {caller} must be a float in the range [0.0, inf)."
            f" Got {beta!r} instead."
        )
    return beta


def check_persistence(p, caller):
    """Return the chance to go on to the next rank, above 0 and below 1."""
    p = check_number(p, "p", caller)
    if not 0 < p < 1:
        raise ValueError(
            f"The 'p' parameter of {caller} must be a float in the range (0.0, 1.0). "
            f"Got {p!r} instead."
        )
    return p


def highest_grade(ranking, max_grade, caller):
    """Return the grade that others are measured by: `max_grade`, if it is not None."""
    if ranking.lowest_grade < 0:
        raise ValueError(
            f"{caller} takes no negative grades. Got a lowest grade of "
            f"{ranking.lowest_grade} in y_true; shift the grades."
        )
    highest = float(ranking.highest_grade)
    if max_grade is None:
        return highest or 1.0
    max_grade = check_number(max_grade, "max_grade", caller)
    if not max(highest, 0) <= max_grade < np.inf or max_grade == 0:
        raise ValueError(
            f"The 'max_grade' parameter of {caller} must be a finite number above 0, "
            f"and no less than the highest grade, {highest}. Got {max_grade!r} instead."
        )
    return max_grade
