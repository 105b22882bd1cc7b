"""Units: their groups, their order and what is drawn from them."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from sklearn.utils import check_random_state

# Numbers that differ by less, relative to their size, are equal but for rounding.
ROUNDING = 1e-12
# A sum of fewer equal terms is far from normal.
FEWEST_EFFECTIVE = 10


def difference(values, others):
    """Return the differences of two arrays, 0 where they differ by rounding alone."""
    found = values - others
    size = np.maximum(np.abs(values), np.abs(others))
    found[np.abs(found) <= ROUNDING * size] = 0
    return found


def grouped(top, bottom, groups):
    """Return the sums of the terms of each group that is there.

    The terms have the shape (n_queries,) or (n_queries, n_columns).
    """
    if groups is None:
        return top, bottom
    order = np.argsort(groups, kind="stable")
    first = np.flatnonzero(np.diff(groups[order], prepend=-1))
    return tuple(np.add.reduceat(x[order], first, axis=0) for x in (top, bottom))


def effective_units(bottom):
    """Return how many units of equal size weigh as these: (sum b)^2 / sum b^2.

    Kish's effective sample size (Survey Sampling, 1965).
    """
    squares = (bottom**2).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(squares > 0, bottom.sum(axis=0) ** 2 / squares, 0.0)


def by_value(top, bottom):
    """Return the order of the units by their terms, of shape (n_units, n_columns).

    Whatever is drawn at random or summed up in this order does not depend on the order
    of the rows or the names of the queries.
    """
    return np.lexsort(np.hstack([top, bottom]).T)


def distinct_columns(matrix):
    """Return the different columns of a matrix, and the place of each column."""
    first, places = {}, []
    for j, column in enumerate(np.ascontiguousarray(matrix.T)):
        kept = first.setdefault(column.tobytes(), (len(first), j))
        places.append(kept[0])
    return matrix[:, [j for _, j in first.values()]], np.array(places)


def seed_of(random_state):
    """Return a seed for NumPy's Generator, which is faster than a RandomState."""
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
