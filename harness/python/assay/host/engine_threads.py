# SPDX-License-Identifier: BSD-3-Clause
"""Threads of PyTorch's autograd engine: at rest before the interpreter ends.

Such a thread lets go of the last graph after backward() has returned, and with it of what Python keeps there. Where the
interpreter has begun to end by then, the thread is unwound by force and the process aborts ("terminate called without an
active exception"), on any device and without us; a watch, which keeps more there, makes it likelier.
"""

import contextlib
import os
import time

NAME = "pt_autograd"
LOOK = 0.02  # seconds; far longer than the 5 ms after which a thread asks for the interpreter again
PATIENCE = 2.0
SAID = ("State", "voluntary_ctxt_switches", "nonvoluntary_ctxt_switches")


def let_finish():
    """Returns once each has slept from one look to the next without a switch, while the interpreter was free."""
    end, before = time.monotonic() + PATIENCE, _look()
    while before and time.monotonic() < end:
        time.sleep(LOOK)
        now = _look()
        if now == before and all(state[0].startswith("S") for state in now.values()):
            return
        before = now


def _look():
    """By thread: its state, and how often it was switched."""
    threads = {}
    with contextlib.suppress(OSError):
        for thread in os.listdir("/proc/self/task"):
            with contextlib.suppress(OSError):  # it ended
                if _read(thread, "comm").startswith(NAME):
                    lines = dict(line.split(":\t", 1) for line in _read(thread, "status").splitlines())
                    threads[thread] = [lines[name] for name in SAID]
    return threads


def _read(thread, name):
    with open(f"/proc/self/task/{thread}/{name}", encoding="utf-8", errors="replace") as file:
        return file.read()
