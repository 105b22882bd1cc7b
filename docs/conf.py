"""Configuration of the site for Sphinx."""

# SPDX-License-Identifier: BSD-3-Clause

import importlib
import os
import sys
from pathlib import Path

from docutils import nodes
from sphinx.util import logging

import skrank

HEADER = "# SPDX-License-Identifier"
DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent))
# Examples run as many at once as there are jobs.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from docs import api_pages, gallery_settings, mathjax, site_map  # noqa: E402
from docs.makers import inventories  # noqa: E402

project = "skrank"
author = "The skrank developers"
copyright = f"2026, {author}"
version = release = skrank.__version__

extensions = [
    "matplotlib.sphinxext.plot_directive",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.mathjax",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["_templates"]
# Tables are included in pages. They are files of their own for readers on GitHub.
exclude_patterns = ["_build", "tables", "development/tables"]
default_role = "literal"

# The page of a class has a table of its methods and attributes, and then all of them.
autosummary_generate = True
autosummary_context = {"examples": gallery_settings.examples_of_metrics()}
numpydoc_show_class_members = True
numpydoc_class_members_toctree = False
toc_object_entries_show_parents = "hide"
# Docstrings describe the parameters; signatures show their names and defaults.
autodoc_typehints = "none"

# Every reference has a target: what this site links to in other projects is listed in
# `makers/inventories.py`, so that a build needs no network.
nitpicky = True
# What every mapping has is not described here.
nitpick_ignore = [
    ("py:obj", f"skrank.stats.ConfidenceIntervals.{name}")
    for name in ("get", "items", "keys", "values")
]
intersphinx_mapping = {
    name: (site, f"inventories/{name}.inv") for name, site in inventories.SITES.items()
}
# A page links a library by its name and an underscore, `LightGBM`_.
rst_epilog = "\n".join(
    f".. _{name}: https://{site}" for name, site in inventories.LIBRARIES.items()
)
# Types in docstrings are links: to our own classes by their names, and to others by the
# words of the field.
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"
numpydoc_xref_aliases = inventories.ALIASES | {
    name: f"skrank.{module}.{name}"
    for module in skrank._SUBMODULES
    for name in importlib.import_module(f"skrank.{module}").__all__
    if name[0].isupper() and not name.isupper()
}

# Every example runs when the site is built, and one that fails ends the build. The
# quickstart only prints: a step of `.ci/run` runs it.
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "ignore_pattern": "quickstart",
    "within_subsection_order": "docs.gallery_settings.place",
    "minigallery_sort_order": "docs.gallery_settings.place",
    "backreferences_dir": "generated/gallery",
    "doc_module": ("skrank",),
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "remove_config_comments": True,
    "reset_modules": ("matplotlib", "docs.gallery_settings.start_afresh"),
    "image_srcset": ["2x"],
    "parallel": True,  # as many examples at once as `sphinx -j` says
}

# Pictures of API pages are drawn by the code beside them.
plot_include_source = True
plot_html_show_formats = False
plot_html_show_source_link = False
plot_formats = ["svg"]

# Copied code has no prompts and no output.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = "skrank"
html_show_sourcelink = False
html_static_path = ["_static"]
html_favicon = "_static/logo.svg"
html_css_files = ["skrank.css", "tables.css"]
html_js_files = ["skrank.js"]
html_search_scorer = str(DOCS / "_static/search_scorer.js")
# Without it, the theme complains in the console of a first visitor.
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {
        "text": f"skrank {release}",
        "image_light": html_favicon,
        "image_dark": html_favicon,
    },
    "github_url": "https://github.com/skrank/skrank",
    "navigation_with_keys": False,
    "secondary_sidebar_items": {"**": ["page-toc"], "index": [], "gallery/index": []},
}
html_sidebars = {
    page: [] for page in ["index", "getting_started", "gallery/index", "changelog"]
}


def serve_mathjax(app):
    """Serve MathJax from the site itself where npm can be had."""
    if app.builder.format == "html":
        path, problem = mathjax.put_mathjax(Path(app.outdir, "_static"))
        app.config.mathjax_path = path
        if problem:
            logging.getLogger(__name__).warning(
                f"Formulas come from {path}, which needs a network: {problem}."
            )


def drop_header(app, doctree):
    """Leave out the license of an example, which its file names."""
    for block in list(doctree.findall(nodes.literal_block)):
        (line, *more) = block.astext().strip().splitlines() or [""]
        if line.startswith(HEADER) and not more:
            block.parent.remove(block)


def unwrap_mail_links(app, doctree):
    """Keep the text of what docutils takes for an address, such as ndcg@10."""
    for link in list(doctree.findall(nodes.reference)):
        if link.get("refuri", "").startswith("mailto:"):
            link.replace_self(link.children)


def setup(app):
    """Add what needs code."""
    app.connect("builder-inited", serve_mathjax)
    app.connect("source-read", gallery_settings.add_headings)
    app.connect("source-read", site_map.add_pages_below)
    app.connect("build-finished", site_map.write_old_pages)
    # After numpydoc has made sections of the docstring.
    app.connect(
        "autodoc-process-docstring", api_pages.fold_shared_parameters, priority=900
    )
    app.connect("doctree-read", drop_header)
    app.connect("doctree-read", unwrap_mail_links)
