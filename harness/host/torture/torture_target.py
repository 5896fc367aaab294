# SPDX-License-Identifier: BSD-3-Clause
"""A target without a backend, for the Python host without torch. Its load steps are words, and its native checks are
the torture checks, called by ctypes. Named by ASSAY_HOST_TARGET."""

import ctypes
import os
import signal
import time

import torture_switches

_library = None


def prepare(setup):
    global _library
    _library = ctypes.CDLL(os.environ["ASSAY_TORTURE_LIBRARY"])
    _library.torture_run.argtypes = [ctypes.c_void_p]


def load(setup):
    words = [argument for _, argument, _ in setup.steps]
    if "fail" in words:
        raise RuntimeError("the torture target does not load")
    if "hang" in words:
        time.sleep(3600)
    if "crash" in words:
        os.abort()
    if "kill assay" in words and os.path.basename(os.readlink(f"/proc/{os.getppid()}/exe")) == "assay":
        os.kill(os.getppid(), signal.SIGKILL)
    for path in (word for word in words if word.startswith("/")):
        ctypes.CDLL(path)
    return "torture", [0, 1]


def warm_up():
    pass


def begin_check(check):
    pass


def note_fallbacks():
    pass


def end_check():
    pass


def run_native(check):
    if not _library.torture_run(check.pointer):
        raise LookupError(f"no such check: {check.id}")


def extension(name):
    return (torture_switches.address if name == "assay.switches/1" else None), None


def claim(capability):
    """Acts as an adapter that answers "yes", "no" or any other text for every capability."""
    return {"no": 0, "yes": 1}.get(os.environ.get("ASSAY_TORTURE_CLAIM"), 2)


def start():
    pass


def take_state(may):
    pass


def state_changes(may):
    return []
