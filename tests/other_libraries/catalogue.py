"""Scores of all lists together by other libraries, and their recorded numbers.

The numbers in `catalogue.json` are written by
``python -m tests.other_libraries.catalogue``, which keeps those of the libraries that
are not installed.
"""

# SPDX-License-Identifier: BSD-3-Clause

import json
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

FILE = Path(__file__).with_name("catalogue.json")
N_USERS, N_ITEMS, K = 200, 1000, 10


def lists():
    """Return the users, the items and the ranks of lists, and a score for each row."""
    rng = np.random.RandomState(0)
    popularity = 1 / np.arange(1, N_ITEMS + 1)
    popularity /= popularity.sum()
    draw = {"size": K, "replace": False, "p": popularity}
    items = [rng.choice(N_ITEMS, **draw) for _ in range(N_USERS)]
    return pd.DataFrame(
        {
            "user_id": np.repeat(np.arange(N_USERS), K),
            "item_id": np.concatenate(items),
            "rank": np.tile(np.arange(1, K + 1), N_USERS),
        }
    )


def rectools(frame):
    from rectools.metrics import CatalogCoverage

    metric = CatalogCoverage(k=K, normalize=True)
    return {"coverage": metric.calc(frame, catalog=list(range(N_ITEMS)))}


def recommenders(frame):
    from recommenders.evaluation import python_evaluation

    # The catalogue is that of the training data, of other users.
    train = pd.DataFrame({"userID": N_USERS + np.arange(N_ITEMS)})
    train["itemID"] = np.arange(N_ITEMS)
    names = {"user_id": "userID", "item_id": "itemID"}
    reco = frame.rename(columns=names)[["userID", "itemID"]]
    return {
        "coverage": python_evaluation.catalog_coverage(train, reco),
        "entropy": python_evaluation.distributional_coverage(train, reco),
    }


def lenskit(frame):
    import lenskit.data  # noqa: F401 (lenskit.stats cannot be imported first)
    from lenskit.stats import gini

    return {"gini": gini(np.bincount(frame["item_id"], minlength=N_ITEMS))}


LIBRARIES = {
    function.__name__: function for function in (rectools, recommenders, lenskit)
}


def installed():
    """Return the libraries that can be asked."""
    return {name: ask for name, ask in LIBRARIES.items() if find_spec(name)}


def main():
    recorded = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
    frame = lists()
    for name, ask in installed().items():
        values = {metric: float(value) for metric, value in ask(frame).items()}
        recorded[name] = {"version": metadata.version(name), "values": values}
    FILE.write_text(json.dumps(recorded, indent=1, sort_keys=True) + "\n", "utf-8")


if __name__ == "__main__":
    main()
