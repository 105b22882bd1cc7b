"""Draw some of the queries of the training rows."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from numbers import Integral

import numpy as np
from sklearn.utils import check_random_state, check_scalar

from skrank.rankers._check_grades import check_different


def check_max_queries(max_queries):
    """Raise unless the number of queries is None or at least 2."""
    if max_queries is not None:
        check_scalar(max_queries, "max_queries", Integral, min_val=2)


def draw_queries(rows, max_queries, random_state):
    """Return the rows of at most `max_queries` queries.

    They are the first queries of one random order of the sorted query ids. So fewer
    queries are a part of more queries, and the order of the rows plays no part.
    """
    n_queries = len(rows.sizes)
    if max_queries is None or max_queries >= n_queries:
        return rows
    order = check_random_state(random_state).permutation(n_queries)
    is_drawn = np.zeros(n_queries, dtype=bool)
    is_drawn[order[:max_queries]] = True
    drawn = rows.take(np.flatnonzero(is_drawn[rows.codes]))
    check_different(drawn.y)
    return drawn
