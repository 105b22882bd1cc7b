"""From arrays to ranked queries: one function in, `rank_queries`.

::

    y_true, y_score, qid        rows in any order, or matrices
        |  lists.py             checks the input and groups it by query
    Lists, or Candidates        where each query has one target
        |  rank.py              finds the tie groups that hold a relevant document
    TieGroups
        |  queries.py           closed forms of expectations over the orders of ties
    RankedQueries               what every metric reads

``ids.py`` turns ids of any type into codes, and orders tied documents by their ids.
``arrays.py`` says which rows belong to a query, puts lists of like length side by side
in dense arrays, and has the arithmetic of equal neighbours.
"""

# SPDX-License-Identifier: BSD-3-Clause

from skrank._ranking.queries import RankedQueries, TopDocuments
from skrank._ranking.rank import rank_queries

__all__ = ["RankedQueries", "TopDocuments", "rank_queries"]
