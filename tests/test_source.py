"""Rules for the source of the package that neither ruff nor import-linter checks."""

# SPDX-License-Identifier: BSD-3-Clause

import ast
import inspect
import itertools
import re
import shutil
import sys
from collections import defaultdict
from pathlib import Path

import pytest

import skrank
from skrank._engine.request import METRICS
from tests import processes

PACKAGE = Path(skrank.__file__).parent
SOURCE = {
    file.relative_to(PACKAGE).as_posix(): file.read_text("utf-8")
    for file in sorted(PACKAGE.rglob("*.py"))
}
PACKAGES = sorted({file.partition("/")[0] for file in SOURCE if "/" in file})
TREE = {module: ast.parse(text) for module, text in SOURCE.items()}
NODES = {module: [*ast.walk(tree)] for module, tree in TREE.items()}

HEADER = "# SPDX-License-Identifier: BSD-3-Clause"
# Modules that only one other module imports, and why they are not part of it.
ALONE = {
    "skrank._shell.commands": "what `skrank.__main__` runs",
    "skrank._shell.files": "what commands read and print, which tests call by itself",
    "skrank.rankers.libraries": "where the support of a further library is added",
    "skrank.stats.sign_flips": "likewise",
}
REQUIRED = {"narwhals", "numpy", "scipy", "sklearn"}
# scikit-learn has no public way to add a scorer name.
REGISTERS_SCORERS = "scoring/registry.py"

# What is assigned to attributes of other objects, and why.
ASSIGNED = {
    "__doc__": "the docstring of a function or class, completed by a decorator",
    "__name__": "that of a function or class which another function makes",
    "__qualname__": "likewise",
    "__signature__": "likewise",
    "__wrapped__": "a definition, which has other parameters than its metric function",
    "definition": "the definition of a metric function, which the decorator makes",
    "tags": "what `__sklearn_tags__` changes and returns",
    "real": "a part of an array of complex numbers",
    "imag": "likewise",
    "parameters": "the names of the parameters that a new error is about",
    "showwarning": "how Python lets a program print its warnings",
    "validation_score_": "scikit-learn's own name for what early stopping has measured",
}

# What two modules may define at their top level.
TWINS = {
    "__all__": "what a public module publishes",
    "__dir__": "likewise",
    "__getattr__": "what a package finds when it is asked for",
    "base.py": "`skrank.base` is public; that of displays is the base of these",
}

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests"
# What the folders of tests hold that are not those of a folder of the package.
OTHER_TESTS = {
    "benchmarks": "programs that measure time and memory",
    "live": "tests that need further libraries",
    "other_libraries": "the numbers of other libraries, and tests that compare them",
    "studies": "programs that simulate, or draw more than a test may",
    "typing": "what type checkers read",
}
# What the top level of the repository holds besides names that begin with a dot.
TOP_LEVEL = {
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "conftest.py",
    "docs",
    "examples",
    "pyproject.toml",
    "skrank",
    "tests",
}

PROGRAMS = {
    "scoring/entry_points.py": "what tests of the registry start as a process",
    "_input/test_bad_calls.py": "makes more bad calls than the test does",
}


def module_of(file):
    """Return the name of the module in a file of the package."""
    parts = ["skrank", *file.removesuffix(".py").split("/")]
    return ".".join(parts[: -1 if parts[-1] == "__init__" else None])


MODULES = {module_of(file) for file in SOURCE}


def imported_modules(node):
    """Return the names of the modules of the package that a statement imports."""
    names = imported_names(node)
    return {name if name in MODULES else name.rpartition(".")[0] for name in names}


def imported_names(node):
    """Return the full names that an import statement imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return []


def outside_functions(tree):
    """Yield the nodes of a module that run when it is imported."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and full_name(node.test) == "TYPE_CHECKING":
            continue
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield node
            yield from outside_functions(node)


