"""Draw pairs of documents of a query with different grades."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np

from skrank._ranking.neighbours import lengths_of


def draw_pairs(y, codes, max_pairs, rng):
    """Return the rows of pairs, the document with the higher grade first.

    All pairs of a query have the same probability. It has at most `max_pairs`; None
    means all of them.
    """
    # In this order, all documents of the query after the last one of a document's own
    # grade are worse than it.
    order = np.lexsort((-y, codes))
    codes, y = codes[order], y[order]
    new_query = np.diff(codes, prepend=-1) != 0
    new_grade = new_query | (np.diff(y, prepend=np.nan) != 0)
    query_end = _ends(new_query)
    worse_from = _ends(new_grade)
    n_worse = query_end - worse_from
    # Pairs are numbered by their better document, then by their worse one.
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
    """Return for each row the end of its stretch, given where stretches start."""
    starts = np.flatnonzero(is_start)
    ends = np.append(starts[1:], len(is_start))
    return np.repeat(ends, ends - starts)


def _draw_numbers(first, count, most, rng):
    """Draw up to `most` of the `count` numbers from `first` on, for each query.

    The numbers of a query form a circle, which is rotated at random and divided into
    as many arcs as numbers are needed. One number is drawn from each arc: so they are
    distinct and, because of the rotation, equally probable.
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
