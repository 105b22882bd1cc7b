"""Displays of metrics, ties and comparisons, drawn by matplotlib."""

# SPDX-License-Identifier: BSD-3-Clause

from skrank.plot.comparison_display import ComparisonDisplay
from skrank.plot.metric_displays import MetricAtKDisplay, TieSpanDisplay
from skrank.plot.query_difference import QueryDifferenceDisplay

__all__ = [
    "ComparisonDisplay",
    "MetricAtKDisplay",
    "QueryDifferenceDisplay",
    "TieSpanDisplay",
]


def __dir__():
    return __all__
