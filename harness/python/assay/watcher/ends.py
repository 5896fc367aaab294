# SPDX-License-Identifier: BSD-3-Clause
"""Records how processes of a watched program ended, as reported to their parents, in lines of ends.jsonl.

A process that is killed by a signal cannot record its end, but its parent receives the status. Each watched Python
records the ends of its children, and assay/watcher/program.py records the end of the program. Read by
assay/watcher/deaths.py.
"""

import contextlib
import functools
import json
import os
import time

FILE = "ends.jsonl"
WAITS = ("waitpid", "wait", "wait3", "wait4")  # each function returns the process and its status first


def hook(folder):
    """Records each end from now on. Returns a function that stops the recording."""
    path, before = os.path.join(folder, FILE), {name: getattr(os, name) for name in WAITS}

    def noting(wait):
        @functools.wraps(wait)
        def waited(*arguments, **named):
            found = wait(*arguments, **named)
            if found[0] > 0:
                note(path, found[0], found[1])
            return found

        return waited

    for name, wait in before.items():
        setattr(os, name, noting(wait))
    return lambda: [setattr(os, name, wait) for name, wait in before.items()]


def note(path, process, status):
    line = json.dumps({"process": process, "status": status, "at": time.monotonic_ns()}) + "\n"
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        try:
            os.write(file, line.encode())
        finally:
            os.close(file)
    except OSError:
        pass


def read(folder):
    """Returns {process: (status, time)}. The last line may be cut off."""
    found = {}
    with contextlib.suppress(OSError, ValueError), open(os.path.join(folder, FILE), encoding="utf-8") as file:
        for line in file:
            one = json.loads(line)
            found[one["process"]] = one["status"], one["at"]
    return found
