"""A progress bar, on request."""

# SPDX-License-Identifier: BSD-3-Clause

import importlib
from contextlib import closing, contextmanager


@contextmanager
def progress_bar(total, shown, unit):
    """Yield a function to call with the number of units done."""
    if not shown:
        yield lambda n_done: None
        return
    try:
        tqdm = importlib.import_module("tqdm")
    except ImportError:
        raise ImportError(
            "progress=True needs the package tqdm: pip install 'skrank[progress]'."
        ) from None
    with closing(tqdm.tqdm(total=total, unit=unit)) as bar:
        yield bar.update
