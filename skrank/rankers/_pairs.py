"""Pairs of documents of a query with different grades, drawn without a loop."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._ranking.neighbours import lengths_of


def draw_pairs(y, codes, max_pairs, rng):
    """Return the rows of pairs, the document with the higher grade first.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
        The grades.

    codes : ndarray of shape (n_samples,)
        The query of each row as an integer from 0.

    max_pairs : int or None
        The most pairs to draw from a query. None means all of them.

    rng : RandomState instance
        Draws them; the pairs of a query have equal chances.

    Returns
    -------
    better, worse : ndarray of int of shape (n_pairs,)
        The rows.
    """
    # In this order the documents that a document is better than are the rest of its
    # query, behind the last one of its own grade.
    order = np.lexsort((-y, codes))
    codes, y = codes[order], y[order]
    new_query = np.diff(codes, prepend=-1) != 0
    new_grade = new_query | (np.diff(y, prepend=np.nan) != 0)
    query_end = _ends(new_query)
    worse_from = _ends(new_grade)
    n_worse = query_end - worse_from
    # The pairs are numbered by their better document, then by their worse one.
    last_pair = np.cumsum(n_worse)
    first_of_query = np.flatnonzero(new_query)
    first_pair = (last_pair - n_worse)[first_of_query]
    pairs = _draw_numbers(
        first_pair, lengths_of(first_pair, n_worse.sum()), max_pairs, rng
    )
    better = np.searchsorted(last_pair, pairs, side="right")
    worse = worse_from[better] + pairs - (last_pair - n_worse)[better]
    return order[better], order[worse]


def _ends(is_start):
    """Return for each row where its run ends, by where runs start."""
    starts = np.flatnonzero(is_start)
    ends = np.append(starts[1:], len(is_start))
    return np.repeat(ends, ends - starts)


def _draw_numbers(first, count, most, rng):
    """Draw up to `most` of the `count` numbers from `first` on, for each query.

    The numbers of a query are laid on a circle, which is turned at random and cut
    into as many arcs as are to be drawn; one number is drawn from each arc. So they
    are distinct and, for the turn, all have the same chance.
    """
    drawn = count if most is None else np.minimum(count, most)
    query = np.repeat(np.arange(len(count)), drawn)
    arc = np.arange(len(query)) - np.repeat(np.cumsum(drawn) - drawn, drawn)
    start = arc * count[query] // drawn[query]
    end = (arc + 1) * count[query] // drawn[query]
    number = start + np.floor(rng.random_sample(len(query)) * (end - start))
    turn = np.floor(rng.random_sample(len(count)) * count) * (drawn < count)
    turned = (number + turn[query]).astype(np.int64) % count[query]
    return first[query] + turned
