"""Metrics of subtopics, against the mean over all orders of tied documents."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from skrank.metrics import of_items
from skrank.metrics.columns import read_columns

LABELS = [["a", "b"], [], ["b"], ["c", "a", "a"]]
IS_ON = np.array([[1, 1, 0], [0, 0, 0], [0, 1, 0], [1, 0, 1]], dtype=bool)
BY_ITEM = {"x": ["b"], "y": ["c", "a"], "z": []}


@pytest.mark.parametrize(
    "form",
    [
        LABELS,
        [set(row) for row in LABELS],
        [LABELS[0], None, *LABELS[2:]],
        pd.Series(LABELS),
        pd.Series([LABELS[0], np.nan, *LABELS[2:]]),
        pl.Series(LABELS),
        pa.array(LABELS),
        pa.array([LABELS[0], None, *LABELS[2:]]),
        pa.chunked_array([LABELS[:1], LABELS[1:]]),
        IS_ON,
        IS_ON.tolist(),
        IS_ON.astype(float),
        pd.DataFrame(IS_ON),
        pd.DataFrame(IS_ON).astype("boolean"),
        pl.DataFrame(IS_ON),
        sparse.coo_array(IS_ON),
        sparse.csr_matrix(IS_ON.astype(int)),
    ],
    ids=lambda form: f"{type(form).__module__}.{type(form).__name__}",
)
def test_subtopics_are_labels_or_a_matrix(form):
    column = read_columns({"subtopics": form}, (4,))["subtopics"]
    np.testing.assert_array_equal(column.all().toarray(), IS_ON)
    np.testing.assert_array_equal(column.take(np.array([3, 0])), IS_ON[[3, 0]])
    again = read_columns({"subtopics": column}, (4,))["subtopics"]
    assert again.all() is column.all()


@pytest.mark.parametrize(
    "table",
    [BY_ITEM, pd.Series(BY_ITEM), pd.DataFrame(np.eye(3) > 0, index=list("xyz"))],
    ids=["dict", "series", "frame"],
)
def test_subtopics_of_items_are_those_of_their_rows(table):
    column = read_columns({"subtopics": of_items(table, list("zyyx"))}, (4,))
    found = column["subtopics"].all().toarray()
    if isinstance(table, pd.DataFrame):
        np.testing.assert_array_equal(found, np.eye(3, dtype=bool)[[2, 1, 1, 0]])
    else:
        np.testing.assert_array_equal(
            found, [[0, 0, 0], [1, 0, 1], [1, 0, 1], [0, 1, 0]]
        )


@pytest.mark.parametrize(
    ("form", "message"),
    [
        (["a", "b"], "one list of labels per row.*Got 'a' of type str in a row"),
        ([1.0, 0.0], "must have shape .n_samples, n_subtopics."),
        ([[1], [2, 3]], "labels in the column 'subtopics' must be of type str. Got 1"),
        ([[1, 2], [0, 1]], "must hold True and False, or 1 and 0.* Got 2"),
        ([[0.5], [1]], "Got 0.5"),
        ([[np.nan], [1]], "Got nan"),
        (sparse.csr_matrix([[3], [1]]), "Got 3"),
        ([["a"]], "Got 1 entries for 2 rows"),
    ],
)
def test_what_is_wrong_with_subtopics_is_said(form, message):
    with pytest.raises(ValueError, match=message):
        read_columns({"subtopics": form}, (2,))
