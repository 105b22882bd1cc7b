"""Intervals, comparisons and sample sizes, with queries as the units."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from skrank._public import publish
from skrank.stats._compare_rankers import compare_rankers
from skrank.stats._comparison_display import ComparisonDisplay
from skrank.stats._confidence_interval import confidence_interval
from skrank.stats._ranker_comparison import RankerComparison
from skrank.stats._required_queries import required_queries

__all__ = [
    "ComparisonDisplay",
    "RankerComparison",
    "compare_rankers",
    "confidence_interval",
    "required_queries",
]

publish(__name__)
