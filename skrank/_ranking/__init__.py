"""From arrays to ranked queries: one function in, `rank_queries`.

::

    y_true, y_score, qid        three input shapes, rows in any order
        |
      read.py                   checks them and groups the rows by query
        |  Lists (lists.py), or Candidates
        |
      methods.py                finds the tie groups that hold a relevant document by
        |                         count.py    counting, where the first one is enough
        |                         packed.py   sorting scores that carry their grade
        |                         indices.py  sorting positions, for any input
        |                         long_lists.py  cutting or splitting long lists first
        |  TieGroups (tie_groups.py)
        |
      queries.py                RankedQueries: what every metric reads

``ids.py`` turns ids of any type into codes, ``blocks.py`` puts lists of like length
side by side, ``neighbours.py`` and ``expectation.py`` hold the arithmetic.
"""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from skrank._ranking.queries import RankedQueries
from skrank._ranking.rank import rank_queries

__all__ = ["RankedQueries", "rank_queries"]
