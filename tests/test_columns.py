"""Query ids are found in a column or in the index."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from skrank._columns import drop_qid_column, find_qid, require_qid

Y = pd.Series([1, 0], index=pd.Index(["y", "y"], name="qid"))
FRAMES = {
    "pandas": pd.DataFrame({"a": [1, 2], "qid": ["x", "x"], "b": [3, 4]}),
    "polars": pl.DataFrame({"a": [1, 2], "qid": ["x", "x"], "b": [3, 4]}),
}


class TestCarriers:
    @pytest.mark.parametrize("kind", FRAMES)
    def test_they_are_asked_in_order(self, kind):
        X = FRAMES[kind]
        assert find_qid([1, 1], X=X, y=Y, groups=[2, 2]) == [1, 1]
        assert find_qid(X=X, y=Y, groups=[2, 2]) == [2, 2]
        assert list(find_qid(X=X, y=Y)) == ["x", "x"]
        assert list(find_qid(X=X[["a"]], y=Y)) == ["y", "y"]

    def test_a_level_of_the_index_is_enough(self):
        levels = pd.MultiIndex.from_arrays([[0, 1], ["p", "q"]], names=["row", "qid"])
        for y in (pd.Series([1, 0], index=levels), pd.DataFrame([1, 0], index=levels)):
            assert list(find_qid(y=y)) == ["p", "q"]

    @pytest.mark.parametrize(
        ("X", "y"),
        [
            (None, None),
            (np.zeros((2, 2)), np.zeros(2)),
            ([[1], [2]], [1, 2]),
            (sparse.csr_matrix((2, 2)), (1, 2)),
            (FRAMES["pandas"][["a"]], pd.Series([1, 2])),
            (FRAMES["polars"][["a"]], pl.Series([1, 2])),
            (
                pd.DataFrame(
                    [[1, 2]], columns=pd.MultiIndex.from_tuples([("qid", 1), ("a", 1)])
                ),
                None,
            ),
            (pd.DataFrame([[1, 2]]), pd.Series([1], index=pd.Index([1], name="query"))),
        ],
    )
    def test_nothing_is_found_where_nothing_carries_them(self, X, y):
        assert find_qid(X=X, y=y) is None

    @pytest.mark.parametrize("kind", FRAMES)
    def test_the_column_is_dropped_and_the_type_kept(self, kind):
        X = FRAMES[kind]
        assert list(drop_qid_column(X).columns) == ["a", "b"]
        assert type(drop_qid_column(X)) is type(X)
        assert list(X.columns) == ["a", "qid", "b"]

    def test_columns_of_one_name_stay_as_many(self):
        X = pd.DataFrame([[1, 2, 3]], columns=["a", "a", "qid"])
        assert drop_qid_column(X).to_numpy().tolist() == [[1, 2]]

    @pytest.mark.parametrize(
        "X", [np.zeros((2, 2)), FRAMES["pandas"][["a"]], FRAMES["polars"][["a"]], None]
    )
    def test_without_the_column_it_is_the_same_object(self, X):
        assert drop_qid_column(X) is X

    def test_the_error_names_all_carriers(self):
        assert require_qid([1], "f") == [1]
        with pytest.raises(
            ValueError,
            match=r"^f needs to know.*as `qid`.*column named 'qid'.*index of y named",
        ):
            require_qid(None, "f")
