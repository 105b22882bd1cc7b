"""Fixtures for tables."""

# SPDX-License-Identifier: BSD-3-Clause

import pytest

from skrank.tables import stream


@pytest.fixture
def small_batches(monkeypatch):
    """Make a table of some thousand rows a large one."""
    monkeypatch.setattr(stream, "BATCH", 200)
