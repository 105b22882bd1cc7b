"""Packages that are extras, and a progress bar."""

# SPDX-License-Identifier: BSD-3-Clause

import importlib
import sys
from contextlib import closing, contextmanager, suppress

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


@contextmanager
def progress_bar(total, unit, **options):
    """Yield a function to call with the number of units done.

    A bar appears on a terminal, if tqdm is installed, when two seconds have passed. The
    total may be a function, which is called if there is a bar; `options` are those of
    tqdm.
    """
    tqdm = None
    if sys.stderr is not None and sys.stderr.isatty():
        with suppress(ImportError):
            tqdm = importlib.import_module("tqdm.auto")
    if tqdm is None:
        yield lambda n_done: None
        return
    total = total() if callable(total) else total
    with closing(tqdm.tqdm(total=total, unit=unit, delay=2, **options)) as bar:
        yield bar.update
