"""Rankers that wrap other estimators."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from skrank._public import publish
from skrank.rankers._as_regressor import RankerAsRegressor, as_regressor
from skrank.rankers._pairwise import PairwiseRanker
from skrank.rankers._query_ranker import QueryRanker

__all__ = ["PairwiseRanker", "QueryRanker", "as_regressor"]

publish(__name__, RankerAsRegressor)
