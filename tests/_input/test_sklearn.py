"""The private names of scikit-learn are what the package takes them for."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics
from scipy import sparse

from skrank._input import sklearn as private

X = np.arange(6).reshape(3, 2)


@pytest.mark.parametrize(
    ("data", "as_list"),
    [
        (X, lambda found: found.tolist()),
        (X.tolist(), list),
        (sparse.csr_matrix(X), lambda found: found.toarray().tolist()),
        (pd.DataFrame(X), lambda found: found.to_numpy().tolist()),
    ],
    ids=["array", "list", "sparse", "frame"],
)
def test_rows_of_any_data_are_taken_by_position(data, as_list):
    assert as_list(private.entries_of(data, [2, 0])) == [[4, 5], [0, 1]]


def test_columns_are_taken_by_position():
    assert private.entries_of(X, [1], axis=1).tolist() == [[1], [3], [5]]


def test_the_scorers_and_their_names_are_where_they_are_looked_for():
    table = private.scorer_table()
    assert set(sklearn.metrics.get_scorer_names()) == {*table}
    assert type(table["r2"]) is private.ScikitLearnScorer
    options, error = private.name_constraint()
    assert issubclass(error, ValueError)
    constraint = options({"r2", "accuracy"})
    assert constraint.is_satisfied_by("r2")
    assert not constraint.is_satisfied_by("r3")
