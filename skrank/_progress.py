"""A progress bar, on request or for what takes long."""

# SPDX-License-Identifier: BSD-3-Clause

import importlib
import sys
from contextlib import closing, contextmanager
from importlib.util import find_spec

# The seconds before "auto" shows a bar.
PATIENCE = 2


def is_shown(shown):
    """Return True if there is a bar: for "auto", on a terminal and with tqdm."""
    if shown != "auto":
        return bool(shown)
    is_terminal = sys.stderr is not None and sys.stderr.isatty()
    return is_terminal and find_spec("tqdm") is not None


@contextmanager
def progress_bar(total, shown, unit, **options):
    """Yield a function to call with the number of units done.

    With `shown` = "auto" a bar appears when two seconds have passed. `options` are
    those of tqdm.
    """
    if not is_shown(shown):
        yield lambda n_done: None
        return
    if shown == "auto":
        options["delay"] = PATIENCE
    try:
        tqdm = importlib.import_module("tqdm.auto")
    except ImportError:
        raise ImportError(
            "progress=True needs the package tqdm: `pip install tqdm`."
        ) from None
    with closing(tqdm.tqdm(total=total, unit=unit, **options)) as bar:
        yield bar.update
