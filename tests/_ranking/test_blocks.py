"""Blocks of lists hold what the lists do."""

# SPDX-License-Identifier: BSD-3-Clause

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from skrank._ranking.arrays import gather, split_by_width

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
