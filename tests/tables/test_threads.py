"""Threads that an interrupt cannot lock."""

# SPDX-License-Identifier: BSD-3-Clause

import inspect
import os
import sys
import threading
from queue import SimpleQueue

import pytest

from skrank.tables.source import Task, Threads
from tests import processes


def test_results_and_errors_come_from_the_calls():
    threads = Threads(2)
    tasks = [threads.start(divmod, 7, n) for n in (2, 0)]
    assert tasks[0].result() == (3, 1)
    assert tasks[0].result() == (3, 1)
    with pytest.raises(ZeroDivisionError):
        tasks[1].result()
    threads.close()
    threads.close()


def test_one_thread_makes_its_calls_one_after_the_other():
    threads, done = Threads(1), []
    tasks = [threads.start(done.append, i) for i in range(100)]
    tasks[-1].result()
    assert done == [*range(100)]
    threads.close()


def test_what_has_begun_ends_before_closing_and_the_rest_never_begins():
    threads, go, begun, done = Threads(1), SimpleQueue(), SimpleQueue(), []

    def work(i):
        begun.put(i)
        done.append(go.get(timeout=processes.PATIENCE))

    for i in range(3):
        threads.start(work, i)
    begun.get(timeout=processes.PATIENCE)
    closing = threading.Thread(target=threads.close)
    closing.start()
    while not threads._is_closed:
        pass
    for i in range(3):
        go.put(i)
    closing.join(processes.PATIENCE)
    assert done == [0]


# In a process of its own, without coverage, in which it may also strike a lock. It
# imports nothing that the threads do not need.
INTERRUPTED = f"""
import _thread, signal
from queue import Empty, SimpleQueue

{inspect.getsource(Task)}
{inspect.getsource(Threads)}

def interrupt(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGALRM, interrupt)
threads, n_interrupted = Threads(2), 0
for i in range(200):
    try:
        signal.setitimer(signal.ITIMER_REAL, 1e-6 * (1 + i % 97))
        while True:
            threads.start(int).result()
    except KeyboardInterrupt:
        n_interrupted += 1
assert threads.start(int).result() == 0
threads.close()
print(n_interrupted)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no timers of signals")
def test_interrupts_at_any_time_leave_the_threads_able_to_work():
    env = {name: os.environ[name] for name in os.environ if not name.startswith("COV")}
    done = processes.run([sys.executable, "-c", INTERRUPTED], env=env)
    assert done.stdout == "200\n", done.stderr
