# SPDX-License-Identifier: BSD-3-Clause
"""Streams and events in the device module: thin names over torch.Stream and torch.Event.

DDP, FSDP and distributed.checkpoint use these names. Serves: MOD-019, MOD-025.
"""

import contextlib

import torch

from ._indices import device_index
from ._lifecycle import init

_DEVICE_TYPE = int(torch._C._autograd.DeviceType.PrivateUse1.value)


class Stream(torch.Stream):
    """A stream of the device. Without arguments, creates a new stream on the current device."""

    def __new__(cls, device=None, priority=0, **fields):
        if fields:
            return super().__new__(cls, priority=priority, **fields)
        return super().__new__(cls, device=torch.device("fakedev", device_index(device)), priority=priority)


class Event(torch.Event):
    """Creates plain torch.Event objects, because torch.Stream and elapsed_time() reject subclasses of it."""

    def __new__(cls, device="fakedev", *, enable_timing=False, blocking=False, interprocess=False):
        return torch.Event(device, enable_timing=enable_timing, blocking=blocking, interprocess=interprocess)


def current_stream(device=None):
    init()
    return torch._C._accelerator_getStream(device_index(device))


def default_stream(device=None):
    return torch.Stream(stream_id=0, device_index=device_index(device), device_type=_DEVICE_TYPE)


def set_stream(stream):
    """Makes `stream` and its device current. None is accepted and is a no-op."""
    if stream is not None:
        torch.accelerator.set_stream(stream)


def stream(stream):
    """Context manager that makes `stream` and its device current. None changes nothing."""
    return contextlib.nullcontext() if stream is None else stream


def synchronize(device=None):
    """Waits for all streams of the device."""
    init()
    torch._C._accelerator_synchronizeDevice(device_index(device))
