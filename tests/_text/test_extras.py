"""Packages that are extras, and a progress bar."""

# SPDX-License-Identifier: BSD-3-Clause

import sys

import pytest

from skrank._text.extras import import_extra, progress_bar


def test_a_package_is_imported_or_its_extra_is_named():
    assert import_extra("json") is sys.modules["json"]
    with pytest.raises(ImportError, match=r"the package no_such_one\..*\[tables\]"):
        import_extra("no_such_one.part")


def test_without_a_terminal_there_is_no_bar(capfd):
    for shown in (False, "auto"):
        with progress_bar(3, shown, "rows") as advance:
            advance(3)
    assert capfd.readouterr() == ("", "")
    with (
        pytest.raises(TypeError, match=r"must be a bool or 'auto'. Got int"),
        progress_bar(3, 1, "rows"),
    ):
        pass
