"""The order of the examples in the gallery, and what each of them starts with.

Sphinx and Sphinx-Gallery find these functions by the names in `conf.py`.
"""

# SPDX-License-Identifier: BSD-3-Clause

import re
import warnings
from pathlib import Path

import sklearn

from skrank._engine.request import METRICS

KINDS = {
    "Train and tune": [
        "tune_lightgbm",
        "early_stopping",
        "own_ranker",
        "own_metric",
        "more_metrics",
    ],
    "Compare rankers": [
        "is_it_better",
        "many_rankers",
        "worse_queries",
        "segments",
        "human_and_machine",
    ],
    "Understand a number": ["leak", "ties", "unjudged", "conventions", "chance"],
    "Beyond accuracy": ["diversity", "passages", "exposure"],
    "Other kinds of data": [
        "fusion",
        "clicks",
        "recommender",
        "link_prediction",
        "million_rows",
    ],
}
ORDER = [name for names in KINDS.values() for name in names]

OPEN = '.. raw:: html\n\n    <div class="sphx-glr-thumbnails">\n\n'
CLOSE = ".. raw:: html\n\n    </div>\n\n"
THUMBNAIL = '.. raw:: html\n\n    <div class="sphx-glr-thumbcontainer"'
NAME = re.compile(r"/thumb/sphx_glr_(\w+)_thumb")


def place(path):
    """Return the place of an example; those that are not named come last."""
    name = Path(path).stem
    return (ORDER.index(name) if name in ORDER else len(ORDER), name)


def examples_of_metrics():
    """Return the examples with the scorer name of a metric, by its function.

    Sphinx-Gallery finds the names of functions only.
    """
    examples = Path(__file__).parents[1] / "examples"
    texts = {name: (examples / f"{name}.py").read_text("utf-8") for name in ORDER}
    found = {}
    for metric in METRICS.values():
        if metric.function is not None:
            is_named = re.compile(rf'"{metric.full_name}["@(]').search
            names = [name for name, text in texts.items() if is_named(text)]
            found.setdefault(metric.function.__name__, []).extend(names)
    return found


def start_afresh(gallery_conf, file):
    """Undo what an example has set in scikit-learn: all run in one process.

    A warning would stand on the page, with a path of this machine: it is an error.
    """
    sklearn.set_config(enable_metadata_routing=False)
    warnings.filterwarnings("error", module="__main__")


def add_headings(app, docname, source):
    """Put a heading above the thumbnails of each kind of example.

    Sphinx-Gallery has headings for folders only, and paths in folders would be long.
    """
    if docname != "gallery/index":
        return
    before, _, rest = source[0].partition(".. thumbnail-parent-div-open")
    thumbnails, _, after = rest.partition(".. thumbnail-parent-div-close")
    _, *parts = thumbnails.split(THUMBNAIL)
    by_name = {NAME.search(part)[1]: THUMBNAIL + part for part in parts}
    text = before.rpartition(".. raw:: html")[0]
    for kind, names in KINDS.items():
        text += f"{kind}\n{'=' * len(kind)}\n\n{OPEN}"
        text += "".join(by_name.pop(name) for name in names) + CLOSE
    if by_name:
        raise ValueError(f"docs/gallery_settings.py has no kind for {sorted(by_name)}.")
    source[0] = text + after.partition("</div>")[2]
