# SPDX-License-Identifier: BSD-3-Clause
"""Waits until the threads of PyTorch's autograd engine are idle before the interpreter exits.

An engine thread releases the last graph and its Python objects after backward() has returned. If the interpreter is
already shutting down, the thread is unwound by force and the process aborts ("terminate called without an active
exception"). This happens on any device and also without assay. A watch keeps more objects in the graph, so the abort
happens more often.
"""

import contextlib
import os
import time

NAME = "pt_autograd"
LOOK = 0.02  # seconds; much longer than the 5 ms after which a thread requests the interpreter lock again
PATIENCE = 2.0
SAID = ("State", "voluntary_ctxt_switches", "nonvoluntary_ctxt_switches")


def let_finish():
    """Returns when each thread has slept for LOOK seconds without a context switch."""
    end, before = time.monotonic() + PATIENCE, _look()
    while before and time.monotonic() < end:
        time.sleep(LOOK)
        now = _look()
        if now == before and all(state[0].startswith("S") for state in now.values()):
            return
        before = now


def _look():
    """The state and the number of context switches of each thread."""
    threads = {}
    with contextlib.suppress(OSError):
        for thread in os.listdir("/proc/self/task"):
            with contextlib.suppress(OSError):  # the thread has ended
                if _read(thread, "comm").startswith(NAME):
                    lines = dict(line.split(":\t", 1) for line in _read(thread, "status").splitlines())
                    threads[thread] = [lines[name] for name in SAID]
    return threads


def _read(thread, name):
    with open(f"/proc/self/task/{thread}/{name}", encoding="utf-8", errors="replace") as file:
        return file.read()
