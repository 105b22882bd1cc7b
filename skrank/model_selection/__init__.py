"""Splitters that keep the rows of a query together."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from skrank.model_selection._folds import RepeatedQueryKFold, StratifiedQueryKFold
from skrank.model_selection._split import QueryKFold, QueryShuffleSplit
from skrank.model_selection._train_test import query_train_test_split

__all__ = [
    "QueryKFold",
    "QueryShuffleSplit",
    "RepeatedQueryKFold",
    "StratifiedQueryKFold",
    "query_train_test_split",
]
