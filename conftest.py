"""Fixtures and marks for every test and doctest."""

# SPDX-License-Identifier: BSD-3-Clause

import os
import sys
from collections import defaultdict
from pathlib import Path

import pytest
import sklearn

from skrank.metrics.metric import METRICS

ROOT = Path(__file__).parent

# Figures are drawn but not shown.
os.environ.setdefault("MPLBACKEND", "Agg")

# Pages and modules that take long: their examples fit models, and their tests start
# processes, draw figures or read files.
SLOW_FILES = {
    ROOT / name
    for name in (
        "README.md",
        "docs/getting_started.rst",
        "docs/index.rst",
        "docs/is_it_better.rst",
        "docs/link_prediction.rst",
        "docs/model_selection.rst",
        "docs/rankers.rst",
        "tests/integrations/test_integrations.py",
        "tests/plot/test_base.py",
        "tests/model_selection/test_cross_val_query_scores.py",
        "tests/model_selection/test_one_standard_error.py",
        "tests/other_libraries/test_coming_from.py",
        "tests/rankers/test_as_regressor.py",
        "tests/rankers/test_max_queries.py",
        "tests/stats/test_simulate.py",
        "tests/tables/test_dask.py",
        "tests/tables/test_score_table.py",
        "tests/test_command_line.py",
    )
}

# So many rows of each parametrized test are quick; the others are marked as slow.
QUICK_ROWS = 1


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark slow files, and all but a few rows of the tests with many rows."""
    rows = defaultdict(list)
    for item in items:
        if item.path in SLOW_FILES:
            item.add_marker("slow")
        if hasattr(item, "callspec"):
            rows[item.nodeid.partition("[")[0]].append(item)
    for of_test in rows.values():
        quick = of_test[:: -(-len(of_test) // QUICK_ROWS)]
        for item in set(of_test) - set(quick):
            item.add_marker("slow")


def pytest_report_header():
    """Name the libraries that the tests call, and those with recorded numbers only."""
    from tests.other_libraries import peers

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


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
