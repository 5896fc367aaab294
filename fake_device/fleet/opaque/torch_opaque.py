# SPDX-License-Identifier: BSD-3-Clause
"""The opaque backend from Python: loads the library and gives PyTorch its device module."""

import contextlib
import types
from pathlib import Path

import torch

torch.utils.rename_privateuse1_backend("opaque")
torch.ops.load_library(str(Path(__file__).resolve().parents[2] / "lib/fleet/opaque.so"))

def _index(device):
    """The index a user means: nothing and "opaque" are the current device."""
    if device is None:
        return current_device()
    if isinstance(device, int):
        return device
    device = torch.device(device)
    if device.type != "opaque":
        raise ValueError(f"expected an opaque device, got {device}")
    return current_device() if device.index is None else device.index


def _generator(device):
    index = _index(device)
    if not 0 <= index < device_count():
        raise RuntimeError(f"opaque: there is no device {index}")
    return _generators()[index]


_made = []


def _generators():
    if not _made:
        # Generators that torch.manual_seed and the operators without generator= use.
        _made.extend(torch.ops.opaque.default_generator(i) for i in range(device_count()))
    return _made


def is_available():
    return True


def is_initialized():
    return True


def device_count():
    return 2


def current_device():
    return torch.accelerator.current_device_index()


def set_device(device):
    torch.accelerator.set_device_index(_index(device))


def synchronize(device=None):
    torch.accelerator.synchronize(_index(device))


class device(contextlib.ContextDecorator):
    """`with torch.opaque.device(1):`"""

    def __init__(self, device):
        self.index = _index(device)

    def __enter__(self):
        self.before = current_device()
        torch.accelerator.set_device_index(self.index)

    def __exit__(self, *_exception):
        torch.accelerator.set_device_index(self.before)


def _is_in_bad_fork():
    return False


def manual_seed(seed):
    _generator(None).manual_seed(seed)


def manual_seed_all(seed):
    for generator in _generators():
        generator.manual_seed(seed)


def initial_seed():
    return _generator(None).initial_seed()


def get_rng_state(device="opaque"):
    return _generator(device).get_state()


def set_rng_state(new_state, device="opaque"):
    _generator(device).set_state(new_state)


_module = types.ModuleType("torch.opaque", __doc__)
for _name in ("is_available is_initialized device_count current_device set_device synchronize device "
              "_is_in_bad_fork manual_seed manual_seed_all initial_seed get_rng_state "
              "set_rng_state").split():
    setattr(_module, _name, globals()[_name])
_module._initialized = True
_module.current_stream = torch.accelerator.current_stream
_module.stream = lambda stream: stream  # a stream is its own context
torch._register_device_module("opaque", _module)
torch.utils.generate_methods_for_privateuse1_backend(unsupported_dtype=None)
