# SPDX-License-Identifier: BSD-3-Clause
"""Current device and device facts in the device module.

torch.load, UntypedStorage.to, checkpoint and DDP enter `torch.fakedev.device(x)` as a context
manager. Serves: MOD-007, MOD-008, MOD-021, MOD-025, STOR-014, SER-029.
"""

import collections

import torch

from . import _C
from ._indices import device_index


class DeviceProperties(
        collections.namedtuple("DeviceProperties", "name total_memory alignment compute_units has_fp64")):
    @property
    def multi_processor_count(self):
        """The name under which Inductor reads the number of compute units."""
        return self.compute_units


def current_device():
    return _C.current_device()


def set_device(device):
    """Makes the device current. A negative index is a no-op, as in torch.cuda."""
    index = device_index(device)
    if index >= 0:
        _C.set_device(index)


class device:
    """Context manager that makes the device current. -1 and None change nothing."""

    def __init__(self, device):
        self.idx = -1 if device is None else device_index(device)
        self.prev_idx = -1

    def __enter__(self):
        self.prev_idx = _C.current_device()
        set_device(self.idx)

    def __exit__(self, kind, value, trace):
        _C.set_device(self.prev_idx)
        return False


class device_of(device):
    """Context manager that makes the device of a tensor or storage current. Other objects change nothing."""

    def __init__(self, thing):
        super().__init__(thing.get_device() if thing.device.type == "fakedev" else None)


def get_device_properties(device=None):
    return DeviceProperties(*_C.device_properties(device_index(device)))


def get_device_name(device=None):
    return get_device_properties(device).name


def get_device_capability(device=None):
    return torch.accelerator.get_device_capability(torch.device("fakedev", device_index(device)))


def can_device_access_peer(device, peer_device):
    return _C.can_access_peer(device_index(device), device_index(peer_device))
