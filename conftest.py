"""Fixtures and marks for every test and doctest."""

# SPDX-License-Identifier: BSD-3-Clause

import faulthandler
import os
import sys
import threading
import time
from importlib.util import find_spec
from pathlib import Path

import pytest
import sklearn

from skrank._engine.request import METRICS
from skrank._input.callers import _SHOWN

# A page whose examples need Dask, and the tests of files that only a checkout has.
collect_ignore = [] if find_spec("dask") else ["docs/large_data.rst"]
if not Path(__file__).with_name(".ci").is_dir():
    collect_ignore.append("tests/test_ci.py")

# Figures are drawn but not shown.
os.environ.setdefault("MPLBACKEND", "Agg")

# What skrank says of grades and masks that are drawn independently, and of a few values
# of any size. Tests have these; pages and docstrings do not.
DRAWN = (
    ".* rows that are not `judged` have a grade",
    ".* values without query ids are taken for",
    ".* are they predictions",
)

# Seconds after which a test hangs, and the thread that counts them.
LIMIT = 600
WATCHDOG = pytest.StashKey()


class Watchdog(threading.Thread):
    """Ends the run, and says where it was, if a test hangs.

    It counts the seconds in which the process runs, so that a paused run may go on, and
    none in a debugger.
    """

    left = None

    def __init__(self):
        super().__init__(daemon=True)
        self.stderr = os.dup(2)  # that of the whole run, which no test captures

    def run(self):
        while True:
            time.sleep(1)
            if (left := self.left) is not None:
                self.left = left - 1
                if left < 1:
                    os.write(self.stderr, b"The test hangs.\n")
                    faulthandler.dump_traceback(self.stderr)
                    os._exit(1)


def pytest_configure(config):
    """Start to watch, before tests begin."""
    config.stash[WATCHDOG] = Watchdog()
    config.stash[WATCHDOG].start()


def pytest_enter_pdb(config):
    """Give somebody who looks around all the time that they want."""
    config.stash[WATCHDOG].left = None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark what is slow by a rule: the pages, and all rows of a test but the first."""
    seen = set()
    for item in items:
        if item.nodeid.startswith("tests/"):
            for text in DRAWN:
                item.add_marker(pytest.mark.filterwarnings(f"ignore:{text}"), False)
        test = item.nodeid.partition("[")[0]
        if test in seen or item.path.suffix in {".md", ".rst"}:
            item.add_marker("slow")
        seen.add(test)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Count the seconds of each test."""
    watchdog = item.config.stash[WATCHDOG]
    watchdog.left = LIMIT
    try:
        return (yield)
    finally:
        watchdog.left = None


def pytest_report_header():
    """Name the libraries that the tests call in CI, and those with recorded numbers."""
    if "CI" not in os.environ:
        return []
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
    _SHOWN.clear()
    if known != METRICS:
        METRICS.clear()
        METRICS.update(known)
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
