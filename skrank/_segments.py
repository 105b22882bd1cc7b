"""Arithmetic within the segments of an array whose like entries stand together."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._panels import gather, split_by_width
from skrank._qid import lengths_of_runs, starts_of_runs


def spans(*keys):
    """Return where the block of equal keys of each element starts and stops."""
    length = len(keys[0])
    new = np.ones(length, dtype=bool)
    new[1:] = np.any([key[1:] != key[:-1] for key in keys], axis=0)
    start = np.flatnonzero(new)
    sizes = lengths_of_runs(start, length)
    return np.repeat(start, sizes), np.repeat(start + sizes, sizes)


def chance_of_first(size, relevant, width):
    """Return the law of the place of the first relevant document of a run.

    Of `size` documents in random order, `relevant` are relevant. The chance that
    the first of them stands at place j is p_1 = r / n and
    p_{j+1} = p_j (n - r - j + 1) / (n - j), the negative hypergeometric law.
    """
    size, relevant = size[:, np.newaxis], relevant[:, np.newaxis]
    place = np.arange(1, width)
    chance = np.empty((len(size), width))
    chance[:, :1] = relevant / size
    left = np.maximum(size - relevant - place + 1, 0)
    chance[:, 1:] = left / np.maximum(size - place, 1)
    return np.cumprod(chance, axis=1, out=chance)


def law_of_first(above, size, relevant, k):
    """Return (run, rank, chance): the ranks of the first relevant document of runs.

    Ranks beyond `k` may be left out, if it is not None.
    """
    n_places = size - relevant + 1
    if k is not None:
        n_places = np.minimum(n_places, np.maximum(k - above, 1))
    none = np.zeros(0, dtype=np.intp)
    parts = [(none, none, none)]
    for rows, width in split_by_width(n_places):
        rank = above[rows, np.newaxis] + np.arange(1, width + 1)
        chance = chance_of_first(size[rows], relevant[rows], width)
        possible = chance > 0
        run = np.broadcast_to(rows[:, np.newaxis], rank.shape)
        parts.append((run[possible], rank[possible], chance[possible]))
    return tuple(map(np.concatenate, zip(*parts, strict=True)))


def sum_before(values, query):
    """Return, for each run, the sum of `values` over the runs of its query above it."""
    before = np.cumsum(values) - values
    first = starts_of_runs(query)
    return before - np.repeat(before[first], lengths_of_runs(first, len(query)))


def accumulate_before(ufunc, values, query):
    """Return `ufunc` of all values of the same query that stand before each.

    Each query is accumulated by itself: what others hold costs no digits.
    """
    first = starts_of_runs(query)
    lengths = lengths_of_runs(first, len(query))
    before = np.empty(len(values))
    before[first] = ufunc.identity
    for rows, width in split_by_width(lengths - 1):
        column = np.arange(width)
        inside = column < lengths[rows, np.newaxis] - 1
        block = ufunc.accumulate(gather(values, first[rows], max(width, 1)), axis=1)
        place = first[rows, np.newaxis] + 1 + column
        before[place[inside]] = block[:, :width][inside]
    return before


def weights_at(weight, above):
    """Return the weights of the ranks above + 1."""
    if above.dtype.kind == "f" or len(above) <= (last := above.max(initial=0)):
        return weight(above + 1)
    return weight(np.arange(1, last + 2))[above]  # most ranks occur many times


def sum_over_places(weight, above, below):
    """Return the sum of the weights of the ranks above + 1, ..., below."""
    up_to = np.zeros(int(below.max(initial=0)) + 1, dtype=np.longdouble)
    np.cumsum(weight(np.arange(1, len(up_to))), out=up_to[1:])
    return (up_to[below] - up_to[above]).astype(np.float64)


def encode_levels(grade):
    """Return grades in ascending order, at least one, and the place of each in them."""
    if len(grade) and grade.min() >= 0 and grade.max() < 256:
        level = grade.astype(np.intp)
        if np.array_equal(level, grade):  # small integers are their own places
            return np.arange(level.max() + 1.0), level
    levels, level = np.unique(grade, return_inverse=True)
    return (levels if len(levels) else np.zeros(1)), level


def count_keys(keys, n_keys):
    """Return the distinct keys in ascending order and how often each occurs."""
    if n_keys > 8 * len(keys) + 1024:
        return np.unique(keys, return_counts=True)
    counts = np.bincount(keys, minlength=n_keys)
    keys = np.flatnonzero(counts)
    return keys, counts[keys]
