"""The public modules: when they are imported, and the classes that they list."""

# SPDX-License-Identifier: BSD-3-Clause

import importlib
import inspect
import json
import pickle
import sys

import pytest

import skrank
from tests import processes
from tests._text.test_docs import RETURNED

LAZY = ["datasets", "link_prediction", "model_selection", "rankers", "tables"]
MODULES = ["base", "exceptions", "metrics", *LAZY]
OPTIONAL = [
    *("catboost", "dask", "duckdb", "lightgbm", "matplotlib", "polars", "pyspark"),
    *("torch", "xgboost"),
]
# What `skrank --help` and `skrank evaluate` do not need.
LATE = [
    *("evaluation.catalogue", "evaluation.query_report", "evaluation.reports"),
    *("link_prediction", "model_selection", "plot", "rankers"),
    "stats",
]
# A process of its own, in which nothing is imported yet. scikit-learn imports pandas,
# and pandas pyarrow, where they are installed.
CODE = f"""
import json, sys
extras = ["duckdb", "matplotlib", "pandas", "polars", "pyarrow", "tqdm"]
sys.modules.update(dict.fromkeys(extras))  # to import one of them now raises

def packages():
    names = {{name.partition(".")[0] for name in sys.modules}}
    return sorted(names - sys.stdlib_module_names)

import sklearn.datasets, sklearn.metrics, sklearn.model_selection, sklearn.pipeline
before = packages()
import skrank
added = [name for name in packages() if name not in before]
lazy = [name for name in {LAZY} if f"skrank.{{name}}" in sys.modules]
from skrank._shell.commands import main
run = "evaluate qrels a.run -m ndcg@10 --by-query"
statuses = [main([*run.split(), name]) for name in ["q.csv", "q.parquet"]]
added += [name for name in packages() if name not in [*before, "skrank"]]
late = [name for name in {LATE} if f"skrank.{{name}}" in sys.modules]
import skrank.stats
skrank.integrations.lightgbm_metric("mrr")
names = [getattr(skrank, name).__name__ for name in {MODULES}]
optional = [name for name in {OPTIONAL} if name in packages() and name not in before]
for name in extras:
    del sys.modules[name]
import pandas as pd
rows = pd.DataFrame({{"qid": [1, 1], "y_true": [0, 1], "y_score": [2, 1]}})
skrank.tables.score_table(rows, "mrr")
clusters = [name for name in ["dask", "pyspark"] if name in packages()]
print(json.dumps([added, lazy, late, statuses, names, optional, clusters]))
"""


@pytest.mark.slow
def test_what_is_not_used_is_not_imported(tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "a.run").write_text("1 Q0 a 1 2 t\n")
    done = processes.run([sys.executable, "-c", CODE], check=True, cwd=tmp_path)
    printed = done.stdout.splitlines()[-1]
    added, lazy, late, statuses, names, optional, clusters = json.loads(printed)
    assert added == ["skrank"]
    assert lazy == []
    assert late == []
    assert statuses == [0, 2]
    assert 'pip install ".[tables]"' in done.stderr
    assert names == [f"skrank.{name}" for name in MODULES]
    assert optional == []
    assert clusters == []


