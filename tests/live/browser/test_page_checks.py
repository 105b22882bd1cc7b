"""Each check of a page finds what it looks for, and nothing on a good page."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import pytest
from live.browser.page_checks import dead_links, open_page, problems_of_page, serve

GOOD = """<p>Text</p><pre>short</pre>
<table><tr><th>one column</th><td>another column</td></tr></table>
<div style="overflow-x: auto"><div style="width: 3000px">wide</div></div>"""

BROKEN = {
    "the page scrolls sideways": '<p style="width: 3000px">wide</p>',
    "a column of": "<table><tr><td>a</td><td>a longer cell of it</td></tr></table>",
    "an image that is not there": '<img src="missing.png">',
    "a formula that is not rendered": r'<span class="math">\(x\)</span>',
    "a formula with an error": "<mjx-merror>x</mjx-merror>",
    "a code line that is cut": f'<pre style="overflow: auto">{"x" * 900}</pre>',
    "a mailto link": '<a href="mailto:ndcg@10">ndcg@10</a>',
    "a request that leaves the site": '<img src="http://localhost:9/x.png">',
    "the console says": "<script>throw Error('broken')</script>",
}


def page(body):
    icon = '<link rel="icon" href="data:,">'
    style = "<style>td, th {min-width: 1em}</style>"
    return f"<!doctype html><html><head>{icon}{style}</head><body>{body}</body></html>"


def problems(browser, folder, body):
    (folder / "page.html").write_text(page(body), "utf-8")
    with serve(folder) as address:
        open_page(browser, f"{address}/page.html", 1000)
        return problems_of_page(browser)


def test_a_good_page_has_no_problem(browser, tmp_path):
    wide = GOOD.replace("<table>", '<table style="table-layout: fixed; width: 40em">')
    assert problems(browser, tmp_path, wide) == []


@pytest.mark.parametrize("problem", BROKEN)
def test_a_broken_page_has_its_problem(browser, tmp_path, problem):
    found = problems(browser, tmp_path, BROKEN[problem])
    assert any(line.startswith(problem) for line in found), found


def test_links_that_lead_nowhere_are_found(tmp_path):
    (tmp_path / "one.html").write_text(
        page(
            '<a id="here" href="#here">good</a> <a href="two.html#there">good</a>'
            '<a href="#gone">no anchor</a> <a href="two.html#gone">no anchor</a>'
            '<a href="three.html">no page</a> <a href="https://example.org/x">other</a>'
            '<a href="mailto:a@b">mail</a> <img src="no.png">'
        ),
        "utf-8",
    )
    (tmp_path / "two.html").write_text(page('<p id="there">x</p>'), "utf-8")
    found = [line.removeprefix("one.html: ") for line in dead_links(tmp_path)]
    assert found == [
        "#gone leads to no anchor",
        "two.html#gone leads to no anchor",
        "three.html leads nowhere",
        "mailto:a@b is a mailto link",
        "no.png leads nowhere",
    ]
