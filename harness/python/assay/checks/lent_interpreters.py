# SPDX-License-Identifier: BSD-3-Clause
"""Child processes that have already imported torch replace new interpreters. The host's bare process forks them.

Processes that multiprocessing spawns can run in such children. Only the start of the interpreter is replaced:
multiprocessing itself sends and reads all data and reports the end of the child. If there is no bare process, a new
interpreter is started.
"""

import contextlib
import multiprocessing.context
import os
import subprocess
import sys
from multiprocessing import popen_spawn_posix, util

spawn_new = util.spawnv_passfds


class Lent:
    """A program in such a child process, with the interface of subprocess.Popen."""

    def __init__(self, child):
        self.pid, self.returncode, self._child = child.pid, None, child

    def poll(self):
        return self._ended(0)

    def wait(self, timeout=None):
        if self._ended(timeout) is None:
            raise subprocess.TimeoutExpired("a lent interpreter", timeout)
        return self.returncode

    def _ended(self, seconds):
        if self.returncode is None:
            try:
                status = self._child.ended(seconds)
            except (OSError, EOFError):
                status = 255 << 8  # the exit status is unknown
            self.returncode = None if status is None else os.waitstatus_to_exitcode(status)
        return self.returncode


def lent(arguments, files, environment):
    """Runs `python ARGUMENTS` as a Lent, or returns None if ARGUMENTS do not begin with -c and a program. `files` maps
    file descriptors of the child to descriptors of this process."""
    try:
        from assay.host import bare_request
    except ImportError:
        return None  # plain unittest
    path = list(filter(None, sys.path))
    child = bare_request.start(["-c", *arguments[2:]], arguments[1], files, dict(environment), path)
    return child and Lent(child)


class _Popen(popen_spawn_posix.Popen):
    def __init__(self, process):
        self._lent = None
        super().__init__(process)

    def _launch(self, process):
        util.spawnv_passfds = self._start
        try:
            super()._launch(process)
        finally:
            util.spawnv_passfds = spawn_new

    def _start(self, path, arguments, files):
        """Starts `python OPTIONS -c PROGRAM ARGUMENTS` with these open files. Returns its pid."""
        numbers = {number: number for number in (0, 1, 2, *files)}
        self._lent = lent(arguments[arguments.index("-c") :], numbers, os.environ)
        return self._lent.pid if self._lent else spawn_new(path, arguments, files)

    def poll(self, flag=os.WNOHANG):
        if self._lent is None:
            return super().poll(flag)
        self.returncode = self._lent.poll() if flag == os.WNOHANG else self._lent.wait()
        return self.returncode


@contextlib.contextmanager
def lent_interpreters():
    """Processes that are spawned in this block are children of the bare process."""
    kind = multiprocessing.context.SpawnProcess
    before = kind._Popen
    kind._Popen = staticmethod(_Popen)
    try:
        yield
    finally:
        kind._Popen = before
