# SPDX-License-Identifier: BSD-3-Clause
"""Registration steps that only Python can do: the name, the device module, the generated methods.

The package calls this once. Every step is one documented call of PyTorch.
Serves: NAME-011 to NAME-026, MOD-001, MOD-009, SER-001 to SER-005, DL-010, DIST-001, COMP-001, IPC-001.
"""

import torch

from . import _C, _compile, _distributed, _sharing
from ._driver import variant

BACKEND = "fakedev"


class _DeviceObject:
    """The device module as an instance of a class, as in some backends."""

    def __init__(self, module):
        self._module = module

    def __getattr__(self, name):
        return getattr(self._module, name)


def register(module):
    # The library has renamed the backend in C++. Only this call updates Python's name and the enum aliases.
    torch.utils.rename_privateuse1_backend(BACKEND)
    torch._register_device_module(BACKEND, _DeviceObject(module) if variant("class_module") else module)
    torch.utils.generate_methods_for_privateuse1_backend(for_storage=True)
    # In a child forked after the first use, the next call must reach _lazy_init, which refuses with a message.
    _C.register_fork_handler()
    _distributed.register(BACKEND)
    _sharing.register()
    _compile.register_when_imported()
