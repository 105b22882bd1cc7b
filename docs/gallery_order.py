"""The order of the examples in the gallery, which Sphinx-Gallery reads by its name."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

from pathlib import Path

# Tune, decide, understand numbers, then kinds of data.
ORDER = [
    "tune_lightgbm",
    "early_stopping",
    "own_metric",
    "own_ranker",
    "is_it_better",
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
