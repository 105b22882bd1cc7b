"""The types of the public names: in the source, and in a stub of the metrics."""

# SPDX-License-Identifier: BSD-3-Clause

import inspect
import runpy
import sys
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import skrank
from skrank._engine.request import metric_of
from skrank.evaluation.query_scores import QueryScores
from skrank.stats.paired_tests import PAIRED_TESTS
from tests._text.test_docs import RETURNED
from tests.typing import make_stub

FOLDER = Path(__file__).parent


# Their types are those of their overloads.
OVERLOADED = {"datasets.load_digits_retrieval"}


def functions():
    """Yield the public functions and methods but the metric functions, by name."""
    for module in skrank._SUBMODULES:
        for name in getattr(skrank, module).__all__:
            value = getattr(getattr(skrank, module), name)
            if f"skrank.{module}.{name}" in RETURNED:
                continue
            if inspect.isclass(value):
                yield from methods(value, f"{module}.{name}")
            elif inspect.isfunction(value) and not metric_of(value):
                yield f"{module}.{name}", value


def methods(cls, prefix):
    """Yield the public methods and properties of a class that skrank defines."""
    for name in dir(cls):
        value = inspect.getattr_static(cls, name)
        getter = getattr(value, "fget", getattr(value, "func", None))
        function = getter or getattr(value, "__func__", value)
        if not inspect.isfunction(function) or function.__name__ != name:
            continue  # such as a property that a function makes
        is_private = name.startswith("_") and name != "__init__"
        if not is_private and function.__module__.startswith("skrank"):
            yield f"{prefix}.{name}", function


def test_the_package_says_that_it_has_types():
    assert (Path(skrank.__file__).parent / "py.typed").exists()


@pytest.mark.slow
def test_public_functions_have_types():
    lacking = set()
    for name, function in functions():
        named = {*inspect.signature(function).parameters, "return"} - {"self", "cls"}
        # `cross_val_query_scores` returns what its module does not import.
        known = vars(sys.modules[function.__module__]) | {"QueryScores": QueryScores}
        if not named <= get_type_hints(function, known).keys():
            lacking.add(name)
    assert lacking == OVERLOADED


def test_no_other_stub_hides_the_types_of_the_source():
    assert list(make_stub.STUB.parents[1].rglob("*.pyi")) == [make_stub.STUB]


def test_the_stub_is_that_of_the_signatures():
    """If not, run `python -m tests.typing.make_stub`."""
    assert make_stub.STUB.read_text("utf-8") == make_stub.stub()


def test_a_parameter_without_a_type_is_an_error_that_says_where_to_add_it(monkeypatch):
    monkeypatch.delitem(make_stub.TYPES, "tied_together")
    with pytest.raises(ValueError, match="'tied_together', a parameter of lrap_score"):
        make_stub.stub()


def test_the_type_of_the_tests_of_a_comparison_names_them_all():
    hints = get_type_hints(skrank.stats.compare_rankers)
    assert {*get_args(hints["test"])} == {"auto", *PAIRED_TESTS}


@pytest.mark.slow
def test_the_script_of_a_user_runs():
    """`.ci/run types` checks its types; here what they say is true."""
    runpy.run_path(FOLDER / "user_script.py")
