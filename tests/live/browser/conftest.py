"""A browser for all tests."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import pytest
from live.browser.page_checks import open_browser


@pytest.fixture(scope="session")
def browser():
    driver = open_browser()
    yield driver
    driver.quit()
