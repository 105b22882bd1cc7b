"""The types of the public names, in stubs beside the modules."""

# SPDX-License-Identifier: BSD-3-Clause

import ast
import runpy
from pathlib import Path

import pytest

import skrank
from tests.typing import make_stubs

FOLDER = Path(__file__).parent


def test_the_package_says_that_it_has_types():
    assert (Path(skrank.__file__).parent / "py.typed").exists()


def test_the_stubs_are_those_of_the_signatures_and_docstrings():
    """If not, run `python tests/typing/make_stubs.py`."""
    for module in make_stubs.modules():
        written = make_stubs.path_of(module).read_text("utf-8")
        assert written == make_stubs.stub(module), f"The stub of {module} is outdated."


def test_a_metric_has_a_type_for_each_kind_of_average():
    stub = ast.parse(make_stubs.path_of("skrank.metrics").read_text("utf-8"))
    results = {
        (node.name, ast.unparse(node.returns))
        for node in stub.body
        if isinstance(node, ast.FunctionDef)
    }
    assert {("ndcg_score", "float"), ("ndcg_score", "NDArray[np.float64]")} < results


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("float or None, default=None", "float | None"),
        ('{"expected", "first"}, default="expected"', 'Literal["expected", "first"]'),
        ("array-like of shape (n_samples,) or (n_queries, n_docs)", "ArrayLike"),
        ("str, callable or list of them", "str | {0} | Sequence[str | {0}]"),
        ("dict of str to str", "Mapping[str, str]"),
        ("iterable of QueryScores", "Iterable[QueryScores]"),
        ('"auto", None or int', 'Literal["auto"] | int | None'),
    ],
)
def test_the_phrase_of_a_docstring_becomes_a_type(text, kind):
    unknown = []
    found = make_stubs.type_of(text, "here", unknown)
    assert found == kind.format("Callable[..., Any]")
    assert unknown == []


def test_an_unknown_phrase_is_an_error_that_says_where_to_add_it(monkeypatch):
    def blend(scores, recipe):
        """Blend scores.

        Parameters
        ----------
        scores : ndarray
            The scores.
        recipe : cookbook, default=None
            How to blend them.

        Returns
        -------
        blended : ndarray
            The blend.
        """

    monkeypatch.setattr(skrank.tables, "__all__", ["blend"])
    monkeypatch.setattr(skrank.tables, "blend", blend, raising=False)
    with pytest.raises(ValueError, match="or add the phrase there") as error:
        make_stubs.stub("skrank.tables")
    assert "'cookbook', the type of 'recipe' of blend, is unknown" in str(error.value)


@pytest.mark.slow
def test_the_script_of_a_user_runs():
    """`.ci/run types` checks its types; here what they say is true."""
    runpy.run_path(FOLDER / "user_script.py")
