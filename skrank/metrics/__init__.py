"""Ranking metrics, as functions and as scorers."""

# SPDX-License-Identifier: BSD-3-Clause

import importlib

from skrank._engine.columns import ItemColumn, of_items
from skrank._engine.conventions import CONVENTIONS
from skrank._engine.names import add_scorer
from skrank._ranking import RankedQueries, TopDocuments
from skrank.metrics.agreement import (
    query_auc_score,
    rank_correlation_score,
    rbo_score,
    spearman_score,
)
from skrank.metrics.average_precision import (
    gm_map_score,
    lrap_score,
    map_score,
    mean_precision_score,
    q_measure_score,
    ranking_loss,
)
from skrank.metrics.beyond_relevance import (
    group_share_score,
    ild_score,
    novelty_score,
    popularity_score,
    serendipity_score,
)
from skrank.metrics.exposure import (
    awrf_score,
    eed_score,
    eel_score,
    eer_score,
)
from skrank.metrics.first_relevant import (
    geometric_mean_rank,
    harmonic_mean_rank,
    hits_at_k_score,
    mean_rank,
    median_rank,
    mrr_score,
)
from skrank.metrics.gains import cg_score, dcg_score, err_score, ndcg_score, rbp_score
from skrank.metrics.propensity import inverse_propensities, psndcg_score, psp_score
from skrank.metrics.subtopics import (
    alpha_ndcg_score,
    err_ia_score,
    map_ia_score,
    nrbp_score,
    precision_ia_score,
    subtopic_recall_score,
)
from skrank.metrics.top_k import (
    bpref_score,
    fbeta_at_k_score,
    judged_at_k_score,
    precision_at_k_score,
    r_precision_score,
    recall_at_k_score,
)
from skrank.scoring.scorer import (
    RankingScorer,
    get_scorer,
    get_scorer_names,
    make_ranking_scorer,
)

__all__ = [
    "CONVENTIONS",
    "CatalogueScores",
    "Explanation",
    "ItemColumn",
    "QueryReport",
    "QueryScores",
    "RankedQueries",
    "RankingMetric",
    "RankingScorer",
    "TieReport",
    "TopDocuments",
    "add_scorer",
    "alpha_ndcg_score",
    "awrf_score",
    "bpref_score",
    "catalogue_scores",
    "cg_score",
    "dcg_score",
    "eed_score",
    "eel_score",
    "eer_score",
    "err_ia_score",
    "err_score",
    "evaluate",
    "explain",
    "fbeta_at_k_score",
    "geometric_mean_rank",
    "get_scorer",
    "get_scorer_names",
    "gm_map_score",
    "group_share_score",
    "harmonic_mean_rank",
    "hits_at_k_score",
    "ild_score",
    "inverse_propensities",
    "judged_at_k_score",
    "lrap_score",
    "make_ranking_scorer",
    "map_ia_score",
    "map_score",
    "mean_precision_score",
    "mean_rank",
    "median_rank",
    "mrr_score",
    "ndcg_score",
    "novelty_score",
    "nrbp_score",
    "of_items",
    "popularity_score",
    "precision_at_k_score",
    "precision_ia_score",
    "psndcg_score",
    "psp_score",
    "q_measure_score",
    "query_auc_score",
    "query_report",
    "r_precision_score",
    "rank_correlation_score",
    "ranking_loss",
    "rbo_score",
    "rbp_score",
    "recall_at_k_score",
    "score_queries",
    "serendipity_score",
    "spearman_score",
    "subtopic_recall_score",
    "tie_report",
]


# What is published here and defined in an extension, imported when it is first used.
_EXTENSIONS = {
    "CatalogueScores": "skrank.evaluation.catalogue",
    "Explanation": "skrank.evaluation.reports",
    "QueryReport": "skrank.evaluation.query_report",
    "QueryScores": "skrank.evaluation.query_scores",
    "RankingMetric": "skrank.evaluation.ranking_metric",
    "TieReport": "skrank.evaluation.reports",
    "catalogue_scores": "skrank.evaluation.catalogue",
    "evaluate": "skrank.evaluation.evaluate",
    "explain": "skrank.evaluation.reports",
    "query_report": "skrank.evaluation.query_report",
    "score_queries": "skrank.evaluation.evaluate",
    "tie_report": "skrank.evaluation.reports",
}


def __dir__():
    return sorted(__all__)


def __getattr__(name):
    if name in _EXTENSIONS:
        return getattr(importlib.import_module(_EXTENSIONS[name]), name)
    raise AttributeError(f"Module {__name__!r} has no attribute {name!r}.")
