"""What every test and doctest shares."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import sys
from pathlib import Path

import pytest
import sklearn

TESTS = Path(__file__).parent / "tests"
sys.path += [str(TESTS), str(TESTS / "other_libraries")]


def pytest_report_header():
    """Say which libraries are asked live, and for which their numbers stand in."""
    import peers

    live = [name for name in peers.LIBRARIES if peers.is_installed(name)]
    recorded = [name for name in peers.LIBRARIES if name not in live]
    return [
        f"libraries asked live: {', '.join(live)}",
        f"libraries by recorded numbers alone: {', '.join(recorded) or 'none'}",
    ]


@pytest.fixture(autouse=True)
def _leave_the_sklearn_config_as_found():
    # Examples switch metadata routing on as a user would; the next one starts anew.
    with sklearn.config_context():
        yield
