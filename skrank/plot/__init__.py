"""Displays of metrics and comparisons, drawn by matplotlib."""

# SPDX-License-Identifier: BSD-3-Clause

from skrank.plot.comparison_display import ComparisonDisplay
from skrank.plot.score_displays import MetricAtKDisplay, QueryDifferenceDisplay

__all__ = [
    "ComparisonDisplay",
    "MetricAtKDisplay",
    "QueryDifferenceDisplay",
]


def __dir__():
    return __all__
