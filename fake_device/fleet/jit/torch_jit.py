# SPDX-License-Identifier: BSD-3-Clause
"""The jit backend from Python: one device, `jitdev` (torch.jit is something else)."""

import types
from pathlib import Path

import torch

torch.utils.rename_privateuse1_backend("jitdev")
torch.ops.load_library(str(Path(__file__).resolve().parents[2] / "lib/fleet/jit.so"))


def _check(device):
    """Refuses what is not the only device: None, 0, "jitdev" and "jitdev:0" are."""
    if device is None or isinstance(device, int):
        index = device
    elif torch.device(device).type == "jitdev":
        index = torch.device(device).index
    else:
        raise ValueError(f"expected a jitdev device, got {device}")
    if index not in (None, 0):
        raise RuntimeError(f"jit: there is no device {index}, only 0")


class _DeviceContext:
    """`with torch.jitdev.device(0):`, which has nothing to switch."""

    def __init__(self, device):
        _check(device)

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        return False


def _generator(device=None):
    _check(device)
    return torch.ops.jitdev.default_generator()


def _manual_seed(seed):
    _generator().manual_seed(int(seed))


def _make_module():
    module = types.ModuleType("torch.jitdev", __doc__)
    module.is_available = module.is_initialized = lambda: True
    module.device_count = lambda: 1
    module.current_device = lambda: 0
    module.set_device = _check
    module.device = _DeviceContext
    module.synchronize = _check
    module.current_stream = torch.accelerator.current_stream
    module.stream = lambda stream: stream  # a stream is its own context
    module._is_in_bad_fork = lambda: False
    module._initialized = True
    module.manual_seed = module.manual_seed_all = _manual_seed
    module.initial_seed = lambda: _generator().initial_seed()
    module.get_rng_state = lambda device="jitdev": _generator(device).get_state()
    module.set_rng_state = lambda new_state, device="jitdev": _generator(device).set_state(new_state)
    module.get_rng_state_all = lambda: [_generator().get_state()]
    module.set_rng_state_all = lambda states: _generator().set_state(*states)
    module.get_amp_supported_dtype = lambda: [torch.float16, torch.bfloat16]
    return module


torch._register_device_module("jitdev", _make_module())
torch.utils.generate_methods_for_privateuse1_backend()
