# Types of skrank.metrics, written by tests/typing/make_stubs.py.

# SPDX-License-Identifier: BSD-3-Clause
# fmt: off

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import sparray, spmatrix

from skrank.plot import MetricAtKDisplay as MetricAtKDisplay
from skrank.plot import QueryDifferenceDisplay as QueryDifferenceDisplay
from skrank.plot import TieSpanDisplay as TieSpanDisplay

__all__ = [
    "CONVENTIONS", "QueryReport", "QueryScores", "RankedQueries", "add_scorer",
    "bpref_score", "cg_score", "dcg_score", "err_score", "evaluate", "explain",
    "fbeta_at_k_score", "geometric_mean_rank", "get_scorer", "get_scorer_names",
    "gm_map_score", "harmonic_mean_rank", "hits_at_k_score", "judged_at_k_score",
    "lrap_score", "make_ranking_scorer", "map_score", "mean_precision_score",
    "mean_rank", "median_rank", "mrr_score", "ndcg_score", "precision_at_k_score",
    "q_measure_score", "query_auc_score", "query_report", "r_precision_score",
    "rank_correlation_score", "rank_median_absolute_deviation",
    "rank_standard_deviation", "rank_variance", "ranking_loss", "rbo_score",
    "rbp_score", "recall_at_k_score", "score_queries", "spearman_score", "tie_report"
]

CONVENTIONS: Mapping[str, Any]
class QueryReport:
    query: Any
    metric: str
    values: dict[str, float]
    rankings: dict[str, Any]
    k: int | None
    kind: str
    is_undefined: bool
    def __init__(
        self, query: object, metric: str, values: Mapping[str, float],
        rankings: Mapping[str, Any], k: int | None, kind: str, is_undefined: bool
    ) -> None: ...
    def to_frame(
        self, kind: Literal["pandas", "polars", "pyarrow"] | None = None
    ) -> Any: ...

class QueryScores:
    table: Any
    def __getitem__(self, names: str | Sequence[str]) -> QueryScores: ...
    def __init__(self, table: Any) -> None: ...
    @classmethod
    def concat(cls, parts: Iterable[QueryScores]) -> QueryScores: ...
    @classmethod
    def from_frame(
        cls, frame: Any | Mapping[str, ArrayLike], *, qid: str = "qid",
        by: str | Sequence[str] = (), ranker: str | None = None,
        metrics: Sequence[str] | None = None, sample_weight: str | None = None,
        replace_undefined_by: float | None = None
    ) -> QueryScores: ...
    @property
    def keys(self) -> dict[str, NDArray[Any]]: ...
    @property
    def metrics(self) -> tuple[str, ...]: ...
    @property
    def rankers(self) -> tuple[str, ...]: ...
    def summary(self, by: str | Sequence[str] | None = None) -> dict[Any, Any]: ...
    def to_frame(
        self, kind: Literal["pandas", "polars", "pyarrow"] | None = None, *,
        undefined: Literal["replaced", "nan"] = "replaced"
    ) -> Any: ...
    @property
    def values(self) -> NDArray[Any]: ...
    @property
    def weight(self) -> NDArray[Any] | None: ...

