"""A progress bar, on request or for what takes long."""

# SPDX-License-Identifier: BSD-3-Clause

import importlib
import sys
from contextlib import closing, contextmanager
from importlib.util import find_spec

# The seconds before "auto" shows a bar.
PATIENCE = 2


@contextmanager
def progress_bar(total, shown, unit, **options):
    """Yield a function to call with the number of units done.

    With `shown` = "auto" there is a bar if tqdm is installed and the errors go to a
    terminal, as soon as two seconds have passed. `options` are those of tqdm.
    """
    if shown == "auto":
        is_seen = sys.stderr is not None and sys.stderr.isatty()
        shown = is_seen and find_spec("tqdm") is not None
        options["delay"] = PATIENCE
    if not shown:
        yield lambda n_done: None
        return
    try:
        tqdm = importlib.import_module("tqdm.auto")
    except ImportError:
        raise ImportError(
            "progress=True needs the package tqdm: pip install 'skrank[progress]'."
        ) from None
    with closing(tqdm.tqdm(total=total, unit=unit, **options)) as bar:
        yield bar.update
