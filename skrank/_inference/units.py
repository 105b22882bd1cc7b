"""Units: their groups, their order and what is drawn from them."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
from sklearn.utils import check_random_state

# Numbers that differ by less, relative to their size, are equal but for rounding.
ROUNDING = 1e-12


def difference(values, others):
    """Return the differences of two arrays, 0 where they differ by rounding alone."""
    found = values - others
    size = np.maximum(np.abs(values), np.abs(others))
    found[np.abs(found) <= ROUNDING * size] = 0
    return found


def grouped(top, bottom, groups):
    """Return the sums of the terms of each group that is there."""
    if groups is None:
        return top, bottom
    there = np.bincount(groups) > 0
    return tuple(np.bincount(groups, weights=x)[there] for x in (top, bottom))


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
