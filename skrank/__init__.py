"""Ranking evaluation for scikit-learn.

Importing the package adds its scorer names, such as "mrr" and "ndcg@10", to those of
scikit-learn. Its submodules are imported when they are first used.
"""

# SPDX-License-Identifier: BSD-3-Clause

import importlib
import sys
from typing import TYPE_CHECKING

from skrank import metrics as metrics  # the scorer names are those of its metrics
from skrank.scoring.registry import register_scorers, unregister_scorers

if TYPE_CHECKING:
    from skrank import base as base
    from skrank import datasets as datasets
    from skrank import exceptions as exceptions
    from skrank import integrations as integrations
    from skrank import link_prediction as link_prediction
    from skrank import model_selection as model_selection
    from skrank import plot as plot
    from skrank import rankers as rankers
    from skrank import stats as stats
    from skrank import tables as tables

__all__ = [
    "base",
    "datasets",
    "exceptions",
    "integrations",
    "link_prediction",
    "metrics",
    "model_selection",
    "plot",
    "rankers",
    "register_scorers",
    "stats",
    "tables",
    "unregister_scorers",
]
_SUBMODULES = [name for name in __all__ if not name.endswith("_scorers")]
__version__ = "0.1.0"

register_scorers()


def __dir__():
    return [*__all__, "__version__"]


def __getattr__(name):
    if name in _SUBMODULES:
        return importlib.import_module(f"skrank.{name}")
    found = f"Its modules are {', '.join(_SUBMODULES)}."
    for submodule in _SUBMODULES:
        # Only what is imported already: hasattr(skrank, "foo") should import nothing.
        module = sys.modules.get(f"skrank.{submodule}")
        if name in getattr(module, "__all__", ()):
            found = f"It is in skrank.{submodule}."
    raise AttributeError(f"Module 'skrank' has no attribute {name!r}. {found}")
