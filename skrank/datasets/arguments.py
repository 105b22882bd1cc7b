"""Checks of the arguments of the datasets."""

# SPDX-License-Identifier: BSD-3-Clause

from numbers import Real

import numpy as np
from sklearn.utils import check_scalar

from skrank._checks import check_count


def check_real(value, name, *, least=0.0, most=None):
    """Return `value` as a float between `least` and `most`, or raise."""
    if isinstance(value, bool):
        raise TypeError(f"{name} must be an instance of float, not bool.")
    value = float(check_scalar(value, name, Real, min_val=least, max_val=most))
    if value != value or value == float("inf"):
        raise ValueError(f"{name} must be finite. Got {value} instead.")
    return value


def draw_list_lengths(n_queries, n_documents, rng, *, most=None):
    """Return the number of documents of each query, of shape (n_queries,)."""
    if isinstance(n_documents, tuple | list):
        if len(n_documents) != 2:
            raise ValueError(
                "n_documents must be an int or a pair (minimum, maximum). "
                f"Got {n_documents!r} instead."
            )
        low, high = (check_count(n, "n_documents", most=most) for n in n_documents)
        if low > high:
            raise ValueError(
                "The minimum of n_documents must not exceed the maximum. "
                f"Got {n_documents!r} instead."
            )
    else:
        low = high = check_count(n_documents, "n_documents", most=most)
    # A fixed dtype draws the same lengths on every platform.
    return rng.randint(low, high + 1, size=n_queries, dtype=np.int64)
