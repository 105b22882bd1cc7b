"""Arithmetic on equal neighbours: arrays whose like entries stand together."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._ranking.blocks import gather, split_by_width


def starts_of(values):
    """Return where stretches of equal values start."""
    new = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return np.flatnonzero(new)


def lengths_of(starts, stop):
    """Return the lengths of stretches that stand one after the other, up to `stop`."""
    lengths = np.empty(len(starts), dtype=np.intp)
    np.subtract(starts[1:], starts[:-1], out=lengths[:-1])
    lengths[-1:] = stop - starts[-1:]
    return lengths


def spans(*keys):
    """Return where the stretch of equal keys of each element starts and stops."""
    length = len(keys[0])
    new = np.ones(length, dtype=bool)
    new[1:] = np.any([key[1:] != key[:-1] for key in keys], axis=0)
    start = np.flatnonzero(new)
    sizes = lengths_of(start, length)
    return np.repeat(start, sizes), np.repeat(start + sizes, sizes)


def sum_before(values, query):
    """Return, for each value, the sum of the values of its query that stand before."""
    before = np.cumsum(values) - values
    first = starts_of(query)
    return before - np.repeat(before[first], lengths_of(first, len(query)))


def accumulate_before(ufunc, values, query):
    """Return `ufunc` of all values of the same query that stand before each.

    Each query is accumulated by itself: what others hold costs no digits.
    """
    first = starts_of(query)
    lengths = lengths_of(first, len(query))
    before = np.empty(len(values))
    before[first] = ufunc.identity
    for rows, width in split_by_width(lengths - 1):
        column = np.arange(width)
        inside = column < lengths[rows, np.newaxis] - 1
        block = ufunc.accumulate(gather(values, first[rows], max(width, 1)), axis=1)
        place = first[rows, np.newaxis] + 1 + column
        before[place[inside]] = block[:, :width][inside]
    return before
