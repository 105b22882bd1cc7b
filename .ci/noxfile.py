"""The checks that a change has to pass, each in an environment of its own.

`bash .ci/run` runs them all, but for `browser`, `coverage`, `free_threaded`, `latex`,
`neighbours`, `nightly`, `peers`, `pykeen`, `ray`, `release`, `spark`, `tensors` and
`trackers`, which run only by name: most of them need or install much.
With nox and uv installed, `nox -f .ci/noxfile.py -s lint` runs one.
"""

# SPDX-License-Identifier: BSD-3-Clause

import atexit
import os
import re
import shutil
import tarfile
import tempfile
import time
import urllib.request
import xml.etree.ElementTree as ET
import zipfile
from collections import Counter
from functools import wraps
from pathlib import Path

import nox
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
OLDEST_PYTHON = "3.11"
# `lowest` tests the first version of scikit-learn, `install` the newest one.
SKLEARN = [
    nox.param("3.12", "scikit-learn==1.7.*", id="1.7"),
    nox.param("3.13", "scikit-learn==1.8.*", id="1.8"),
]

# These compute numbers from arrays, where scikit-learn plays no part. All other tests,
# and every new file, run with each version of scikit-learn.
WITHOUT_SKLEARN = [
    "tests/_ranking",
    "tests/plot",
    "tests/_engine/test_blocks.py",
    "tests/_engine/test_summary.py",
    "tests/metrics/test_common.py",
    "tests/_text/test_docs.py",
    "tests/metrics/test_edges.py",
    "tests/metrics/test_monte_carlo.py",
    "tests/evaluation/test_query_scores.py",
    "tests/metrics/test_ties.py",
    "tests/metrics/test_validation.py",
    "tests/other_libraries",
    "tests/stats",
    "tests/studies/test_studies.py",
    "tests/tables",
    "tests/test_benchmarks.py",
]

# What mypy finds in the package: make it less, never more.
MYPY_ERRORS = 30

nox.needs_version = ">=2025.5"
nox.options.default_venv_backend = "uv"
nox.options.download_python = "never"
nox.options.error_on_missing_interpreters = True
nox.options.sessions = [
    "install",
    "lint",
    "types",
    "docs",
    "lowest",
    "sklearn",
    "rankers",
]

for name in ["PYTHONPATH", "PYTHONDONTWRITEBYTECODE"]:
    os.environ.pop(name, None)
# Many tests start a Python of their own, which takes three times as long where it has
# to compile what it imports. The checkout stays clean.
BYTECODE = tempfile.TemporaryDirectory(prefix="skrank-bytecode-")
os.environ |= {
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PYTHONPYCACHEPREFIX": BYTECODE.name,
    "UV_NO_PROGRESS": "1",
    "UV_PYTHON_DOWNLOADS": "never",
}
# Behind everything else on PATH, so that `python3` stays what it is.
PYENV = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
os.environ["PATH"] += "".join(
    f"{os.pathsep}{path}" for path in sorted(PYENV.glob("versions/3.*/bin"))
)

summary = []


@atexit.register
def print_summary():
    """Print where the time went: the steps, and the slowest test files of each."""
    for name, seconds, outcome, files in summary:
        print(f"{name:<16}{seconds:6.0f} s  {outcome}", flush=True)
        for path, of_file in files:
            print(f"{of_file:24.0f} s  {path}", flush=True)
    print(f"{'all':<16}{sum(row[1] for row in summary):6.0f} s", flush=True)


def step(**options):
    """Make a function a session of nox that runs in the root of the checkout."""

    def decorate(function):
        @wraps(function)
        def run(session, *args, **kwargs):
            session.chdir(ROOT)
            results = Path(session.create_tmp()) / "tests.xml"
            results.unlink(missing_ok=True)
            options = os.environ.get("PYTEST_ADDOPTS", "")
            options += f" --junitxml={results.as_posix()} -o junit_family=xunit1"
            session.env["PYTEST_ADDOPTS"] = options
            start, outcome = time.monotonic(), "FAILED"
            try:
                function(session, *args, **kwargs)
                outcome = "passed"
            finally:
                seconds = time.monotonic() - start
                outcome = f"{outcome}{count_tests(results)}"
                summary.append((session.name, seconds, outcome, slowest_files(results)))

        return nox.session(**options)(run)

    return decorate


