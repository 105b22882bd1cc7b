"""The workflows, and the steps of `.ci/noxfile.py` that they run."""

# SPDX-License-Identifier: BSD-3-Clause

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NOXFILE = (ROOT / ".ci" / "noxfile.py").read_text("utf-8")
CI = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
(OLDEST,) = re.findall(r'^OLDEST_PYTHON = "(.+)"', NOXFILE, re.M)
# The steps, and the Python that some of them need.
STEPS = {
    name: OLDEST if python == "OLDEST_PYTHON" else python.strip('"')
    for python, name in re.findall(
        r"^@step\((?:python=([^)]+))?\).*\n(?:@nox.+\n)?def (\w+)", NOXFILE, re.M
    )
}
STEPS["install"] = ""  # its function has another name
# The rows of the matrices: what each of them runs, and with which Python.
ROWS = re.findall(r"- \{ (.*step: .+) \}", CI)


def test_every_step_is_run_by_a_workflow():
    release = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
    assert "run: bash .ci/run\n" in CI  # the default list
    (listed,) = re.findall(r"^nox.options.sessions = \[([^]]+)\]", NOXFILE, re.M)
    (of_release,) = re.findall(r"run: bash \.ci/run (.+)", release)
    run = {*re.findall(r'"(\w+)"', listed), *of_release.split()}
    run |= {re.search(r"step: (\w+)", row)[1] for row in ROWS}
    assert run == set(STEPS)


@pytest.mark.parametrize("row", ROWS)
def test_a_row_of_the_matrix_has_the_python_that_its_step_needs(row):
    of = dict(part.split(": ") for part in row.split(", "))
    assert STEPS[of["step"]] in ("", of["python"].strip('"'))


def test_the_job_of_every_step_has_the_pythons_that_the_steps_need():
    (listed,) = re.findall(r"python-version: \|\n((?: +3\.\d+\n)+)", CI)
    of_sklearn = re.findall(r'nox\.param\("(3\.\d+)", "scikit-learn', NOXFILE)
    assert len(of_sklearn) == 2
    assert {OLDEST, *of_sklearn} <= set(listed.split())


def test_the_oldest_python_is_that_of_the_project():
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert f'requires-python = ">={OLDEST}"' in project
    assert f'target-version = "py{OLDEST.replace(".", "")}"' in project
    recipe = ROOT / ".github" / "recipe" / "recipe.yaml"
    assert f'python_min: "{OLDEST}"' in recipe.read_text("utf-8")


def test_the_licence_of_bundled_data_is_in_the_metadata_with_its_text():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["license"].split(" AND ") == ["BSD-3-Clause", "MIT", "CC-BY-4.0"]
    _, text = project["license-files"]
    assert "MIT\nlicence" in (ROOT / text).read_text("utf-8")


def test_the_commands_of_the_readme_are_those_that_are_run():
    readme = (ROOT / "README.md").read_text("utf-8")
    (listed,) = re.findall(r"    for command in \[\n(.+?)\n    \]:", NOXFILE, re.S)
    commands = re.findall(r"^ +'(.+)',$", listed, re.M)
    assert len(commands) == 2
    assert [one for one in commands if f"\n{one}\n" not in readme] == []
