"""Drawn searches have the values of loops by hand."""

# SPDX-License-Identifier: BSD-3-Clause

import lightgbm
import pytest

from tests.studies import searches_by_hand

pytestmark = pytest.mark.slow
FRAMES = ("polars", "pyarrow")


@pytest.mark.parametrize("number", range(20))
def test_a_drawn_search_equals_a_loop_by_hand(number):
    case, found = searches_by_hand.problems(1, number)
    is_old = tuple(map(int, lightgbm.__version__.split(".")[:2])) < (4, 7)
    if is_old and "LightGBM" in case.estimator and case.container in FRAMES:
        pytest.skip("LightGBM before 4.7 takes frames of pandas only")
    assert not found, case
