"""Intervals, comparisons and sample sizes, with queries as the units."""

# SPDX-License-Identifier: BSD-3-Clause

from skrank.stats.compare import compare_rankers
from skrank.stats.comparison import RankerComparison
from skrank.stats.gates import GateDecision, gate
from skrank.stats.intervals import confidence_interval, mean_interval
from skrank.stats.results import ConfidenceIntervals
from skrank.stats.sample_size import required_queries

__all__ = [
    "ConfidenceIntervals",
    "GateDecision",
    "RankerComparison",
    "compare_rankers",
    "confidence_interval",
    "gate",
    "mean_interval",
    "required_queries",
]


def __dir__():
    return __all__
