"""Ranking metrics, as functions and as scorers."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from skrank._ranking import RankedQueries
from skrank.metrics._agreement import query_auc_score, rank_correlation_score
from skrank.metrics._binary import precision_at_k_score, recall_at_k_score
from skrank.metrics._conventions import CONVENTIONS
from skrank.metrics._evaluate import evaluate
from skrank.metrics._graded import cg_score, dcg_score, ndcg_score
from skrank.metrics._precision import map_score, mean_precision_score
from skrank.metrics._ranks import hits_at_k_score, mean_rank, mrr_score
from skrank.metrics._scorer import get_scorer, get_scorer_names, make_ranking_scorer

__all__ = [
    "CONVENTIONS",
    "RankedQueries",
    "cg_score",
    "dcg_score",
    "evaluate",
    "get_scorer",
    "get_scorer_names",
    "hits_at_k_score",
    "make_ranking_scorer",
    "map_score",
    "mean_precision_score",
    "mean_rank",
    "mrr_score",
    "ndcg_score",
    "precision_at_k_score",
    "query_auc_score",
    "rank_correlation_score",
    "recall_at_k_score",
]
