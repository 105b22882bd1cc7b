# Types of skrank.link_prediction, written by tests/typing/make_stubs.py.

# SPDX-License-Identifier: BSD-3-Clause
# fmt: off

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import sparray
from sklearn.base import BaseEstimator
from typing_extensions import Self

from skrank.metrics import RankedQueries

__all__ = [
    "LinkPredictor", "LinkRanks", "PopularityPredictor", "SampledNegatives",
    "evaluate_link_prediction", "from_pykeen", "rank_triples", "type_constraints"
]

class LinkPredictor:
    def predict(
        self, X: ArrayLike, *, side: Literal["head", "tail"] = "tail",
        candidates: ArrayLike | None = None
    ) -> NDArray[Any]: ...
    def score(self, X: ArrayLike, y: object = None) -> float: ...

class LinkRanks:
    side: NDArray[Any]
    triple: NDArray[Any]
    relation: NDArray[Any]
    category: NDArray[Any]
    above: NDArray[Any]
    tied: NDArray[Any]
    n_candidates: NDArray[Any]
    weight: NDArray[np.float64]
    n_negatives: NDArray[Any] | None
    estimate: Literal["em", "bias-variance", "rank"] | None
    def __init__(
        self, side: NDArray[Any], triple: NDArray[Any], relation: NDArray[Any],
        category: NDArray[Any], above: NDArray[Any], tied: NDArray[Any],
        n_candidates: NDArray[Any], weight: NDArray[np.float64],
        n_negatives: NDArray[Any] | None = None,
        estimate: Literal["em", "bias-variance", "rank"] | None = None
    ) -> None: ...
    def __len__(self) -> int: ...
    @overload
    def evaluate(
        self, metrics: str | Callable[..., Any] | Sequence[str | Callable[..., Any]] =
        ("mrr", "neg_mean_rank", "hits@1", "hits@3", "hits@10"), *, ties:
        Literal["expected", "optimistic", "pessimistic", "realistic"] | None = None,
        average: Literal["rank", "question"] = "rank", by: None = None,
        convention: Literal["pykeen", "ogb", "ampligraph"] | None = None, **params: Any
    ) -> dict[str, float]: ...
    @overload
    def evaluate(
        self, metrics: str | Callable[..., Any] | Sequence[str | Callable[..., Any]] =
        ("mrr", "neg_mean_rank", "hits@1", "hits@3", "hits@10"), *, ties:
        Literal["expected", "optimistic", "pessimistic", "realistic"] | None = None,
        average: Literal["rank", "question"] = "rank", by: str,
        convention: Literal["pykeen", "ogb", "ampligraph"] | None = None, **params: Any
    ) -> dict[Any, dict[str, float]]: ...
    @property
    def optimistic(self) -> NDArray[np.float64]: ...
    @property
    def pessimistic(self) -> NDArray[np.float64]: ...
    def ranking(
        self, ties: Literal["expected", "optimistic", "pessimistic", "realistic"],
        sample_weight: NDArray[Any] | None = None
    ) -> RankedQueries: ...
    @property
    def realistic(self) -> NDArray[np.float64]: ...
    def select(self, where: NDArray[np.bool_] | int | slice) -> LinkRanks: ...
    def to_dict(self) -> dict[str, NDArray[Any]]: ...

class PopularityPredictor(LinkPredictor, BaseEstimator):
    entities: ArrayLike | None
    relations: ArrayLike | None
    entities_: NDArray[Any]
    relations_: NDArray[Any]
    triples_: NDArray[Any]
    tail_counts_: sparray
    head_counts_: sparray
    n_features_in_: int
    def __init__(
        self, *, entities: ArrayLike | None = None, relations: ArrayLike | None = None
    ) -> None: ...
    def fit(self, X: ArrayLike, y: object = None) -> Self: ...
    def score_heads(self, X: ArrayLike) -> NDArray[Any]: ...
    def score_tails(self, X: ArrayLike) -> NDArray[Any]: ...
    def set_predict_request(
        self, *, candidates: bool | str | None = ..., side: bool | str | None = ...
    ) -> Self: ...

class SampledNegatives:
    negatives: int | ArrayLike | Mapping[Any, Any]
    estimate: Literal["em", "bias-variance", "rank"] | None
    random_state: int | np.random.RandomState | None
    def __init__(
        self, negatives: int | ArrayLike | Mapping[Any, Any] = 50, *,
        estimate: Literal["em", "bias-variance", "rank"] | None = "em",
        random_state: int | np.random.RandomState | None = None
    ) -> None: ...

@overload
def evaluate_link_prediction(
    model: object, X: ArrayLike, *, known: Literal["auto"] | ArrayLike |
    Sequence[Literal["auto"] | ArrayLike] | None = "auto", sides: Literal["head",
    "tail"] | Sequence[Literal["head", "tail"]] = ("head", "tail"), metrics: str |
    Callable[..., Any] | Sequence[str | Callable[..., Any]] = ("mrr", "neg_mean_rank",
    "hits@1", "hits@3", "hits@10"), ties: Literal["expected", "optimistic",
    "pessimistic", "realistic"] | None = None,
    average: Literal["rank", "question"] = "rank", by: None = None,
    candidates: ArrayLike | Mapping[Any, Any] | SampledNegatives | None = None,
    batch_size: int | Literal["auto"] = "auto",
    convention: Literal["pykeen", "ogb", "ampligraph"] | None = None,
    progress: bool = False, **params: Any
) -> dict[str, float]: ...
@overload
def evaluate_link_prediction(
    model: object, X: ArrayLike, *, known: Literal["auto"] | ArrayLike |
    Sequence[Literal["auto"] | ArrayLike] | None = "auto", sides: Literal["head",
    "tail"] | Sequence[Literal["head", "tail"]] = ("head", "tail"), metrics: str |
    Callable[..., Any] | Sequence[str | Callable[..., Any]] = ("mrr", "neg_mean_rank",
    "hits@1", "hits@3", "hits@10"), ties: Literal["expected", "optimistic",
    "pessimistic", "realistic"] | None = None,
    average: Literal["rank", "question"] = "rank", by: str,
    candidates: ArrayLike | Mapping[Any, Any] | SampledNegatives | None = None,
    batch_size: int | Literal["auto"] = "auto",
    convention: Literal["pykeen", "ogb", "ampligraph"] | None = None,
    progress: bool = False, **params: Any
) -> dict[Any, dict[str, float]]: ...
def from_pykeen(model: Any, triples_factory: Any = None) -> Any: ...
def rank_triples(
    model: object, X: ArrayLike, *, known: Literal["auto"] | ArrayLike |
    Sequence[Literal["auto"] | ArrayLike] | None = "auto", sides: Literal["head",
    "tail"] | Sequence[Literal["head", "tail"]] = ("head", "tail"),
    candidates: ArrayLike | Mapping[Any, Any] | SampledNegatives | None = None,
    batch_size: int | Literal["auto"] = "auto", progress: bool = False
) -> LinkRanks: ...
def type_constraints(X: ArrayLike) -> dict[Any, Any]: ...