def count_tests(results):
    """Say how many tests ran, from the report of pytest if there is one."""
    if not results.exists():
        return ""
    suite = ET.parse(results).getroot().find("testsuite")
    count = {name: int(suite.get(name)) for name in ["tests", "skipped", "failures"]}
    failed = count["failures"] + int(suite.get("errors"))
    passed = count["tests"] - count["skipped"] - failed
    return f": {passed} tests passed, {failed} failed, {count['skipped']} skipped"


def slowest_files(results, n=3):
    """Return the n test files that took longest, with their seconds."""
    seconds = Counter()
    if results.exists():
        for case in ET.parse(results).iter("testcase"):
            seconds[case.get("file")] += float(case.get("time"))
    return seconds.most_common(n)


def use_both_cores(session):
    """Run the tests in two processes, each with one thread."""
    session.install("--quiet", "pytest-xdist")
    session.env["PYTEST_ADDOPTS"] += " -n 2"
    session.env["OMP_NUM_THREADS"] = "1"


def install(session, *arguments):
    """Install and say what the tests will run with."""
    session.install("--quiet", *arguments)
    session.run("python", "--version")
    session.run("uv", "pip", "list", "--quiet")


@step(venv_backend="venv", name="install")
def run_the_commands_of_the_readme(session):
    """The commands of the README; the second runs all tests and doctests."""
    use_both_cores(session)
    for command in [
        'pip install ".[plot,tables]" lightgbm && python examples/quickstart.py',
        'pip install -e ".[test]" && pytest',
    ]:
        session.run("bash", "-c", command, external=True)


@step()
def lint(session):
    """Ruff, the layers of the package by import-linter, and workflows by zizmor."""
    session.install("--quiet", "-e", ".", "--group", "dev")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("lint-imports", "--no-cache")
    session.run("zizmor", "--offline", "--quiet", ".")


@step()
def types(session):
    """The package and a script under mypy and pyright, the stub beside signatures."""
    session.install("--quiet", ".", "mypy>=1.15", "pyright[nodejs]>=1.1.400")
    command = ["mypy", "skrank", "--ignore-missing-imports"]
    found = session.run(*command, silent=True, success_codes=[0, 1])
    if found.count(" error: ") > MYPY_ERRORS:
        session.error(f"{found}At most {MYPY_ERRORS} were accepted.")
    # Away from the checkout, so that the types are those of the installed package.
    work = Path(session.create_tmp()) / "work"
    work.mkdir(exist_ok=True)
    for name in ["user_script.py", "stubtest.ini", "stubtest.txt"]:
        shutil.copy(f"tests/typing/{name}", work)
    session.chdir(work)
    session.run("python", "user_script.py")
    session.run("mypy", "--strict", "user_script.py")
    session.run("pyright", "--pythonpath", f"{session.bin}/python", "user_script.py")
    options = ["--mypy-config-file=stubtest.ini", "--allowlist=stubtest.txt"]
    options += ["--concise", "--ignore-unused-allowlist"]
    session.run("stubtest", "skrank.metrics", *options)


@step()
def docs(session):
    """The site, with warnings as errors and every reference resolved."""
    session.install("--quiet", ".[plot,tables]", "--group", "docs")
    build_site(session)


def build_site(session):
    """Build the site without a warning, and return the folder of its pages."""
    # autosummary writes its pages beside the sources: build a copy of them.
    tree = Path(session.create_tmp()) / "site"
    shutil.rmtree(tree, ignore_errors=True)
    for name in ["docs", "examples", ".github"]:
        shutil.copytree(name, tree / name)
    for name in ["CHANGELOG.md", "pyproject.toml"]:
        shutil.copy(name, tree)
    options = ["--fail-on-warning", "--keep-going", "--quiet", "-E", "-j2"]
    html = tree / "html"
    command = ["python", "-m", "sphinx", "-b", "html", *options]
    session.run(*command, f"{tree}/docs", f"{html}")
    session.log(f"{len(list(html.rglob('*.html')))} pages without a warning")
    return html