# What the examples of the core import of the extensions, as users of both do; and what
# crosses from the one to the other.
BEYOND_THE_CORE = {
    "_engine.columns.of_items": ["evaluation"],
    "_engine.names.add_scorer": ["evaluation"],
    "_ranking.queries.RankedQueries": ["evaluation"],
    "metrics.average_precision.map_score": ["evaluation"],
    "model_selection.cross_val.cross_val_query_scores": ["evaluation"],
    "scoring.training.catboost_metric": ["integrations"],
    "scoring.training.lightgbm_metric": ["integrations"],
}
# The examples of all functions and classes of the core run in a process of its own.
CORE = """
import doctest, importlib, io, json, sys
from pathlib import Path
import skrank

extensions = "evaluation integrations link_prediction plot stats tables _shell".split()
beyond, n_tried = {}, 0
folder = Path(skrank.__file__).parents[1]
for file in sorted(folder.glob("skrank/**/[a-z_]*.py")):
    parts = file.relative_to(folder).with_suffix("").parts
    if {*parts} & {*extensions, "__main__"}:
        continue
    module = importlib.import_module(".".join(parts).removesuffix(".__init__"))
    for test in doctest.DocTestFinder().find(module):
        runner = doctest.DocTestRunner(verbose=False)
        n_tried += runner.run(test, out=io.StringIO().write).attempted
        parts = {name.split(".")[1] for name in sys.modules if "skrank." in name}
        if found := sorted(parts.intersection(extensions)):
            beyond[test.name.removeprefix("skrank.")] = found
            for name in [*sys.modules]:
                if name.split(".")[1:2] and name.split(".")[1] in extensions:
                    del sys.modules[name]
print(json.dumps([beyond, n_tried]))
"""


@pytest.mark.slow
def test_the_core_imports_no_extension():
    done = processes.run([sys.executable, "-W", "ignore", "-c", CORE], check=True)
    beyond, n_tried = json.loads(done.stdout.splitlines()[-1])
    assert beyond == BEYOND_THE_CORE
    assert n_tried > 300


def test_the_package_lists_its_submodules():
    assert set(dir(skrank)) == {*skrank.__all__, "__version__"}
    assert {"rankers", "metrics", "register_scorers"} <= set(dir(skrank))


def test_an_unknown_attribute_is_an_error():
    with pytest.raises(AttributeError, match="'skrank' has no attribute 'ranker'"):
        skrank.ranker  # noqa: B018


def public_modules():
    names = [name for name in skrank.__all__ if inspect.ismodule(getattr(skrank, name))]
    assert {*MODULES} <= {*names}
    return [importlib.import_module(f"skrank.{name}") for name in names]


def test_dir_of_a_public_module_lists_its_public_names_only():
    for module in public_modules():
        assert set(dir(module)) == {*module.__all__}
        assert all(hasattr(module, name) for name in dir(module))


def test_the_error_of_a_name_that_is_in_a_module_says_so():
    with pytest.raises(AttributeError, match=r"'mrr_score'. It is in skrank.metrics.$"):
        skrank.mrr_score  # noqa: B018
    with pytest.raises(AttributeError, match="Its modules are base, datasets, excepti"):
        skrank.ranker  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'mrr_score'"):
        exec("from skrank import mrr_score")
    assert not hasattr(skrank, "mrr_score")


def public_classes():
    for module in public_modules():
        for name in module.__all__:
            if inspect.isclass(getattr(module, name)):
                yield module, getattr(module, name)


def test_results_are_made_with_keywords_only():
    made = {
        f"{module.__name__}.{cls.__name__}": cls
        for module, cls in public_classes()
        if "Made by :" in cls.__doc__
    }
    assert made.keys() > RETURNED
    for name in made.keys() - RETURNED:
        cls = made[name]
        parameters = inspect.signature(cls).parameters.values()
        assert {one.kind for one in parameters} == {inspect.Parameter.KEYWORD_ONLY}


@pytest.mark.slow
def test_the_source_of_a_public_class_is_found():
    for _, cls in public_classes():
        source = inspect.getsource(cls).lstrip("@").partition("class ")[2]
        assert source.startswith(cls.__name__)


def test_pickles_name_modules_whose_names_are_public():
    """Lists of trusted types, such as those of skops and MLflow, hold these names."""
    of_data = {"RankedQueries", "TopDocuments", "ItemColumn"}  # no model holds one
    for _, cls in public_classes():
        if cls.__name__ in of_data:
            continue
        assert "._" not in cls.__module__
        assert pickle.loads(pickle.dumps(cls, protocol=0)) is cls
