"""Packages that are extras, and a progress bar."""

# SPDX-License-Identifier: BSD-3-Clause

import sys

import pyarrow as pa
import pytest

from skrank._text.extras import import_extra, progress_bar
from skrank.link_prediction import PopularityPredictor, rank_triples
from skrank.tables import score_table


def test_a_package_is_imported_or_its_extra_is_named():
    assert import_extra("json") is sys.modules["json"]
    with pytest.raises(ImportError, match=r"the package no_such_one\..*\[tables\]"):
        import_extra("no_such_one.part")


@pytest.fixture
def seen(monkeypatch):
    """Return what a bar is told; its package is there instead of tqdm."""
    seen = []

    class Bar:
        def __init__(self, **options):
            seen.append(options)

        def update(self, n_done):
            seen.append(n_done)

        def close(self):
            seen.append("closed")

    module = type(sys)("tqdm.auto")
    module.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    return seen


def test_there_is_a_bar_on_a_terminal_with_tqdm_and_nowhere_else(seen, monkeypatch):
    def advance_by_3():
        with progress_bar(lambda: 3, "rows") as advance:
            advance(3)

    advance_by_3()
    assert not seen
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    advance_by_3()
    assert seen == [{"total": 3, "unit": "rows", "delay": 2}, 3, "closed"]
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    advance_by_3()
    monkeypatch.setattr(sys, "stderr", None)
    advance_by_3()
    assert len(seen) == 3


def test_long_work_says_how_far_it_is(seen, monkeypatch):
    pytest.importorskip("duckdb")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    model = PopularityPredictor().fit([[0, 0, 1], [1, 0, 2]])
    rank_triples(model, [[0, 0, 1], [1, 0, 2], [2, 0, 0]], batch_size=2)
    assert [seen[0]["total"], *seen[1:]] == [6, 2, 1, 2, 1, "closed"]
    seen.clear()
    score_table(pa.table({"qid": [1, 1], "y_true": [1, 0], "y_score": [2, 1]}), "mrr")
    assert (seen[0]["total"], sum(seen[1:-1])) == (2, 2)
