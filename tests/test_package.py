"""The public modules: when they are imported, and the classes that they list."""

# SPDX-License-Identifier: BSD-3-Clause

import importlib
import inspect
import pickle
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


MODULES = """
import sys
import sklearn.metrics, sklearn.model_selection, sklearn.pipeline
known = {name.partition(".")[0] for name in sys.modules}
import skrank
loaded = {name.partition(".")[0] for name in sys.modules}
print(*(loaded - known - sys.stdlib_module_names))
"""


@pytest.mark.slow
def test_the_import_loads_no_package_that_scikit_learn_does_not_load():
    shown = subprocess.run(
        [sys.executable, "-c", MODULES], check=True, capture_output=True, text=True
    ).stdout
    assert shown.split() == ["skrank"]


def test_the_package_lists_its_submodules():
    assert set(dir(skrank)) == {*skrank.__all__, "__version__"}
    assert {"rankers", "metrics", "register_scorers"} <= set(dir(skrank))


def test_an_unknown_attribute_is_an_error():
    with pytest.raises(AttributeError, match="'skrank' has no attribute 'ranker'"):
        skrank.ranker  # noqa: B018


def public_modules():
    names = [name for name in skrank.__all__ if inspect.ismodule(getattr(skrank, name))]
    return [importlib.import_module(f"skrank.{name}") for name in names]


def public_classes():
    for module in public_modules():
        for name in module.__all__:
            if inspect.isclass(getattr(module, name)):
                yield module, getattr(module, name)


def test_the_source_of_a_public_class_is_found():
    for _, cls in public_classes():
        assert (
            inspect.getsource(cls)
            .lstrip("@")
            .partition("class ")[2]
            .startswith(cls.__name__)
        )


def test_pickles_name_modules_whose_names_are_public():
    """Lists of trusted types, such as those of skops and MLflow, hold these names."""
    view = type(skrank.rankers.as_regressor(skrank.rankers.PairwiseRanker()))
    for module, cls in [*public_classes(), (skrank.rankers, view)]:
        if cls is skrank.metrics.RankedQueries:  # no model holds one
            continue
        home = cls.__module__ + "."
        assert home.startswith(f"{module.__name__}.")
        assert "._" not in home
        assert pickle.loads(pickle.dumps(cls, protocol=0)) is cls
