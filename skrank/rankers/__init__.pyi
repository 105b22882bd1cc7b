# Types of skrank.rankers, written by tests/typing/make_stubs.py.

# SPDX-License-Identifier: BSD-3-Clause
# fmt: off

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import sparray, spmatrix
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from typing_extensions import Self

from skrank.base import RankingEstimator

__all__ = ["PairwiseRanker", "QueryRanker", "as_regressor"]

class PairwiseRanker(RankingEstimator, MetaEstimatorMixin, BaseEstimator):
    estimator: Any
    max_pairs: int | None
    qid_column: str | int
    missing_qid: Literal["raise", "single"]
    random_state: int | np.random.RandomState | None
    estimator_: Any
    n_pairs_: int
    query_sizes_: dict[Any, Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self, estimator: Any = None, *, max_pairs: int | None = 1000,
        qid_column: str | int = "qid",
        missing_qid: Literal["raise", "single"] = "raise",
        random_state: int | np.random.RandomState | None = None
    ) -> None: ...
    @property
    def coef_(self) -> Any: ...
    def fit(
        self, X: ArrayLike | spmatrix | sparray | Any, y: ArrayLike, *,
        qid: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self: ...
    def predict(self, X: ArrayLike | spmatrix | sparray | Any) -> NDArray[Any]: ...
    def set_fit_request(
        self, *, qid: bool | str | None = ..., sample_weight: bool | str | None = ...
    ) -> Self: ...
    def set_score_request(
        self, *, qid: bool | str | None = ..., sample_weight: bool | str | None = ...
    ) -> Self: ...

class QueryRanker(RankingEstimator, MetaEstimatorMixin, BaseEstimator):
    estimator: Any
    qid_column: str | int
    missing_qid: Literal["raise", "single"]
    max_queries: int | None
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    scoring: str | Callable[..., Any]
    random_state: int | np.random.RandomState | None
    estimator_: Any
    query_sizes_: dict[Any, Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    def __init__(
        self, estimator: Any, *, qid_column: str | int = "qid",
        missing_qid: Literal["raise", "single"] = "raise",
        max_queries: int | None = None, early_stopping: bool = False,
        validation_fraction: float = 0.1, n_iter_no_change: int = 10,
        scoring: str | Callable[..., Any] = "ndcg@10",
        random_state: int | np.random.RandomState | None = None
    ) -> None: ...
    @property
    def best_iteration_(self) -> Any: ...
    @property
    def best_score_(self) -> Any: ...
    @property
    def coef_(self) -> Any: ...
    @property
    def evals_result_(self) -> Any: ...
    @property
    def feature_importances_(self) -> Any: ...
    def fit(
        self, X: ArrayLike | spmatrix | sparray | Any, y: ArrayLike, *,
        qid: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self: ...
    @property
    def intercept_(self) -> Any: ...
    @property
    def n_iter_(self) -> Any: ...
    def predict(self, X: ArrayLike | spmatrix | sparray | Any) -> NDArray[Any]: ...
    def set_fit_request(
        self, *, qid: bool | str | None = ..., sample_weight: bool | str | None = ...
    ) -> Self: ...
    def set_score_request(
        self, *, qid: bool | str | None = ..., sample_weight: bool | str | None = ...
    ) -> Self: ...

def as_regressor(ranker: Any) -> Any: ...