class RankedQueries:
    n_queries: int
    query: NDArray[Any]
    above: NDArray[Any]
    size: NDArray[Any]
    relevant: NDArray[Any]
    n_documents: NDArray[Any]
    ids: NDArray[Any]
    order: Literal["score", "ideal", "chance"]
    ranks_are_estimated: bool
    def __init__(
        self, groups: Any, n_documents: NDArray[Any], lists: Any,
        rank: Callable[..., Any] | None = None,
        order: Literal["score", "ideal", "chance"] = "score",
        n_found: NDArray[Any] | None = None, alike: RankedQueries | None = None
    ) -> None: ...
    @property
    def by_judgement(self) -> RankedQueries: ...
    @property
    def chance(self) -> RankedQueries: ...
    def document_total(
        self, weight: NDArray[Any],
        value: Callable[..., Any] | NDArray[Any] | None = None
    ) -> NDArray[Any]: ...
    def expected_at_first(
        self, value: Callable[..., Any], k: int | None = None, missing: float = 0.0
    ) -> NDArray[Any]: ...
    @property
    def first(self) -> NDArray[Any]: ...
    def first_rank_law(self, k: int | None = None) -> NDArray[Any]: ...
    @property
    def grade(self) -> NDArray[Any]: ...
    @property
    def grade_range(self) -> tuple[Any, ...]: ...
    def grade_total(
        self, values: Callable[..., Any] | NDArray[Any]
    ) -> NDArray[Any]: ...
    @property
    def group_in_ideal(self) -> NDArray[Any]: ...
    @property
    def ideal(self) -> RankedQueries: ...
    @property
    def judged_only(self) -> RankedQueries: ...
    def mean_over_places(
        self, weight: Callable[..., Any], k: int | NDArray[Any] | None = None
    ) -> NDArray[Any]: ...
    @property
    def n_found(self) -> NDArray[Any]: ...
    @property
    def n_nonrelevant(self) -> NDArray[Any]: ...
    @property
    def n_relevant(self) -> NDArray[Any]: ...
    @property
    def others_below(self) -> NDArray[Any]: ...
    @property
    def query_of_grade(self) -> NDArray[Any]: ...
    def query_weights(self, sample_weight: ArrayLike) -> NDArray[Any] | None: ...
    @property
    def relevant_above(self) -> NDArray[Any]: ...
    @property
    def returned_only(self) -> RankedQueries: ...
    def total(
        self, values: NDArray[Any], terms: Callable[..., Any] | None = None
    ) -> NDArray[Any]: ...
    def where_relevant(self, values: float | NDArray[Any]) -> NDArray[Any]: ...

