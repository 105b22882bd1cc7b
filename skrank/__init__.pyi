# Types of skrank, written by tests/typing/make_stubs.py.

# SPDX-License-Identifier: BSD-3-Clause
# fmt: off

from skrank import base as base
from skrank import datasets as datasets
from skrank import exceptions as exceptions
from skrank import integrations as integrations
from skrank import link_prediction as link_prediction
from skrank import metrics as metrics
from skrank import model_selection as model_selection
from skrank import plot as plot
from skrank import rankers as rankers
from skrank import stats as stats
from skrank import tables as tables

__all__ = [
    "base", "datasets", "exceptions", "integrations", "link_prediction", "metrics",
    "model_selection", "plot", "rankers", "register_scorers", "stats", "tables",
    "unregister_scorers"
]

def register_scorers() -> None: ...
def unregister_scorers() -> None: ...
__version__: str
