"""Rankers that wrap other estimators."""

# SPDX-License-Identifier: BSD-3-Clause

from skrank.rankers.pairwise import PairwiseRanker
from skrank.rankers.query_ranker import QueryRanker
from skrank.rankers.regressor import as_regressor

__all__ = ["PairwiseRanker", "QueryRanker", "as_regressor"]
