# SPDX-License-Identifier: BSD-3-Clause
"""Kills a process at the moment when it creates a lock file anywhere below a folder.

The kernel reports new files (inotify), so neither the process nor its libraries need instrumentation.
"""

import contextlib
import ctypes
import os
import select
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

from assay.checks import lent_interpreters

_CREATE, _MOVED_TO, _ONLYDIR = 0x100, 0x80, 0x01000000
_EVENT = struct.Struct("iIII")
_LOOK_EVERY_S = 0.05
_LOOKS = 10  # with fewer samples the result is not reliable
_libc = ctypes.CDLL(None, use_errno=True)


class Watch:
    """Reports files that are created below a folder, including folders that are created later."""

    def __init__(self, folder):
        self._queue = _libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        self._places = {}
        self._found = self._add(Path(folder))

    def close(self):
        os.close(self._queue)

    def _add(self, folder):
        """Starts to watch a folder. Returns the files that existed before the watch began."""
        number = _libc.inotify_add_watch(self._queue, os.fsencode(folder), _CREATE | _MOVED_TO | _ONLYDIR)
        if number < 0:
            return [folder]
        self._places[number] = folder
        return [found for path in folder.iterdir() for found in self._seen(path)]

    def _seen(self, path):
        return self._add(path) if path.is_dir() else [path]

    def new_files(self, seconds):
        """Waits for new files and returns them as soon as there is one, or when the time is over."""
        found, self._found = self._found, []
        ready, _, _ = select.select([self._queue], [], [], 0 if found else seconds)
        data = os.read(self._queue, 65536) if ready else b""
        while data:
            number, _, _, size = _EVENT.unpack_from(data)
            name = data[_EVENT.size : _EVENT.size + size].rstrip(b"\0")
            data = data[_EVENT.size + size :]
            if number in self._places:
                found += self._seen(self._places[number] / os.fsdecode(name))
        return found


def started(program, environment):
    """Starts the program in a session of its own, without output. Returns a subprocess.Popen or a similar object."""
    arguments = ["-c", f"import os\nos.setsid()\n{program}"]
    with open(os.devnull, "r+b") as nothing:
        files = dict.fromkeys((0, 1, 2), nothing.fileno())
        return lent_interpreters.lent(arguments, files, environment) or subprocess.Popen(
            [sys.executable, *arguments], env=environment, stdin=nothing, stdout=nothing, stderr=nothing
        )


def end(process):
    """Kills the process and all processes that it started. The process may not have created its session yet."""
    for send in (os.killpg, os.kill) if process.poll() is None else (os.killpg,):
        with contextlib.suppress(ProcessLookupError):
            send(process.pid, signal.SIGKILL)
    process.wait()


def _is_asleep(process):
    """Whether all threads of the process and of its child processes sleep.

    A process that waits for a lock sleeps. A process that waits for the CPU on a busy machine is runnable.
    """
    return all(state == "S" for state in _states_of_session(process.pid))


def _states_of_session(session):
    """The state of each thread: R, S, D and so on."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(_fields(stat)[3]) == session:
                for thread in stat.parent.glob("task/*/stat"):
                    yield _fields(thread)[0]


def _fields(stat):
    """The fields of /proc/<pid>/stat after the name: state, parent, group, session."""
    return stat.read_text(errors="replace").rpartition(")")[2].split()


def waits(process, seconds):
    """Returns True if the process waits for an event that does not come: it slept in most samples of the last quarter
    of the time. Some processes poll, and a busy machine keeps them awake, so not all samples must agree. Returns None
    if the process was active, and False if the process ended."""
    end_time, looks = time.monotonic() + seconds, []
    while time.monotonic() < end_time:
        try:
            process.wait(_LOOK_EVERY_S)
            return False
        except subprocess.TimeoutExpired:
            if time.monotonic() > end_time - seconds / 4:
                looks.append(_is_asleep(process))
    return True if sum(looks) > max(len(looks), _LOOKS) / 2 else None


def killed_at_a_lock(program, environment, folder, seconds):
    """Returns the lock file at which the process was killed, or None if the process ended without one."""
    watch, end_time = Watch(folder), time.monotonic() + seconds
    process = started(program, environment)
    try:
        while time.monotonic() < end_time:
            ended = process.poll() is not None
            locks = [path for path in watch.new_files(0 if ended else 0.05) if "lock" in path.name.lower()]
            if locks and not ended:
                return locks[0]
            if ended:
                return None
        return None
    finally:
        watch.close()
        end(process)
