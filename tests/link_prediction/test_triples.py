"""The ids of entities, and which of them are candidates."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from skrank.link_prediction import PopularityPredictor, rank_triples, type_constraints
from skrank.link_prediction.triples import EntitySets, Vocabulary

NAMED = PopularityPredictor().fit([["a", "r", "b"], ["b", "s", "c"]])


def test_triples_that_are_no_array():
    for X, kind in ({("a", "r", "b")}, "set"), (sparse.eye(3), "sparse matrix"):
        with pytest.raises(TypeError, match=f"Got a {kind}"):
            rank_triples(NAMED, X)


def test_unknown_entities_are_cured_by_the_parameter_that_lists_them():
    X, known = [["a", "r", "x"]], PopularityPredictor(entities=["a", "b", "c", "x"])
    with pytest.raises(ValueError, match=r"as the parameter `entities=`"):
        rank_triples(NAMED, X)
    with pytest.raises(ValueError, match=r"as the parameter `relations=`"):
        rank_triples(NAMED, [["a", "q", "b"]])
    ranks = rank_triples(known.fit([["a", "r", "b"], ["b", "s", "c"]]), X)
    assert len(ranks) == 2


def test_constraints_are_the_entities_that_each_relation_was_seen_with():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(n, size=60) for n in (9, 4, 9)])
    seen = type_constraints(X)
    for side, column in (("head", 0), ("tail", 2)):
        assert [*seen[side]] == [0, 1, 2, 3]
        for relation, entities in seen[side].items():
            expected = sorted({row[column] for row in X.tolist() if row[1] == relation})
            assert entities.tolist() == expected


def test_the_candidates_of_each_row_are_those_of_its_relation():
    sets = EntitySets({0: np.array([1, 3]), 1: np.array([0])})
    found = sets.candidates((3, 4), None, np.array([1, 0, 1]))
    assert_array_equal(found, [[1, 0, 0, 0], [0, 1, 0, 1], [1, 0, 0, 0]])
    scores = np.array([[5.0, 1, 9, 9], [1, 3, 9, 4], [2, 2, 2, 2]])
    none = np.zeros(0, dtype=int)
    above, tied, n_candidates = sets.count(
        scores, None, np.array([1, 0, 1]), np.array([0, 1, 0]), none, none
    )
    # Only in the second row is there a candidate next to the target, with a score of 4.
    assert (above.tolist(), tied.tolist()) == ([0, 1, 0], [0, 0, 0])
    assert n_candidates.tolist() == [1, 2, 1]


@pytest.mark.parametrize(
    ("ids", "asked"),
    [
        (None, [[2, 0], [4, -1]]),
        (np.array([30, 10, 20]), [[20, 30], [40, 5]]),
        (np.array(["c", "a", "b"]), [["b", "c"], ["d", ""]]),
    ],
)
def test_ids_are_encoded_by_their_position_and_others_by_minus_1(ids, asked):
    ids = np.arange(3) if ids is None else ids
    found = Vocabulary(ids, "entities").encode(np.array(asked), "X")
    expected = [
        [ids.tolist().index(one) if one in ids.tolist() else -1 for one in row]
        for row in asked
    ]
    assert found.tolist() == expected
