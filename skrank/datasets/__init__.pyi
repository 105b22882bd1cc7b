# Types of skrank.datasets, written by tests/typing/make_stubs.py.

# SPDX-License-Identifier: BSD-3-Clause
# fmt: off

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

__all__ = ["load_digits_retrieval", "load_nations", "make_ranking"]

@overload
def load_digits_retrieval(
    *, n_queries: int = 200, n_documents: int | tuple[int, int] = (20, 60),
    random_state: int | np.random.RandomState | None = 0,
    return_X_y: Literal[False] = False
) -> Bunch: ...
@overload
def load_digits_retrieval(
    *, n_queries: int = 200, n_documents: int | tuple[int, int] = (20, 60),
    random_state: int | np.random.RandomState | None = 0, return_X_y: Literal[True]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]: ...
def load_nations() -> Bunch: ...
def make_ranking(
    n_queries: int = 100, *, n_documents: int | tuple[int, int] = (5, 40),
    n_features: int = 20, n_informative: int = 5, n_grades: int = 5,
    noise: float = 0.5, unanswered: float = 0.05,
    random_state: int | np.random.RandomState | None = None
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]: ...