@step()
def browser(session):
    """The pages of the site in Chromium, at three widths and in dark mode."""
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        session.error("Chromium is missing: apt-get install chromium chromium-driver")
    session.install("--quiet", "-e", ".[test]", "--group", "docs", "--group", "browser")
    # The folder of the session may be gone when somebody looks at the pictures.
    pictures = tempfile.mkdtemp(prefix="skrank-screenshots-")
    options = [f"--site={build_site(session)}", f"--screenshots={pictures}"]
    session.run("pytest", "tests/live/browser", *options)


@step(python=OLDEST_PYTHON)
def lowest(session):
    """The wheel and the tests of the sdist, with the lowest supported versions."""
    wheel, sdist = build(session, Path(session.create_tmp()) / "dist")
    # Only what is named directly is installed at its lowest version: the dependencies,
    # not the wheel that has them.
    options = ["--resolution", "lowest-direct", "-r", "pyproject.toml"]
    install(session, *options, "--extra", "test")
    session.install("--quiet", "--no-deps", f"{wheel}")
    at_the_bounds(session)
    run_the_tests_of_the_sdist(session, sdist, "tests")


def run_the_tests_of_the_sdist(session, sdist, *arguments):
    """Run pytest where the sdist is unpacked, with the package that is installed."""
    use_both_cores(session)
    with tarfile.open(sdist) as archive:
        archive.extractall(session.create_tmp())
    session.chdir(Path(session.create_tmp(), sdist.name.removesuffix(".tar.gz")))
    # Without its sources the tests can only import the wheel.
    shutil.rmtree("skrank")
    session.run("pytest", *arguments)


