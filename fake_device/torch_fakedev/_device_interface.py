# SPDX-License-Identifier: BSD-3-Clause
"""The device interface for torch._dynamo. Only the import of torch._dynamo imports this file.

Worker methods run in compile workers, which may be forked and must not use the device. These methods return values that
the parent process has cached. Event and Stream derive from PyTorch's own classes, because Dynamo could not capture them
otherwise. Serves: COMP-001 to COMP-006, COMP-029.
"""

import torch
from torch._dynamo import device_interface as core

from . import _C, _devices, _indices, _lifecycle, _streams, amp

_properties = []
_worker_device = []


class FakedevInterface(core.DeviceInterface):
    device = _devices.device
    Event = _streams.Event
    Stream = _streams.Stream

    class Worker:
        @staticmethod
        def set_device(device):
            _worker_device[:] = [device]

        @staticmethod
        def current_device():
            return _worker_device[0] if _worker_device else _C.current_device()

        @staticmethod
        def get_device_properties(device=None):
            keep_properties()
            index = FakedevInterface.Worker.current_device() if device is None else _indices.device_index(device)
            return _properties[index]

    current_device = staticmethod(_devices.current_device)
    set_device = staticmethod(_devices.set_device)
    exchange_device = staticmethod(torch._C._accelerator_hooks_exchange_device)
    maybe_exchange_device = staticmethod(torch._C._accelerator_hooks_maybe_exchange_device)
    device_count = staticmethod(_lifecycle.device_count)
    is_available = staticmethod(_lifecycle.is_available)
    stream = staticmethod(_streams.stream)
    current_stream = staticmethod(_streams.current_stream)
    set_stream = staticmethod(_streams.set_stream)
    synchronize = staticmethod(_streams.synchronize)
    memory_allocated = staticmethod(torch.accelerator.memory_allocated)

    @staticmethod
    def is_bf16_supported(including_emulation=False):
        return amp.is_bf16_supported()

    @staticmethod
    def _set_stream_by_id(stream_id, device_index, device_type):
        _streams.set_stream(torch.Stream(stream_id=stream_id, device_index=device_index, device_type=device_type))

    @staticmethod
    def get_raw_stream(device_idx):
        return _streams.current_stream(device_idx).native_handle

    @staticmethod
    def get_compute_capability(device=None):
        return _devices.get_device_name(device)


def keep_properties():
    """Queries the device once, so that a worker that is forked later has the values."""
    if not _properties:
        _properties.extend(_devices.get_device_properties(i) for i in range(_lifecycle.device_count()))


def register():
    core.register_interface_for_device("fakedev", FakedevInterface)
    for index in range(_lifecycle.device_count()):
        core.register_interface_for_device(f"fakedev:{index}", FakedevInterface)
