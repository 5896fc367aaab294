# SPDX-License-Identifier: BSD-3-Clause
"""Faulty functions of the device module. Each fault is a defect of a real backend."""

import sys

import torch

from .. import _device_module, _lifecycle, amp
from .package import _wrong


def _module_not_in_sys_modules():
    """Simulates a package that sets torch.fakedev with setattr."""
    del sys.modules["torch.fakedev"]


def _starting(name):
    """Makes the function with this name start the device before it returns its result."""

    def place():
        clean = getattr(_device_module, name)

        def function():
            _lifecycle.lazy_init()
            return clean()

        setattr(_device_module, name, function)

    return place


def _initialized_too_early():
    _device_module.is_initialized = lambda: True


def _never_available():
    _device_module.is_available = lambda: False


@_wrong("_devices.current_device")
def _current_device_is_remembered(clean):
    first = []

    def current_device():
        first.append(clean())
        return first[0]

    return current_device


@_wrong("_devices.set_device")
def _set_device_takes_any_index(clean):
    def set_device(device):
        if not isinstance(device, int) or device < _lifecycle.device_count():
            clean(device)

    return set_device


def _devices_are_ints_only():
    for name in ("set_device", "synchronize"):
        setattr(_device_module, name, _of_ints(getattr(_device_module, name)))


def _of_ints(clean):
    def function(device=None):
        if not isinstance(device, (int, type(None))):
            raise TypeError(f"expected an int, got {device!r}")
        clean(device)

    return function


@_wrong("_indices.device_index")
def _device_types_not_compared(clean):
    def device_index(device=None):
        if isinstance(device, torch.device) and device.index is not None:
            return device.index
        return clean(device)

    return device_index


@_wrong("_lifecycle.lazy_init")
def _failed_start_counts(clean):
    def lazy_init():
        try:
            clean()
        except RuntimeError:
            _lifecycle._initialized = True
            raise

    return lazy_init


@_wrong("_lifecycle.init")
def _init_does_nothing(clean):
    return lambda: None


@_wrong("_lifecycle._run_queued")
def _queue_runs_backwards(clean):
    def run_queued():
        _lifecycle._queued.reverse()
        clean()

    return run_queued


@_wrong("_lifecycle._run_queued")
def _queue_runs_before_start(clean):
    def run_queued():
        _lifecycle._initialized = False
        clean()
        _lifecycle._initialized = True

    return run_queued


def _scaler_keywords_lost():
    make = amp.GradScaler.__init__

    def __init__(self, *arguments, **keywords):
        make(self, *arguments)

    amp.GradScaler.__init__ = __init__


PLACES = {
    "python.count_starts_device": _starting("device_count"),
    "python.current_device_is_remembered": _current_device_is_remembered,
    "python.device_types_not_compared": _device_types_not_compared,
    "python.devices_are_ints_only": _devices_are_ints_only,
    "python.failed_start_counts": _failed_start_counts,
    "python.init_does_nothing": _init_does_nothing,
    "python.initialized_too_early": _initialized_too_early,
    "python.is_available_starts_device": _starting("is_available"),
    "python.module_not_in_sys_modules": _module_not_in_sys_modules,
    "python.never_available": _never_available,
    "python.queue_runs_backwards": _queue_runs_backwards,
    "python.queue_runs_before_start": _queue_runs_before_start,
    "python.scaler_keywords_lost": _scaler_keywords_lost,
    "python.set_device_takes_any_index": _set_device_takes_any_index,
}
