"""From arrays to ranked queries: one function in, `rank_queries`.

::

    y_true, y_score, qid        rows in any order, or matrices
        |
      rank.py                   rank_queries, the one function to call
        |
      lists.py                  read_lists checks the input and groups it by query, with
        |                       a reader for rows, matrices and sparse matrices
        |  Lists, or Candidates (targets.py), where each query has one target
        |
      rank.py again             finds the tie groups that hold a relevant document, by
        |                       counting, if the first one is enough; by sorting scores
        |                       that carry their grade; or by sorting positions. Before
        |                       that, long lists are cut at the top or split by score
        |  TieGroups
        |
      queries.py                RankedQueries: what every metric reads, and the closed
                                forms of expectations over the orders of tied documents

``ids.py`` turns ids of any type into codes, and orders tied documents by their ids.
``arrays.py`` says which rows belong to a query, puts lists of like length side by side
in dense arrays, and has the arithmetic of equal neighbours.
"""

# SPDX-License-Identifier: BSD-3-Clause

from skrank._ranking.queries import RankedQueries
from skrank._ranking.rank import rank_queries

__all__ = ["RankedQueries", "rank_queries"]
