"""Columns of rows, and what is known of items."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from skrank.metrics import ild_score, of_items, popularity_score


@pytest.mark.parametrize("kind", ["series", "dict", "array", "strings", "sparse"])
def test_columns_of_items_are_those_of_the_rows(kind):
    rng = np.random.default_rng(0)
    item = rng.integers(0, 5, size=30)
    table, qid = rng.random((5, 2)), np.repeat(np.arange(6), 5)
    scores = rng.integers(0, 4, size=30)
    rows = table[item]
    letters = np.array(list("edcba"))
    frame = pd.DataFrame(table, index=letters)
    tables = {
        "series": (frame, letters[item]),
        "dict": (dict(zip(letters, table, strict=True)), letters[item]),
        "array": (table, item),
        "strings": (frame, pd.Series(letters[item])),
        "sparse": (sparse.csr_matrix(table), item),
    }
    by_row = ild_score(None, scores, qid=qid, features=rows, k=3)
    by_item = ild_score(None, scores, qid=qid, features=of_items(*tables[kind]), k=3)
    assert by_item == by_row
    sparse_rows = sparse.csr_matrix(rows)
    assert ild_score(None, scores, qid=qid, features=sparse_rows, k=3) == by_row


def test_an_item_that_the_table_lacks_is_an_error_if_it_is_read():
    views = of_items({"a": 1, "b": 2}, ["a", "x", "b"])
    assert popularity_score(None, [3, 1, 2], popularity=views, k=2) == 1.5
    with pytest.raises(ValueError, match="Got no item 'x' among 2"):
        popularity_score(None, [3, 1, 2], popularity=views)
    with pytest.raises(ValueError, match="Got no item 5 among 2"):
        popularity_score(None, [3, 1], popularity=of_items([1, 2], [0, 5]))
    with pytest.raises(ValueError, match="Got 'a' twice"):
        of_items(pd.Series([1, 2], index=["a", "a"]), ["a"])


def test_items_may_be_integers_among_objects():
    views = of_items([5.0, 7.0], np.array([1, 0], dtype=object))
    assert popularity_score(None, [2, 1], popularity=views, k=1) == 7
