# SPDX-License-Identifier: BSD-3-Clause
"""The remote backend from Python: where the device's program is, and the device module."""

import atexit
import sys
import types
from pathlib import Path

import torch

_here = Path(__file__).resolve().parent
torch.utils.rename_privateuse1_backend("remote")
torch.ops.load_library(str(_here.parents[1] / "lib/fleet/remote.so"))
_link = torch.ops.remote
_link.serve_with(sys.executable, str(_here / "remote_server.py"))
atexit.register(_link.disconnect)  # the server is not to wait for the last of our threads


def _index(device=None):
    if isinstance(device, int):
        return device
    device = torch.device("remote" if device is None else device)
    if device.type != "remote":
        raise ValueError(f"expected a remote device, got {device}")
    return torch.accelerator.current_device_index() if device.index is None else device.index


class _Device:
    """`with torch.remote.device("remote:1"):`"""

    def __init__(self, device):
        self._index = _index(device)

    def __enter__(self):
        self._before = torch.accelerator.current_device_index()
        torch.accelerator.set_device_index(self._index)

    def __exit__(self, *_exception):
        torch.accelerator.set_device_index(self._before)


class _Random:
    """The part of the module that is about random numbers."""

    @staticmethod
    def generator(device=None):
        return _link.default_generator(_index(device))

    @staticmethod
    def manual_seed_all(seed):
        for index in range(2):
            _link.default_generator(index).manual_seed(int(seed))

    @staticmethod
    def get_rng_state(device="remote"):
        return _Random.generator(device).get_state()

    @staticmethod
    def set_rng_state(new_state, device="remote"):
        _Random.generator(device).set_state(new_state)


def _device_module():
    module = types.ModuleType("torch.remote", __doc__)
    module.is_available = lambda: True
    module.is_initialized = _link.is_connected
    module.device_count = lambda: 2
    module.current_device = torch.accelerator.current_device_index
    module.set_device = lambda device: torch.accelerator.set_device_index(_index(device))
    module.device = _Device
    module.synchronize = lambda device=None: torch.accelerator.synchronize(_index(device))
    module.current_stream = lambda device=None: torch.accelerator.current_stream(_index(device))
    module.stream = lambda stream: stream  # a stream is its own context
    module.Stream, module.Event = torch.Stream, torch.Event
    module._is_in_bad_fork = lambda: False
    module._initialized = True
    module.manual_seed = lambda seed: _Random.generator().manual_seed(int(seed))
    module.manual_seed_all = _Random.manual_seed_all
    module.initial_seed = lambda: _Random.generator().initial_seed()
    module.get_rng_state = _Random.get_rng_state
    module.set_rng_state = _Random.set_rng_state
    module.get_rng_state_all = lambda: [_Random.get_rng_state(index) for index in range(2)]
    module.get_amp_supported_dtype = lambda: [torch.bfloat16]
    return module


# ---- files ----------------------------------------------------------------------------------------
def _tag(storage):
    return "remote" if storage.device.type == "remote" else None


def _restore(storage, location):
    return storage.to(device="remote") if location.startswith("remote") else None


torch._register_device_module("remote", _device_module())
torch.utils.generate_methods_for_privateuse1_backend(for_storage=True)
torch.serialization.register_package(15, _tag, _restore)
