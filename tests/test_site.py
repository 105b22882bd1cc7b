"""The site has a page for every public name, and links that exist."""

# SPDX-License-Identifier: BSD-3-Clause

import importlib
import re
import zlib
from collections import Counter
from pathlib import Path

import jinja2
import pytest
from numpydoc.docscrape_sphinx import SphinxDocString

import skrank
from docs import api_pages, gallery_settings, make, site_map
from docs.makers import inventories, thumbnails

DOCS = Path(__file__).parents[1] / "docs"
# What sets the module of the names that follow, and the names of a table.
OF_API = re.compile(
    r"^\.\. (?:auto|current)?module:: (?P<module>\S+)$"
    r"|^   ~?(?P<name>[\w.]+)$"
    r"|^\.\. (?:data|autoclass|py:class):: (?P<data>[\w.]+)(?:\(\))?$",
    re.MULTILINE,
)
# One line from an initial to the end of the reference.
REFERENCE_OF_ONE_LINE = re.compile(
    r"^( *)\.\. \[\w+\] [A-Z]\. .*$(?!\n\1   \S)", re.MULTILINE
)
THUMBNAIL = re.compile(r'^# sphinx_gallery_thumbnail_path = "(.+)"$', re.MULTILINE)


def names_on_the_api_page():
    module = ""
    for found in OF_API.finditer((DOCS / "api.rst").read_text("utf-8")):
        module = found["module"] or module
        if found[0].startswith(".. automodule"):
            yield module
        if found["name"] or found["data"]:
            yield found["data"] or f"{module}.{found['name']}"


def test_the_api_page_lists_every_public_name_once():
    modules = [skrank]
    modules += [
        importlib.import_module(f"skrank.{name}") for name in skrank._SUBMODULES
    ]
    public = {"skrank"}
    public |= {
        f"{module.__name__}.{name}" for module in modules for name in module.__all__
    }
    assert Counter(names_on_the_api_page()) == Counter(public)


def test_no_author_of_a_reference_becomes_a_list():
    """Sphinx reads "A. Author" as item A of a list if no second line follows."""
    files = [*DOCS.glob("*.rst"), *Path(skrank.__file__).parent.rglob("*.py")]
    for path in files:
        text = path.read_text("utf-8")
        assert not REFERENCE_OF_ONE_LINE.findall(text), path


def make_docstring(n_parameters):
    names = [*"abcdefghijkl"][:n_parameters]
    parameters = "\n".join(
        f"{name} : int\n    Of {name}.\n\n    And more of it." for name in names
    )
    sections = {"Parameters": parameters, "Notes": "Note.", "Examples": ">>> 1\n1"}
    parts = [f"{name}\n{'-' * len(name)}\n{sections[name]}\n" for name in sections]
    return "\n".join(["Sum.\n", *parts])


@pytest.mark.parametrize("n_parameters", [10, 11])
def test_many_parameters_stand_below_the_examples(n_parameters):
    templates = jinja2.Environment(loader=jinja2.FileSystemLoader(DOCS / "_templates"))
    template = templates.get_template("numpydoc_docstring.rst")
    doc = SphinxDocString(make_docstring(n_parameters), {"template": template})
    text = str(doc)
    assert text.count(">>> 1") == 1
    parts = [text.index(part) for part in (":Parameters:", "Note.", ">>> 1")]
    order = [2, 0, 1] if n_parameters > 10 else [0, 1, 2]
    assert sorted(range(3), key=parts.__getitem__) == order


# Figures differ by versions of scikit-learn, pictures by those of matplotlib.
@pytest.mark.parametrize(
    "part",
    [
        pytest.param("conventions", marks=pytest.mark.slow),
        "nations",
        pytest.param("shell", marks=pytest.mark.slow),
    ],
)
def test_a_computed_file_is_up_to_date(part):
    assert make.outdated(part) == [], f"run python docs/make.py {part}"


def test_the_inventories_are_up_to_date():
    """The names in them exist in the installed packages, or this would raise."""
    made = inventories.make_entries()
    assert made
    for project, lines in made.items():
        written = (DOCS / "inventories" / f"{project}.inv").read_bytes()
        entries = zlib.decompress(written.split(b"\n", 4)[4]).decode()
        assert entries.splitlines() == lines, "run python docs/make.py inventories"


def test_every_part_is_a_subcommand(capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["make.py", "--check", "nations"])
    with pytest.raises(SystemExit) as ended:
        make.main()
    assert ended.value.code == 0
    files = (DOCS / "makers").glob("*.py")
    assert set(make.PARTS) == {file.stem for file in files}


def test_every_thumbnail_is_that_of_an_example():
    written = {path.stem for path in (DOCS / "thumbnails").glob("*.svg")}
    assert written == set(thumbnails.THUMBNAILS)
    examples = DOCS.parent / "examples"
    named = {
        path.stem: found[1]
        for path in examples.glob("*.py")
        if (found := THUMBNAIL.search(path.read_text("utf-8")))
    }
    assert named == {name: f"thumbnails/{name}.svg" for name in written}


def test_every_example_of_the_gallery_has_one_kind():
    examples = {path.stem for path in (DOCS.parent / "examples").glob("*.py")}
    assert Counter(gallery_settings.ORDER) == Counter(examples - {"quickstart"})


def test_a_metric_is_linked_to_the_examples_with_its_scorer_name():
    found = gallery_settings.examples_of_metrics()
    assert "tune_lightgbm" in found["mrr_score"]
    assert found["eel_score"] == ["exposure"]  # "neg_eel"
    assert found["popularity_score"] == []  # there is a ranker "popularity"


