"""The site and the browser of these tests."""

# SPDX-License-Identifier: BSD-3-Clause

from pathlib import Path

import pytest

from tests.live.browser.browsing import Browser, serve


def pytest_addoption(parser):
    parser.addoption(
        "--site", type=Path, required=True, help="folder of the built site"
    )
    parser.addoption(
        "--screenshots", type=Path, required=True, help="folder of the pictures"
    )


@pytest.fixture(scope="session")
def site(request):
    return request.config.getoption("site")


@pytest.fixture(scope="session")
def screenshots(request):
    folder = request.config.getoption("screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def address(site):
    with serve(site) as address:
        yield address


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.driver.quit()


def pytest_terminal_summary(terminalreporter, config):
    terminalreporter.line(f"screenshots: {config.getoption('screenshots')}")
