"""Tests of statistics have few values of queries, and values of any size, on purpose."""

# SPDX-License-Identifier: BSD-3-Clause

import pytest

OF_OTHERS = ".* values without query ids are taken for|.* are they predictions"


def pytest_itemcollected(item):
    item.add_marker(pytest.mark.filterwarnings(f"ignore:{OF_OTHERS}:UserWarning"))