def full_name(node):
    """Return ``"sklearn.metrics"`` for the attribute of a name, else ``""``."""
    if isinstance(node, ast.Attribute):
        return f"{full_name(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def is_private_in_sklearn(name):
    package, *parts = name.split(".")
    return package == "sklearn" and any(
        part.startswith("_") and not part.endswith("__") for part in parts
    )


def test_a_module_starts_with_a_docstring_and_the_header():
    for module, tree in TREE.items():
        summary = (ast.get_docstring(tree) or "").partition("\n")[0]
        assert summary.endswith("."), module
        rest = SOURCE[module].splitlines()[tree.body[0].end_lineno :]
        assert next(line for line in rest if line) == HEADER, module


@pytest.mark.slow
def test_a_module_is_imported_by_more_than_one_other():
    """If not, it is part of that one, or stands in `ALONE` with the reason."""
    importers = defaultdict(set)
    for file, nodes in NODES.items():
        for node in nodes:
            for name in imported_modules(node):
                importers[name].add(module_of(file))
    for name in skrank.metrics._EXTENSIONS.values():
        importers[name].add("skrank.metrics")
    public = {f"skrank.{name}" for name in [*skrank.__all__, "__main__"]}
    packages = {module_of(file) for file in TREE if file.endswith("__init__.py")}
    alone = {
        module
        for module in MODULES - packages - public
        # What a package publishes is imported by its users as well.
        if len(importers[module]) < 2 and not importers[module] & packages
    }
    assert alone == ALONE.keys()


def test_no_two_modules_define_the_same_name_or_have_the_same_file_name():
    """A reader who looks for a name finds one; `TWINS` has the exceptions."""
    homes = defaultdict(set)
    for file, tree in TREE.items():
        if not file.endswith("__init__.py"):
            homes[file.rpartition("/")[2]].add(file)
        for node in tree.body:
            names = [getattr(node, "name", None)]
            if isinstance(node, ast.Assign | ast.AnnAssign):
                targets = getattr(node, "targets", None) or [node.target]
                found = itertools.chain.from_iterable(map(ast.walk, targets))
                names = [one.id for one in found if isinstance(one, ast.Name)]
            for name in filter(None, names):
                homes[name].add(file)
    assert {name for name, files in homes.items() if len(files) > 1} == TWINS.keys()


def test_a_module_has_the_test_file_of_its_name():
    """That of `skrank/stats/gates.py` is `tests/stats/test_gates.py`."""
    for file in SOURCE:
        folder, _, name = file.rpartition("/")
        if name in ("__init__.py", "__main__.py"):
            continue
        name = name.removesuffix(".py")
        assert (TESTS / folder / f"test_{name}.py").exists(), file


def test_a_folder_of_tests_is_that_of_a_folder_of_the_package():
    def folders(root):  # but one that only publishes what is defined elsewhere
        files = [
            file for file in root.rglob("*.py") if file.parent.name != "integrations"
        ]
        return {file.parent.relative_to(root).as_posix() for file in files}

    others = {f for f in folders(TESTS) if f.partition("/")[0] in OTHER_TESTS}
    assert folders(TESTS) - others == folders(PACKAGE)
    assert {folder.partition("/")[0] for folder in others} == OTHER_TESTS.keys()


def test_programs_stand_in_folders_of_their_own():
    """Among tests there are only tests and their helpers, but for `PROGRAMS`."""
    found = {
        file.relative_to(TESTS).as_posix()
        for file in TESTS.rglob("*.py")
        if re.search(r"(?m)^if __name__ ==", file.read_text("utf-8"))
    }
    found = {file for file in found if file.partition("/")[0] not in OTHER_TESTS}
    assert found == PROGRAMS.keys()


@pytest.mark.slow
def test_no_module_asserts():
    """A user's mistake raises an error, since ``python -O`` skips assert."""
    for module, nodes in NODES.items():
        assert not any(isinstance(node, ast.Assert) for node in nodes), module


