"""Closed forms of expectations over the orderings of tied documents."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._ranking.blocks import split_by_width


def probability_of_first(size, relevant, width):
    """Return the probabilities of the place of a tie group's first relevant document.

    Parameters
    ----------
    size, relevant : ndarray of shape (n_groups,)
        The number n of documents of each group, and how many, r, are relevant.
    width : int
        The number of places that are asked for.

    Returns
    -------
    probability : ndarray of shape (n_groups, width)
        That of the places 1, 2, ...

    Notes
    -----
    In a random order the first relevant document stands at place j with probability

        P(j) = C(n - j, r - 1) / C(n, r)

    the negative hypergeometric distribution [1]_.

    References
    ----------
    .. [1] N. L. Johnson, A. W. Kemp, S. Kotz, "Univariate Discrete Distributions",
       3rd ed., Wiley, 2005, chapter 6.
    """
    size, relevant = size[:, np.newaxis], relevant[:, np.newaxis]
    place = np.arange(1, width)
    probability = np.empty((len(size), width))
    # P(1) = r / n,  P(j + 1) = P(j) (n - r - j + 1) / (n - j)
    probability[:, :1] = relevant / size
    left = np.maximum(size - relevant - place + 1, 0)
    probability[:, 1:] = left / np.maximum(size - place, 1)
    return np.cumprod(probability, axis=1, out=probability)


def law_of_first(above, size, relevant, k):
    """Return (group, rank, probability): the ranks of the first relevant documents.

    The groups have `size` documents each, `relevant` of them relevant, below `above`
    others. Ranks beyond `k` may be left out, if it is not None.
    """
    # P(rank = above + j) = C(n - j, r - 1) / C(n, r) for j = 1, ..., n - r + 1
    n_places = size - relevant + 1
    if k is not None:
        n_places = np.minimum(n_places, np.maximum(k - above, 1))
    if n_places.max(initial=0) == 1:  # as without ties
        return np.arange(len(size)), above + 1, relevant / size
    none = np.zeros(0, dtype=np.intp)
    parts = [(none, none, none)]
    for rows, width in split_by_width(n_places):
        rank = above[rows, np.newaxis] + np.arange(1, width + 1)
        probability = probability_of_first(size[rows], relevant[rows], width)
        possible = probability > 0
        group = np.broadcast_to(rows[:, np.newaxis], rank.shape)
        parts.append((group[possible], rank[possible], probability[possible]))
    return tuple(map(np.concatenate, zip(*parts, strict=True)))


def mean_over_group(weight, above, size, k=None):
    """Return the mean weight of the ranks above + 1, ..., above + size, 0 beyond k."""
    below = above + size
    if k is not None:
        above, below = np.minimum(above, k), np.minimum(below, k)
    return sum_over_places(weight, above, below) / size


def sum_over_places(weight, above, below):
    """Return the sum of the weights of the ranks above + 1, ..., below."""
    # sum_{i=a+1}^{b} w(i) = W(b) - W(a), with W(m) = w(1) + ... + w(m)
    up_to = np.zeros(int(below.max(initial=0)) + 1, dtype=np.longdouble)
    np.cumsum(weight(np.arange(1, len(up_to))), out=up_to[1:])
    return (up_to[below] - up_to[above]).astype(np.float64)
