"""The tables of the README, and the files that it and the page on features name."""

# SPDX-License-Identifier: BSD-3-Clause

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
FEATURES = (ROOT / "docs/features.rst").read_text("utf-8")
NO = "\N{EN DASH}"


def links(text):
    return [link for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]


@pytest.mark.parametrize("page", ["README.md", ".github/CONTRIBUTING.md"])
def test_every_link_leads_to_a_file(page):
    path = ROOT / page
    found = links(path.read_text("utf-8"))
    assert found
    missing = [link for link in found if not (path.parent / link).exists()]
    assert not missing


def test_pages_that_the_readme_links_can_be_read_outside_the_site():
    """GitHub shows no included files and no tables of contents."""
    for link in links(README):
        if link.endswith(".rst"):
            text = (ROOT / link).read_text("utf-8")
            body = re.sub(r"^\s*\.\. include::.*$", "", text, flags=re.M)
            assert len(body) > 400, f"{link} holds little but directives"
            assert ".. toctree::" not in text, link


def test_the_readme_is_short():
    assert len(README.split()) <= 1500


def first_example(page):
    """Return the lines of the first example, which ends with its display."""
    text = (ROOT / page).read_text("utf-8")
    examples = doctest.DocTestParser().get_examples(text)
    names = [line.source.partition(" = ")[0] for line in examples]
    return [line.source for line in examples][: names.index("display") + 1]


def test_the_readme_and_the_landing_page_draw_the_same_picture():
    """Their picture is drawn from the example of the landing page."""
    lines = first_example("docs/index.rst")
    assert len(lines) == 8
    assert first_example("README.md") == lines
    for page in ["docs/index.rst", "README.md"]:
        assert "pictures/comparison.svg" in (ROOT / page).read_text("utf-8")


def table_of_features():
    """Return the names of the columns, and the cells of each row."""
    table = README[README.index("| | skrank |") :].split("\n\n")[0]
    lines = [line.split("|")[1:-1] for line in table.splitlines()]
    head, _, *rows = [[cell.strip() for cell in line] for line in lines]
    return head[1:], {row[0].replace("`", ""): row[1:] for row in rows}


def explanations():
    """Return the text of each row on the page on features."""
    found = re.findall(r"^(.+)\n-+\n\n((?:.+\n)+)", FEATURES, flags=re.M)
    return {title.replace("`", ""): text for title, text in found}


def test_every_row_of_the_table_of_features_is_explained():
    _, rows = table_of_features()
    assert len(rows) > 10
    assert list(rows) == list(explanations())


def test_the_page_on_features_has_the_table_of_the_readme():
    table = FEATURES[FEATURES.index(":class: conventions") :].split("\n\n")[1]
    head, *rows = [
        re.findall(r"^     - (.+)$", row, flags=re.M)
        for row in table.split("   * -")[1:]
    ]
    names = re.findall(r"^   \* - `(.+)`_$", table, flags=re.M)
    libraries, expected = table_of_features()
    assert head == libraries
    assert dict(zip(names, rows, strict=True)) == expected


def test_every_library_that_has_a_feature_is_named_in_its_explanation():
    libraries, rows = table_of_features()
    for feature, cells in rows.items():
        for library, cell in zip(libraries, cells, strict=True):
            name = library.removesuffix(" alone")
            assert cell in {"✓", "◐", NO}, (feature, library)
            assert cell == NO or name in explanations()[feature], (feature, library)


def test_the_tests_that_stand_for_features_exist():
    named = re.findall(r"``(tests/[^`]+)``", FEATURES)
    assert len(named) > 10
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("page", ["README.md", "docs/index.rst", "docs/rankers.rst"])
def test_lightgbm_is_fitted_in_one_thread(page):
    """Threads of one fit wait for each other on a busy machine."""
    examples = re.findall(
        r"^ *(?:>>>|\.\.\.) .*LGBMRanker(\(.*?\))",
        (ROOT / page).read_text("utf-8"),
        re.M,
    )
    assert examples
    assert all("n_jobs=1" in arguments for arguments in examples)
