"""Each check finds the fault that it looks for, and no other one on a good page."""

# SPDX-License-Identifier: BSD-3-Clause

import re

import pytest
from selenium.common.exceptions import TimeoutException

from tests.live.browser.browsing import serve
from tests.live.browser.dead_links import dead_links

GOOD = """
<p id="here">Some words and a <a href="#here">link</a>.</p>
<div style="overflow-x: auto"><table style="width: 3000px">
<tr><th colspan="2">both</th></tr><tr><td>one</td><td>two</td></tr></table></div>
<pre>short</pre><span class="math"><mjx-container>x</mjx-container></span>
<img src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'
width='9' height='9'/%3E">
"""
FAULTS = {
    '<p style="width: 1401px">far</p>': "the page is 14.. px wide: <p> far",
    '<p style="width: 1401px">far<b style="float: right">end</b></p>': "wide: <b> end",
    "<table><tr><td>a</td><td>long enough a text</td></tr></table>": "em wide: <td> a",
    '<p class="bd-sidebar-primary" style="width: 5em"><a>one_long_name</a></p>': (
        "over the border of the sidebar: <a> one"
    ),
    '<p style="color: #aaa">faint</p>': "a contrast of 2.3: <p> faint",
    '<img src="lost.png">': "an image is missing: lost.png",
    '<div class="math">\\(x\\)</div>': "1 formulas are not rendered, .*<div.math>",
    "<mjx-merror>y</mjx-merror>": "a formula has an error: <mjx-merror> y",
    f'<pre style="overflow: auto">{"long " * 300}</pre>': "a line of code is cut",
    '<h1 style="width: 3ch; overflow-wrap: anywhere">NDCG</h1>': "is broken: NDCG in",
    '<a href="mailto:ndcg@10">ndcg@10</a>': "a link writes a mail: <a> ndcg@10",
    "<script>undefined_name</script>": "console: .*undefined_name is not defined",
    '<script src="lost.js"></script>': r"in the console: .*lost\.js.*404",
    '<script src="https://pypi.org/a.js"></script>': r"in the console: .*pypi\.org",
    "<script>fetch('https://1.1.1.1/')</script>": r"in the console: .*1\.1\.1\.1",
}


def write(folder, body, name="page.html"):
    head = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">'
    style = '<body style="margin: 0; overflow-wrap: normal">'
    (folder / name).write_text(head + style + body, "utf-8")


def look(browser, folder, width=1400):
    with serve(folder) as address:
        browser.open(f"{address}/page.html", width)
        return browser.look()


@pytest.mark.parametrize("width", [400, 1000, 1400])
def test_a_good_page_has_no_fault(browser, tmp_path, width):
    write(tmp_path, GOOD)
    assert look(browser, tmp_path, width) == []
    assert dead_links(tmp_path) == []


@pytest.mark.parametrize(("body", "fault"), FAULTS.items())
def test_a_page_with_a_fault_is_found(browser, tmp_path, body, fault):
    write(tmp_path, GOOD + body)
    assert any(re.search(fault, line) for line in look(browser, tmp_path))


def test_code_may_be_cut_on_a_phone_only(browser, tmp_path):
    write(tmp_path, f'<pre style="overflow: auto">{"long " * 30}</pre>')
    assert look(browser, tmp_path, 400) == []
    assert len(look(browser, tmp_path, 1000)) == 1


def test_the_search_waits_for_results(browser, tmp_path):
    write(tmp_path, '<div id="search-results"></div>')
    with serve(tmp_path) as address:
        browser.open(f"{address}/page.html", 1000)
        with pytest.raises(TimeoutException):
            browser.results(seconds=0.2)


@pytest.mark.parametrize(
    ("link", "fault"),
    [
        ("lost.html", "no such file"),
        ("../page.html", "no such file"),
        ("/page.html", "no such file"),
        ("#lost", "no such anchor"),
        ("other.html#lost", "no such anchor"),
        ("mailto:ndcg@10", "a link writes a mail"),
    ],
)
def test_a_dead_link_is_found(tmp_path, link, fault):
    write(tmp_path, '<p id="here">', "other.html")
    write(tmp_path, f'<a href="other.html#here">good</a>\n<a href="{link}">bad</a>')
    assert dead_links(tmp_path) == [f"page.html line 2: {fault}: {link}"]
