"""Fixtures and marks for every test and doctest."""

# SPDX-License-Identifier: BSD-3-Clause

import faulthandler
import os
import sys
from importlib.util import find_spec

import pytest
import sklearn

from skrank._engine.request import METRICS

# A page whose examples need Dask.
collect_ignore = [] if find_spec("dask") else ["docs/large_data.rst"]

# Figures are drawn but not shown.
os.environ.setdefault("MPLBACKEND", "Agg")

# The standard error of the whole run, which no test captures.
STDERR = pytest.StashKey()


def pytest_configure(config):
    """Keep the standard error before tests begin."""
    config.stash[STDERR] = os.dup(2)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark what is slow by a rule: the pages, and all but one row of `slow_rows`."""
    seen = set()
    for item in items:
        test = item.nodeid.partition("[")[0]
        is_page = item.path.suffix in {".md", ".rst"}
        if is_page or (test in seen and item.get_closest_marker("slow_rows")):
            item.add_marker("slow")
        seen.add(test)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """End the run, and say where it was, if a test takes ten minutes: it hangs."""
    faulthandler.dump_traceback_later(600, exit=True, file=item.config.stash[STDERR])
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


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
def _leave_everything_as_found():
    # Examples enable metadata routing and add scorer names, as a user would.
    known = dict(METRICS)
    with sklearn.config_context():
        yield
    if known != METRICS:
        METRICS.clear()
        METRICS.update(known)
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
