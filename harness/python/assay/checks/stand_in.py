# SPDX-License-Identifier: BSD-3-Clause
"""Replaces the backend's device module by a module of the check, to test rules of PyTorch alone.

The backend's module is not modified: it may be a class, an instance or a module that forbids changes.
"""

import contextlib
import sys
import types

import torch


@contextlib.contextmanager
def stand_in(name, **functions):
    """In the block, `torch.<name>` and `import torch.<name>` give a module that has only these functions."""
    path, missing = f"torch.{name}", object()
    module = types.ModuleType(path)
    module.__dict__.update(functions)
    before = getattr(torch, name, missing), sys.modules.get(path, missing)
    setattr(torch, name, module)
    sys.modules[path] = module
    _forget_answers()
    try:
        yield module
    finally:
        delattr(torch, name) if before[0] is missing else setattr(torch, name, before[0])
        sys.modules.pop(path) if before[1] is missing else sys.modules.update({path: before[1]})
        _forget_answers()


def _forget_answers():
    """Clears PyTorch's cache of get_device_module."""
    getattr(torch.get_device_module, "cache_clear", lambda: None)()
