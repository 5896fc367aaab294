# SPDX-License-Identifier: BSD-3-Clause
"""Faults that occur when a package is loaded through its entry point, or imported together with another package."""

import contextlib
import os
import sys
import threading

from .. import _lifecycle
from .package import _PACKAGE, _wrong


def _entry_point(function):
    sys.modules[_PACKAGE]._autoload = function


def _entry_point_wants_an_argument():
    _entry_point(lambda torch: None)


def _entry_point_works_once():
    called = []

    def load():
        called.append(1)
        if len(called) > 1:
            raise RuntimeError("fakedev was loaded already")

    _entry_point(load)


def _entry_point_hides_the_package():
    """The entry point runs a copy of its package, so a later import registers everything again."""

    def load():
        for name in [name for name in sys.modules if name.partition(".")[0] == _PACKAGE]:
            del sys.modules[name]

    _entry_point(load)


def _entry_point_defined_last():
    """Acts in first_lines.py.in: the package imports torch before its entry point is defined."""


def _import_starts_a_thread():
    threading.Thread(target=threading.Event().wait, daemon=True).start()


@_wrong("_lifecycle.lazy_init")
def _first_use_prints(clean):
    def lazy_init():
        if not _lifecycle.is_initialized():
            print("fakedev: 2 devices found", flush=True)
        clean()

    return lazy_init


def _make_file(path):
    """Creates the file. If the file exists, waits until another process has removed the file."""
    while True:
        try:
            return os.close(os.open(path, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            threading.Event().wait(0.05)


@_wrong("_kernel_cache.alone")
def _build_lock_outlives_owner(clean):
    """Uses the existence of a file as the lock. The build takes a second, so that a test can kill the builder."""

    @contextlib.contextmanager
    def alone(lock):
        _make_file(lock)
        threading.Event().wait(1)
        yield
        os.unlink(lock)

    return alone


def _loaded_at_each_start():
    """Acts in sitecustomize.py: besides the entry point, another file of the installation loads the package."""


PLACES = {
    "python.build_lock_outlives_owner": _build_lock_outlives_owner,
    "python.entry_point_defined_last": _entry_point_defined_last,
    "python.entry_point_hides_the_package": _entry_point_hides_the_package,
    "python.entry_point_wants_an_argument": _entry_point_wants_an_argument,
    "python.entry_point_works_once": _entry_point_works_once,
    "python.first_use_prints": _first_use_prints,
    "python.import_starts_a_thread": _import_starts_a_thread,
    "python.loaded_at_each_start": _loaded_at_each_start,
}
