"""The tables of the pages on comparisons are what skrank prints."""

# SPDX-License-Identifier: BSD-3-Clause

import re
from pathlib import Path

import pytest

from docs.makers import is_it_better

DOCS = Path(__file__).parents[2] / "docs"
NUMBER = re.compile(r"[-+]?\d+\.\d+")


@pytest.fixture(scope="module")
def texts():
    return is_it_better.make_texts(*is_it_better.make_scores())


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["pair", "worst", "family", "clusters", "few", "segments", "paper"]
)
def test_a_table_of_the_page_is_up_to_date(texts, name):
    # Versions of scikit-learn grow slightly different trees.
    written = (DOCS / "is_it_better" / f"{name}.txt").read_text()
    now = [float(number) for number in NUMBER.findall(texts[name])]
    assert [float(x) for x in NUMBER.findall(written)] == pytest.approx(now, abs=0.02)
    lines = [line.split()[:2] for line in written.splitlines()]
    assert [line.split()[:2] for line in texts[name].splitlines()] == lines


def test_the_pages_show_every_table_and_picture():
    pages = ("is_it_better", "comparing_with_care", "ties")
    text = "".join((DOCS / f"{page}.rst").read_text() for page in pages)
    for path in (DOCS / "is_it_better").iterdir():
        assert f"is_it_better/{path.name}" in text
