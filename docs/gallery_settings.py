"""The order of the examples in the gallery, and what each of them starts with.

Sphinx-Gallery finds these functions by the names in `conf.py`.
"""

# SPDX-License-Identifier: BSD-3-Clause

from pathlib import Path

import sklearn

# Tune, decide, understand numbers, then kinds of data.
ORDER = [
    "tune_lightgbm",
    "early_stopping",
    "own_metric",
    "own_ranker",
    "is_it_better",
    "many_rankers",
    "worse_queries",
    "metric_at_k",
    "leak",
    "ties",
    "conventions",
    "chance",
    "recommender",
    "link_prediction",
    "million_rows",
]


def place(path):
    """Return the place of an example; those that are not named come last."""
    name = Path(path).stem
    return (ORDER.index(name) if name in ORDER else len(ORDER), name)


def start_afresh(gallery_conf, file):
    """Undo what an example has set in scikit-learn: all run in one process."""
    sklearn.set_config(enable_metadata_routing=False)
