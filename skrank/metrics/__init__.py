"""Ranking metrics, as functions and as scorers."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from skrank._ranking.queries import RankedQueries
from skrank.metrics._adjusted_geometric import (
    adjusted_geometric_mean_rank_index_score,
    z_geometric_mean_rank_score,
)
from skrank.metrics._adjusted_hits import (
    adjusted_hits_at_k_score,
    adjusted_mrr_score,
)
from skrank.metrics._adjusted_ranks import (
    adjusted_mean_rank,
    adjusted_mean_rank_index_score,
)
from skrank.metrics._agreement import query_auc_score, rank_correlation_score
from skrank.metrics._binary import (
    fbeta_at_k_score,
    precision_at_k_score,
    recall_at_k_score,
)
from skrank.metrics._cascade import err_score, rbp_score
from skrank.metrics._conventions import CONVENTIONS
from skrank.metrics._evaluate import evaluate
from skrank.metrics._explain import explain
from skrank.metrics._graded import cg_score, dcg_score, ndcg_score
from skrank.metrics._inverse_ranks import (
    inverse_geometric_mean_rank_score,
    inverse_mean_rank_score,
    inverse_median_rank_score,
)
from skrank.metrics._judged import bpref_score, judged_at_k_score
from skrank.metrics._order import rbo_score, spearman_score
from skrank.metrics._precision import (
    map_score,
    mean_precision_score,
    r_precision_score,
)
from skrank.metrics._q_measure import q_measure_score
from skrank.metrics._rank_spread import (
    rank_median_absolute_deviation,
    rank_standard_deviation,
    rank_variance,
)
from skrank.metrics._rank_summaries import (
    geometric_mean_rank,
    harmonic_mean_rank,
    median_rank,
)
from skrank.metrics._ranks import hits_at_k_score, mean_rank, mrr_score
from skrank.metrics._scorer import get_scorer, get_scorer_names, make_ranking_scorer
from skrank.metrics._tie_report import tie_report
from skrank.metrics._z_scores import (
    z_hits_at_k_score,
    z_mean_rank_score,
    z_mrr_score,
)

__all__ = [
    "CONVENTIONS",
    "RankedQueries",
    "adjusted_geometric_mean_rank_index_score",
    "adjusted_hits_at_k_score",
    "adjusted_mean_rank",
    "adjusted_mean_rank_index_score",
    "adjusted_mrr_score",
    "bpref_score",
    "cg_score",
    "dcg_score",
    "err_score",
    "evaluate",
    "explain",
    "fbeta_at_k_score",
    "geometric_mean_rank",
    "get_scorer",
    "get_scorer_names",
    "harmonic_mean_rank",
    "hits_at_k_score",
    "inverse_geometric_mean_rank_score",
    "inverse_mean_rank_score",
    "inverse_median_rank_score",
    "judged_at_k_score",
    "make_ranking_scorer",
    "map_score",
    "mean_precision_score",
    "mean_rank",
    "median_rank",
    "mrr_score",
    "ndcg_score",
    "precision_at_k_score",
    "q_measure_score",
    "query_auc_score",
    "r_precision_score",
    "rank_correlation_score",
    "rank_median_absolute_deviation",
    "rank_standard_deviation",
    "rank_variance",
    "rbo_score",
    "rbp_score",
    "recall_at_k_score",
    "spearman_score",
    "tie_report",
    "z_geometric_mean_rank_score",
    "z_hits_at_k_score",
    "z_mean_rank_score",
    "z_mrr_score",
]