def is_trick(node):
    """Return True where code is made or read as data, or stack frames are looked at."""
    if isinstance(node, ast.Attribute):
        frames = "f_back", "f_locals", "f_globals", "_getframe", "currentframe"
        return node.attr in ("co_code", *frames) or full_name(node) == "inspect.stack"
    return isinstance(node, ast.Name) and node.id in ("eval", "exec", "compile")


@pytest.mark.slow
def test_code_is_not_read_as_data_and_one_module_looks_at_stack_frames():
    for module, nodes in NODES.items():
        assert not any("dis" in imported_names(node) for node in nodes), module
    found = {module for module, nodes in NODES.items() if any(map(is_trick, nodes))}
    assert found == {"_input/callers.py"}


def test_no_loop_leaves_its_variables_in_a_module():
    for module, tree in TREE.items():
        for node in outside_functions(tree):
            assert not isinstance(node, ast.For | ast.While | ast.With), module


def asks_a_frame(node):
    """Return True where code asks for what only a data frame or its index has."""
    if isinstance(node, ast.Attribute):
        return node.attr in ("iloc", "loc", "get_level_values", "collect_schema")
    return (
        isinstance(node, ast.Call)
        and full_name(node.func) in ("hasattr", "getattr")
        and isinstance(node.args[1], ast.Constant)
        and node.args[1].value in ("iloc", "loc", "index", "columns", "column_names")
    )


@pytest.mark.slow
def test_only_one_module_knows_data_frames():
    asking = {
        module for module, nodes in NODES.items() if any(map(asks_a_frame, nodes))
    }
    assert asking == {"_input/frames.py"}


@pytest.mark.slow
def test_one_module_imports_private_names_of_sklearn():
    found = set()
    for module, nodes in NODES.items():
        names = {*map(full_name, nodes)}
        names |= {name for node in nodes for name in imported_names(node)}
        found |= {module for name in names if is_private_in_sklearn(name)}
    assert found == {"_input/sklearn.py"}


def test_importing_a_module_needs_only_the_required_packages():
    allowed = REQUIRED | {"skrank"} | sys.stdlib_module_names
    for module, tree in TREE.items():
        for node in outside_functions(tree):
            for name in imported_names(node):
                assert name.partition(".")[0] in allowed, f"{module} imports {name}"


@pytest.mark.slow
def test_a_test_waits_for_nothing_without_end():
    """Processes come from `tests.processes`, and other waits have a timeout."""
    waits = r"\.(communicate|get|join|wait)\(\)"
    for file in (ROOT / "tests").rglob("*.py"):
        starts = "" if file.name == "processes.py" else r"|(import|from) subprocess"
        assert not re.search(waits + starts, file.read_text("utf-8")), file


def test_no_test_measures_time():
    """It counts calls: how long they take depends on the machine."""
    for file in (ROOT / "tests").rglob("test_*.py"):
        clock = r"(?m)^\s*(import time\b|from time\b|import timeit\b)"
        assert not re.search(clock, file.read_text("utf-8")), file


@pytest.mark.slow
def test_a_definition_is_short_and_has_no_loop():
    """It reads like the formula, and NumPy loops over the documents."""
    loops = ast.For | ast.While | ast.ListComp | ast.GeneratorExp
    for name, metric in METRICS.items():
        (function,) = ast.parse(inspect.getsource(metric.definition)).body
        after_docstring = function.body[0].end_lineno
        assert 0 < function.end_lineno - after_docstring <= 15, name
        assert not any(isinstance(node, loops) for node in ast.walk(function)), name


