"""Threads for which the main thread waits so that an interrupt cannot lock it."""

# SPDX-License-Identifier: BSD-3-Clause

import _thread
from queue import Empty, SimpleQueue


class Task:
    """The call of a function in another thread."""

    def __init__(self, function, args):
        self._function, self._args = function, args
        self._outcome, self._found = SimpleQueue(), None

    def run(self):
        """Call the function and keep what it returns or raises."""
        try:
            self._outcome.put((self._function(*self._args), None))
        except BaseException as error:
            self._outcome.put((None, error))

    def wait(self, seconds):
        """Wait for at most some seconds, and return True if the call has ended."""
        if self._found is None:
            try:
                self._found = self._outcome.get(timeout=seconds)
            except Empty:
                return False
        return True

    def result(self):
        """Wait for the end of the call, and return its result."""
        while not self.wait(0.1):  # an interrupt just before a wait does not end it
            pass
        returned, error = self._found
        if error is not None:
            raise error
        return returned


class Threads:
    """`n` threads that call functions, in the order in which they were started.

    The main thread waits without a lock of Python's: an interrupt, such as Ctrl-C, that
    strikes while such a lock is taken or released may leave it locked for ever. So this
    is not a ThreadPoolExecutor.
    """

    def __init__(self, n):
        self._tasks, self._is_closed = SimpleQueue(), False
        self._ends = [Task(self._work, ()) for _ in range(n)]
        for end in self._ends:
            _thread.start_new_thread(end.run, ())

    def start(self, function, *args):
        """Call a function in one of the threads, and return the :class:`Task`."""
        task = Task(function, args)
        self._tasks.put(task)
        return task

    def close(self):
        """Wait for the calls that have begun; those that have not never do."""
        if not self._is_closed:
            self._is_closed = True
            for _ in self._ends:
                self._tasks.put(None)
            for end in self._ends:
                end.result()

    def _work(self):
        while (task := self._tasks.get()) is not None:
            if not self._is_closed:
                task.run()
            del task  # or it would keep its arguments until the next one comes
