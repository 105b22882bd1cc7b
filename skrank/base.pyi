# Types of skrank.base, written by tests/typing/make_stubs.py.

# SPDX-License-Identifier: BSD-3-Clause
# fmt: off

from typing import Any

from numpy.typing import ArrayLike, NDArray
from scipy.sparse import sparray, spmatrix

__all__ = ["RankingEstimator", "check_ranker", "is_ranker"]

class RankingEstimator:
    @property
    def decision_function(self) -> Any: ...
    def rank(
        self, X: ArrayLike | spmatrix | sparray | Any, qid: ArrayLike | None = None
    ) -> NDArray[Any]: ...
    def score(
        self, X: ArrayLike | spmatrix | sparray | Any, y: ArrayLike, *,
        qid: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> float: ...

def check_ranker(estimator: Any) -> None: ...
def is_ranker(estimator: Any) -> bool: ...
