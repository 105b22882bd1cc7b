"""Closed forms, against every order of the tied documents."""

# SPDX-License-Identifier: BSD-3-Clause

import itertools
from collections import Counter

import numpy as np
import pytest
from numpy.testing import assert_allclose

from skrank._ranking.queries import law_of_first, sum_over_places


@pytest.mark.parametrize("relevant", [1, 2, 4])
@pytest.mark.parametrize("size", [4, 5, 6])
def test_the_first_relevant_document_has_the_ranks_of_all_orders(size, relevant):
    places = list(itertools.combinations(range(1, size + 1), relevant))
    counts = Counter(place[0] for place in places)
    above = 3
    group, rank, probability = law_of_first(
        np.array([above]), np.array([size]), np.array([relevant]), None
    )
    assert group.tolist() == [0] * len(counts)
    assert rank.tolist() == [above + place for place in sorted(counts)]
    expected = [counts[place] / len(places) for place in sorted(counts)]
    assert_allclose(probability, expected, rtol=1e-14)


def test_ranks_beyond_a_cutoff_may_be_left_out():
    ones = np.array([1, 1])
    group, rank, probability = law_of_first(np.array([0, 9]), 8 * ones, ones, 3)
    assert rank[group == 0].tolist() == [1, 2, 3]
    assert_allclose(probability[group == 0], 1 / 8)


def test_weights_are_summed_from_the_first_place_to_the_last():
    found = sum_over_places(lambda rank: 1 / rank, np.array([0, 2]), np.array([3, 2]))
    assert_allclose(found, [1 + 1 / 2 + 1 / 3, 0], rtol=1e-15)
