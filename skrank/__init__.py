"""Ranking evaluation as a first-class task in scikit-learn.

Importing the package makes its scorer names, such as "mrr" and "ndcg@10", known to
scikit-learn. Its submodules are imported when they are first used.
"""

# SPDX-License-Identifier: BSD-3-Clause

import importlib

from skrank.metrics.registry import register_scorers, unregister_scorers

_SUBMODULES = [
    "base",
    "datasets",
    "exceptions",
    "integrations",
    "link_prediction",
    "metrics",
    "model_selection",
    "plot",
    "rankers",
    "stats",
    "tables",
]

__all__ = [*_SUBMODULES, "register_scorers", "unregister_scorers"]
__version__ = "0.1.0"

register_scorers()


def __dir__():
    return [*__all__, "__version__"]


def __getattr__(name):
    if name in _SUBMODULES:
        return importlib.import_module(f"skrank.{name}")
    raise AttributeError(f"Module 'skrank' has no attribute {name!r}.")
