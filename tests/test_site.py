"""The site has a page for every public name, and links that exist."""

# SPDX-License-Identifier: BSD-3-Clause

import importlib
import re
import runpy
import zlib
from collections import Counter
from pathlib import Path

import skrank

DOCS = Path(__file__).parents[1] / "docs"
# What sets the module of the names that follow, and the names of a table.
OF_API = re.compile(
    r"^\.\. (?:auto|current)?module:: (?P<module>\S+)$"
    r"|^   ~?(?P<name>[\w.]+)$"
    r"|^\.\. data:: (?P<data>\S+)$",
    re.MULTILINE,
)
# One line from an initial to the end of the reference.
REFERENCE_OF_ONE_LINE = re.compile(
    r"^( *)\.\. \[\w+\] [A-Z]\. .*$(?!\n\1   \S)", re.MULTILINE
)


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


def test_the_inventories_are_up_to_date():
    """The names in them exist in the installed packages, or this would raise."""
    page = runpy.run_path(str(DOCS / "make_inventories.py"))
    for project, lines in page["make_entries"]().items():
        written = (DOCS / "inventories" / f"{project}.inv").read_bytes()
        entries = zlib.decompress(written.split(b"\n", 4)[4]).decode()
        assert entries.splitlines() == lines, project