def add_scorer(
    name: str, definition: Callable[..., Any], *, greater_is_better: bool = True
) -> None: ...
@overload
def bpref_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: Literal["macro", "weighted"] = "macro",
    adjusted: bool = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def bpref_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: None, adjusted: bool = False,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def cg_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, k: int | None = None,
    threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: Literal["macro", "weighted"] = "macro",
    adjusted: bool = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def cg_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, k: int | None = None,
    threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: None, adjusted: bool = False,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def dcg_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, k: int | None = None,
    gain: Literal["exponential", "linear"] | Callable[..., Any] = "exponential",
    discount: Literal["log2", "ln"] | Callable[..., Any] = "log2",
    threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: Literal["macro", "weighted"] = "macro",
    adjusted: bool = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def dcg_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, k: int | None = None,
    gain: Literal["exponential", "linear"] | Callable[..., Any] = "exponential",
    discount: Literal["log2", "ln"] | Callable[..., Any] = "log2",
    threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: None, adjusted: bool = False,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def err_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, k: int | None = None, max_grade: float | None = None,
    threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: Literal["macro", "weighted"] = "macro",
    adjusted: bool = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def err_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, k: int | None = None, max_grade: float | None = None,
    threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: None, adjusted: bool = False,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def evaluate(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike,
    metrics: str | Callable[..., Any] | Sequence[str | Callable[..., Any]], *,
    qid: ArrayLike | None = None, convention: str | None = None,
    average: Literal["macro", "weighted"] = "macro",
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None,
    doc_id: ArrayLike | None = None,
    doc_order: Literal["ascending", "descending"] | None = None,
    score_dtype: Literal["float32", "float64"] | None = None,
    judged_from: float | None = None, **params: Any
) -> dict[str, float]: ...
@overload
def evaluate(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike,
    metrics: str | Callable[..., Any] | Sequence[str | Callable[..., Any]], *,
    qid: ArrayLike | None = None, convention: str | None = None, average: None,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None,
    doc_id: ArrayLike | None = None,
    doc_order: Literal["ascending", "descending"] | None = None,
    score_dtype: Literal["float32", "float64"] | None = None,
    judged_from: float | None = None, **params: Any
) -> dict[str, NDArray[Any]]: ...
def explain(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike,
    metric: str | Callable[..., Any],
    conventions: str | Sequence[str] = ("lightgbm", "trec_eval"), *,
    qid: ArrayLike | None = None, doc_id: ArrayLike | None = None, n_queries: int = 5,
    **params: Any
) -> Any: ...
@overload
def fbeta_at_k_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, k: int, beta: float = 1.0,
    normalize: Literal["k", "length"] = "k", threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: Literal["macro", "weighted"] = "macro",
    adjusted: bool = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def fbeta_at_k_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, k: int, beta: float = 1.0,
    normalize: Literal["k", "length"] = "k", threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: None, adjusted: bool = False,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def geometric_mean_rank(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, threshold: float | Literal["max"] = 0.0, ties:
    Literal["expected", "first", "optimistic", "pessimistic", "realistic"] =
    "expected", replace_undefined_by: float = ...,
    average: Literal["macro", "weighted"] = "macro",
    adjusted: bool | Literal["ratio", "z"] = False,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def geometric_mean_rank(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, threshold: float | Literal["max"] = 0.0, ties:
    Literal["expected", "first", "optimistic", "pessimistic", "realistic"] =
    "expected", replace_undefined_by: float = ..., average: None,
    adjusted: bool | Literal["ratio", "z"] = False,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
def get_scorer(scoring: str | Callable[..., Any] | None) -> Any: ...
def get_scorer_names() -> list[str]: ...
@overload
def gm_map_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: Literal["macro", "weighted"] = "macro",
    adjusted: bool = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def gm_map_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: None, adjusted: bool = False,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def harmonic_mean_rank(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, threshold: float | Literal["max"] = 0.0, ties:
    Literal["expected", "first", "optimistic", "pessimistic", "realistic"] =
    "expected", replace_undefined_by: float = ...,
    average: Literal["macro", "weighted"] = "macro",
    adjusted: bool | Literal["ratio"] = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def harmonic_mean_rank(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, threshold: float | Literal["max"] = 0.0, ties:
    Literal["expected", "first", "optimistic", "pessimistic", "realistic"] =
    "expected", replace_undefined_by: float = ..., average: None,
    adjusted: bool | Literal["ratio"] = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def hits_at_k_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, k: int, threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic", "realistic"] =
    "expected", replace_undefined_by: float = 0.0,
    average: Literal["macro", "weighted"] = "macro",
    adjusted: bool | Literal["ratio", "z"] = False,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def hits_at_k_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, k: int, threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic", "realistic"] =
    "expected", replace_undefined_by: float = 0.0, average: None,
    adjusted: bool | Literal["ratio", "z"] = False,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def judged_at_k_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, k: int, threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: Literal["macro", "weighted"] = "macro",
    adjusted: bool = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def judged_at_k_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, k: int, threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: None, adjusted: bool = False,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def lrap_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, tied_together: bool = False,
    threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: Literal["macro", "weighted"] = "macro",
    adjusted: bool = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def lrap_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, tied_together: bool = False,
    threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: None, adjusted: bool = False,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
def make_ranking_scorer(
    metric: str | Callable[..., Any] | Sequence[str], *,
    greater_is_better: bool | None = None, **params: Any
) -> Any: ...
@overload
def map_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, k: int | None = None,
    normalize: Literal["relevant", "achievable", "k"] = "relevant",
    threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: Literal["macro", "weighted"] = "macro",
    adjusted: bool = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def map_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, k: int | None = None,
    normalize: Literal["relevant", "achievable", "k"] = "relevant",
    threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: None, adjusted: bool = False,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def mean_precision_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, k: int | None = None,
    threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: Literal["macro", "weighted"] = "macro",
    adjusted: bool = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def mean_precision_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, k: int | None = None,
    threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: None, adjusted: bool = False,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def mean_rank(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, threshold: float | Literal["max"] = 0.0, ties:
    Literal["expected", "first", "optimistic", "pessimistic", "realistic"] =
    "expected", replace_undefined_by: float = ...,
    average: Literal["macro", "weighted"] = "macro",
    adjusted: bool | Literal["ratio", "z"] = False,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def mean_rank(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, threshold: float | Literal["max"] = 0.0, ties:
    Literal["expected", "first", "optimistic", "pessimistic", "realistic"] =
    "expected", replace_undefined_by: float = ..., average: None,
    adjusted: bool | Literal["ratio", "z"] = False,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def median_rank(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, threshold: float | Literal["max"] = 0.0, ties:
    Literal["expected", "first", "optimistic", "pessimistic", "realistic"] =
    "expected", replace_undefined_by: float = ...,
    average: Literal["macro", "weighted"] = "macro",
    adjusted: bool | Literal["ratio"] = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def median_rank(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, threshold: float | Literal["max"] = 0.0, ties:
    Literal["expected", "first", "optimistic", "pessimistic", "realistic"] =
    "expected", replace_undefined_by: float = ..., average: None,
    adjusted: bool | Literal["ratio"] = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def mrr_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, k: int | None = None,
    threshold: float | Literal["max"] = 0.0, ties: Literal["expected", "first",
    "optimistic", "pessimistic", "realistic"] = "expected",
    replace_undefined_by: float = 0.0, average: Literal["macro", "weighted"] = "macro",
    adjusted: bool | Literal["ratio", "z"] = False,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def mrr_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, k: int | None = None,
    threshold: float | Literal["max"] = 0.0, ties: Literal["expected", "first",
    "optimistic", "pessimistic", "realistic"] = "expected",
    replace_undefined_by: float = 0.0, average: None,
    adjusted: bool | Literal["ratio", "z"] = False,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def ndcg_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, k: int | None = None,
    gain: Literal["exponential", "linear"] | Callable[..., Any] = "exponential",
    discount: Literal["log2", "ln"] | Callable[..., Any] = "log2",
    threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: Literal["macro", "weighted"] = "macro",
    adjusted: bool = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def ndcg_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, k: int | None = None,
    gain: Literal["exponential", "linear"] | Callable[..., Any] = "exponential",
    discount: Literal["log2", "ln"] | Callable[..., Any] = "log2",
    threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: None, adjusted: bool = False,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def precision_at_k_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, k: int, normalize: Literal["k", "length"] = "k",
    threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: Literal["macro", "weighted"] = "macro",
    adjusted: bool = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def precision_at_k_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, k: int, normalize: Literal["k", "length"] = "k",
    threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: None, adjusted: bool = False,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def q_measure_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, beta: float = 1.0,
    gain: Literal["exponential", "linear"] | Callable[..., Any] = "exponential",
    threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: Literal["macro", "weighted"] = "macro",
    adjusted: bool = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def q_measure_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, beta: float = 1.0,
    gain: Literal["exponential", "linear"] | Callable[..., Any] = "exponential",
    threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: None, adjusted: bool = False,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def query_auc_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = ..., average: Literal["macro", "weighted"] = "macro",
    adjusted: bool = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def query_auc_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = ..., average: None, adjusted: bool = False,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
def query_report(
    y_true: ArrayLike | spmatrix | sparray,
    y_score: ArrayLike | Mapping[str, ArrayLike], query: object, *,
    metric: str | Callable[..., Any] = "ndcg@10", qid: ArrayLike | None = None,
    doc_id: ArrayLike | None = None,
    columns: ArrayLike | Any | Mapping[Any, Any] = None, k: int = 10, **params: Any
) -> QueryReport: ...
@overload
def r_precision_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: Literal["macro", "weighted"] = "macro",
    adjusted: bool = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def r_precision_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: None, adjusted: bool = False,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def rank_correlation_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None,
    weights: Literal["uniform", "gain", "discount"] | Callable[..., Any] = "uniform",
    gain: Literal["exponential", "linear"] | Callable[..., Any] = "exponential",
    discount: Literal["log2", "ln"] | Callable[..., Any] = "log2",
    threshold: float | Literal["max"] | None = None,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = ..., average: Literal["macro", "weighted"] = "macro",
    adjusted: bool = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def rank_correlation_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None,
    weights: Literal["uniform", "gain", "discount"] | Callable[..., Any] = "uniform",
    gain: Literal["exponential", "linear"] | Callable[..., Any] = "exponential",
    discount: Literal["log2", "ln"] | Callable[..., Any] = "log2",
    threshold: float | Literal["max"] | None = None,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = ..., average: None, adjusted: bool = False,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def rank_median_absolute_deviation(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, threshold: float | Literal["max"] = 0.0, ties:
    Literal["expected", "first", "optimistic", "pessimistic", "realistic"] =
    "expected", replace_undefined_by: float = ...,
    average: Literal["macro", "weighted"] = "macro",
    adjusted: bool | Literal["ratio"] = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def rank_median_absolute_deviation(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, threshold: float | Literal["max"] = 0.0, ties:
    Literal["expected", "first", "optimistic", "pessimistic", "realistic"] =
    "expected", replace_undefined_by: float = ..., average: None,
    adjusted: bool | Literal["ratio"] = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def rank_standard_deviation(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, threshold: float | Literal["max"] = 0.0, ties:
    Literal["expected", "first", "optimistic", "pessimistic", "realistic"] =
    "expected", replace_undefined_by: float = ...,
    average: Literal["macro", "weighted"] = "macro",
    adjusted: bool | Literal["ratio"] = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def rank_standard_deviation(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, threshold: float | Literal["max"] = 0.0, ties:
    Literal["expected", "first", "optimistic", "pessimistic", "realistic"] =
    "expected", replace_undefined_by: float = ..., average: None,
    adjusted: bool | Literal["ratio"] = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def rank_variance(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, threshold: float | Literal["max"] = 0.0, ties:
    Literal["expected", "first", "optimistic", "pessimistic", "realistic"] =
    "expected", replace_undefined_by: float = ...,
    average: Literal["macro", "weighted"] = "macro",
    adjusted: bool | Literal["ratio"] = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def rank_variance(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, threshold: float | Literal["max"] = 0.0, ties:
    Literal["expected", "first", "optimistic", "pessimistic", "realistic"] =
    "expected", replace_undefined_by: float = ..., average: None,
    adjusted: bool | Literal["ratio"] = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def ranking_loss(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = ..., average: Literal["macro", "weighted"] = "macro",
    adjusted: bool = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def ranking_loss(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = ..., average: None, adjusted: bool = False,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def rbo_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, p: float = 0.9,
    threshold: float | Literal["max"] | None = None,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = ..., average: Literal["macro", "weighted"] = "macro",
    adjusted: bool = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def rbo_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, p: float = 0.9,
    threshold: float | Literal["max"] | None = None,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = ..., average: None, adjusted: bool = False,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def rbp_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, k: int | None = None, p: float = 0.8,
    max_grade: float | None = None, threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: Literal["macro", "weighted"] = "macro",
    adjusted: bool = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def rbp_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, k: int | None = None, p: float = 0.8,
    max_grade: float | None = None, threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: None, adjusted: bool = False,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
@overload
def recall_at_k_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, k: int, threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: Literal["macro", "weighted"] = "macro",
    adjusted: bool = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def recall_at_k_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, k: int, threshold: float | Literal["max"] = 0.0,
    ties: Literal["expected", "first", "optimistic", "pessimistic"] = "expected",
    replace_undefined_by: float = 0.0, average: None, adjusted: bool = False,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
def score_queries(
    y_true: ArrayLike | spmatrix | sparray,
    y_score: ArrayLike | Mapping[str, ArrayLike],
    metrics: str | Callable[..., Any] | Sequence[str | Callable[..., Any]], *,
    qid: ArrayLike | None = None, by: ArrayLike | Any | Mapping[str, ArrayLike] = None,
    **params: Any
) -> QueryScores: ...
@overload
def spearman_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, threshold: float | Literal["max"] | None = None,
    ties: Literal["expected", "first", "optimistic", "pessimistic", "midrank"] =
    "expected", replace_undefined_by: float = ...,
    average: Literal["macro", "weighted"] = "macro", adjusted: bool = False,
    sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> float: ...
@overload
def spearman_score(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, *,
    qid: ArrayLike | None = None, threshold: float | Literal["max"] | None = None,
    ties: Literal["expected", "first", "optimistic", "pessimistic", "midrank"] =
    "expected", replace_undefined_by: float = ..., average: None,
    adjusted: bool = False, sample_weight: ArrayLike | None = None,
    exclude: ArrayLike | spmatrix | sparray | None = None,
    judged: ArrayLike | None = None, returned: ArrayLike | None = None
) -> NDArray[np.float64]: ...
def tie_report(
    y_true: ArrayLike | spmatrix | sparray, y_score: ArrayLike, metrics: str |
    Callable[..., Any] | Sequence[str | Callable[..., Any]] = ("mrr", "ndcg@10",
    "map"), *, qid: ArrayLike | None = None, **params: Any
) -> Any: ...
