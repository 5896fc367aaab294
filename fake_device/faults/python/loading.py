# SPDX-License-Identifier: BSD-3-Clause
"""What goes wrong while a package is loaded by its entry point, or is imported beside it."""

import os
import sys
import threading
from pathlib import Path

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
    """As one that runs its package from a copy: who imports it later registers all again."""

    def load():
        for name in [name for name in sys.modules if name.partition(".")[0] == _PACKAGE]:
            del sys.modules[name]

    _entry_point(load)


def _entry_point_defined_last():
    """Acts in first_lines.py.in: the package imports torch before it has its entry point."""


def _import_starts_a_thread():
    threading.Thread(target=threading.Event().wait, daemon=True).start()


@_wrong("_lifecycle.lazy_init")
def _first_use_prints(clean):
    def lazy_init():
        if not _lifecycle.is_initialized():
            print("fakedev: 2 devices found", flush=True)
        clean()

    return lazy_init


def _build_beside(lock):
    """Waits until the file is gone, makes it, compiles for a second, and removes it."""
    moment = threading.Event()
    while True:
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            moment.wait(0.05)
            continue
        moment.wait(1)
        os.unlink(lock)
        return


@_wrong("_lifecycle.lazy_init")
def _build_lock_outlives_owner(clean):
    """As one that compiles kernels at first use. Only where a cache is named: a lock is left for all to meet."""

    def lazy_init():
        cache = os.environ.get("XDG_CACHE_HOME")
        if cache and not _lifecycle.is_initialized():
            _build_beside(Path(cache, "fakedev.lock"))
        clean()

    return lazy_init


PLACES = {
    "python.build_lock_outlives_owner": _build_lock_outlives_owner,
    "python.entry_point_defined_last": _entry_point_defined_last,
    "python.entry_point_hides_the_package": _entry_point_hides_the_package,
    "python.entry_point_wants_an_argument": _entry_point_wants_an_argument,
    "python.entry_point_works_once": _entry_point_works_once,
    "python.first_use_prints": _first_use_prints,
    "python.import_starts_a_thread": _import_starts_a_thread,
}
