"""The pages of the site, as a reader sees them on a phone and on wider screens."""

# SPDX-License-Identifier: BSD-3-Clause

import pytest
from selenium.webdriver.support.wait import WebDriverWait

from docs import site_map
from tests.live.browser.dead_links import dead_links

WIDTHS = (400, 800, 1000, 1400)
# What is written by hand, the gallery, and one page of the API.
PAGES = (
    "*.html",
    "development/*.html",
    "gallery/*.html",
    "generated/skrank.rankers.QueryRanker.html",
)
# Sphinx makes these; the tests of the search open the last one.
INDICES = {"genindex.html", "py-modindex.html", "search.html"}
MOVED = site_map.old_addresses()


def pytest_generate_tests(metafunc):
    if "page" in metafunc.fixturenames:
        site = metafunc.config.getoption("site")
        pages = [
            file.relative_to(site).as_posix()
            for pattern in PAGES
            for file in sorted(site.glob(pattern))
        ]
        left_out = INDICES | MOVED.keys()
        metafunc.parametrize("page", [page for page in pages if page not in left_out])


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


@pytest.mark.parametrize(
    ("words", "name"),
    [("mrr", "mrr_score"), ("ndcg", "ndcg_score"), ("hits@10", "hits_at_k_score")],
)
def test_the_search_finds_a_metric_by_its_name_first(browser, address, words, name):
    browser.open(f"{address}/search.html?q={words}", max(WIDTHS))
    browser.results()
    first = "return document.querySelector('#search-results li a').textContent"
    assert browser.driver.execute_script(first).rpartition(".")[2] == name


PRODUCTION = ["save", "save model", "load", "deploy", "joblib", "skops", "drop"]


@pytest.mark.parametrize(
    ("words", "name"),
    [(words, "production") for words in [*PRODUCTION, "production"]]
    + [("MAE", "scorers"), ("MSE", "scorers"), ("F1", "scorers")]
    + [("RC", "metrics_agreement"), ("padding", "metrics"), ("ln", "metrics_graded")]
    + [("group", "query_ids"), ("cv", "model_selection"), ("date", "model_selection")]
    + [("custom metric", "metrics")],
)
def test_the_search_finds_the_right_page_first(browser, address, words, name):
    browser.open(f"{address}/search.html?q={words}", max(WIDTHS))
    browser.results()
    first = "return document.querySelector('#search-results li a').pathname"
    assert browser.driver.execute_script(first) == f"/{name}.html"


# What people ask for, by the page that answers. The tests above have more of it.
ASKED = {
    "around_the_ranker": ["optuna", "calibration"],
    "cite": ["cite"],
    "clicks": ["click", "interleaving"],
    "conventions": ["gain"],
    "faq": ["html", "learning curve"],
    "fusion": ["RRF", "rerank"],
    "inspection": ["shap", "feature importance"],
    "is_it_better": ["significance", "p-value", "power", "bootstrap", "segment"],
    "link_prediction": ["inverse relations", "negative sampling"],
    "metrics": ["which metric", "revenue"],
    "metrics_adjusted": ["AMRI"],
    "metrics_agreement": ["GAUC", "RBO"],
    "metrics_binary": ["Kaggle", "mapk"],
    "metrics_exposure": ["position bias"],
    "metrics_first_relevant": ["hit rate", "mrr"],
    "model_selection": ["nested", "cold start"],
    "other_libraries": ["ndcg_cut_10", "group sizes"],
    "query_ids": ["groups", "sample weight"],
    "rankers": ["LGBMRanker", "early stopping"],
    "retrieval": ["RAG", "two tower"],
    "scorers": ["pooling", "roc_auc", "make_scorer"],
    "shell": ["cli", "trec_eval"],
    "trackers": ["mlflow"],
    "two_samples": ["week"],
    "your_data": ["qrels", "BEIR"],
}


@pytest.mark.parametrize(
    ("words", "name"),
    [(words, name) for name, asked in ASKED.items() for words in asked],
)
def test_the_search_finds_the_page_among_the_first_five(browser, address, words, name):
    browser.open(f"{address}/search.html?q={words}", max(WIDTHS))
    assert f"/{name}.html" in browser.first_results(5)


@pytest.mark.parametrize("old", MOVED)
def test_an_old_address_leads_to_the_new_one(browser, address, old):
    browser.open(f"{address}/{old}#here", max(WIDTHS))
    WebDriverWait(browser.driver, 20).until(
        lambda driver: driver.current_url == f"{address}/{MOVED[old]}#here"
    )


def test_no_link_of_any_page_is_dead(site):
    complain(dead_links(site))
