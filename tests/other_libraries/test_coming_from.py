"""The page on other libraries: both columns of a task are run."""

# SPDX-License-Identifier: BSD-3-Clause

import re
import textwrap

import numpy as np
import pytest

from skrank.datasets import make_ranking
from skrank.metrics import evaluate
from skrank.rankers import QueryRanker
from skrank.tables import align
from tests.page_code import sections

# Those of these libraries.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

BLOCK = re.compile(r"\.\. code-block:: python\n\n((?: {10}.*\n|\n)+)")


@pytest.mark.parametrize(
    ("title", "module", "name"),
    [
        ("LightGBM, XGBoost, CatBoost", "lightgbm", "LGBMRanker"),
        ("pytrec_eval", "pytrec_eval", "RelevanceEvaluator"),
    ],
)
def test_both_columns_return_the_same(title, module, name):
    library = pytest.importorskip(module)
    X, y, qid = make_ranking(60, random_state=0)
    rows = np.random.default_rng(0).permutation(len(y))
    X, y, qid = X[rows], y[rows], qid[rows]  # rows in any order
    qrels, run = {}, {}
    for doc, (query, grade, score) in enumerate(zip(qid, y, X[:, 0], strict=True)):
        qrels.setdefault(f"q{query}", {})[f"d{doc}"] = int(grade)
        run.setdefault(f"q{query}", {})[f"d{doc}"] = float(score)
    names = {"X": X, "y": y, "qid": qid, "qrels": qrels, "run": run, "np": np}
    names |= {"QueryRanker": QueryRanker, "evaluate": evaluate, "align": align}
    names |= {module: library, name: getattr(library, name)}
    for block in BLOCK.findall(sections("other_libraries.rst")[title]):
        exec(textwrap.dedent(block), names)
    np.testing.assert_allclose(names["theirs"], names["ours"], rtol=1e-6)
