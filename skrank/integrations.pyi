# Types of skrank.integrations, written by tests/typing/make_stubs.py.

# SPDX-License-Identifier: BSD-3-Clause
# fmt: off

from collections.abc import Callable, Mapping
from typing import Any

from numpy.typing import ArrayLike
from scipy.sparse import sparray, spmatrix

__all__ = ["catboost_metric", "lightgbm_metric", "xgboost_metric"]

def catboost_metric(
    metric: str | Callable[..., Any], *, y: ArrayLike | None = None,
    qid: ArrayLike | None = None, sample_weight: ArrayLike | None = None, **params: Any
) -> Any: ...
def lightgbm_metric(
    metric: str | Callable[..., Any], *, y: ArrayLike | None = None,
    qid: ArrayLike | None = None, sample_weight: ArrayLike | None = None, **params: Any
) -> Any: ...
def xgboost_metric(
    metric: str | Callable[..., Any], *,
    X: ArrayLike | spmatrix | sparray | Any = None, y: ArrayLike | None = None,
    qid: ArrayLike | None = None, sample_weight: ArrayLike | None = None,
    dmatrix: Mapping[Any, Any] | None = None, **params: Any
) -> Any: ...
