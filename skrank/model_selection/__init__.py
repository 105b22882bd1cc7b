"""Splitters for rankings, and values by query of cross-validated models."""

# SPDX-License-Identifier: BSD-3-Clause

from skrank.model_selection.cross_val import cross_val_query_scores
from skrank.model_selection.splitters import (
    QueryKFold,
    QueryShuffleSplit,
    RepeatedQueryKFold,
    StratifiedQueryKFold,
    query_train_test_split,
)
from skrank.model_selection.time import (
    LeaveLastOut,
    QueryTimeSeriesSplit,
    TimeRangeSplit,
)

__all__ = [
    "LeaveLastOut",
    "QueryKFold",
    "QueryShuffleSplit",
    "QueryTimeSeriesSplit",
    "RepeatedQueryKFold",
    "StratifiedQueryKFold",
    "TimeRangeSplit",
    "cross_val_query_scores",
    "query_train_test_split",
]


def __dir__():
    return __all__
