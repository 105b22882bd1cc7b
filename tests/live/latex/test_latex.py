"""The tables of comparisons, compiled by pdfLaTeX."""

# SPDX-License-Identifier: BSD-3-Clause

import string

import numpy as np
import pytest

from skrank.metrics import score_queries
from skrank.stats import compare_rankers
from tests import processes

pytestmark = pytest.mark.filterwarnings(
    "ignore:The p-value may be too small:UserWarning",
    "ignore:The interval may be too narrow:UserWarning",
)
NAMES = ["BM25 (k=0.9, b=0.4)", "[CLS] 100% & more_", "*ColBERT^2*", "naïve süß"]
NAMES.append("".join(c for c in string.printable if c.isprintable() or c == "\n"))

DOCUMENT = r"""\documentclass{article}
\usepackage[landscape,margin=1cm]{geometry}
\usepackage{booktabs}
\begin{document}
%s
\end{document}
"""


def drawn_scores():
    rng = np.random.RandomState(0)
    qid = np.repeat(np.arange(80), 6)
    y_true = rng.randint(2, size=len(qid))
    runs = {name: i * y_true + 2 * rng.randn(len(qid)) for i, name in enumerate(NAMES)}
    names = ["ndcg@10", "rbp(p=0.5)", "neg_mean_rank"]
    by = {"part_%": np.array(["a&b", "[c]", "*"])[qid % 3]}
    return score_queries(y_true, runs, names, qid=qid, by=by)


def compile_latex(text, folder):
    """Return the log of pdfLaTeX, which must make a page without an error."""
    (folder / "table.tex").write_text(DOCUMENT % text, encoding="utf-8")
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "table.tex"]
    done = processes.run(command, cwd=folder, text=False)
    log = (folder / "table.log").read_text(encoding="latin-1")
    assert done.returncode == 0, log[-3000:]
    assert (folder / "table.pdf").stat().st_size > 1000
    return log


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"baseline": NAMES[0]},
        {"baseline": NAMES[-1], "margin": 0.01},
        {"by": "part_%"},
    ],
    ids=["pairs", "baseline", "equivalence", "segments"],
)
@pytest.mark.parametrize("uncertainty", [None, "interval", "standard error"])
def test_the_table_of_a_paper_compiles(options, uncertainty, tmp_path):
    comparison = compare_rankers(drawn_scores(), **options)
    tables = comparison.to_latex(uncertainty=uncertainty)
    tables += r"\tiny" + comparison.to_latex(rows="differences")
    assert "Missing character" not in compile_latex(tables, tmp_path)
