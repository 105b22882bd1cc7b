# Types of skrank.tables, written by tests/typing/make_stubs.py.

# SPDX-License-Identifier: BSD-3-Clause
# fmt: off

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, overload

from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy.sparse import csr_matrix
from sklearn.utils import Bunch

from skrank.metrics import QueryScores

__all__ = [
    "ClusterScores", "align", "from_topk", "read_letor", "read_qrels", "read_run",
    "score_runs", "score_table", "ship_to_spark"
]

class ClusterScores:
    frame: Any
    finish: Callable[..., Any]
    def __init__(self, frame: Any, finish: Callable[..., Any]) -> None: ...
    def collect(self, frame: Any = None) -> QueryScores: ...

def align(
    qrels: str | PathLike[str] | Any | Mapping[Any, Any] | Sequence[Any],
    run: str | PathLike[str] | Any | Mapping[Any, Any] | Sequence[Any], *,
    missing_queries: Literal["zero", "drop", "raise"] = "zero",
    unjudged_queries: Literal["drop", "raise"] = "drop",
    judged_from: float | None = None, qid: str = "qid", doc_id: str = "doc_id",
    grade: str = "grade", score: str = "score"
) -> Bunch: ...
def from_topk(
    indices: ArrayLike, relevant: ArrayLike | Sequence[Any],
    scores: ArrayLike | None = None, *, greater_is_better: bool = True
) -> Bunch: ...
def read_letor(
    path: str | PathLike[str], *, n_features: int | None = None, dtype: DTypeLike = ...
) -> tuple[csr_matrix, NDArray[Any], NDArray[Any]]: ...
def read_qrels(path: str | PathLike[str]) -> Bunch: ...
def read_run(
    path: str | PathLike[str], *, order: Literal["score", "rank"] = "score"
) -> Bunch: ...
def score_runs(
    qrels: str | PathLike[str] | Any | Mapping[Any, Any] | Sequence[Any],
    run: str | PathLike[str] | Any | Mapping[Any, Any] | Sequence[Any],
    metrics: str | Callable[..., Any] | Sequence[str | Callable[..., Any]], *,
    missing_queries: Literal["zero", "drop", "raise"] = "zero",
    unjudged_queries: Literal["drop", "raise"] = "drop",
    judged_from: float | None = None, qid: str = "qid", doc_id: str = "doc_id",
    grade: str = "grade", score: str = "score", **params: Any
) -> QueryScores: ...
@overload
def score_table(
    source: str | PathLike[str],
    metrics: str | Callable[..., Any] | Sequence[str | Callable[..., Any]], *,
    qid: str = "qid", y_true: str = "y_true",
    y_score: str | Sequence[str] | Mapping[str, str] = "y_score",
    by: str | Sequence[str] = (), judged: str | None = None,
    returned: str | Mapping[str, str] | None = None, doc_id: str | None = None,
    sample_weight: str | None = None, memory_limit: str | None = None,
    progress: bool | Literal["auto"] = False, **params: Any
) -> QueryScores: ...
@overload
def score_table(
    source: Any,
    metrics: str | Callable[..., Any] | Sequence[str | Callable[..., Any]], *,
    qid: str = "qid", y_true: str = "y_true",
    y_score: str | Sequence[str] | Mapping[str, str] = "y_score",
    by: str | Sequence[str] = (), judged: str | None = None,
    returned: str | Mapping[str, str] | None = None, doc_id: str | None = None,
    sample_weight: str | None = None, memory_limit: str | None = None,
    progress: bool | Literal["auto"] = False, **params: Any
) -> Any: ...
def ship_to_spark(spark: Any) -> None: ...
