# Types of skrank.metrics, written by tests/typing/make_stub.py.

# SPDX-License-Identifier: BSD-3-Clause
# fmt: off

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skrank._engine.columns import ItemColumn, of_items
from skrank._engine.conventions import CONVENTIONS
from skrank._engine.names import add_scorer
from skrank._ranking import RankedQueries, TopDocuments
from skrank._text.docs import Average, Gain, MatrixLike, Ties
from skrank.evaluation.catalogue import CatalogueScores as CatalogueScores
from skrank.evaluation.catalogue import catalogue_scores as catalogue_scores
from skrank.evaluation.evaluate import evaluate as evaluate
from skrank.evaluation.evaluate import score_queries as score_queries
from skrank.evaluation.query_report import QueryReport as QueryReport
from skrank.evaluation.query_report import query_report as query_report
from skrank.evaluation.query_scores import QueryScores as QueryScores
from skrank.evaluation.ranking_metric import RankingMetric as RankingMetric
from skrank.evaluation.reports import Explanation as Explanation
from skrank.evaluation.reports import TieReport as TieReport
from skrank.evaluation.reports import explain as explain
from skrank.evaluation.reports import tie_report as tie_report
from skrank.metrics.propensity import inverse_propensities
from skrank.scoring.scorer import (
    RankingScorer,
    get_scorer,
    get_scorer_names,
    make_ranking_scorer,
)

__all__ = [
    "CONVENTIONS", "CatalogueScores", "Explanation", "ItemColumn", "QueryReport",
    "QueryScores", "RankedQueries", "RankingMetric", "RankingScorer", "TieReport",
    "TopDocuments", "add_scorer", "alpha_ndcg_score", "awrf_score", "bpref_score",
    "catalogue_scores", "cg_score", "dcg_score", "eed_score", "eel_score", "eer_score",
    "err_ia_score", "err_score", "evaluate", "explain", "fbeta_at_k_score",
    "geometric_mean_rank", "get_scorer", "get_scorer_names", "gm_map_score",
    "group_share_score", "harmonic_mean_rank", "hits_at_k_score", "ild_score",
    "inverse_propensities", "judged_at_k_score", "lrap_score", "make_ranking_scorer",
    "map_ia_score", "map_score", "mean_precision_score", "mean_rank", "median_rank",
    "mrr_score", "ndcg_score", "novelty_score", "nrbp_score", "of_items",
    "popularity_score", "precision_at_k_score", "precision_ia_score", "psndcg_score",
    "psp_score", "q_measure_score", "query_auc_score", "query_report",
    "r_precision_score", "rank_correlation_score", "ranking_loss", "rbo_score",
    "rbp_score", "recall_at_k_score", "score_queries", "serendipity_score",
    "spearman_score", "subtopic_recall_score", "tie_report"
]

