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
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
templates_path = ["_templates"]
# Tables are included in pages. They are files of their own for readers on GitHub.
exclude_patterns = ["_build", "tables"]
default_role = "literal"

# The API pages list what each module has in its __all__ and nothing else.
autosummary_generate = True
autosummary_ignore_module_all = False
numpydoc_show_class_members = False

# Builds need no network, so names of other projects stay unlinked.
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(sklearn|scipy|numpy|pandas|polars)\..*")]

# Every example runs when the site is built, and one that fails ends the build. The
# quickstart and the comparison of libraries only print: steps of `.ci/run` run them.
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "ignore_pattern": r"quickstart|compare_rankers",
    "backreferences_dir": "generated/gallery",
    "doc_module": ("skrank",),
    "reference_url": {"skrank": None},
    "download_all_examples": False,
    "show_signature": False,
    "plot_gallery": True,
    "abort_on_example_error": False,
    "remove_config_comments": True,
}

# Copied code has no prompts and no output.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = "skrank"
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["skrank.css", "tables.css"]
html_theme_options = {"show_prev_next": False}
html_sidebars = {"getting_started": [], "changelog": []}
