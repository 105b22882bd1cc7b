"""Ranking metrics, as functions and as scorers."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from skrank._public import publish
from skrank._ranking import RankedQueries
from skrank.metrics._agreement import (
    query_auc_score,
    rank_correlation_score,
    rbo_score,
    spearman_score,
)
from skrank.metrics._average_precision import (
    gm_map_score,
    map_score,
    mean_precision_score,
    q_measure_score,
)
from skrank.metrics._conventions import CONVENTIONS
from skrank.metrics._counts import num_rel, num_rel_ret, num_ret
from skrank.metrics._evaluate import evaluate
from skrank.metrics._first_relevant import hits_at_k_score, mean_rank, mrr_score
from skrank.metrics._gains import cg_score, dcg_score, ndcg_score
from skrank.metrics._judged import bpref_score, judged_at_k_score
from skrank.metrics._label_ranking import lrap_score, ranking_loss
from skrank.metrics._own_metrics import add_scorer
from skrank.metrics._plot.metric_at_k import MetricAtKDisplay
from skrank.metrics._plot.query_difference import QueryDifferenceDisplay
from skrank.metrics._plot.tie_span import TieSpanDisplay
from skrank.metrics._query_scores import QueryScores
from skrank.metrics._rank_means import (
    geometric_mean_rank,
    harmonic_mean_rank,
    median_rank,
)
from skrank.metrics._rank_spread import (
    rank_median_absolute_deviation,
    rank_standard_deviation,
    rank_variance,
)
from skrank.metrics._reader import err_score, rbp_score
from skrank.metrics._reports.explain import explain
from skrank.metrics._reports.tie_report import tie_report
from skrank.metrics._score_queries import score_queries
from skrank.metrics._scoring.scorer import (
    get_scorer,
    get_scorer_names,
    make_ranking_scorer,
)
from skrank.metrics._top_k import (
    fbeta_at_k_score,
    precision_at_k_score,
    r_precision_score,
    recall_at_k_score,
)

__all__ = [
    "CONVENTIONS",
    "MetricAtKDisplay",
    "QueryDifferenceDisplay",
    "QueryScores",
    "RankedQueries",
    "TieSpanDisplay",
    "add_scorer",
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
    "gm_map_score",
    "harmonic_mean_rank",
    "hits_at_k_score",
    "judged_at_k_score",
    "lrap_score",
    "make_ranking_scorer",
    "map_score",
    "mean_precision_score",
    "mean_rank",
    "median_rank",
    "mrr_score",
    "ndcg_score",
    "num_rel",
    "num_rel_ret",
    "num_ret",
    "precision_at_k_score",
    "q_measure_score",
    "query_auc_score",
    "r_precision_score",
    "rank_correlation_score",
    "rank_median_absolute_deviation",
    "rank_standard_deviation",
    "rank_variance",
    "ranking_loss",
    "rbo_score",
    "rbp_score",
    "recall_at_k_score",
    "score_queries",
    "spearman_score",
    "tie_report",
]

publish(__name__)
