# SPDX-License-Identifier: BSD-3-Clause
"""Registration that only Python can do: the name, the device module, the generated methods.

Called once, by the package. Every step belongs to one documented call of PyTorch.
Serves: NAME-011 to NAME-026, MOD-001, MOD-009, SER-001 to SER-005, DL-010, DIST-001,
COMP-001, IPC-001.
"""

import torch

from . import _C, _compile, _distributed, _sharing
from ._driver import variant

BACKEND = "fakedev"


class _DeviceObject:
    """The device module as an object of a class: the shape some backends give it."""

    def __init__(self, module):
        self._module = module

    def __getattr__(self, name):
        return getattr(self._module, name)


def register(module):
    # The library has renamed in C++; only this call updates Python's name and the enum aliases.
    torch.utils.rename_privateuse1_backend(BACKEND)
    torch._register_device_module(
        BACKEND, _DeviceObject(module) if variant("class_module") else module
    )
    torch.utils.generate_methods_for_privateuse1_backend(for_storage=True)
    # A child forked after first use must ask _lazy_init again, which refuses in words.
    _C.register_fork_handler()
    _distributed.register(BACKEND)
    _sharing.register()
    _compile.register_when_imported()
