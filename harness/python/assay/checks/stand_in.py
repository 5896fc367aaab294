# SPDX-License-Identifier: BSD-3-Clause
"""A device module of the check's own in the place of the backend's, for rules that are PyTorch's alone.

Whatever the backend's module is, a class, an instance, a module that forbids changes: it is not touched.
"""

import contextlib
import sys
import types

import torch


@contextlib.contextmanager
def stand_in(name, **functions):
    """In the block `torch.<name>`, and what `import torch.<name>` gives, has these functions and no other."""
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
    """PyTorch keeps what get_device_module has answered once."""
    getattr(torch.get_device_module, "cache_clear", lambda: None)()
