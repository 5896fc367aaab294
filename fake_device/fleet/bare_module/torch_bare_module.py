# SPDX-License-Identifier: BSD-3-Clause
"""bare_module: the least of a device module. Importing this makes `torch.device("bare_module")` work."""

import types
from pathlib import Path

import torch

torch.ops.load_library(Path(__file__).resolve().parents[2] / "lib/fleet/bare_module.so")
torch.utils.rename_privateuse1_backend("bare_module")
# Two threads in the hardware's queue at once are not supported.
torch._C._set_multithreading_enabled(False)  # engine-threads-off


class _Device:
    def __init__(self, where):
        self._index = where if isinstance(where, int) else torch.device(where).index

    def __enter__(self):
        self._before = torch.accelerator.current_device_index()
        if self._index is not None:
            torch.accelerator.set_device_index(self._index)

    def __exit__(self, *_):
        torch.accelerator.set_device_index(self._before)


_module = types.SimpleNamespace(
    is_available=lambda: True,
    device_count=lambda: 2,
    current_device=torch.accelerator.current_device_index,
    set_device=torch.accelerator.set_device_index,
    device=_Device,
    is_initialized=lambda: True,
)
torch._register_device_module("bare_module", _module)
