# SPDX-License-Identifier: BSD-3-Clause
"""Faults that real backends have by replacing a piece of PyTorch. Nothing here runs without a fault.

The other faults of this package are one line in the function they spoil.
"""

import torch

from . import _C
from ._driver import fault

_BEFORE_CORE = 15  # serialization registry: cpu is 10, core's entry for this backend 23


def _is_ours(storage):
    return storage.device.type == "fakedev"


def _strip_index(storage):
    return "fakedev" if _is_ours(storage) else None


def _restore_on_current(storage, location):
    if location.startswith("fakedev"):
        return storage.to(device=torch.device("fakedev", _C.current_device()))
    return None


def _never(_):
    return None


def _rebuild_contiguous(rebuild):
    def wrapper(storage, offset, size, stride):
        tensor = rebuild(storage, offset, size, stride)
        return tensor.contiguous() if tensor.device.type == "fakedev" else tensor

    return wrapper


def install():
    register = torch.serialization.register_package
    if fault("python.location_tag_loses_index"):
        register(_BEFORE_CORE, _strip_index, lambda storage, location: None)
    if fault("python.restore_on_current_device"):
        register(_BEFORE_CORE, _never, _restore_on_current)
    if fault("python.checkpoint_loses_strides"):
        torch._utils._rebuild_tensor = _rebuild_contiguous(torch._utils._rebuild_tensor)
    if fault("python.import_starts_device"):
        _C.start()
    if fault("python.import_prints"):
        print("fakedev: ready")
    if fault("python.import_changes_default_dtype"):
        torch.set_default_dtype(torch.float64)
