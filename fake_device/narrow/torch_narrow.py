# SPDX-License-Identifier: BSD-3-Clause
"""The narrow backend from Python: the least that a user can work with.

A device module with the functions that PyTorch's own factories call, and no more: no generators, no
autocast, no saving and loading.
"""

import ctypes
import os
import types
from pathlib import Path

import torch

_folder = Path(os.environ.get("NARROW_LIBRARIES", Path(__file__).resolve().parents[1] / "lib"))
_library = ctypes.CDLL(str(_folder / "libtorch_narrow.so"))


def _make_module():
    module = types.ModuleType("torch.narrowdev", "The device module of the narrow backend.")
    module.device_count = lambda: _library.narrow_device_count()
    module.is_available = lambda: module.device_count() > 0
    module.current_device = torch.accelerator.current_device_index
    module.set_device = torch.accelerator.set_device_index
    module.is_initialized = lambda: True
    module._lazy_init = lambda: None
    module._is_in_bad_fork = lambda: False
    return module


torch.utils.rename_privateuse1_backend("narrowdev")
torch._register_device_module("narrowdev", _make_module())
