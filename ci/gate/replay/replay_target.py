# SPDX-License-Identifier: BSD-3-Clause
"""The fake backend of the replay as a target of the Python host, without torch. Loading the backend is one dlopen that
resolves every symbol immediately. Named by ASSAY_HOST_TARGET."""

import ctypes
import os

backend = upstream = None


def prepare(setup):
    pass


def load(setup):
    global backend, upstream
    (path,) = [argument for kind, argument, _ in setup.steps if kind == "dlopen"]
    folder = os.path.dirname(path)
    upstream = ctypes.CDLL(os.path.join(folder, "libupstream.so"), mode=ctypes.RTLD_GLOBAL)
    backend = ctypes.CDLL(path, mode=os.RTLD_NOW)
    return "scratch", [0, 1]


def warm_up():
    pass


def start():
    pass


def begin_check(check):
    pass


def note_fallbacks():
    pass


def end_check():
    pass


def run_native(check):
    raise LookupError(f"no such check: {check.id}")


def extension(name):
    return None, None
