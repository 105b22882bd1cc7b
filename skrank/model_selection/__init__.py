"""Splitters for rankings, and values by query of cross-validated models."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from skrank._public import publish
from skrank.model_selection._cold import ColdStartKFold
from skrank.model_selection._cross_val import cross_val_query_scores
from skrank.model_selection._folds import RepeatedQueryKFold, StratifiedQueryKFold
from skrank.model_selection._one_standard_error import one_standard_error
from skrank.model_selection._split import QueryKFold, QueryShuffleSplit
from skrank.model_selection._time import LeaveLastOut, QueryTimeSeriesSplit
from skrank.model_selection._train_test import query_train_test_split
from skrank.model_selection._triple_shuffle_split import TripleShuffleSplit

__all__ = [
    "ColdStartKFold",
    "LeaveLastOut",
    "QueryKFold",
    "QueryShuffleSplit",
    "QueryTimeSeriesSplit",
    "RepeatedQueryKFold",
    "StratifiedQueryKFold",
    "TripleShuffleSplit",
    "cross_val_query_scores",
    "one_standard_error",
    "query_train_test_split",
]

publish(__name__)
