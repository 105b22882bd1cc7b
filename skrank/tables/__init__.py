"""The data that people have: files, tables, dicts, and what exceeds the memory."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from skrank._public import publish
from skrank.tables._align import align
from skrank.tables._clusters import ClusterScores
from skrank.tables._read_files import read_letor, read_qrels, read_run
from skrank.tables._score_table import score_table
from skrank.tables._spark import ship
from skrank.tables._topk import from_topk

__all__ = [
    "ClusterScores",
    "align",
    "from_topk",
    "read_letor",
    "read_qrels",
    "read_run",
    "score_table",
    "ship",
]

publish(__name__)
