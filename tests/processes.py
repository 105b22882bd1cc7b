"""Processes that tests start, and how long a test waits."""

# SPDX-License-Identifier: BSD-3-Clause

import subprocess
from threading import Event

# Seconds after which a process or a thread counts as hanging.
PATIENCE = 300


def run(command, **options):
    """Call ``subprocess.run``, which reads the output and ends what hangs."""
    defaults = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        "text": True,
        "timeout": PATIENCE,
    }
    return subprocess.run(command, **defaults | options)


def start(command, **options):
    """Start a process with pipes, which a test reads with a timeout."""
    pipes = dict.fromkeys(["stdin", "stdout", "stderr"], subprocess.PIPE)
    return subprocess.Popen(command, text=True, **pipes, **options)


def pause(seconds):
    """Let other processes go on."""
    Event().wait(seconds)
