"""Gains of grades and discounts of ranks."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np


def gains(ranking, gain):
    """Return the gain of each relevant document."""
    if callable(gain):
        return _finite(gain(ranking.grade), "gain")
    if gain == "linear":
        return ranking.grade
    if gain != "exponential":
        raise ValueError(
            f"The 'gain' parameter must be a str among {{'exponential', "
            f"'linear'}} or a callable. Got {gain!r} instead."
        )
    if ranking.lowest_grade < 0:
        raise ValueError(
            f"gain='exponential' takes no negative grades: 2 ** grade "
            "- 1 would be below 0. Got a lowest grade of "
            f"{ranking.lowest_grade} in y_true; pass gain='linear' or shift them."
        )
    if len(ranking.grade) and ranking.grade.max() >= 1024:
        raise ValueError(
            f"gain='exponential' takes grades below 1024: 2 ** grade "
            f"overflows. Got a highest grade of {ranking.grade.max()} in y_true; "
            "pass gain='linear' or rescale the grades."
        )
    return np.exp2(ranking.grade) - 1


def discount_function(discount):
    """Return the function that maps ranks to their discounts."""
    if callable(discount):
        return lambda rank: _finite(discount(rank), "discount")
    if discount not in _DISCOUNTS:
        raise ValueError(
            f"The 'discount' parameter must be a str among {{'ln', "
            f"'log2'}} or a callable. Got {discount!r} instead."
        )
    return _DISCOUNTS[discount]


_DISCOUNTS = {
    "log2": lambda rank: 1 / np.log2(np.asarray(rank) + 1.0),
    "ln": lambda rank: 1 / np.log(np.asarray(rank) + 1.0),
}


def _finite(values, name):
    values = np.asarray(values, dtype=np.float64)
    if not np.isfinite(values).all():
        raise ValueError(
            f"The '{name}' parameter must be a callable that returns "
            "finite numbers. Got NaN or infinity."
        )
    return values
