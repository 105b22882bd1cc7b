"""Packages that only tables need."""

# SPDX-License-Identifier: BSD-3-Clause

import importlib


def import_extra(name, extra="tables"):
    """Import a package of an extra, or raise an error that names the extra."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise ImportError(
            f"skrank.tables needs the package {package}. Install it with "
            f'`pip install "skrank[{extra}]"`.'
        ) from error
