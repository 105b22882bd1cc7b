"""The data that people have: files, tables, dicts, and what exceeds the memory."""

# SPDX-License-Identifier: BSD-3-Clause

from skrank.tables.align import align, from_topk
from skrank.tables.clusters import ClusterScores, ship_to_spark
from skrank.tables.runs import changed_documents, compare_lists, fuse, write_run
from skrank.tables.score import read_rows, score_runs, score_table
from skrank.tables.trec_text import read_qrels, read_run

__all__ = [
    "ClusterScores",
    "align",
    "changed_documents",
    "compare_lists",
    "from_topk",
    "fuse",
    "read_qrels",
    "read_rows",
    "read_run",
    "score_runs",
    "score_table",
    "ship_to_spark",
    "write_run",
]


def __dir__():
    return __all__
