"""The README, the landing page, and the table of other libraries."""

# SPDX-License-Identifier: BSD-3-Clause

import csv
import doctest
import re
from pathlib import Path

import pytest

import skrank

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
LIBRARIES = (ROOT / "docs/other_libraries.rst").read_text("utf-8")
CHECKED = (ROOT / "docs/development/libraries_checked.rst").read_text("utf-8")
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


def test_the_readme_links_only_files_that_read_well_outside_the_site():
    """No viewer of a repository shows the roles and directives of the guide."""
    assert len(links(README)) <= 8  # two of them are pictures
    assert [link for link in links(README) if link.endswith(".rst")] == []


def test_the_readme_is_short():
    assert len(README.split()) <= 1200


def test_the_readme_begins_with_what_the_project_is_for():
    first = "\n".join(README.splitlines()[:45])
    for text in ["GridSearchCV(", 'scoring="mrr"', "cv=QueryKFold", "choice.svg"]:
        assert text in first


def examples(page, start, stop):
    """Return the lines of code of a page from one that has a text to another."""
    text = (ROOT / page).read_text("utf-8")
    found = [line.source for line in doctest.DocTestParser().get_examples(text)]
    (first, *_) = [place for place, line in enumerate(found) if start in line]
    (last, *_) = [place for place, line in enumerate(found) if stop in line]
    return found[first : last + 1]


@pytest.mark.parametrize(
    ("start", "stop"), [("import LGBM", "best_score_"), ("score_queries", "display")]
)
def test_the_readme_and_the_landing_page_have_the_same_examples(start, stop):
    lines = examples("README.md", start, stop)
    assert 8 <= len(lines) <= 15
    assert examples("docs/index.rst", start, stop) == lines


def test_three_lines_tune_a_ranker():
    assert len(examples("README.md", "ranker =", "search =")) == 3


def test_the_readme_and_the_landing_page_show_the_same_pictures():
    for page in ["docs/index.rst", "README.md"]:
        text = (ROOT / page).read_text("utf-8")
        assert re.findall(r"pictures/(\w+)\.svg", text) == ["choice", "comparison"]


def test_the_numbers_in_the_caption_are_those_of_the_picture():
    found = (ROOT / "docs/pictures/choice.svg").read_text("utf-8")
    picture = re.findall(r"picks (\d+) trees|sessions: ([\d.]+)", found)
    for page in ["docs/index.rst", "README.md"]:
        caption = " ".join((ROOT / page).read_text("utf-8").split())
        for trees, mrr in picture:
            said = f"picks {trees} trees" if trees else f"of {mrr}"
            assert said in caption


def test_the_words_about_installing_are_true_of_this_version():
    """Before the first release a checkout is installed, and PyPI's package after it."""
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    released = re.search(r"^## [\d.]+ \(\d{4}-\d\d-\d\d\)$", changelog, re.M)
    before = r"There is no release yet|in a checkout"
    wrong = before if released else r"pip install [\"']?skrank"
    files = [ROOT / "README.md", *ROOT.glob("docs/*.rst"), *ROOT.glob("examples/*.py")]
    files.append(Path(skrank.__file__).parent / "_text/tables.py")
    found = [file for file in files if re.search(wrong, file.read_text("utf-8"))]
    assert not found, f"Each of them has to lose {wrong!r}."


def rows_of(table):
    """Return the cells of each row of a table in Markdown."""
    lines = [line.split("|")[1:-1] for line in table.splitlines()]
    return [[cell.strip() for cell in line] for line in lines]


def test_the_page_on_libraries_has_the_table_of_the_readme():
    table = README[README.index("| You need ...") :].split("\n\n")[0]
    head, _, *rows = rows_of(table)
    assert len(rows) == 8
    found = re.findall(r"^   \* - (.+)\n     - (.+)$", LIBRARIES, flags=re.M)
    listed = [[cell.replace("``", "`") for cell in row] for row in found]
    assert listed[: len(rows) + 1] == [head, *rows]


def table_of_features():
    """Return the names of the columns, and the cells of each row."""
    table = LIBRARIES[LIBRARIES.index(":class: conventions") :].split("\n\n")[1]
    head, *rows = csv.reader(table.splitlines(), skipinitialspace=True)
    return head[1:], {row[0]: row[1:] for row in rows}


def explanations():
    """Return the text of each row on the page on how the libraries were compared."""
    found = re.findall(r"^(.+)\n=+\n\n((?:.+\n)+)", CHECKED, flags=re.M)
    return {title.replace("`", ""): text for title, text in found}


def test_every_row_of_the_table_of_features_is_explained():
    _, rows = table_of_features()
    assert len(rows) > 10
    assert list(rows) == list(explanations())[1 : len(rows) + 1]


def test_skrank_does_not_have_all():
    libraries, rows = table_of_features()
    assert libraries[0] == "skrank"
    assert sum(cells[0] != "✓" for cells in rows.values()) >= 4


def test_every_library_that_has_a_feature_is_named_in_its_explanation():
    libraries, rows = table_of_features()
    for feature, cells in rows.items():
        for library, cell in zip(libraries, cells, strict=True):
            name = library.removesuffix(" alone")
            assert cell in {"✓", "◐", NO}, (feature, library)
            assert cell == NO or name in explanations()[feature], (feature, library)


def test_the_tests_that_stand_for_features_exist():
    named = re.findall(r"``(tests/[^`]+)``", CHECKED)
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


def test_the_recipe_of_conda_has_the_requirements_of_the_package():
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    recipe = (ROOT / ".github/recipe/recipe.yaml").read_text("utf-8")
    (line,) = re.findall(r"^dependencies = \[(.+)\]$", project, flags=re.M)
    run = recipe.partition("  run:\n")[2].partition("\n\n")[0]
    listed = {entry.replace(" ", "") for entry in re.findall(r"- (\w.+)", run)}
    needed = set(re.findall(r'"(.+?)"', line))
    assert {entry for entry in listed if not entry.startswith("python")} == needed
    assert f'version: "{skrank.__version__}"' in recipe
