# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program in a child of the bare process (bare_process.py) instead of in a new interpreter. Called in a job.

If any step fails, the functions return None and the job starts a new interpreter, which is slower but gives the same
result.
"""

import json
import os
import select
import socket

from assay.host import bare_child, bare_process
from assay.host.bare_child import NUMBER

PATIENCE_S = 20  # longest time for the fork on a machine with a high load


class Child:
    """A running program."""

    def __init__(self, job, pid):
        self.pid = pid
        self._job = job

    def ended(self, seconds=None):
        """Returns the wait status of the child, or None if the child has not ended in time. Raises EOFError if the bare
        process has died."""
        if not select.select([self._job], [], [], seconds)[0]:
            return None
        said = self._job.recv(1)
        data = self._job.recv(NUMBER.size) if said == bare_child.ENDED else b""
        self._job.close()
        if len(data) != NUMBER.size:
            raise EOFError
        return NUMBER.unpack(data)[0]


def run(program, files, environment, path, autoload):
    """Runs `python -c program`. Returns the wait status, or None if there is no bare process.

    `files` are the child's descriptors 0, 1 and 2. If `autoload` is set, `import torch` loads the installed entry
    points.
    """
    child = start(["-c"], program, dict(enumerate(files)), environment, path, autoload)
    try:
        return child and child.ended()
    except (OSError, EOFError):
        return None


def start(arguments, program, files, environment, path, autoload=False):
    """Returns a Child, or None. `arguments` is its sys.argv; `files` is {number in the child: number here}."""
    if bare_process.requests() < 0:
        return None
    request = {
        "arguments": arguments, "program": program, "files": list(files), "environment": environment, "path": path,
        "autoload": autoload, "directory": os.getcwd(), "group": os.getpgrp(),
    }
    try:
        job = _connect()
        pid = _tell(job, json.dumps(request).encode(), list(files.values()))
    except (OSError, EOFError):
        return None
    return Child(job, pid)


def _connect():
    """A new socket whose other end goes to the next child of the bare process."""
    ours, theirs = socket.socketpair()
    with theirs, socket.socket(fileno=os.dup(bare_process.requests())) as requests:
        sent = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, NUMBER.pack(theirs.fileno()))]
        requests.sendmsg([b"!"], sent, socket.MSG_DONTWAIT)
    return ours


def _tell(job, text, files):
    """Sends the request. Returns the pid of the child when it starts to run the program."""
    job.settimeout(PATIENCE_S)
    if job.recv(1) != bare_child.READY:
        raise EOFError
    job.settimeout(None)
    socket.send_fds(job, [bare_child.LENGTH.pack(len(text))], files)
    job.sendall(text)
    if job.recv(1) != bare_child.BECOME:
        raise EOFError
    return NUMBER.unpack(job.recv(NUMBER.size))[0]