def test_the_search_shows_the_page_of_an_index_entry_first():
    """Sphinx does so for main entries, and lists others below all results."""
    words = []
    for path in DOCS.glob("*.rst"):
        for found in re.findall(
            r"^\.\. index:: (.+(?:\n   .+)*)", path.read_text("utf-8"), re.M
        ):
            words += [word.strip() for word in found.split(",")]
    assert "! group" in words
    assert [word for word in words if not word.startswith("! ")] == []


def thumbnail(name):
    return (
        '.. raw:: html\n\n    <div class="sphx-glr-thumbcontainer" tooltip="">\n\n'
        ".. only:: html\n\n"
        f"  .. image:: /gallery/images/thumb/sphx_glr_{name}_thumb.svg\n\n"
        f"  :doc:`/gallery/{name}`\n\n.. raw:: html\n\n    </div>\n\n"
    )


def test_the_thumbnails_of_each_kind_have_a_heading():
    """The source is what Sphinx-Gallery 0.22 writes."""
    parts = [
        "Gallery\n=======\n\n.. raw:: html\n\n    <div>\n\n",
        ".. thumbnail-parent-div-open\n\n",
        *map(thumbnail, gallery_settings.ORDER),
        ".. thumbnail-parent-div-close\n\n",
        ".. raw:: html\n\n    </div>\n\n.. toctree::\n",
    ]
    source = ["".join(parts)]
    gallery_settings.add_headings(None, "gallery/index", source)
    (text,) = source
    found = re.findall(r"^(\w.*)\n=+$|/thumb/sphx_glr_(\w+)_thumb", text, re.MULTILINE)
    expected = [("Gallery", "")]
    for kind, names in gallery_settings.KINDS.items():
        expected += [(kind, ""), *(("", name) for name in names)]
    assert found == expected
    assert text.count("<div") == text.count("</div>")
    assert text.rstrip().endswith(".. toctree::")
    source = ["".join([*parts[:2], thumbnail("new"), *parts[2:]])]
    with pytest.raises(ValueError, match=r"no kind for \['new'\]"):
        gallery_settings.add_headings(None, "gallery/index", source)


def test_the_guide_has_a_length_that_can_be_read():
    pages = {path.stem: path.read_text("utf-8") for path in DOCS.glob("*.rst")}
    tables = [path.read_text("utf-8") for path in DOCS.glob("tables/*.rst")]
    n_words = {name: len(text.split()) for name, text in pages.items()}
    assert sum(n_words.values()) <= 30_000
    assert sum(len(table.split()) for table in tables) <= 900
    del n_words["cheat_sheet"]
    assert max(n_words.values()) <= 1100


def test_every_page_of_the_guide_is_on_a_shelf_and_in_its_text():
    guide = (DOCS / "user_guide.rst").read_text("utf-8")
    shelves = guide.split(".. toctree::")[1:]
    assert len(shelves) == 4
    first = "".join(shelves).partition(".. _guide_questions:")[0]
    entries = re.findall(r"^   (\w.*)$", first, re.M)
    listed = [entry.rpartition("<")[2].rstrip(">") for entry in entries]
    below = [name for names in site_map.BELOW.values() for name in names]
    top = {"index", "getting_started", "user_guide", "api", "development"}
    pages = {path.stem for path in DOCS.glob("*.rst")}
    assert Counter([*listed, *below]) == Counter(pages - top)
    assert set(site_map.BELOW) <= set(listed)
    assert [name for name in listed if f":doc:`{name}`" not in guide] == []


def test_every_old_address_leads_to_a_page(tmp_path):
    class App:
        outdir = tmp_path

        class builder:
            format = "html"

    (tmp_path / "gallery").mkdir()
    site_map.write_old_pages(App, None)
    addresses = site_map.old_addresses()
    examples = [f"gallery/{name}.html" for name in gallery_settings.ORDER]
    pages = [
        path.relative_to(DOCS).with_suffix(".html") for path in DOCS.rglob("*.rst")
    ]
    exist = {*examples, *(page.as_posix() for page in pages)}
    assert addresses
    assert exist.isdisjoint(addresses)
    assert exist.issuperset(addresses.values())
    for old, new in addresses.items():
        (link,) = re.findall(
            'content="0; url=(.+)"', (tmp_path / old).read_text("utf-8")
        )
        assert (tmp_path / old).parent / link == tmp_path / new


def test_the_parameters_that_all_metrics_share_are_folded_below_the_own_ones():
    names = ["y_true", "k", *sorted(api_pages.SHARED), "gain"]
    lines = [":Parameters:", ""]
    for name in names:
        lines += [f"    **{name}** : int", f"        Of {name}.", ""]
    lines += [":Returns:", "", "    **score** : float", ""]
    before = [line.strip() for line in lines if line]
    api_pages.fold_shared_parameters(None, "function", "f", None, None, lines)
    heading = f".. dropdown:: {api_pages.HEADING}"
    place = lines.index(heading)
    own, folded = lines[:place], lines[place : lines.index(":Returns:")]
    assert [line[6:-8] for line in own if ":" in line[1:-1]] == ["y_true", "k", "gain"]
    assert [line[5:-8] for line in folded[1:] if " : " in line] == names[2:-1]
    after = [line.strip() for line in lines if line and line != heading]
    assert sorted(after) == sorted(before)
    few = [":Parameters:", "", "    **ties** : str", "        Of ties.", ""]
    unchanged = list(few)
    api_pages.fold_shared_parameters(None, "function", "f", None, None, few)
    assert few == unchanged
