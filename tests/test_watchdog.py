"""Runs of pytest that hang, are paused, or stop in a debugger."""

# SPDX-License-Identifier: BSD-3-Clause

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.processes import PATIENCE, pause
from tests.processes import start as start_process

ROOT = Path(__file__).parents[1]
# Of the package conftest.py needs three names, without which a run starts at once.
RUN = """
import contextlib, sys, types
sys.path.insert(0, {root!r})
names = {{"config_context": contextlib.nullcontext, "METRICS": {{}}, "_SHOWN": set()}}
fake = types.SimpleNamespace(**names)
parts = "sklearn", "skrank._input.callers", "skrank._engine.request"
sys.modules |= dict.fromkeys(parts, fake)
import conftest, pytest
conftest.LIMIT = 2
options = ["-q", "-p", "no:cacheprovider", "--rootdir", {folder!r}, *{options!r}]
sys.exit(pytest.main([*options, {folder!r}], plugins=[conftest]))
"""


def start(folder, body, *options):
    """Start a run of one test, where a test hangs after two seconds."""
    test = f"import time\n\n\ndef test_it():\n    {body}\n"
    (folder / "test_it.py").write_text(test, "utf-8")
    code = RUN.format(root=str(ROOT), folder=str(folder), options=options)
    # The options of this run, such as how many processes share it, are not its own.
    env = {name: os.environ[name] for name in os.environ if name != "PYTEST_ADDOPTS"}
    env["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    return start_process([sys.executable, "-c", code], env=env)


@pytest.mark.slow
def test_a_test_that_hangs_ends_the_run_and_is_named(tmp_path):
    run = start(tmp_path, "time.sleep(1000)")
    _, errors = run.communicate(timeout=PATIENCE)
    assert run.returncode == 1
    assert "The test hangs." in errors
    assert "in test_it" in errors


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="Windows does not pause processes")
def test_a_run_that_was_paused_goes_on(tmp_path):
    started = tmp_path / "started"
    run = start(tmp_path, f"open({str(started)!r}, 'w').close(); time.sleep(0.5)")
    while not started.exists() and run.poll() is None:
        pause(0.01)
    run.send_signal(signal.SIGSTOP)
    pause(3)
    run.send_signal(signal.SIGCONT)
    output, errors = run.communicate(timeout=PATIENCE)
    assert run.returncode == 0, errors
    assert "1 passed" in output


@pytest.mark.slow
def test_a_debugger_has_all_the_time(tmp_path):
    run = start(tmp_path, "assert time is None", "--pdb")
    seen = ""
    while "(Pdb)" not in seen and run.poll() is None:
        seen += run.stdout.read(1)
    pause(3)
    output, errors = run.communicate("continue\n", timeout=PATIENCE)
    assert "1 failed" in output, errors
