"""Fixtures for rankers."""

# SPDX-License-Identifier: BSD-3-Clause

import pytest
import sklearn


@pytest.fixture
def routing():
    """Let scikit-learn pass query ids and weights on."""
    with sklearn.config_context(enable_metadata_routing=True):
        yield
