"""Fixtures and marks for every test and doctest."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from pathlib import Path

import pytest
import sklearn

from skrank.metrics._metric import METRICS

ROOT = Path(__file__).parent

# Pages whose examples take more than a second.
SLOW_PAGES = {ROOT / "README.md", ROOT / "docs/rankers.rst"}


def pytest_collection_modifyitems(items):
    """Mark the examples of slow pages, which cannot hold a mark themselves."""
    for item in items:
        if item.path in SLOW_PAGES:
            item.add_marker("slow")


def pytest_report_header():
    """Name the libraries that the tests call, and those with recorded numbers only."""
    import peers

    live = [name for name in peers.LIBRARIES if peers.is_installed(name)]
    recorded = [name for name in peers.LIBRARIES if name not in live]
    return [
        f"libraries to compare with: {', '.join(live)}",
        f"libraries with recorded numbers only: {', '.join(recorded) or 'none'}",
    ]


@pytest.fixture(autouse=True)
def _leave_the_sklearn_config_as_found():
    # Examples enable metadata routing, as a user would.
    with sklearn.config_context():
        yield


@pytest.fixture(autouse=True)
def _leave_the_table_of_metrics_as_found():
    # Examples add scorer names.
    known = dict(METRICS)
    yield
    METRICS.clear()
    METRICS.update(known)
