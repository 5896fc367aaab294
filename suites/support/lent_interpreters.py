# SPDX-License-Identifier: BSD-3-Clause
"""Spawned processes of multiprocessing in interpreters that have torch already.

All of it is multiprocessing's own (what is sent, how it is read, who is told of its end) but for the start of the
interpreter: in the place of a new one a child of the bare process runs the same command. Without a bare process a new
one does.
"""

import contextlib
import multiprocessing.context
import os
import sys
from multiprocessing import popen_spawn_posix, util

spawn_new = util.spawnv_passfds


class _Popen(popen_spawn_posix.Popen):
    def __init__(self, process):
        self._child = None
        super().__init__(process)

    def _launch(self, process):
        util.spawnv_passfds = self._start
        try:
            super()._launch(process)
        finally:
            util.spawnv_passfds = spawn_new

    def _start(self, path, arguments, files):
        """`python OPTIONS -c PROGRAM ARGUMENTS`, with these files open: its pid."""
        from assay_host import bare_request

        begin = arguments.index("-c")
        numbers = {number: number for number in (0, 1, 2, *files)}
        environment = {**os.environ, "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
        self._child = bare_request.start(
            ["-c", *arguments[begin + 2 :]], arguments[begin + 1], numbers, environment, sys.path[:]
        )
        return self._child.pid if self._child else spawn_new(path, arguments, files)

    def poll(self, flag=os.WNOHANG):
        if self._child is None:
            return super().poll(flag)
        if self.returncode is None:
            try:
                status = self._child.ended(0 if flag == os.WNOHANG else None)
            except (OSError, EOFError):
                status = 255 << 8  # nobody knows
            self.returncode = None if status is None else os.waitstatus_to_exitcode(status)
        return self.returncode


@contextlib.contextmanager
def lent_interpreters():
    """In the block, whoever spawns a process gets such a one."""
    kind = multiprocessing.context.SpawnProcess
    before = kind._Popen
    kind._Popen = staticmethod(_Popen)
    try:
        yield
    finally:
        kind._Popen = before
