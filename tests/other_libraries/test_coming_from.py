"""The page on other libraries: both columns of a task are run."""

# SPDX-License-Identifier: BSD-3-Clause

import re
import textwrap
from pathlib import Path

import numpy as np
import pytest

# Those of these libraries.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

PAGE = Path(__file__).parents[2] / "docs" / "other_libraries.rst"
PART = "The same task twice"
MODULES = {
    "LightGBM": "lightgbm",
    "XGBoost": "xgboost",
    "CatBoost": "catboost",
    "GroupKFold": "sklearn",
    "ranx": "ranx",
    "pytrec_eval": "pytrec_eval",
    "torchmetrics": "torchmetrics",
    "sentence-transformers": "sentence_transformers",
    "BEIR and MTEB": "beir",
    "LlamaIndex": "llama_index",
    "Haystack": "haystack",
}
BLOCK = re.compile(r"\.\. code-block:: python\n\n(( +).+\n(?:\2.*\n|\n)*)")


def sections():
    """Return the blocks of code by the title above them."""
    page = PAGE.read_text("utf-8")
    part = page[page.index(f"\n{PART}\n==") : page.index("\nSearch and combine\n==")]
    parts = re.split(r"^(.+)\n[=-]{4,}$", part, flags=re.M)
    found = zip(parts[1::2], parts[2::2], strict=True)
    return {
        title: [textwrap.dedent(block) for block, _ in BLOCK.findall(text)]
        for title, text in found
    }


SECTIONS = sections()


def test_each_library_has_two_columns():
    start, *rest = SECTIONS
    assert len(SECTIONS[start]) == 1
    assert rest == list(MODULES)
    assert {len(SECTIONS[title]) for title in rest} == {2}


@pytest.mark.parametrize("title", [*MODULES][-4:])
def test_the_column_of_skrank_runs_without_the_library(title):
    (start,) = SECTIONS[PART]
    names = {}
    exec(start, names)
    exec(SECTIONS[title][1], names)
    assert len(names["ours"]) >= 2
    assert all(0 < value < 1 for value in names["ours"])


@pytest.mark.parametrize("title", MODULES)
def test_both_columns_return_the_same(title):
    pytest.importorskip(MODULES[title])
    (start,) = SECTIONS[PART]
    theirs, ours = SECTIONS[title]
    found = []
    for block, name in ((theirs, "theirs"), (ours, "ours")):
        names = {}
        exec(start, names)
        exec(block, names)
        found.append(names[name])
    # torchmetrics computes in single precision.
    np.testing.assert_allclose(*found, rtol=1e-6)
