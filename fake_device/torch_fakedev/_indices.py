# SPDX-License-Identifier: BSD-3-Clause
"""Conversion of a device argument (int, "fakedev:1", torch.device, None) to an index.

None and a device without index mean the current device. Another device type raises ValueError. The driver
checks the range. Serves: MOD-008, MOD-025, STAT-022, ACC-022.
"""

import torch

from . import _C


def device_index(device=None):
    if device is None:
        return _C.current_device()
    if isinstance(device, int) and not isinstance(device, bool):
        return device
    if isinstance(device, str):
        device = torch.device(device)
    if not isinstance(device, torch.device):
        raise TypeError(f"expected int, str, torch.device or None, got {type(device).__name__}")
    if device.type != "fakedev":
        raise ValueError(f"expected a fakedev device, got {device}")
    return _C.current_device() if device.index is None else device.index
