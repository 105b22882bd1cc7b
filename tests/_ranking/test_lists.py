"""What ranked queries ask of their documents, and that nobody changes it."""

# SPDX-License-Identifier: BSD-3-Clause

import dataclasses

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from skrank._ranking.lists import Lists, OneTarget, read_lists
from skrank._ranking.rank import KeyedLists, sort_keys
from skrank.metrics import mrr_score
from tests.brute_force import masked

Y, S, QID = [1, 0, 2, 0], [4.0, 3, 2, 1], [0, 1, 0, 1]
DOCUMENTS = [read_lists(Y, S, qid=QID), read_lists([0, 1], [[4.0, 3], [2, 1]])]
DOCUMENTS += [OneTarget(np.arange(2), np.array([3, 3]))]


def asked():
    """Return the names that the documents of a ranking have, whatever they are."""
    names = vars(OneTarget).keys() | OneTarget.__annotations__.keys()
    return {name for name in names if name[0] != "_"} - {"n_candidates"}


@pytest.mark.parametrize("documents", DOCUMENTS, ids=lambda one: type(one).__name__)
def test_documents_answer_what_is_asked_and_are_frozen(documents):
    assert "count_grades" in asked()
    for name in asked():
        assert hasattr(documents, name)
    with pytest.raises(dataclasses.FrozenInstanceError):
        documents.ids = np.zeros(2)
    assert documents.n_relevant().shape == documents.n_documents().shape == (2,)


@pytest.mark.parametrize("y_true", [Y, [0.5, 0, 0.25, 0]])
def test_scattered_lists_with_sorted_keys_say_the_same_as_without(y_true):
    lists = read_lists(y_true, S, qid=QID)
    keyed = sort_keys(lists)
    assert type(lists) is Lists
    assert type(keyed) is KeyedLists
    # Query 0 has the rows 0 and 2, both relevant; query 1 has none.
    for documents in (lists, keyed):
        assert documents.n_relevant().tolist() == [2, 0]
        assert documents.is_relevant.tolist() == [True, True, False, False]
        assert documents.grade_at(np.array([0, 1])).tolist() == [y_true[0], y_true[2]]
        query, grade, count = documents.count_grades()
        assert query.tolist() == [0, 0]
        assert grade.tolist() == sorted([y_true[0], y_true[2]], reverse=True)
        assert count.tolist() == [1, 1]
        assert type(documents.select(np.array([0, 2]))) is Lists


def test_lists_of_infinite_scores_are_not_packed():
    lists = read_lists(Y, [4.0, np.inf, 2, 1], qid=QID)
    assert not lists.is_packable


Q = [7, 7, 8, 8]


def test_the_ids_may_be_the_index_of_y_true():
    y_true = pd.Series(Y, index=pd.Index(Q, name="qid"))
    assert mrr_score(y_true, S) == mrr_score(Y, S, qid=Q)
    levels = pd.MultiIndex.from_arrays([range(4), Q], names=["row", "qid"])
    assert mrr_score(pd.Series(Y, index=levels), S) == mrr_score(Y, S, qid=Q)
    # The argument goes before, and an index of another name says nothing.
    assert mrr_score(y_true, S, qid=[1, 1, 1, 1]) == mrr_score(Y, S)
    other = pd.Series(Y, index=pd.Index(Q, name="user"))
    assert mrr_score(other, S) == mrr_score(Y, S)


def test_nan_at_an_excluded_document_is_not_read():
    exclude = np.array([[False, True, False], [False, False, True]])
    y_score = [[1, np.nan, 2], [2.0, 1, np.nan]]
    for mask in (exclude, sparse.csr_matrix(exclude)):
        for y_true in ([0, 0], [[1, 0, 0], [1, 0, 0]], [[1, 5, 0], [1, 0, 5]]):
            assert masked(mrr_score, y_true, y_score, exclude=mask) == (1 / 2 + 1) / 2
        # A target is never excluded.
        with pytest.raises(ValueError, match="y_score contains NaN"):
            masked(mrr_score, [1, 0], y_score, exclude=mask)
        with pytest.raises(ValueError, match="y_score contains NaN"):
            masked(mrr_score, [0, 0], [[1, np.nan, 2], [np.nan, 1, 2]], exclude=mask)
