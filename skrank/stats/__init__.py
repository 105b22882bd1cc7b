"""Intervals, comparisons and sample sizes, with queries as the units."""

# SPDX-License-Identifier: BSD-3-Clause

from typing import TYPE_CHECKING

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

_DISPLAYS = ["ComparisonDisplay"]
if TYPE_CHECKING:
    from skrank.plot import ComparisonDisplay as ComparisonDisplay


def __dir__():
    return [*__all__, *_DISPLAYS]


def __getattr__(name):
    if name in _DISPLAYS:
        from skrank import plot  # they use what this package defines

        return getattr(plot, name)
    raise AttributeError(f"Module {__name__!r} has no attribute {name!r}.")
