# SPDX-License-Identifier: BSD-3-Clause
"""A child of the bare process (bare_process.py). If PROGRAM begins with `import torch`, the child does the work of a
new interpreter that runs `-c PROGRAM`.

Protocol on the job's socket: the child sends READY, the job sends the request, the child sends BECOME with its pid.
When the child has ended, the bare process sends ENDED with the status. The child sends REFUSED if the request needs a
new interpreter.
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
# Environment variables that have an effect only when a process starts.
BIRTH = ("LD_", "PYTHON", "MALLOC_", "GLIBC_", "OMP_", "MKL_", "OPENBLAS_")
PASSED_ON = ("PYTHONPATH",)  # for these variables, the child changes sys.path instead


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
            os._exit(0)  # the job has ended
        data += piece
    return data


class Child:
    """Reads its request and then runs as the requested process."""

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
            raise ValueError("the request needs what only a new process can have")
        self.program, self.autoload = request["program"], request["autoload"]
        self._join(request["group"])
        self._settle(request)
        job.send(BECOME + NUMBER.pack(os.getpid()))
        job.close()
        self._take(dict(zip(request["files"], files, strict=True)))

    def _join(self, group):
        """Joins the process group of the job, because a job is killed together with its whole group."""
        try:
            os.setpgid(0, group)
        except OSError:
            pass  # in this case the job kills this process
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def _take(self, files):
        """Moves the received files to the requested numbers: {number: file}. First moves each file to an unused
        number."""
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
        # The child gets the search path of a new interpreter, without the current folder (python -P).
        sys.path[:] = request["path"]
        sys.argv[:] = request["arguments"]
        # Removes this package from sys.modules, because a new interpreter would not have imported it.
        own = __package__.partition(".")[0]
        for name in [name for name in sys.modules if name.partition(".")[0] == own]:
            del sys.modules[name]
        importlib.invalidate_caches()

    def run(self, failure):
        """Runs the program after `import torch`. If that import failed, the first import of torch in the program
        fails in the same way."""
        main = types.ModuleType("__main__")
        main.__builtins__ = builtins
        sys.modules["__main__"] = main
        if failure:
            sys.meta_path.insert(0, _Failed(failure))
        exec(compile(self.program, "<string>", "exec"), main.__dict__)
        sys.exit(0)


class _Failed:
    """Import hook that raises the error of the first import of torch again."""

    def __init__(self, failure):
        self.failure = failure

    def find_spec(self, name, _path=None, _target=None):
        if name == "torch":
            sys.meta_path.remove(self)
            raise self.failure
