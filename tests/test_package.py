"""The submodules of the package are imported when they are first used."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import subprocess
import sys

import pytest

import skrank

LAZY = ["datasets", "link_prediction", "model_selection", "rankers", "tables"]
CODE = f"""
import sys, skrank
print(*(name for name in {LAZY} if f"skrank.{{name}}" in sys.modules))
for name in ["base", "exceptions", "metrics", *{LAZY}]:
    print(getattr(skrank, name).__name__)
"""


@pytest.mark.slow
def test_submodules_are_imported_at_their_first_use():
    shown = subprocess.run(
        [sys.executable, "-c", CODE], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    assert shown[0] == ""
    names = ["base", "exceptions", "metrics", *LAZY]
    assert shown[1:] == [f"skrank.{name}" for name in names]


def test_the_package_lists_its_submodules():
    assert set(dir(skrank)) == {*skrank.__all__, "__version__"}
    assert {"rankers", "metrics", "register_scorers"} <= set(dir(skrank))


def test_an_unknown_attribute_is_an_error():
    with pytest.raises(AttributeError, match="'skrank' has no attribute 'ranker'"):
        skrank.ranker  # noqa: B018
