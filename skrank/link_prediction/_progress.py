"""A progress bar, on request."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import importlib
from contextlib import nullcontext


def progress_bar(total, shown):
    """Return a context with a function to call with the number of triples done."""
    if not shown:
        return nullcontext(lambda n_done: None)
    try:
        tqdm = importlib.import_module("tqdm")
    except ImportError:
        raise ImportError(
            "progress=True needs the package tqdm: pip install 'skrank[progress]'."
        ) from None
    return _Bar(tqdm.tqdm(total=total, unit="rank"))


class _Bar:
    def __init__(self, bar):
        self.bar = bar

    def __enter__(self):
        return self.bar.update

    def __exit__(self, *failure):
        self.bar.close()
