"""The public modules: when they are imported, and the classes that they list."""

# Authors: The skrank developers
# SPDX-License-Identifier: BSD-3-Clause

import doctest
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


def test_a_public_class_says_that_it_is_of_its_public_module():
    """If not, its package has to end with `publish(__name__)`."""
    private = {
        f"{cls.__module__}.{cls.__qualname__}"
        for module, cls in public_classes()
        if cls.__module__ != module.__name__
    }
    assert private == set()
    assert f"{skrank.rankers.QueryRanker}" == "<class 'skrank.rankers.QueryRanker'>"


def test_pickles_hold_the_public_module_and_those_of_earlier_versions_are_read():
    for module, cls in public_classes():
        pickled = pickle.dumps(cls, protocol=0)
        assert pickled.startswith(f"c{module.__name__}\n{cls.__name__}\n".encode())
        assert pickle.loads(pickled) is cls
    view = type(skrank.rankers.as_regressor(skrank.rankers.PairwiseRanker()))
    assert pickle.dumps(view, protocol=0).startswith(b"cskrank.rankers\nRankerAs")
    assert pickle.loads(pickle.dumps(view)) is view
    earlier = b"cskrank.rankers._query_ranker\nQueryRanker\n."
    assert pickle.loads(earlier) is skrank.rankers.QueryRanker


def test_the_examples_of_public_classes_and_their_methods_are_collected():
    """They are found where a class says that it is."""
    for module, cls in public_classes():
        found = {test.name for test in doctest.DocTestFinder().find(module)}
        name = f"{module.__name__}.{cls.__name__}"
        shown = {name} if ">>>" in (cls.__doc__ or "") else set()
        for method, value in vars(cls).items():
            function = getattr(value, "__func__", value)
            if inspect.isfunction(function) and ">>>" in (function.__doc__ or ""):
                shown.add(f"{name}.{method}")
        assert shown <= found