def assigned_attributes(nodes):
    """Yield what attributes of objects other than `self` and `cls` are assigned to."""
    names = "__setattr__", "setattr", "update"
    calls = r"object\.__setattr__\(|setattr\((?!self,)|vars\(.*\)\.update\("
    for node in nodes:
        is_changed = isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)
        if isinstance(node, ast.Attribute) and is_changed:
            if full_name(node.value) not in ("self", "cls"):
                yield ast.unparse(node)
        elif isinstance(node, ast.Call) and full_name(node.func).endswith(names):
            if re.match(calls, ast.unparse(node)):
                yield ast.unparse(node)
        elif isinstance(node, ast.FunctionDef):
            decorators = map(full_name, node.decorator_list)
            yield from (name for name in decorators if name.endswith(".setter"))


@pytest.mark.slow
def test_nobody_assigns_to_the_fields_of_another_object():
    """An object that others may change has no state that a reader can rely on."""
    found = {
        (module, name)
        for module, nodes in NODES.items()
        if module != REGISTERS_SCORERS  # which changes scikit-learn, and undoes that
        for name in assigned_attributes(nodes)
        if not ASSIGNED.keys() & {*re.findall(r"\w+", name)}
    }
    assert not found


@pytest.mark.skipif(
    shutil.which("git") is None or not (ROOT / ".git").exists(),
    reason="needs git and the repository",
)
def test_the_top_level_of_the_repository_holds_only_what_is_listed():
    """Libraries leave files behind, such as the folder catboost_info of CatBoost."""
    done = processes.run(["git", "ls-files", "-z"], cwd=ROOT)
    if done.returncode:  # git refuses a repository of another user
        pytest.skip(done.stderr)
    found = {name.partition("/")[0] for name in done.stdout.split("\0")[:-1]}
    assert {name for name in found if not name.startswith(".")} == TOP_LEVEL


def test_the_architecture_page_has_each_folder_and_no_module_that_is_gone():
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `(\w+)/` \| (.+) \|$", page, re.M))
    assert sorted(rows) == PACKAGES
    modules = {Path(file).stem for file in SOURCE}
    for folder, text in rows.items():
        listed = {*re.findall(r"`([a-z_]+)`", text)}
        assert listed <= modules | {"answer_all", "measure_queries"}, folder


# Phrases that read as translated, and what to write instead.
STILTED = {
    r"\btold apart\b": "significantly different, or distinguished",
    r"\bholds? the truth\b": "contains the true value",
    r"\b(another|others) than\b": "different from",
    r"\b[Ss]o many (queries|rows|values)\b": "this many",
    r"(?<![Tt]here )\bis no (?!longer\b)": "is not a",
    r"\bbeside\b": "next to, compared with, or in addition to",
}


@pytest.fixture(scope="module")
def texts():
    """Return what people read, by file."""
    files = [ROOT / "README.md", ROOT / "CHANGELOG.md"]
    for folder, ending in {"skrank": "py", "examples": "py", "docs": "rst"}.items():
        files += (ROOT / folder).rglob(f"*.{ending}")
    made = {"gallery", "generated", "_build"}
    return [
        (file, file.read_text("utf-8")) for file in files if not made & {*file.parts}
    ]


@pytest.mark.slow
@pytest.mark.parametrize("phrase", STILTED)
def test_the_english_is_plain(phrase, texts):
    found = [
        f"{file.relative_to(ROOT)}: {line.strip()}"
        for file, text in texts
        if re.search(phrase, text)
        for line in text.splitlines()
        if re.search(phrase, line)
    ]
    assert not found, f"write {STILTED[phrase]!r}"


@pytest.mark.slow
def test_no_message_shows_the_braces_of_a_value_that_was_not_filled_in():
    """Doubled braces, as in ``f"one of {{names}}"``, are text."""
    for module, nodes in NODES.items():
        for node in nodes:
            if isinstance(node, ast.JoinedStr):
                text = "".join(
                    part.value for part in node.values if isinstance(part, ast.Constant)
                )
                found = re.search(r"(?<![\\\w}])\{\*?[a-zA-Z_][\w.]*(![rs])?\}", text)
                assert found is None, (module, node.lineno, text)
