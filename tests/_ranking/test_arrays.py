"""Rows of lists stand together, in the order of the input."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from skrank._ranking.arrays import AsGiven, ByCode, gather, split_by_width

CODES = np.array([3, 0, 3, 1, 0, 3])
ROWS = [1, 4, 3, 0, 2, 5]  # those of code 0, of code 1 and of code 3


def by_code():
    return ByCode(CODES, 5)


@pytest.mark.parametrize("dtype", ["bool", "u1", "i8", "f4", "f8"])
@pytest.mark.parametrize("name", ["sorted", "take"])
def test_values_are_sorted_by_code_and_keep_their_order(name, dtype):
    values = np.array([0, 1, 1, 0, 0, 1]).astype(dtype)
    found = getattr(by_code(), name)(values)
    assert found.dtype == values.dtype
    assert_array_equal(found, values[ROWS])


@pytest.mark.parametrize("before", [None, "sorted", "take"])
def test_the_starts_are_the_same_whatever_was_sorted_before(before):
    order = by_code()
    if before is not None:
        getattr(order, before)(np.zeros(6))
    assert order.query.tolist() == [0, 1, 3]  # 2 and 4 do not occur
    assert order.starts.tolist() == [0, 2, 3]
    assert order.lengths.tolist() == [2, 1, 3]
    assert order.rows_at(np.array([0, 3])).tolist() == [1, 0]


def test_rows_that_stand_together_are_their_own_places():
    order = AsGiven(np.array([0, 2]), np.array([2, 3]), np.array([1, 0]))
    values = np.arange(5.0)
    assert order.sorted(values) is order.take(values) is values
    assert order.row_query.tolist() == [1, 1, 0, 0, 0]


def test_many_rows_are_sorted_as_a_stable_sort_does():
    codes = np.random.default_rng(0).integers(0, 300, 20_000)
    values = np.arange(20_000)
    expected = np.argsort(codes, kind="stable")
    order = ByCode(codes, 300)
    assert_array_equal(order.sorted(values), expected)
    assert_array_equal(order.lengths, np.bincount(codes))


# Blocks of lists hold what the lists do.


examples = settings(max_examples=40, derandomize=True, deadline=None, database=None)


@pytest.mark.slow
@given(st.lists(st.integers(1, 300), min_size=1, max_size=60), st.integers(1, 400))
@examples
def test_blocks_hold_every_list_once_and_stay_small(widths, max_cells):
    widths = np.array(widths)
    seen = []
    for rows, width in split_by_width(widths, max_cells):
        assert width == widths[rows].max()
        assert len(rows) == 1 or len(rows) * width <= max_cells
        seen += rows.tolist()
    assert sorted(seen) == list(range(len(widths)))


@pytest.mark.slow
@given(st.lists(st.integers(1, 9), min_size=1, max_size=12), st.data())
@examples
def test_gather_copies_the_lists_side_by_side(lengths, data):
    values = np.arange(sum(lengths)) + 100
    starts = np.cumsum(lengths) - lengths
    rows = data.draw(st.lists(st.sampled_from(range(len(lengths))), min_size=1))
    width = max(lengths[row] for row in rows)
    block = gather(values, starts[rows], width)
    assert block.shape == (len(rows), width)
    for line, row in zip(block, rows, strict=True):
        assert_array_equal(line[: lengths[row]], values[starts[row] :][: lengths[row]])
