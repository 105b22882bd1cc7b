"""Rankers that wrap other estimators, or fuse their scores."""

# SPDX-License-Identifier: BSD-3-Clause

from skrank.rankers.fusion_ranker import FusionRanker
from skrank.rankers.pairwise import PairwiseRanker
from skrank.rankers.query_ranker import QueryRanker, RankerAsRegressor, as_regressor

__all__ = [
    "FusionRanker",
    "PairwiseRanker",
    "QueryRanker",
    "RankerAsRegressor",
    "as_regressor",
]


def __dir__():
    return __all__