@overload
def alpha_ndcg_score(
    y_true: MatrixLike | None, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    subtopics: MatrixLike | ItemColumn | Sequence[Collection[str]],
    k: int | None = None, alpha: float = 0.5,
    ideal: Literal["greedy", "ideal-ideal"] | None = "greedy",
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = 0.0,
    average: Average = "macro", sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def alpha_ndcg_score(
    y_true: MatrixLike | None, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    subtopics: MatrixLike | ItemColumn | Sequence[Collection[str]],
    k: int | None = None, alpha: float = 0.5,
    ideal: Literal["greedy", "ideal-ideal"] | None = "greedy",
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = 0.0,
    average: None, sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def awrf_score(
    y_true: MatrixLike | None, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    group: MatrixLike | ItemColumn, k: int | None = None,
    discount: Literal["log2", "ln", "reciprocal"] | Callable[..., Any] = "log2",
    target: str | Mapping[Any, float] | ArrayLike = "candidates",
    empty: Literal["undefined", "uniform"] = "undefined",
    threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = ...,
    average: Average = "macro", sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def awrf_score(
    y_true: MatrixLike | None, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    group: MatrixLike | ItemColumn, k: int | None = None,
    discount: Literal["log2", "ln", "reciprocal"] | Callable[..., Any] = "log2",
    target: str | Mapping[Any, float] | ArrayLike = "candidates",
    empty: Literal["undefined", "uniform"] = "undefined",
    threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = ...,
    average: None, sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def bpref_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    threshold: float | Literal["max"] = 0.0, ties: Ties = "expected",
    replace_undefined_by: float = 0.0, average: Average = "macro",
    sample_weight: ArrayLike | None = None, judged: ArrayLike | None = None,
    returned: ArrayLike | None = None
) -> float: ...
@overload
def bpref_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    threshold: float | Literal["max"] = 0.0, ties: Ties = "expected",
    replace_undefined_by: float = 0.0, average: None,
    sample_weight: ArrayLike | None = None, judged: ArrayLike | None = None,
    returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def cg_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    k: int | None = None, threshold: float | Literal["max"] = 0.0,
    ties: Ties = "expected", replace_undefined_by: float = 0.0,
    average: Average = "macro", sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def cg_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    k: int | None = None, threshold: float | Literal["max"] = 0.0,
    ties: Ties = "expected", replace_undefined_by: float = 0.0, average: None,
    sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def dcg_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    k: int | None = None, gain: Gain = "exponential",
    discount: Literal["log2", "ln", "reciprocal"] | Callable[..., Any] = "log2",
    threshold: float | Literal["max"] = 0.0, ties: Ties = "expected",
    replace_undefined_by: float = 0.0, average: Average = "macro",
    sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def dcg_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    k: int | None = None, gain: Gain = "exponential",
    discount: Literal["log2", "ln", "reciprocal"] | Callable[..., Any] = "log2",
    threshold: float | Literal["max"] = 0.0, ties: Ties = "expected",
    replace_undefined_by: float = 0.0, average: None,
    sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def eed_score(
    y_true: MatrixLike | None, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    group: MatrixLike | ItemColumn | None = None, k: int | None = None,
    discount: Literal["rbp", "log2", "ln", "reciprocal"] | Callable[..., Any] = "rbp",
    p: float = 0.8, only_relevant: bool = False,
    threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = ...,
    average: Average = "macro", sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def eed_score(
    y_true: MatrixLike | None, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    group: MatrixLike | ItemColumn | None = None, k: int | None = None,
    discount: Literal["rbp", "log2", "ln", "reciprocal"] | Callable[..., Any] = "rbp",
    p: float = 0.8, only_relevant: bool = False,
    threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = ...,
    average: None, sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def eel_score(
    y_true: MatrixLike | None, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    group: MatrixLike | ItemColumn | None = None, k: int | None = None,
    discount: Literal["rbp", "log2", "ln", "reciprocal"] | Callable[..., Any] = "rbp",
    p: float = 0.8, target: str | Mapping[Any, float] | ArrayLike = "ideal",
    only_relevant: bool = False, threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = ...,
    average: Average = "macro", sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def eel_score(
    y_true: MatrixLike | None, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    group: MatrixLike | ItemColumn | None = None, k: int | None = None,
    discount: Literal["rbp", "log2", "ln", "reciprocal"] | Callable[..., Any] = "rbp",
    p: float = 0.8, target: str | Mapping[Any, float] | ArrayLike = "ideal",
    only_relevant: bool = False, threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = ...,
    average: None, sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def eer_score(
    y_true: MatrixLike | None, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    group: MatrixLike | ItemColumn | None = None, k: int | None = None,
    discount: Literal["rbp", "log2", "ln", "reciprocal"] | Callable[..., Any] = "rbp",
    p: float = 0.8, target: str | Mapping[Any, float] | ArrayLike = "ideal",
    only_relevant: bool = False, threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = ...,
    average: Average = "macro", sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def eer_score(
    y_true: MatrixLike | None, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    group: MatrixLike | ItemColumn | None = None, k: int | None = None,
    discount: Literal["rbp", "log2", "ln", "reciprocal"] | Callable[..., Any] = "rbp",
    p: float = 0.8, target: str | Mapping[Any, float] | ArrayLike = "ideal",
    only_relevant: bool = False, threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = ...,
    average: None, sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def err_ia_score(
    y_true: MatrixLike | None, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    subtopics: MatrixLike | ItemColumn | Sequence[Collection[str]],
    k: int | None = None, alpha: float = 0.5,
    ideal: Literal["greedy", "ideal-ideal"] | None = "ideal-ideal",
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = 0.0,
    average: Average = "macro", sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def err_ia_score(
    y_true: MatrixLike | None, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    subtopics: MatrixLike | ItemColumn | Sequence[Collection[str]],
    k: int | None = None, alpha: float = 0.5,
    ideal: Literal["greedy", "ideal-ideal"] | None = "ideal-ideal",
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = 0.0,
    average: None, sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def err_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    k: int | None = None, max_grade: float | None = None,
    threshold: float | Literal["max"] = 0.0, ties: Ties = "expected",
    replace_undefined_by: float = 0.0, average: Average = "macro",
    sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def err_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    k: int | None = None, max_grade: float | None = None,
    threshold: float | Literal["max"] = 0.0, ties: Ties = "expected",
    replace_undefined_by: float = 0.0, average: None,
    sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def fbeta_at_k_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None, k: int,
    beta: float = 1.0, normalize: Literal["k", "length"] = "k",
    threshold: float | Literal["max"] = 0.0, ties: Ties = "expected",
    replace_undefined_by: float = 0.0, average: Average = "macro",
    sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def fbeta_at_k_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None, k: int,
    beta: float = 1.0, normalize: Literal["k", "length"] = "k",
    threshold: float | Literal["max"] = 0.0, ties: Ties = "expected",
    replace_undefined_by: float = 0.0, average: None,
    sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def geometric_mean_rank(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    threshold: float | Literal["max"] = 0.0,
    ties: Ties | Literal["realistic"] = "expected", replace_undefined_by: float = ...,
    average: Average = "macro", sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def geometric_mean_rank(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    threshold: float | Literal["max"] = 0.0,
    ties: Ties | Literal["realistic"] = "expected", replace_undefined_by: float = ...,
    average: None, sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def gm_map_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    threshold: float | Literal["max"] = 0.0, ties: Ties = "expected",
    replace_undefined_by: float = 0.0, average: Average = "macro",
    sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def gm_map_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    threshold: float | Literal["max"] = 0.0, ties: Ties = "expected",
    replace_undefined_by: float = 0.0, average: None,
    sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def group_share_score(
    y_true: MatrixLike | None, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    group: MatrixLike | ItemColumn, k: int | None = None,
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = 0.0,
    average: Average = "macro", sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def group_share_score(
    y_true: MatrixLike | None, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    group: MatrixLike | ItemColumn, k: int | None = None,
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = 0.0,
    average: None, sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def harmonic_mean_rank(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    threshold: float | Literal["max"] = 0.0,
    ties: Ties | Literal["realistic"] = "expected", replace_undefined_by: float = ...,
    average: Average = "macro", sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def harmonic_mean_rank(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    threshold: float | Literal["max"] = 0.0,
    ties: Ties | Literal["realistic"] = "expected", replace_undefined_by: float = ...,
    average: None, sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def hits_at_k_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None, k: int,
    threshold: float | Literal["max"] = 0.0,
    ties: Ties | Literal["realistic"] = "expected", replace_undefined_by: float = 0.0,
    average: Average = "macro", adjusted: bool | Literal["ratio"] = False,
    sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def hits_at_k_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None, k: int,
    threshold: float | Literal["max"] = 0.0,
    ties: Ties | Literal["realistic"] = "expected", replace_undefined_by: float = 0.0,
    average: None, adjusted: bool | Literal["ratio"] = False,
    sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def ild_score(
    y_true: MatrixLike | None, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    features: MatrixLike | ItemColumn, k: int | None = None,
    distance: Literal["cosine", "jaccard", "euclidean"] | Callable[..., Any] = "cosine",
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = 0.0,
    average: Average = "macro", sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def ild_score(
    y_true: MatrixLike | None, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    features: MatrixLike | ItemColumn, k: int | None = None,
    distance: Literal["cosine", "jaccard", "euclidean"] | Callable[..., Any] = "cosine",
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = 0.0,
    average: None, sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def judged_at_k_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None, k: int,
    threshold: float | Literal["max"] = 0.0, ties: Ties = "expected",
    replace_undefined_by: float = 0.0, average: Average = "macro",
    sample_weight: ArrayLike | None = None, judged: ArrayLike | None = None,
    returned: ArrayLike | None = None
) -> float: ...
@overload
def judged_at_k_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None, k: int,
    threshold: float | Literal["max"] = 0.0, ties: Ties = "expected",
    replace_undefined_by: float = 0.0, average: None,
    sample_weight: ArrayLike | None = None, judged: ArrayLike | None = None,
    returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def lrap_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    tied_together: bool = False, threshold: float | Literal["max"] = 0.0,
    ties: Ties = "expected", replace_undefined_by: float = 0.0,
    average: Average = "macro", sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def lrap_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    tied_together: bool = False, threshold: float | Literal["max"] = 0.0,
    ties: Ties = "expected", replace_undefined_by: float = 0.0, average: None,
    sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def map_ia_score(
    y_true: MatrixLike | None, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    subtopics: MatrixLike | ItemColumn | Sequence[Collection[str]],
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = 0.0,
    average: Average = "macro", sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def map_ia_score(
    y_true: MatrixLike | None, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    subtopics: MatrixLike | ItemColumn | Sequence[Collection[str]],
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = 0.0,
    average: None, sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def map_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    k: int | None = None,
    normalize: Literal["relevant", "achievable", "k"] = "relevant",
    threshold: float | Literal["max"] = 0.0, ties: Ties = "expected",
    replace_undefined_by: float = 0.0, average: Average = "macro",
    sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def map_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    k: int | None = None,
    normalize: Literal["relevant", "achievable", "k"] = "relevant",
    threshold: float | Literal["max"] = 0.0, ties: Ties = "expected",
    replace_undefined_by: float = 0.0, average: None,
    sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def mean_precision_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    k: int | None = None, threshold: float | Literal["max"] = 0.0,
    ties: Ties = "expected", replace_undefined_by: float = 0.0,
    average: Average = "macro", sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def mean_precision_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    k: int | None = None, threshold: float | Literal["max"] = 0.0,
    ties: Ties = "expected", replace_undefined_by: float = 0.0, average: None,
    sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def mean_rank(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    threshold: float | Literal["max"] = 0.0,
    ties: Ties | Literal["realistic"] = "expected", replace_undefined_by: float = ...,
    average: Average = "macro", adjusted: bool | Literal["ratio"] = False,
    sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def mean_rank(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    threshold: float | Literal["max"] = 0.0,
    ties: Ties | Literal["realistic"] = "expected", replace_undefined_by: float = ...,
    average: None, adjusted: bool | Literal["ratio"] = False,
    sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def median_rank(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    threshold: float | Literal["max"] = 0.0,
    ties: Ties | Literal["realistic"] = "expected", replace_undefined_by: float = ...,
    average: Average = "macro", sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def median_rank(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    threshold: float | Literal["max"] = 0.0,
    ties: Ties | Literal["realistic"] = "expected", replace_undefined_by: float = ...,
    average: None, sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def mrr_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    k: int | None = None, threshold: float | Literal["max"] = 0.0,
    ties: Ties | Literal["realistic"] = "expected", replace_undefined_by: float = 0.0,
    average: Average = "macro", adjusted: bool | Literal["ratio"] = False,
    sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def mrr_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    k: int | None = None, threshold: float | Literal["max"] = 0.0,
    ties: Ties | Literal["realistic"] = "expected", replace_undefined_by: float = 0.0,
    average: None, adjusted: bool | Literal["ratio"] = False,
    sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def ndcg_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    k: int | None = None, gain: Gain = "exponential",
    discount: Literal["log2", "ln", "reciprocal"] | Callable[..., Any] = "log2",
    threshold: float | Literal["max"] = 0.0, ties: Ties = "expected",
    replace_undefined_by: float = 0.0, average: Average = "macro",
    sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def ndcg_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    k: int | None = None, gain: Gain = "exponential",
    discount: Literal["log2", "ln", "reciprocal"] | Callable[..., Any] = "log2",
    threshold: float | Literal["max"] = 0.0, ties: Ties = "expected",
    replace_undefined_by: float = 0.0, average: None,
    sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def novelty_score(
    y_true: MatrixLike | None, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    popularity: ArrayLike | ItemColumn, k: int | None = None,
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = 0.0,
    average: Average = "macro", sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def novelty_score(
    y_true: MatrixLike | None, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    popularity: ArrayLike | ItemColumn, k: int | None = None,
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = 0.0,
    average: None, sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def nrbp_score(
    y_true: MatrixLike | None, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    subtopics: MatrixLike | ItemColumn | Sequence[Collection[str]], alpha: float = 0.5,
    beta: float = 0.5, ideal: Literal["greedy", "ideal-ideal"] | None = "ideal-ideal",
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = 0.0,
    average: Average = "macro", sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def nrbp_score(
    y_true: MatrixLike | None, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    subtopics: MatrixLike | ItemColumn | Sequence[Collection[str]], alpha: float = 0.5,
    beta: float = 0.5, ideal: Literal["greedy", "ideal-ideal"] | None = "ideal-ideal",
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = 0.0,
    average: None, sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def popularity_score(
    y_true: MatrixLike | None, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    popularity: ArrayLike | ItemColumn, k: int | None = None,
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = ...,
    average: Average = "macro", sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def popularity_score(
    y_true: MatrixLike | None, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    popularity: ArrayLike | ItemColumn, k: int | None = None,
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = ...,
    average: None, sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def precision_at_k_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None, k: int,
    normalize: Literal["k", "length"] = "k", threshold: float | Literal["max"] = 0.0,
    ties: Ties = "expected", replace_undefined_by: float = 0.0,
    average: Average = "macro", sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def precision_at_k_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None, k: int,
    normalize: Literal["k", "length"] = "k", threshold: float | Literal["max"] = 0.0,
    ties: Ties = "expected", replace_undefined_by: float = 0.0, average: None,
    sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def precision_ia_score(
    y_true: MatrixLike | None, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    subtopics: MatrixLike | ItemColumn | Sequence[Collection[str]], k: int,
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = 0.0,
    average: Average = "macro", sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def precision_ia_score(
    y_true: MatrixLike | None, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    subtopics: MatrixLike | ItemColumn | Sequence[Collection[str]], k: int,
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = 0.0,
    average: None, sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def psndcg_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    propensity: ArrayLike | ItemColumn, k: int | None = None,
    normalize: Literal["query", "total", "self"] | None = "query",
    discount: Literal["log2", "ln", "reciprocal"] | Callable[..., Any] = "log2",
    clip: float = 0.0, threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = 0.0,
    average: Average = "macro", sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def psndcg_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    propensity: ArrayLike | ItemColumn, k: int | None = None,
    normalize: Literal["query", "total", "self"] | None = "query",
    discount: Literal["log2", "ln", "reciprocal"] | Callable[..., Any] = "log2",
    clip: float = 0.0, threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = 0.0,
    average: None, sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def psp_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    propensity: ArrayLike | ItemColumn, k: int,
    normalize: Literal["query", "total", "k", "self"] = "query", clip: float = 0.0,
    threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = 0.0,
    average: Average = "macro", sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def psp_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    propensity: ArrayLike | ItemColumn, k: int,
    normalize: Literal["query", "total", "k", "self"] = "query", clip: float = 0.0,
    threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = 0.0,
    average: None, sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def q_measure_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    beta: float = 1.0, gain: Gain = "exponential",
    threshold: float | Literal["max"] = 0.0, ties: Ties = "expected",
    replace_undefined_by: float = 0.0, average: Average = "macro",
    sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def q_measure_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    beta: float = 1.0, gain: Gain = "exponential",
    threshold: float | Literal["max"] = 0.0, ties: Ties = "expected",
    replace_undefined_by: float = 0.0, average: None,
    sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def query_auc_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    threshold: float | Literal["max"] = 0.0, ties: Ties = "expected",
    replace_undefined_by: float = ..., average: Average = "macro",
    sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def query_auc_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    threshold: float | Literal["max"] = 0.0, ties: Ties = "expected",
    replace_undefined_by: float = ..., average: None,
    sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def r_precision_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    threshold: float | Literal["max"] = 0.0, ties: Ties = "expected",
    replace_undefined_by: float = 0.0, average: Average = "macro",
    sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def r_precision_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    threshold: float | Literal["max"] = 0.0, ties: Ties = "expected",
    replace_undefined_by: float = 0.0, average: None,
    sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def rank_correlation_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    weights: Literal["uniform", "gain", "discount"] | Callable[..., Any] = "uniform",
    gain: Gain = "exponential",
    discount: Literal["log2", "ln", "reciprocal"] | Callable[..., Any] = "log2",
    threshold: float | Literal["max"] | None = None, ties: Ties = "expected",
    replace_undefined_by: float = ..., average: Average = "macro",
    sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def rank_correlation_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    weights: Literal["uniform", "gain", "discount"] | Callable[..., Any] = "uniform",
    gain: Gain = "exponential",
    discount: Literal["log2", "ln", "reciprocal"] | Callable[..., Any] = "log2",
    threshold: float | Literal["max"] | None = None, ties: Ties = "expected",
    replace_undefined_by: float = ..., average: None,
    sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def ranking_loss(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    threshold: float | Literal["max"] = 0.0, ties: Ties = "expected",
    replace_undefined_by: float = ..., average: Average = "macro",
    sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def ranking_loss(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    threshold: float | Literal["max"] = 0.0, ties: Ties = "expected",
    replace_undefined_by: float = ..., average: None,
    sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def rbo_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    p: float = 0.9, threshold: float | Literal["max"] | None = None,
    ties: Ties = "expected", replace_undefined_by: float = ...,
    average: Average = "macro", sample_weight: ArrayLike | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def rbo_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    p: float = 0.9, threshold: float | Literal["max"] | None = None,
    ties: Ties = "expected", replace_undefined_by: float = ..., average: None,
    sample_weight: ArrayLike | None = None, judged: ArrayLike | None = None,
    returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def rbp_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    k: int | None = None, p: float = 0.8, max_grade: float | None = None,
    threshold: float | Literal["max"] = 0.0, ties: Ties = "expected",
    replace_undefined_by: float = 0.0, average: Average = "macro",
    sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def rbp_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    k: int | None = None, p: float = 0.8, max_grade: float | None = None,
    threshold: float | Literal["max"] = 0.0, ties: Ties = "expected",
    replace_undefined_by: float = 0.0, average: None,
    sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def recall_at_k_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None, k: int,
    normalize: Literal["relevant", "achievable"] = "relevant",
    threshold: float | Literal["max"] = 0.0, ties: Ties = "expected",
    replace_undefined_by: float = 0.0, average: Average = "macro",
    sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def recall_at_k_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None, k: int,
    normalize: Literal["relevant", "achievable"] = "relevant",
    threshold: float | Literal["max"] = 0.0, ties: Ties = "expected",
    replace_undefined_by: float = 0.0, average: None,
    sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def serendipity_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    expected: MatrixLike | ItemColumn, k: int | None = None, n_items: int | None = None,
    threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = 0.0,
    average: Average = "macro", sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def serendipity_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    expected: MatrixLike | ItemColumn, k: int | None = None, n_items: int | None = None,
    threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first"] = "expected", replace_undefined_by: float = 0.0,
    average: None, sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def spearman_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    threshold: float | Literal["max"] | None = None,
    ties: Ties | Literal["midrank"] = "expected", replace_undefined_by: float = ...,
    average: Average = "macro", sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def spearman_score(
    y_true: MatrixLike, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    threshold: float | Literal["max"] | None = None,
    ties: Ties | Literal["midrank"] = "expected", replace_undefined_by: float = ...,
    average: None, sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def subtopic_recall_score(
    y_true: MatrixLike | None, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    subtopics: MatrixLike | ItemColumn | Sequence[Collection[str]],
    k: int | None = None, ties: Literal["expected", "first"] = "expected",
    replace_undefined_by: float = 0.0, average: Average = "macro",
    sample_weight: ArrayLike | None = None
) -> float: ...
@overload
def subtopic_recall_score(
    y_true: MatrixLike | None, y_score: ArrayLike, *, qid: ArrayLike | None = None,
    subtopics: MatrixLike | ItemColumn | Sequence[Collection[str]],
    k: int | None = None, ties: Literal["expected", "first"] = "expected",
    replace_undefined_by: float = 0.0, average: None,
    sample_weight: ArrayLike | None = None
) -> NDArray[np.float64]: ...
