# Types of skrank.model_selection, written by tests/typing/make_stubs.py.

# SPDX-License-Identifier: BSD-3-Clause
# fmt: off

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import BaseCrossValidator
from typing_extensions import Self

from skrank.metrics import QueryScores

__all__ = [
    "ColdStartKFold", "LeaveLastOut", "QueryKFold", "QueryShuffleSplit",
    "QueryTimeSeriesSplit", "RepeatedQueryKFold", "StratifiedQueryKFold",
    "TimeRangeSplit", "TripleShuffleSplit", "cross_val_query_scores",
    "one_standard_error", "query_train_test_split"
]

class ColdStartKFold(BaseCrossValidator):
    n_splits: int
    cold: Literal["user", "item", "both"]
    shuffle: bool
    random_state: int | np.random.RandomState | None
    item: str | ArrayLike
    qid_column: str | int
    def __init__(
        self, n_splits: int = 5, *, cold: Literal["user", "item", "both"] = "user",
        shuffle: bool = False, random_state: int | np.random.RandomState | None = None,
        item: str | ArrayLike = "item", qid_column: str | int = "qid"
    ) -> None: ...
    def get_n_splits(
        self, X: object = None, y: object = None, groups: object = None, *,
        qid: object = None, time: object = None, item: object = None
    ) -> int: ...
    def set_split_request(
        self, *, groups: bool | str | None = ..., item: bool | str | None = ...,
        qid: bool | str | None = ...
    ) -> Self: ...
    def split(
        self, X: ArrayLike, y: ArrayLike | None = None,
        groups: ArrayLike | None = None, *, qid: ArrayLike | None = None,
        item: ArrayLike | None = None
    ) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]: ...

class LeaveLastOut(BaseCrossValidator):
    k: int
    n_splits: int
    time: str | ArrayLike
    qid_column: str | int
    def __init__(
        self, k: int = 1, *, n_splits: int = 1, time: str | ArrayLike = "time",
        qid_column: str | int = "qid"
    ) -> None: ...
    def get_n_splits(
        self, X: object = None, y: object = None, groups: object = None, *,
        qid: object = None, time: object = None, item: object = None
    ) -> int: ...
    def set_split_request(
        self, *, groups: bool | str | None = ..., qid: bool | str | None = ...,
        time: bool | str | None = ...
    ) -> Self: ...
    def split(
        self, X: ArrayLike, y: ArrayLike | None = None,
        groups: ArrayLike | None = None, *, qid: ArrayLike | None = None,
        time: ArrayLike | None = None
    ) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]: ...

class QueryKFold(BaseCrossValidator):
    n_splits: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    qid_column: str | int
    def __init__(
        self, n_splits: int = 5, *, shuffle: bool = False,
        random_state: int | np.random.RandomState | None = None,
        qid_column: str | int = "qid"
    ) -> None: ...
    def get_n_splits(
        self, X: object = None, y: object = None, groups: object = None, *,
        qid: object = None, time: object = None, item: object = None
    ) -> int: ...
    def set_split_request(
        self, *, groups: bool | str | None = ..., qid: bool | str | None = ...
    ) -> Self: ...
    def split(
        self, X: ArrayLike, y: ArrayLike | None = None,
        groups: ArrayLike | None = None, *, qid: ArrayLike | None = None
    ) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]: ...

class QueryShuffleSplit(BaseCrossValidator):
    n_splits: int
    test_size: float | int | None
    train_size: float | int | None
    random_state: int | np.random.RandomState | None
    qid_column: str | int
    def __init__(
        self, n_splits: int = 10, *, test_size: float | int | None = None,
        train_size: float | int | None = None,
        random_state: int | np.random.RandomState | None = None,
        qid_column: str | int = "qid"
    ) -> None: ...
    def get_n_splits(
        self, X: object = None, y: object = None, groups: object = None, *,
        qid: object = None, time: object = None, item: object = None
    ) -> int: ...
    def set_split_request(
        self, *, groups: bool | str | None = ..., qid: bool | str | None = ...
    ) -> Self: ...
    def split(
        self, X: ArrayLike, y: ArrayLike | None = None,
        groups: ArrayLike | None = None, *, qid: ArrayLike | None = None
    ) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]: ...

class QueryTimeSeriesSplit(BaseCrossValidator):
    n_splits: int
    gap: int | str | timedelta | np.timedelta64
    max_train_size: int | None
    test_size: int | None
    time: str | ArrayLike
    qid_column: str | int
    def __init__(
        self, n_splits: int = 5, *, gap: int | str | timedelta | np.timedelta64 = 0,
        max_train_size: int | None = None, test_size: int | None = None,
        time: str | ArrayLike = "time", qid_column: str | int = "qid"
    ) -> None: ...
    def get_n_splits(
        self, X: object = None, y: object = None, groups: object = None, *,
        qid: object = None, time: object = None, item: object = None
    ) -> int: ...
    def set_split_request(
        self, *, groups: bool | str | None = ..., qid: bool | str | None = ...,
        time: bool | str | None = ...
    ) -> Self: ...
    def split(
        self, X: ArrayLike, y: ArrayLike | None = None,
        groups: ArrayLike | None = None, *, qid: ArrayLike | None = None,
        time: ArrayLike | None = None
    ) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]: ...

