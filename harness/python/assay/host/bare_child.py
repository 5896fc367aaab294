# SPDX-License-Identifier: BSD-3-Clause
"""A child of the bare process (bare_process.py): it becomes what its request says, as if it were an interpreter that
somebody has started with `-c PROGRAM` and that begins by `import torch`.

The words between it and the job, on the job's socket: READY, then the request, then BECOME with its pid, at last ENDED
with the status, which the bare process says. REFUSED: the request wants what only a new interpreter can have.
"""

import builtins
import fcntl
import importlib
import json
import os
import resource
import signal
import socket
import struct
import sys
import types

READY, BECOME, REFUSED, ENDED = b"r", b"b", b"n", b"e"
LENGTH = struct.Struct("Q")
NUMBER = struct.Struct("i")
MOST_FILES = 16
# Variables that only count at the birth of a process.
BIRTH = ("LD_", "PYTHON", "MALLOC_", "GLIBC_", "OMP_", "MKL_", "OPENBLAS_")
PASSED_ON = ("PYTHONPATH",)  # comes as sys.path


def _of_birth(environment):
    return {
        name: value for name, value in environment.items()
        if value and name.startswith(BIRTH) and name not in PASSED_ON
    }


def _receive(job, size):
    data = b""
    while len(data) < size:
        piece = job.recv(min(65536, size - len(data)))
        if not piece:
            os._exit(0)  # whoever asked is gone
        data += piece
    return data


class Child:
    """Reads its request, and is another process from then on."""

    def __init__(self, job):
        try:
            job.send(READY)
            head, files, _flags, _from = socket.recv_fds(job, LENGTH.size, MOST_FILES)
            if len(head) != LENGTH.size:
                os._exit(0)
            self._become(json.loads(_receive(job, LENGTH.unpack(head)[0])), files, job)
        except BaseException:
            job.send(REFUSED)
            os._exit(0)

    def _become(self, request, files, job):
        if _of_birth(request["environment"]) != _of_birth(os.environ):
            raise ValueError("it wants what a process has from its birth")
        self.program, self.autoload = request["program"], request["autoload"]
        self._join(request["group"])
        self._settle(request)
        job.send(BECOME + NUMBER.pack(os.getpid()))
        job.close()
        self._take(dict(zip(request["files"], files, strict=True)))

    def _join(self, group):
        """The group of the job, which is ended as a whole."""
        try:
            os.setpgid(0, group)
        except OSError:
            pass  # it is ended by itself then
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def _take(self, files):
        """{number: file that it is to be}, by way of numbers that nobody has asked for."""
        apart = max(*files, *files.values()) + 1
        aside = {number: fcntl.fcntl(file, fcntl.F_DUPFD, apart) for number, file in files.items()}
        for file in files.values():
            os.close(file)
        for number, file in aside.items():
            os.dup2(file, number)
            os.close(file)
        sys.stdin = open(0, encoding="utf-8", closefd=False)

    def _settle(self, request):
        os.chdir(request["directory"])
        os.environ.clear()
        os.environ.update(request["environment"])
        # The child becomes another interpreter, and that has a path of its own, without the current folder (python -P).
        sys.path[:] = request["path"]
        sys.argv[:] = request["arguments"]
        own = __package__.partition(".")[0]  # the package forgets itself: a new interpreter has not imported it
        for name in [name for name in sys.modules if name.partition(".")[0] == own]:
            del sys.modules[name]
        importlib.invalidate_caches()

    def run(self, failure):
        """After `import torch`, which may have failed: then the program's first one fails so."""
        main = types.ModuleType("__main__")
        main.__builtins__ = builtins
        sys.modules["__main__"] = main
        if failure:
            sys.meta_path.insert(0, _Failed(failure))
        exec(compile(self.program, "<string>", "exec"), main.__dict__)
        sys.exit(0)


class _Failed:
    """The end of an import of torch that has been tried already; once."""

    def __init__(self, failure):
        self.failure = failure

    def find_spec(self, name, _path=None, _target=None):
        if name == "torch":
            sys.meta_path.remove(self)
            raise self.failure
