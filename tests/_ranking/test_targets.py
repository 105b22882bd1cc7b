"""Queries with one relevant document, among lists or a row of candidates."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from scipy import sparse

from skrank._ranking import rank
from skrank._ranking.lists import OneTarget, read_candidates
from skrank._ranking.rank import count_candidates


def test_queries_of_one_target_have_one_document_of_grade_1():
    documents = OneTarget(np.arange(2), np.array([3, 4]))
    assert documents.n_documents().tolist() == [3, 4]
    query, grade, count = documents.count_grades()
    assert (query.tolist(), grade.tolist(), count.tolist()) == ([0, 1], [1, 1], [1, 1])


def counted(scores, target, out, ties):
    """Return the candidates above the target of a row and its tie group, by a loop."""
    own, above, size = scores[target], 0, 1
    for column, score in enumerate(scores):
        if column == target or out[column]:
            continue
        if score > own or (ties == "first" and score == own and column < target):
            above += 1
        elif score == own and ties != "first":
            size += 1
    return above, size


@pytest.mark.parametrize("ties", ["expected", "first"])
@pytest.mark.parametrize("width", [7, rank.WIDE + 1])
@pytest.mark.parametrize("has_mask", [False, True])
def test_candidates_are_counted_as_by_a_loop(ties, width, has_mask, monkeypatch):
    monkeypatch.setattr(rank, "MAX_BYTES", 3 * 8 * width)  # blocks of three rows
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 4, (8, width)).astype(float)
    target = rng.integers(0, width, 8)
    out = rng.random((8, width)) < 0.3 if has_mask else np.zeros((8, width), bool)
    if has_mask:  # a candidate that is left out may be NaN, and a target is never out
        scores[0, np.flatnonzero(out[0] & (np.arange(width) != target[0]))[0]] = np.nan
        out[1, target[1]] = True
    mask = sparse.csr_matrix(out) if has_mask else None
    documents = read_candidates(target, scores, mask)
    expected = [counted(*row, ties) for row in zip(scores, target, out, strict=True)]
    assert list(zip(*count_candidates(documents, ties), strict=True)) == expected
    others = [
        np.count_nonzero(~np.delete(row, column))
        for row, column in zip(out, target, strict=True)
    ]
    assert documents.n_documents().tolist() == [1 + n for n in others]


def test_a_target_is_a_column_of_the_scores():
    scores = np.zeros((2, 3))
    for wrong, message in [
        ([0, 3], r"in the range \[0, 3\)\. Got 3"),
        ([-1, 0], r"in the range \[0, 3\)\. Got -1"),
        ([0, 0.5], "an int. Got values of dtype float64"),
        ([True, False], "an int. Got values of dtype bool"),
    ]:
        with pytest.raises(ValueError, match=message):
            read_candidates(np.array(wrong), scores, None)
