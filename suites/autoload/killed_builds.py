# SPDX-License-Identifier: BSD-3-Clause
"""A process that is killed in the moment in which it makes a lock below a folder, wherever that is done.

The kernel tells of new files (inotify), so neither the process nor its libraries need help.
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
_LOOKS = 10  # fewer tell nothing
_libc = ctypes.CDLL(None, use_errno=True)


class Watch:
    """Files made below a folder, also in folders that are made later."""

    def __init__(self, folder):
        self._queue = _libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        self._places = {}
        self._found = self._add(Path(folder))

    def close(self):
        os.close(self._queue)

    def _add(self, folder):
        """Files that were there before the kernel began to tell of them."""
        number = _libc.inotify_add_watch(self._queue, os.fsencode(folder), _CREATE | _MOVED_TO | _ONLYDIR)
        if number < 0:
            return [folder]
        self._places[number] = folder
        return [found for path in folder.iterdir() for found in self._seen(path)]

    def _seen(self, path):
        return self._add(path) if path.is_dir() else [path]

    def new_files(self, seconds):
        """Those made within the time, as soon as there is one."""
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
    """A process of a session of its own that runs the program in silence; as subprocess.Popen."""
    arguments = ["-c", f"import os\nos.setsid()\n{program}"]
    with open(os.devnull, "r+b") as nothing:
        files = dict.fromkeys((0, 1, 2), nothing.fileno())
        return lent_interpreters.lent(arguments, files, environment) or subprocess.Popen(
            [sys.executable, *arguments], env=environment, stdin=nothing, stdout=nothing, stderr=nothing
        )


def end(process):
    """With what it has started. It may not have come to its own session yet."""
    for send in (os.killpg, os.kill) if process.poll() is None else (os.killpg,):
        with contextlib.suppress(ProcessLookupError):
            send(process.pid, signal.SIGKILL)
    process.wait()


def _is_asleep(process):
    """Whether every thread of a process that was started here sleeps, and of whatever it has started.

    One that waits for a lock sleeps; one that a busy machine keeps waiting is ready to run.
    """
    return all(state == "S" for state in _states_of_session(process.pid))


def _states_of_session(session):
    """Of each thread: R, S, D and so on."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(_fields(stat)[3]) == session:
                for thread in stat.parent.glob("task/*/stat"):
                    yield _fields(thread)[0]


def _fields(stat):
    """The fields that follow the name: state, parent, group, session."""
    return stat.read_text(errors="replace").rpartition(")")[2].split()


def waits(process, seconds):
    """Whether it waits for something that does not come: in the last quarter of the time it slept at most looks.
    Not at all: some look again and again for what they wait for, and a busy machine keeps them from sleeping on.
    None if it was at work then; False if it ended."""
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
    """The lock at which the process was killed; None if it ended without one."""
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
