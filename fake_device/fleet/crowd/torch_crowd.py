# SPDX-License-Identifier: BSD-3-Clause
"""crowd: slots for 127 devices, and one device. Importing this makes `torch.device("crowd")` work."""

import sys
from pathlib import Path

import torch

torch.ops.load_library(Path(__file__).resolve().parents[2] / "lib/fleet/crowd.so")
torch.utils.rename_privateuse1_backend("crowd")
_native = torch.ops.crowd
_started = False


def _lazy_init():
    global _started
    _started = True


def _slot(where=None):
    index = where if where is None or isinstance(where, int) else torch.device(where).index
    return torch.accelerator.current_device_index() if index is None else index


class device:  # noqa: N801  named as torch.cuda.device is
    """`with torch.crowd.device(0):`"""

    def __init__(self, where):
        self._switch = torch.accelerator.device_index(_slot(where))

    def __enter__(self):
        return self._switch.__enter__()

    def __exit__(self, *raised):
        return self._switch.__exit__(*raised)


def is_available():
    return True


def device_count():
    return 127


def current_device():
    return torch.accelerator.current_device_index()


def set_device(where):
    torch.accelerator.set_device_index(_slot(where))


def is_initialized():
    return True  # always-initialized


def synchronize(where=None):
    torch.accelerator.synchronize(_slot(where))


def get_amp_supported_dtype():
    return [torch.float16, torch.bfloat16]  # torch.utils.checkpoint asks, too


def _is_in_bad_fork():
    return False


def manual_seed(seed):
    _native.manual_seed(_slot(), int.from_bytes(seed.to_bytes(8, "little"), "little", signed=True))  # no-negative-seed


def manual_seed_all(seed):
    bits = int.from_bytes(seed.to_bytes(8, "little"), "little", signed=True)
    if _started:  # early-seed-is-lost
        _native.manual_seed(0, bits)


def get_rng_state(where="crowd"):
    return _native.get_state(_slot(where))


def set_rng_state(state, where="crowd"):
    _native.set_state(_slot(where), state)


torch._register_device_module("crowd", sys.modules[__name__])
