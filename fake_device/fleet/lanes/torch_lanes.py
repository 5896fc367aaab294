# SPDX-License-Identifier: BSD-3-Clause
"""lanes: a vector unit of 32 lanes of int32. Importing this makes `torch.device("lanes")` work."""

import types
from pathlib import Path

import torch

torch.ops.load_library(Path(__file__).resolve().parents[2] / "lib/fleet/lanes.so")
torch.utils.rename_privateuse1_backend("lanes")


class _Device:
    """`with torch.lanes.device(0):` changes nothing, there is one device."""

    def __init__(self, where):
        _set_device(where)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


def _set_device(where):
    index = where if isinstance(where, int) else torch.device(where).index
    if index not in (None, 0, -1):
        raise RuntimeError(f"lanes: there is one vector unit, not {index + 1}")


torch._register_device_module("lanes", types.SimpleNamespace(
    is_available=lambda: True,
    is_initialized=lambda: True,
    device_count=lambda: 1,
    current_device=lambda: 0,
    set_device=_set_device,
    synchronize=lambda device=None: torch.accelerator.synchronize(),
    device=_Device,
))
