# Types of skrank.stats, written by tests/typing/make_stubs.py.

# SPDX-License-Identifier: BSD-3-Clause
# fmt: off

from collections.abc import Mapping, Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Bunch

from skrank.metrics import QueryScores
from skrank.plot import ComparisonDisplay as ComparisonDisplay

__all__ = [
    "ConfidenceIntervals", "RankerComparison", "compare_rankers",
    "confidence_interval", "required_queries"
]

class ConfidenceIntervals(Mapping[str, Any]):
    scores: QueryScores
    rows: tuple[Bunch, ...]
    clusters: Any
    confidence_level: Any
    def __init__(
        self, scores: QueryScores, rows: tuple[Bunch, ...], clusters: object,
        confidence_level: object
    ) -> None: ...
    @property
    def metrics(self) -> Any: ...
    @property
    def n_units(self) -> Any: ...
    @property
    def rankers(self) -> Any: ...
    def to_frame(
        self, kind: Literal["pandas", "polars", "pyarrow"] | None = None
    ) -> Any: ...
    def to_latex(self) -> str: ...
    def to_markdown(self) -> str: ...

class RankerComparison:
    scores: QueryScores
    rows: tuple[Bunch, ...]
    baseline: Any
    test: Any
    correction: Any
    alternative: Any
    margin: Any
    clusters: Any
    confidence_level: Any
    def __init__(
        self, scores: QueryScores, rows: tuple[Bunch, ...], baseline: object,
        test: object, correction: object, alternative: object, margin: object,
        clusters: object, confidence_level: object
    ) -> None: ...
    @property
    def intervals(self) -> Any: ...
    @property
    def letters(self) -> Any: ...
    @property
    def metrics(self) -> Any: ...
    @property
    def n_units(self) -> Any: ...
    @property
    def rankers(self) -> Any: ...
    def to_frame(
        self, kind: Literal["pandas", "polars", "pyarrow"] | None = None
    ) -> Any: ...
    def to_latex(self) -> str: ...
    def to_markdown(self) -> str: ...
    def worst_queries(
        self, n: int = 10, *,
        kind: Literal["pandas", "polars", "pyarrow"] | None = None
    ) -> Any: ...

def compare_rankers(
    scores: QueryScores | Mapping[str, QueryScores], *, baseline: str | None = None,
    test: Literal["permutation", "t", "wilcoxon", "sign"] = "permutation",
    correction: Literal["max-t", "holm", "bh"] | None = "max-t",
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    margin: float = 0.0,
    clusters: str | ArrayLike | Sequence[str | ArrayLike] | None = None,
    confidence_level: float = 0.95, n_resamples: int = 9999,
    random_state: int | np.random.RandomState | None = 0
) -> RankerComparison: ...
@overload
def confidence_interval(
    scores: ArrayLike, *, confidence_level: float = 0.95,
    method: Literal["auto", "wilson", "hall", "t", "bootstrap"] = "auto",
    clusters: str | ArrayLike | Sequence[str | ArrayLike] | None = None,
    sample_weight: ArrayLike | None = None, n_resamples: int = 9999,
    random_state: int | np.random.RandomState | None = 0
) -> Bunch: ...
@overload
def confidence_interval(
    scores: QueryScores, *, confidence_level: float = 0.95,
    method: Literal["auto", "wilson", "hall", "t", "bootstrap"] = "auto",
    clusters: str | ArrayLike | Sequence[str | ArrayLike] | None = None,
    sample_weight: ArrayLike | None = None, n_resamples: int = 9999,
    random_state: int | np.random.RandomState | None = 0
) -> ConfidenceIntervals: ...
def required_queries(
    scores: QueryScores | ArrayLike, effect: float, *, power: float = 0.8,
    confidence_level: float = 0.95
) -> Bunch: ...
