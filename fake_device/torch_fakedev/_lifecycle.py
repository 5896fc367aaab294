# SPDX-License-Identifier: BSD-3-Clause
"""Lazy initialisation and fork: when the device starts, and which processes must not use the device.

PyTorch calls _lazy_init before the first factory or torch.accelerator call of a process. Before this call, the process
has no device state that a forked child could share. Serves: MOD-005, MOD-006, MOD-009, MOD-013 to MOD-016, IPC-006 to
IPC-008, DL-010, DL-013, ALLOC-032.
"""

import threading
import traceback

import torch

from . import _C, _kernel_cache

_lock = threading.RLock()
_queued = []
_initialized = False


def device_count():
    return _C.device_count()


def is_available():
    return device_count() > 0


def is_initialized():
    return _initialized and not is_in_bad_fork()


def is_in_bad_fork():
    return _C.is_in_bad_fork()


def lazy_init():
    """Starts the device once. If the start raises, the next use tries again."""
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
        _kernel_cache.build()
        _initialized = True
        _run_queued()


def init():
    """Starts the device through PyTorch, which also sets PyTorch's own flag.

    Without that flag, torch.accelerator.synchronize(i) and empty_host_cache() are no-ops.
    """
    _C.initialize()


def lazy_call(function):
    """Runs `function` now if the device is initialised. Otherwise the initialisation runs `function`."""
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
