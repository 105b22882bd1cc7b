"""What ranked queries ask of their documents, and that nobody changes it."""

# SPDX-License-Identifier: BSD-3-Clause

import dataclasses

import numpy as np
import pytest

from skrank._ranking.lists import Lists, read_lists
from skrank._ranking.rank import KeyedLists, sort_keys
from skrank._ranking.targets import OneTarget

Y, S, QID = [1, 0, 2, 0], [4.0, 3, 2, 1], [0, 1, 0, 1]
TARGETS = [0, 1], [[4.0, 3], [2, 1]]


def asked():
    """Return the names that the documents of a ranking have, whatever they are."""
    names = vars(OneTarget).keys() | OneTarget.__annotations__.keys()
    return {name for name in names if name[0] != "_"} - {"n_candidates"}


@pytest.mark.parametrize(
    "documents",
    [
        read_lists(Y, S, qid=QID),
        read_lists(*TARGETS),
        OneTarget(np.arange(2), np.array([3, 3])),
    ],
    ids=lambda documents: type(documents).__name__,
)
def test_documents_answer_what_is_asked_and_are_frozen(documents):
    assert "count_grades" in asked()
    for name in asked():
        assert hasattr(documents, name)
    with pytest.raises(dataclasses.FrozenInstanceError):
        documents.ids = np.zeros(2)
    assert documents.n_relevant().shape == documents.n_documents().shape == (2,)


def test_queries_of_one_target_have_one_document_of_grade_1():
    documents = OneTarget(np.arange(2), np.array([3, 4]))
    assert documents.n_documents().tolist() == [3, 4]
    query, grade, count = documents.count_grades()
    assert (query.tolist(), grade.tolist(), count.tolist()) == ([0, 1], [1, 1], [1, 1])


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