def build(session, dist):
    """Build the wheel, which holds the package and nothing else, and the sdist."""
    shutil.rmtree(dist, ignore_errors=True)
    session.run("uv", "build", "--quiet", "--out-dir", f"{dist}")
    (wheel,) = dist.glob("*.whl")
    (sdist,) = dist.glob("*.tar.gz")
    names = zipfile.ZipFile(wheel).namelist()
    found = {name.split("/")[0].split("-")[0] for name in names}
    if found != {"skrank"}:
        session.error(f"{wheel.name} holds {sorted(found)}")
    (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
    page = zipfile.ZipFile(wheel).read(metadata).decode()
    if relative := re.findall(r"\]\((?!https://)[^)]*\)", page):
        session.error(f"Links that PyPI cannot follow: {relative}")
    return wheel, sdist


def at_the_bounds(session):
    """Check that the lower bounds of the dependencies are what is installed."""
    freeze = session.run("uv", "pip", "freeze", silent=True).splitlines()
    installed = dict(line.split("==") for line in freeze if "==" in line)
    project = nox.project.load_toml("pyproject.toml")["project"]
    for requirement in map(Requirement, project["dependencies"]):
        (bound,) = requirement.specifier
        version = installed[canonicalize_name(requirement.name)]
        session.log(f"{requirement} is tested with {version}")
        if Version(version) != Version(bound.version):
            session.error("That is not the lowest version.")


@step()
def release(session):
    """What PyPI gets, left in `dist`: checked by twine, and tested from its files."""
    wheel, sdist = build(session, ROOT / "dist")
    session.install("--quiet", "twine>=6.1", f"{wheel}")
    session.run("twine", "check", "--strict", f"{wheel}", f"{sdist}")
    tag = os.environ.get("GITHUB_REF_NAME", "")
    if os.environ.get("GITHUB_REF_TYPE") == "tag" and f"-{tag[1:]}-" not in wheel.name:
        session.error(f"The tag {tag} is not the version of {wheel.name}.")
    # The first example, as in the README.
    session.install("--quiet", "lightgbm", "pandas")
    session.chdir(session.create_tmp())
    session.run("python", f"{ROOT / 'examples' / 'quickstart.py'}")
    session.install("--quiet", f"{wheel}[test]")
    run_the_tests_of_the_sdist(session, sdist, "tests", "docs", "README.md")


@step()
def coverage(session):
    """The lines and branches of the package that no test runs, at most 4 of 100."""
    use_both_cores(session)
    install(session, "-e", ".[test]")
    session.run("pytest", "--cov", "--cov-fail-under=96")


@step()
def nightly(session):
    """What NumPy, SciPy, pandas and scikit-learn will release next."""
    use_both_cores(session)
    session.install("--quiet", "-e", ".[test]")
    index = "https://pypi.anaconda.org/scientific-python-nightly-wheels/simple"
    options = ["--upgrade", "--prerelease", "allow", "--index", index]
    options += ["--index-strategy", "unsafe-best-match"]
    install(session, *options, "numpy", "scipy", "pandas", "scikit-learn")
    session.run("pytest")


@step(python="3.14t")
def free_threaded(session):
    """Threads without a global lock; most of the extras have no wheels for that."""
    install(session, "-e", ".", "pandas", "pytest>=8.2")
    session.env["PYTHON_GIL"] = "0"
    session.run("pytest", "tests/test_threads.py")


@step()
@nox.parametrize(["python", "requirement"], SKLEARN)
def sklearn(session, requirement):
    """The minor versions of scikit-learn that no other step has, on other Pythons."""
    for path in WITHOUT_SKLEARN:
        if not Path(path).exists():
            session.error(f"{path} is named in {__file__} and does not exist.")
    use_both_cores(session)
    install(session, "-e", ".[test]", requirement)
    left_out = [f"--ignore={path}" for path in WITHOUT_SKLEARN]
    session.run("pytest", *left_out)


@step()
def rankers(session):
    """LightGBM, XGBoost, CatBoost, dask and exports to ONNX, really installed."""
    install(session, "-e", ".[test,rankers,dask]", "--group", "around")
    session.run("pytest", "tests/live/rankers")


@step()
def neighbours(session):
    """The examples of the docs with Optuna, scikit-optimize, FLAML, SHAP and others."""
    install(session, "-e", ".[test,rankers]", "--group", "neighbours")
    session.run("pytest", "tests/live/neighbours")


@step(python="3.13")  # RecTools needs NumPy 1 before Python 3.13, and LensKit NumPy 2
def peers(session):
    """The libraries that skrank is compared with, live beside the recorded numbers."""
    install(session, "-e", ".[test]", "--group", "peers")
    # Its evaluation needs none of its 100 dependencies that are not there.
    session.install("--quiet", "--no-deps", "recommenders>=1.2")
    session.run("pytest", "tests/other_libraries")


@step()
def latex(session):
    """The tables for papers, compiled by pdfLaTeX."""
    if not shutil.which("pdflatex"):
        session.error("LaTeX is missing: apt-get install texlive-latex-recommended")
    install(session, "-e", ".[test]")
    session.run("pytest", "tests/live/latex")


@step()
def spark(session):
    """Tables of Spark, in two threads of this machine; needs Java 17 or later."""
    install(session, "-e", ".[test,spark]")
    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        session.error("Spark needs Java: apt-get install openjdk-17-jre-headless")
    session.run("pytest", "tests/live/spark")


@step()
def ray(session):
    """The recipe for tables of Ray Data, on this machine."""
    install(session, "-e", ".[test]", "ray[data]>=2.40")
    # Its workers do not start if its files are in the environment, as those of nox are.
    with tempfile.TemporaryDirectory(prefix="ray-") as folder:
        session.run("pytest", "tests/live/ray", env={"RAY_TMPDIR": folder})


@step()
def pykeen(session):
    """PyKEEN's evaluators beside the metrics of link prediction."""
    install(session, "-e", ".[test,pykeen]")
    session.run("pytest", "tests/live/pykeen")


@step()
def tensors(session):
    """Tensors of torch and JAX, and training loops, really installed; on the CPU."""
    options = ["--torch-backend", "cpu"]
    try:
        urllib.request.urlopen("https://download.pytorch.org/whl/cpu/", timeout=20)
    except OSError as error:
        session.log(f"Torch comes from PyPI, with CUDA. Its index for the CPU: {error}")
        options = []
    install(session, "-e", ".[test]", "--group", "tensors", *options)
    session.run("pytest", "tests/live/tensors")


@step()
def trackers(session):
    """MLflow and skore, really installed."""
    install(session, "-e", ".[test]", "--group", "trackers")
    session.run("pytest", "tests/live/trackers")
