"""Tables as text, Markdown, LaTeX and HTML."""

# SPDX-License-Identifier: BSD-3-Clause

import re
import sys

import numpy as np
import pyarrow as pa
import pytest

from skrank._text import tables as text_tables
from skrank._text.tables import (
    Cell,
    Table,
    as_html,
    as_latex,
    as_markdown,
    as_text,
    import_extra,
    progress_bar,
)
from skrank.link_prediction import PopularityPredictor, rank_triples
from skrank.metrics import explain, tie_report
from skrank.stats import compare_rankers, gate
from skrank.tables import score_table
from tests.stats.pilot import scores_of

pytestmark = pytest.mark.filterwarnings("ignore:The p-value may be too small")


def test_markdown_escapes_names():
    values = np.random.RandomState(0).rand(2, 12)
    scores = scores_of(**{"a|b\n*c*": values[0], "<d>": values[1]})
    lines = compare_rankers(scores).to_markdown().split("\n")
    assert lines[4].startswith(r"| a\|b \*c\* | ")
    assert lines[5].startswith(r"| \<d> | ")


def test_latex_escapes_names_and_has_rules():
    values = np.random.RandomState(0).rand(4, 12)
    names = ["a_b", "c&d", "[CLS]", "*star"]
    scores = {name: {"p@5 %": row} for name, row in zip(names, values, strict=True)}
    comparison = compare_rankers(scores_of(**scores))
    latex = comparison.to_latex(rows="differences")
    assert r"p@5 \% & c\&d & a\_b" in latex
    assert latex.count(r"\toprule") == latex.count(r"\bottomrule") == 2
    assert latex.count(r"\begin{tabular}") == 2
    # The line before would take these for its options.
    assert "\n{}[CLS] & " in comparison.to_latex()
    assert "\n{}*star & " in comparison.to_latex()


# The best value of a column, with a mark and its uncertainty.
CELLS = [["a<b", Cell("0.5", True, "†", "± 0.1")], ["c", "0.25"]]
TABLE = Table(["ranker", "mrr"], CELLS)


def test_a_table_is_aligned_as_its_columns_are():
    # Text is on the left, numbers on the right, and no line ends in blanks.
    rows = [["a", "0.5", "t"], ["long", "10.25", "bounded"]]
    plain = Table(["ranker", "mrr", "method"], rows, title="of all")
    assert as_text("Title", [plain, "Text."]).split("\n") == [
        *("Title", "", "of all"),
        "ranker    mrr  method",
        "a         0.5  t",
        "long    10.25  bounded",
        *("", "Text."),
    ]


def test_the_best_is_bold_and_has_its_mark_in_every_language():
    assert as_markdown("Title", [TABLE]).split("\n") == [
        "Title",
        "",
        "| ranker | mrr |",
        "| :-- | --: |",
        r"| a\<b | **0.5**<sup>†</sup> ± 0.1 |",
        "| c | 0.25 |",
    ]
    assert as_latex("5 %", [TABLE]).split("\n") == [
        r"% 5 \%",
        "",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"ranker & mrr \\",
        r"\midrule",
        r"a\textless{}b & \textbf{0.5}\textsuperscript{\dag{}} $\pm$ 0.1 \\",
        r"c & 0.25 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
    page = as_html("A & B", [TABLE])
    assert page.startswith("<table><caption>A &amp; B</caption><thead><tr><th>ranker")
    assert "<td>a&lt;b</td><td><b>0.5</b><sup>†</sup> ± 0.1</td>" in page
    assert as_html("A", [TABLE, TABLE]).count("<caption>") == 1
    below = as_html("A", [TABLE._replace(title="B"), "<", TABLE._replace(title="C")])
    assert [*re.findall("<caption>(.*?)</caption>", below)] == ["A. B", "C"]
    assert "</table>\n<p>&lt;</p>\n<table>" in below


def test_results_print_as_text_and_show_as_tables_in_a_notebook():
    found = explain([0, 1], [1, 1], "mrr", ["sklearn", "ogb"], qid=[7, 7])
    hits = {"old": [1, 0] * 20, "new": [1, 0] * 20}
    for one, n_tables, words in [
        (found, 3, ["<td>skrank</td><td>0.750000</td>", "<p>sklearn: none of its"]),
        (tie_report([1, 0], [1, 1], "mrr"), 1, ["<p>1 of 1 queries are tied"]),
        (gate(hits, baseline="old", margin=0.1), 1, ["<caption>Passed: new is not"]),
    ]:
        assert repr(one) == str(one)
        page = one._repr_html_()
        assert page.count("<table>") == n_tables
        assert all(text in page for text in words)


def test_a_title_counts_the_undefined_queries_if_there_are_any():
    undefined_words = text_tables.undefined_words
    assert undefined_words([]) == undefined_words([0, 0]) == ""
    assert undefined_words([1200, 1200]) == " (1,200 undefined)"
    assert undefined_words([2, 0, 5]) == " (0 to 5 undefined)"


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
