"""Configuration of the site for Sphinx."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import skrank

project = "skrank"
author = "The skrank developers"
copyright = f"2026, {author}"
version = release = skrank.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
]
templates_path = ["_templates"]
exclude_patterns = ["_build"]
default_role = "literal"

# The API pages list what each module has in its __all__ and nothing else.
autosummary_generate = True
autosummary_ignore_module_all = False
numpydoc_show_class_members = False

# Builds need no network, so names of other projects stay unlinked.
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(sklearn|scipy|numpy|pandas|polars)\..*")]

html_theme = "pydata_sphinx_theme"
html_title = "skrank"
html_show_sourcelink = False
html_theme_options = {"show_prev_next": False}
html_sidebars = {"getting_started": [], "changelog": []}
