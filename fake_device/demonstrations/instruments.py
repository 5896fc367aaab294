# SPDX-License-Identifier: BSD-3-Clause
"""Instruments of a demonstration besides PyTorch: streams that are held, and the driver itself.

Imported by demo_<area>.py before the fork, so torch_fakedev is imported inside the functions.
"""

import contextlib
import ctypes
import mmap
import os
import signal

_libc = ctypes.CDLL(None)
_kept = []  # what a stream may still be waiting on when a fault lets its owner go on


def driver():
    """The driver's library, for the few faults that PyTorch cannot reach."""
    from torch_fakedev._driver import library

    return library


def gate(*streams):
    """Holds the streams until it is opened or its `with` is left."""
    from torch_fakedev.testing import Gate

    return Gate(*streams)


@contextlib.contextmanager
def held_until_we_wait(stream):
    """Holds the stream until every thread of this process sleeps, that is: until we wait for it.

    Another process looks and lets the stream go, because a wait may keep the interpreter's lock.
    The stream goes on at the end of the `with` at the latest.
    """
    from torch_fakedev.testing import _check, _stream_handle

    shared = mmap.mmap(-1, mmap.PAGESIZE)
    semaphore = ctypes.c_char.from_buffer(shared)
    _kept.append((shared, semaphore))
    _libc.sem_init(ctypes.byref(semaphore), 1, 0)
    _check(driver().fd_stream_callback(
        _stream_handle(stream), _libc.sem_wait, ctypes.byref(semaphore)))
    watcher = os.fork()
    if watcher == 0:
        _let_go_when_asleep(os.getppid(), semaphore)
    try:
        yield
    finally:
        os.kill(watcher, signal.SIGKILL)
        os.waitpid(watcher, 0)
        _libc.sem_post(ctypes.byref(semaphore))
        stream.synchronize()


def _let_go_when_asleep(process, semaphore):
    try:
        before = None
        while os.getppid() == process:
            now = _switches_if_asleep(process)
            if now is not None and now == before:
                _libc.sem_post(ctypes.byref(semaphore))
                break
            before = now
            os.sched_yield()
    finally:
        os._exit(0)


def _switches_if_asleep(process):
    """How often each thread has given up its processor; None if one of them is awake."""
    switches = {}
    for thread in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{thread}/status", encoding="ascii") as file:
            facts = dict(line.split(":\t", 1) for line in file)
        if not facts["State"].startswith("S"):
            return None
        switches[thread] = facts["voluntary_ctxt_switches"]
    return switches


def raises(error, function, *arguments, **keywords):
    """True if the call raises this error. Any other error goes through."""
    try:
        function(*arguments, **keywords)
    except error:
        return True
    return False
