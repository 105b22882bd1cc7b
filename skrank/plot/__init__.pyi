# Types of skrank.plot, written by tests/typing/make_stubs.py.

# SPDX-License-Identifier: BSD-3-Clause
# fmt: off

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike
from scipy.sparse import sparray, spmatrix

from skrank.metrics import QueryScores
from skrank.stats import RankerComparison

__all__ = [
    "ComparisonDisplay", "MetricAtKDisplay", "QueryDifferenceDisplay", "TieSpanDisplay"
]

class ComparisonDisplay:
    metric: Sequence[str]
    ranker: Sequence[str]
    baseline: Sequence[str]
    difference: ArrayLike
    low: ArrayLike
    high: ArrayLike
    is_shown: ArrayLike
    claim: str | None
    greater_is_better: Sequence[bool] | None
    letters: Sequence[tuple[Any, ...]] | None
    margins: Sequence[float]
    note: str | None
    intervals_: Any
    points_: dict[str, Any]
    ax_: Any
    figure_: Any
    def __init__(
        self, *, metric: Sequence[str], ranker: Sequence[str], baseline: Sequence[str],
        difference: ArrayLike, low: ArrayLike, high: ArrayLike, is_shown: ArrayLike,
        claim: str | None = None, greater_is_better: Sequence[bool] | None = None,
        letters: Sequence[tuple[Any, ...]] | None = None,
        margins: Sequence[float] = (), note: str | None = None
    ) -> None: ...
    @classmethod
    def from_comparison(
        cls, comparison: RankerComparison, *, metric: str | None = None, ax: Any = None
    ) -> ComparisonDisplay: ...
    def plot(self, ax: Any = None) -> ComparisonDisplay: ...

class MetricAtKDisplay:
    k: ArrayLike
    estimate: ArrayLike
    low: ArrayLike | None
    high: ArrayLike | None
    rankers: Sequence[str] | None
    metric: str | None
    greater_is_better: bool
    confidence_level: float | None
    lines_: list[Any]
    bands_: list[Any]
    ax_: Any
    figure_: Any
    def __init__(
        self, *, k: ArrayLike, estimate: ArrayLike, low: ArrayLike | None = None,
        high: ArrayLike | None = None, rankers: Sequence[str] | None = None,
        metric: str | None = None, greater_is_better: bool = True,
        confidence_level: float | None = None
    ) -> None: ...
    @classmethod
    def from_estimator(
        cls, estimator: Any | Mapping[str, Any],
        X: ArrayLike | spmatrix | sparray | Any, y: ArrayLike, metric: str, *,
        ks: Iterable[int] = ..., qid: ArrayLike | None = None,
        confidence_level: float = 0.95, ax: Any = None, **params: Any
    ) -> MetricAtKDisplay: ...
    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike | spmatrix | sparray,
        y_score: ArrayLike | Mapping[str, ArrayLike], metric: str, *,
        ks: Iterable[int] = ..., qid: ArrayLike | None = None,
        confidence_level: float = 0.95, ax: Any = None, **params: Any
    ) -> MetricAtKDisplay: ...
    @classmethod
    def from_scores(
        cls, scores: QueryScores, *, metric: str | None = None,
        confidence_level: float = 0.95, ax: Any = None
    ) -> MetricAtKDisplay: ...
    def plot(self, ax: Any = None, *, bands: bool = True) -> MetricAtKDisplay: ...

class QueryDifferenceDisplay:
    difference: ArrayLike
    query: ArrayLike | None
    ranker: str | None
    baseline: str | None
    metric: str | None
    greater_is_better: bool
    wins_: Any
    ties_: Any
    losses_: Any
    query_texts_: list[Any]
    ax_: Any
    figure_: Any
    def __init__(
        self, *, difference: ArrayLike, query: ArrayLike | None = None,
        ranker: str | None = None, baseline: str | None = None,
        metric: str | None = None, greater_is_better: bool = True
    ) -> None: ...
    @classmethod
    def from_estimator(
        cls, estimator: Mapping[str, Any], X: ArrayLike | spmatrix | sparray | Any,
        y: ArrayLike, metric: str | Callable[..., Any], *,
        qid: ArrayLike | None = None, ranker: str | None = None,
        baseline: str | None = None, n_worst: int = 0, ax: Any = None, **params: Any
    ) -> QueryDifferenceDisplay: ...
    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike | spmatrix | sparray, y_score: Mapping[str, ArrayLike],
        metric: str | Callable[..., Any], *, qid: ArrayLike | None = None,
        ranker: str | None = None, baseline: str | None = None, n_worst: int = 0,
        ax: Any = None, **params: Any
    ) -> QueryDifferenceDisplay: ...
    @classmethod
    def from_scores(
        cls, scores: QueryScores, *, metric: str | None = None,
        ranker: str | None = None, baseline: str | None = None, n_worst: int = 0,
        ax: Any = None
    ) -> QueryDifferenceDisplay: ...
    @property
    def n_losses(self) -> Any: ...
    @property
    def n_ties(self) -> Any: ...
    @property
    def n_wins(self) -> Any: ...
    def plot(self, ax: Any = None, *, n_worst: int = 0) -> QueryDifferenceDisplay: ...

class TieSpanDisplay:
    rankers: Sequence[str]
    metrics: Sequence[str]
    pessimistic: ArrayLike
    expected: ArrayLike
    optimistic: ArrayLike
    greater_is_better: Sequence[bool] | None
    spans_: Any
    pessimistic_: Any
    expected_: Any
    optimistic_: Any
    ax_: Any
    figure_: Any
    def __init__(
        self, *, rankers: Sequence[str], metrics: Sequence[str],
        pessimistic: ArrayLike, expected: ArrayLike, optimistic: ArrayLike,
        greater_is_better: Sequence[bool] | None = None
    ) -> None: ...
    @classmethod
    def from_estimator(
        cls, estimator: Any | Mapping[str, Any],
        X: ArrayLike | spmatrix | sparray | Any, y: ArrayLike, metrics: str |
        Callable[..., Any] | Sequence[str | Callable[..., Any]] = ("mrr", "ndcg@10",
        "map"), *, qid: ArrayLike | None = None, ax: Any = None, **params: Any
    ) -> TieSpanDisplay: ...
    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike | spmatrix | sparray,
        y_score: ArrayLike | Mapping[str, ArrayLike], metrics: str | Callable[..., Any]
        | Sequence[str | Callable[..., Any]] = ("mrr", "ndcg@10", "map"), *,
        qid: ArrayLike | None = None, ax: Any = None, **params: Any
    ) -> TieSpanDisplay: ...
    def plot(self, ax: Any = None) -> TieSpanDisplay: ...
