# SPDX-License-Identifier: BSD-3-Clause
"""Lazy initialisation and fork: when the device starts, and who must not use it.

PyTorch calls _lazy_init before the first factory or torch.accelerator call of a process. Until then
nothing exists that a fork could share. Serves: MOD-005, MOD-006, MOD-009, MOD-013 to MOD-016,
IPC-006 to IPC-008, DL-010, DL-013, ALLOC-032.
"""

import atexit
import os
import threading
import traceback

import torch

from . import _C
from ._driver import fault

_lock = threading.RLock()
_queued = []
_initialized = False


def device_count():
    return _C.device_count() + fault("python.count_one_too_many")


def is_available():
    if fault("python.is_available_raises") and device_count() == 0:
        raise RuntimeError("No fakedev device")
    return device_count() > 0 or fault("python.available_without_device")


def is_initialized():
    return _initialized and not is_in_bad_fork()


def is_in_bad_fork():
    return not fault("python.bad_fork_unnoticed") and _C.is_in_bad_fork()


def lazy_init():
    """Starts the device, once. After an exception the next use tries again."""
    global _initialized
    if is_initialized():
        return
    with _lock:
        if is_initialized():
            return
        if is_in_bad_fork():
            raise RuntimeError(
                "Cannot re-initialize fakedev in forked subprocess. To use fakedev with "
                "multiprocessing, you must use the 'spawn' start method"
            )
        _C.start()
        _initialized = True
        if fault("python.exit_demands_all_freed"):
            atexit.register(_demand_all_freed)
        _run_queued()


def _demand_all_freed():
    """A defect: tensors that are alive at exit end the process."""
    if any(torch.accelerator.memory_allocated(i) for i in range(device_count())):
        os.abort()


def init():
    """Starts the device by the way PyTorch does, so that its own flag is set, too.

    Only then are torch.accelerator.synchronize(i) and empty_host_cache() more than no-ops.
    """
    _C.initialize()


def lazy_call(function):
    """Runs `function` now, or when the device is initialised."""
    if is_initialized():
        function()
    else:
        _queued.append((function, traceback.format_stack()))


def _run_queued():
    while _queued:
        function, origin = _queued.pop(0)
        try:
            function()
        except Exception as error:
            raise RuntimeError(
                f"fakedev: a call queued before initialisation failed: {error}\n"
                f"It was queued here:\n{''.join(origin)}"
            ) from error
