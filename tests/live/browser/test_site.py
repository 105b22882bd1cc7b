"""The site in a real browser, as people see it on a telephone and on two screens.

`bash .ci/run browser` builds the site, sets `SKRANK_SITE` to its folder, and runs these
tests. Pictures of the pages are written to `SKRANK_SCREENSHOTS`.
"""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import os
from pathlib import Path

import pytest
from live.browser.page_checks import (
    dead_links,
    open_page,
    problems_of_page,
    screenshot,
    serve,
    set_width,
    wait_for,
)

SITE = Path(os.environ["SKRANK_SITE"])
SCREENSHOTS = Path(os.environ["SKRANK_SCREENSHOTS"])
WIDTHS = [400, 1000, 1400]
PATTERNS = [
    *("index.html", "gallery/*.html", "metrics*.html", "conventions.html"),
    "generated/skrank.rankers.QueryRanker.html",
]
PAGES = [
    path.relative_to(SITE).as_posix()
    for pattern in PATTERNS
    for path in sorted(SITE.glob(pattern))
]

RESULTS = """
return [...document.querySelectorAll("#search-results li a")].map(a => a.textContent);
"""


@pytest.fixture(scope="module")
def address():
    with serve(SITE) as found:
        yield found


def test_all_kinds_of_pages_are_looked_at():
    examples = Path(__file__).parents[3] / "examples"
    of_gallery = {f"gallery/{path.stem}.html" for path in examples.glob("*.py")}
    of_gallery -= {"gallery/quickstart.html", "gallery/compare_rankers.html"}
    assert of_gallery <= {*PAGES}
    for pattern in PATTERNS:
        assert [*SITE.glob(pattern)], pattern


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_readable(browser, address, page):
    found = []
    for width in WIDTHS:
        open_page(browser, f"{address}/{page}", width)
        name = f"{page.removesuffix('.html').replace('/', '.')}_{width}.png"
        screenshot(browser, SCREENSHOTS / name)
        set_width(browser, width)
        found += [f"{page} at {width} px: {line}" for line in problems_of_page(browser)]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("word", ["significance", "GroupKFold"])
def test_search_finds(browser, address, word):
    open_page(browser, f"{address}/search.html?q={word}", 1000)
    results = wait_for(lambda: browser.execute_script(RESULTS))
    assert results, f"search.html?q={word} finds nothing"


def test_every_link_within_the_site_leads_somewhere():
    found = dead_links(SITE)
    assert not found, "\n" + "\n".join(found)
