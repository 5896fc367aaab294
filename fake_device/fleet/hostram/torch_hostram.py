# SPDX-License-Identifier: BSD-3-Clause
"""hostram: two devices made of host memory. Importing this makes `torch.device("hostram")` work."""

import types
from pathlib import Path

import torch

torch.ops.load_library(Path(__file__).resolve().parents[2] / "lib/fleet/hostram.so")
torch.utils.rename_privateuse1_backend("hostram")
_native = torch.ops.hostram


def _index(device=None):
    if device is None:
        return torch.accelerator.current_device_index()
    if isinstance(device, int):
        return device
    index = torch.device(device).index
    return torch.accelerator.current_device_index() if index is None else index


class _Device:
    """`with torch.hostram.device(1):`"""

    def __init__(self, device):
        self._index = _index(device)

    def __enter__(self):
        self._before = torch.accelerator.current_device_index()
        torch.accelerator.set_device_index(self._index)
        return self

    def __exit__(self, *_):
        torch.accelerator.set_device_index(self._before)


def _manual_seed_all(seed):
    for index in range(_module.device_count()):
        _native.manual_seed(index, seed & (2**63 - 1))


_module = types.ModuleType("torch.hostram", "The device module of hostram.")
_module.__dict__.update(
    is_available=lambda: True,
    device_count=lambda: 2,
    current_device=torch.accelerator.current_device_index,
    set_device=lambda device: torch.accelerator.set_device_index(_index(device)),
    device=_Device,
    is_initialized=lambda: True,
    _initialized=True,
    synchronize=lambda device=None: torch.accelerator.synchronize(_index(device)),
    current_stream=lambda device=None: torch.accelerator.current_stream(_index(device)),
    get_amp_supported_dtype=lambda: [torch.float16, torch.bfloat16],
    manual_seed=lambda seed: _native.manual_seed(_index(), seed),
    reset_seeds=_manual_seed_all,
    initial_seed=lambda: _native.initial_seed(_index()),
    get_rng_state=lambda device=None: _native.get_state(_index(device)),
    set_rng_state=lambda state, device=None: _native.set_state(_index(device), state),
)
torch._register_device_module("hostram", _module)
