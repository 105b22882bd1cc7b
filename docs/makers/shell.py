"""What the commands of the page "Command line" print."""

# SPDX-License-Identifier: BSD-3-Clause

import contextlib
import io
import os
import re
import shlex
import tempfile
import textwrap
from pathlib import Path

from skrank._shell.commands import main

PAGE = Path(__file__).parents[1] / "shell.rst"
SCRIPT = Path(__file__).parents[1] / "shell" / "files.py"
# A command with the file of what it prints.
COMMAND = re.compile(
    r"^\.\. code-block:: bash\n\n   skrank (.*)\n\n\.\. literalinclude:: (\S+)", re.M
)


def files():
    """Return what the commands print, by the names of the files."""
    page, before = PAGE.read_text("utf-8"), os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            exec(SCRIPT.read_text("utf-8"), {})
            return {name: printed(command) for command, name in COMMAND.findall(page)}
        finally:
            os.chdir(before)


def printed(command):
    """Return what a command prints on a terminal, which breaks its long messages."""
    terminal = io.StringIO()
    with contextlib.redirect_stdout(terminal), contextlib.redirect_stderr(terminal):
        status = main(shlex.split(command))
    if status:
        raise ValueError(f"skrank {command} failed: {terminal.getvalue()}")
    lines = terminal.getvalue().split("\n")
    is_message = re.compile(r"skrank: \w+: ").match
    return "\n".join(
        textwrap.fill(line, 88, break_on_hyphens=False) if is_message(line) else line
        for line in lines
    )
