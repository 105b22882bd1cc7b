"""Packages that only tables need."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import importlib


def import_extra(name):
    """Import a package of the extra `tables`, or raise an error that says so."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise ImportError(
            f"skrank.tables needs the package {package}. Install it with "
            '`pip install "skrank[tables]"`.'
        ) from error
