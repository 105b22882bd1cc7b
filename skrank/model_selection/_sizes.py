"""The numbers of rows that a training and a test set are to have."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from numbers import Integral, Real

import numpy as np


def rows_wanted(queries, test_size, train_size, *, default, caller):
    """Return the numbers of rows wanted for training and for testing, as floats.

    A size is a fraction of the rows, a number of rows, or None for all remaining rows;
    if both are None, `default` is the test size. Together they are at most all rows.
    Errors name the `caller`.
    """
    n_samples = len(queries.codes)
    if len(queries.ids) < 2:
        raise ValueError(
            f"{caller} needs at least 2 queries, one to train on and one to test on. "
            f"Got n_queries={len(queries.ids)}."
        )
    if test_size is None and train_size is None:
        test_size = default
    n_test = _n_rows(test_size, "test_size", n_samples, caller)
    n_train = _n_rows(train_size, "train_size", n_samples, caller)
    if n_test is None:
        return n_train, n_samples - n_train
    if n_train is None:
        return n_samples - n_test, n_test
    # Fractions such as 0.7 and 0.3 may add up to a little more than 1.
    if n_train + n_test > n_samples * (1 + 1e-12):
        raise ValueError(
            f"The 'test_size' and 'train_size' parameters of {caller} must not add up "
            f"to more than all {n_samples} rows. Got test_size={test_size!r} and "
            f"train_size={train_size!r} instead."
        )
    return n_train, n_test


def _n_rows(size, name, n_samples, caller):
    if size is None:
        return None
    check_size(size, name, n_samples, caller, "rows")
    return float(size) if isinstance(size, Integral) else float(size) * n_samples


def check_size(size, name, n_samples, caller, things):
    """Raise unless a size is a fraction or a number of the `things` to split."""
    accepted = (
        f"The {name!r} parameter of {caller} must be a float in the range (0.0, 1.0), "
        f"an int in the range [1, {n_samples - 1}] (a number of {things}) or None. "
        f"Got {size!r} instead."
    )
    if isinstance(size, (bool, np.bool_)) or not isinstance(size, Real):
        raise TypeError(accepted)
    if not 0 < size < (n_samples if isinstance(size, Integral) else 1):
        raise ValueError(accepted)
