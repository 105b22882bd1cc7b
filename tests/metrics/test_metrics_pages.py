"""The pages on metrics name every metric and show the pictures of their script."""

# SPDX-License-Identifier: BSD-3-Clause

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from sklearn import model_selection

from docs import make
from docs.makers import pictures
from docs.makers.pictures import PICTURES
from skrank._engine.request import METRICS

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {path.stem: path.read_text("utf-8") for path in DOCS.glob("*.rst")}
# The cheat sheet lists the pages of the families.
FAMILIES = re.findall(r"^See :doc:`(metrics_\w+)`\.$", PAGES["cheat_sheet"], flags=re.M)


def names_on(text):
    """Return the scorer names of the metrics in a text, without cutoffs."""
    found = re.findall(r"``(?:neg_)?([a-z_0-9]+)(?:@(?:k|[0-9]+))?``", text)
    return {METRICS[name].full_name for name in found if name in METRICS}


NAMES = {metric.full_name for metric in METRICS.values()}


def test_every_page_of_a_family_is_on_the_cheat_sheet_and_in_the_chapter():
    pages = {name for name in PAGES if name.startswith("metrics_")}
    assert set(FAMILIES) == pages
    assert {name for name in pages if f"<{name}>`" in PAGES["metrics"]} == pages


def test_the_cheat_sheet_lists_every_name_and_function():
    assert names_on(PAGES["cheat_sheet"]) == NAMES
    functions = {m.function.__name__ for m in METRICS.values() if m.function}
    listed = re.findall(r":func:`~skrank\.metrics\.(\w+)`", PAGES["cheat_sheet"])
    assert set(listed) == functions


def test_the_cheat_sheet_is_up_to_date():
    assert make.outdated("cheat_sheet") == [], "run python docs/make.py cheat_sheet"


def test_every_metric_is_explained_on_the_page_of_its_family():
    explained = [names_on(PAGES[name]) for name in FAMILIES]
    assert set.union(*explained) == NAMES


@pytest.mark.slow
@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_can_be_drawn_and_is_on_a_page(name, monkeypatch):
    # The searches of examples take long, and the gallery and the page run them.
    search = SimpleNamespace(best_params_={}, best_score_=0.5)
    search.fit = lambda X, y: search
    search.predict = lambda X: list(range(len(X)))
    monkeypatch.setattr(model_selection, "GridSearchCV", lambda *_, **__: search)
    found = [(metric, {1: 0.5, 10: 0.6}, 10, 0.4) for metric in ("roc_auc", "mrr")]
    monkeypatch.setattr(pictures, "choices", lambda: found)
    assert PICTURES[name]().axes
    shown = [f"{kind}:: pictures/{name}.svg" for kind in ("figure", "image")]
    assert any(one in text for one in shown for text in PAGES.values())


def test_every_picture_in_the_folder_is_drawn_by_the_script():
    assert {path.stem for path in (DOCS / "pictures").iterdir()} == set(PICTURES)
