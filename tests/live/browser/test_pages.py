"""The pages of the site, as a reader sees them on a phone and on wider screens."""

# SPDX-License-Identifier: BSD-3-Clause

import pytest

from tests.live.browser.dead_links import dead_links

WIDTHS = (400, 1000, 1400)
# What is written by hand, the gallery, and one page of the API.
PAGES = ("*.html", "gallery/*.html", "generated/skrank.rankers.QueryRanker.html")
# Sphinx makes these; the tests of the search open the last one.
INDICES = {"genindex.html", "py-modindex.html", "search.html"}


def pytest_generate_tests(metafunc):
    if "page" in metafunc.fixturenames:
        site = metafunc.config.getoption("site")
        pages = [
            file.relative_to(site).as_posix()
            for pattern in PAGES
            for file in sorted(site.glob(pattern))
        ]
        metafunc.parametrize("page", [page for page in pages if page not in INDICES])


def complain(faults):
    """Fail with one line for each fault."""
    if faults:
        pytest.fail("\n".join(faults), pytrace=False)


def test_the_pages_of_the_site_are_all_there(site):
    for pattern in PAGES:
        assert [*site.glob(pattern)], f"{site} has no {pattern}"


@pytest.mark.parametrize("width", WIDTHS)
def test_a_page_can_be_read(browser, address, screenshots, page, width):
    browser.open(f"{address}/{page}", width)
    faults = browser.look()
    browser.keep(screenshots / f"{page.replace('/', '-')}-{width}.png")
    complain([f"{page} at {width} px: {fault}" for fault in faults])


def test_a_page_can_be_read_in_dark_mode(browser, address, screenshots, page):
    browser.open(f"{address}/{page}", max(WIDTHS), "dark")
    faults = browser.look()
    browser.keep(screenshots / f"{page.replace('/', '-')}-dark.png")
    complain([f"{page} in dark mode: {fault}" for fault in faults])


@pytest.mark.parametrize("word", ["significance", "GroupKFold"])
@pytest.mark.parametrize("width", WIDTHS)
def test_the_search_finds(browser, address, screenshots, word, width):
    browser.open(f"{address}/search.html?q={word}", width)
    assert browser.results() > 0
    faults = browser.look()
    browser.keep(screenshots / f"search-{word}-{width}.png")
    complain([f"search of {word} at {width} px: {fault}" for fault in faults])


def test_no_link_of_any_page_is_dead(site):
    complain(dead_links(site))
