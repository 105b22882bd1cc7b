"""From arrays to ranked queries: one function in, `rank_queries`.

::

    y_true, y_score, qid        three input shapes, rows in any order
        |
      rank.py                   rank_queries, the one function to call
        |
      read.py                   checks the input and groups the rows by query
        |  Lists (lists.py; order.py has the rows of each list), or
        |  Candidates (documents.py), where each query has one target
        |
      rank.py again             finds the tie groups that hold a relevant document by
        |                         count.py       counting, if the first one is enough
        |                         packed.py      sorting scores that carry their grade
        |                         indices.py     sorting positions, for any input
        |                         long_lists.py  before these: keep the top of long
        |                                        lists, or split them by score
        |  TieGroups (tie_groups.py, which also resolves ties)
        |
      queries.py                RankedQueries: what every metric reads. It asks its
                                documents for what documents.py lists

``ids.py`` turns ids of any type into codes, and ``doc_order.py`` orders tied documents
by their ids. ``blocks.py`` puts lists of like length
side by side in dense arrays; ``neighbours.py`` has the arithmetic of equal neighbours,
and ``expectation.py`` the closed forms of expectations over the orders of tied
documents.
"""

# SPDX-License-Identifier: BSD-3-Clause

from skrank._ranking.queries import RankedQueries
from skrank._ranking.rank import rank_queries

__all__ = ["RankedQueries", "rank_queries"]