class RepeatedQueryKFold(BaseCrossValidator):
    n_splits: int
    n_repeats: int
    random_state: int | np.random.RandomState | None
    qid_column: str | int
    def __init__(
        self, n_splits: int = 5, n_repeats: int = 10, *,
        random_state: int | np.random.RandomState | None = None,
        qid_column: str | int = "qid"
    ) -> None: ...
    def get_n_splits(
        self, X: object = None, y: object = None, groups: object = None, *,
        qid: object = None, time: object = None, item: object = None
    ) -> int: ...
    def set_split_request(
        self, *, groups: bool | str | None = ..., qid: bool | str | None = ...
    ) -> Self: ...
    def split(
        self, X: ArrayLike, y: ArrayLike | None = None,
        groups: ArrayLike | None = None, *, qid: ArrayLike | None = None
    ) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]: ...

class StratifiedQueryKFold(BaseCrossValidator):
    n_splits: int
    shuffle: bool
    random_state: int | np.random.RandomState | None
    qid_column: str | int
    def __init__(
        self, n_splits: int = 5, *, shuffle: bool = False,
        random_state: int | np.random.RandomState | None = None,
        qid_column: str | int = "qid"
    ) -> None: ...
    def get_n_splits(
        self, X: object = None, y: object = None, groups: object = None, *,
        qid: object = None, time: object = None, item: object = None
    ) -> int: ...
    def set_split_request(
        self, *, groups: bool | str | None = ..., qid: bool | str | None = ...
    ) -> Self: ...
    def split(
        self, X: ArrayLike, y: ArrayLike | None = None,
        groups: ArrayLike | None = None, *, qid: ArrayLike | None = None
    ) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]: ...

class TimeRangeSplit(BaseCrossValidator):
    n_splits: int
    test_size: float | int | str | timedelta | np.timedelta64
    gap: int | str | timedelta | np.timedelta64
    drop_new: Literal["user", "item", "both"] | None
    time: str | ArrayLike
    item: str | ArrayLike
    qid_column: str | int
    def __init__(
        self, n_splits: int = 1, *,
        test_size: float | int | str | timedelta | np.timedelta64 = 0.1,
        gap: int | str | timedelta | np.timedelta64 = 0,
        drop_new: Literal["user", "item", "both"] | None = None,
        time: str | ArrayLike = "time", item: str | ArrayLike = "item",
        qid_column: str | int = "qid"
    ) -> None: ...
    def get_n_splits(
        self, X: object = None, y: object = None, groups: object = None, *,
        qid: object = None, time: object = None, item: object = None
    ) -> int: ...
    def set_split_request(
        self, *, groups: bool | str | None = ..., item: bool | str | None = ...,
        qid: bool | str | None = ..., time: bool | str | None = ...
    ) -> Self: ...
    def split(
        self, X: ArrayLike, y: ArrayLike | None = None,
        groups: ArrayLike | None = None, *, qid: ArrayLike | None = None,
        time: ArrayLike | None = None, item: ArrayLike | None = None
    ) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]: ...

class TripleShuffleSplit(BaseCrossValidator):
    n_splits: int
    test_size: float | int | None
    random_state: int | np.random.RandomState | None
    def __init__(
        self, n_splits: int = 10, *, test_size: float | int | None = None,
        random_state: int | np.random.RandomState | None = None
    ) -> None: ...
    def get_n_splits(
        self, X: object = None, y: object = None, groups: object = None
    ) -> int: ...
    def split(
        self, X: ArrayLike, y: object = None, groups: object = None
    ) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]: ...

def cross_val_query_scores(
    estimator: Any | Mapping[str, Any], X: ArrayLike, y: ArrayLike, *, scoring: str |
    Callable[..., Any] | Sequence[Any] | Mapping[str, str | Sequence[Any]],
    cv: int | Any | Iterable[Any] = None, params: Mapping[Any, Any] | None = None,
    n_jobs: int | None = None
) -> QueryScores: ...
def one_standard_error(
    metric: str = "score", *, complexity: str | Callable[..., Any] | Sequence[str],
    n_se: float = 1.0
) -> Any: ...
def query_train_test_split(
    *arrays: ArrayLike, qid: ArrayLike | None = None,
    test_size: float | int | None = None, train_size: float | int | None = None,
    random_state: int | np.random.RandomState | None = None, shuffle: bool = True,
    qid_column: str | int = "qid"
) -> list[Any]: ...
