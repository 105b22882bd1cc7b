"""Closed forms of expectations over the orderings of tied documents."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._ranking.blocks import split_by_width


def probability_of_first(size, relevant, width):
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
        chance = probability_of_first(size[rows], relevant[rows], width)
        possible = chance > 0
        run = np.broadcast_to(rows[:, np.newaxis], rank.shape)
        parts.append((run[possible], rank[possible], chance[possible]))
    return tuple(map(np.concatenate, zip(*parts, strict=True)))


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
