"""Packages that are extras, and a progress bar."""

# SPDX-License-Identifier: BSD-3-Clause

import importlib
import sys
from contextlib import closing, contextmanager
from importlib.util import find_spec

# As long as there is no release on PyPI.
INSTALL = '`pip install ".[{}]"` in a checkout of skrank'


def import_extra(name, extra="tables"):
    """Import a package of an extra, or raise an error that names the extra."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise ImportError(
            f"This needs the package {package}. Install it with "
            f"{INSTALL.format(extra)}."
        ) from error


# The seconds before "auto" shows a bar.
PATIENCE = 2


@contextmanager
def progress_bar(total, shown, unit, **options):
    """Yield a function to call with the number of units done.

    With "auto" a bar appears on a terminal, with tqdm, when two seconds have passed.
    The total may be a function, which is called if there is a bar; `options` are those
    of tqdm.
    """
    if not isinstance(shown, (bool, str)):
        raise TypeError(
            "The 'progress' parameter must be a bool or 'auto'. Got "
            f"{type(shown).__name__} instead."
        )
    if shown == "auto":
        is_terminal = sys.stderr is not None and sys.stderr.isatty()
        shown = is_terminal and find_spec("tqdm") is not None
        options["delay"] = PATIENCE
    if not shown:
        yield lambda n_done: None
        return
    try:
        tqdm = importlib.import_module("tqdm.auto")
    except ImportError:
        raise ImportError(
            "progress=True needs the package tqdm: `pip install tqdm`."
        ) from None
    total = total() if callable(total) else total
    with closing(tqdm.tqdm(total=total, unit=unit, **options)) as bar:
        yield bar.update
