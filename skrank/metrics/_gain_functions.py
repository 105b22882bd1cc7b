"""Gains of grades, and discounts of ranks."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._checks import check_number


def gains(ranking, gain):
    """Return the gain of each relevant document."""
    check_gain(gain)
    if callable(gain):
        return _checked(gain, ranking.grade, "gain")
    if gain == "linear":
        return ranking.grade
    if ranking._lowest_grade < 0:
        raise ValueError(
            "gain='exponential' takes no negative grades: 2 ** grade - 1 would be "
            f"below 0. Got a lowest grade of {ranking._lowest_grade} in y_true; pass "
            "gain='linear' or shift the grades."
        )
    highest = float(ranking._highest_grade)
    with np.errstate(over="ignore"):
        no_less_than_any_sum = np.exp2(highest) * ranking.n_documents.max(initial=0)
    if not np.isfinite(no_less_than_any_sum):
        raise ValueError(
            "gain='exponential' takes no grades for which 2 ** grade overflows. Got a "
            f"highest grade of {highest} in y_true; pass gain='linear' or rescale the "
            "grades."
        )
    return np.exp2(ranking.grade) - 1


def check_gain(gain):
    """Raise if `gain` names no gain."""
    if not callable(gain) and gain not in ("exponential", "linear"):
        raise ValueError(
            "The 'gain' parameter must be a str among {'exponential', 'linear'} or a "
            f"callable. Got {gain!r} instead."
        )


def discount_function(discount):
    """Return the function that maps ranks to their discounts."""
    if callable(discount):
        return lambda rank: _checked(discount, rank, "discount")
    if not isinstance(discount, str) or discount not in _DISCOUNTS:
        raise ValueError(
            "The 'discount' parameter must be a str among {'ln', 'log2'} or a "
            f"callable. Got {discount!r} instead."
        )
    return _DISCOUNTS[discount]


_DISCOUNTS = {
    "log2": lambda rank: 1 / np.log2(np.asarray(rank) + 1.0),
    "ln": lambda rank: 1 / np.log(np.asarray(rank) + 1.0),
}


def _checked(function, argument, name):
    """Return what a user's function gives, if that is a finite number for each."""
    values = np.asarray(function(argument), dtype=np.float64)
    if values.shape != np.shape(argument) or not np.isfinite(values).all():
        raise ValueError(
            f"The '{name}' parameter must be a callable that returns a finite number "
            f"for each entry of an array. Got an array of shape {values.shape} for "
            f"one of shape {np.shape(argument)}, or NaN or infinity in it."
        )
    return values


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
