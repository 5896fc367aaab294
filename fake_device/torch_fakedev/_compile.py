# SPDX-License-Identifier: BSD-3-Clause
"""Registers the device with torch.compile when torch._dynamo is imported.

Without a DeviceInterface, Inductor and Dynamo's events raise NotImplementedError "No interface for device" for
"fakedev". Importing torch._dynamo takes seconds, so the package must not import it. Instead, an import finder waits for
the import of the module that holds the interfaces, and then removes itself. Inductor reads the classes of the code
generator from torch.fakedev; they are imported at that moment. If this release of PyTorch has another interface, a
class that refuses in one sentence takes their place. Serves: COMP-001 to COMP-006, COMP-022, COMP-024, COMP-028,
COMP-029.
"""

import importlib.abc
import importlib.util
import sys

import torch

_AWAITED = "torch._dynamo.device_interface"


class _Finder(importlib.abc.MetaPathFinder):
    """Lets the other finders find the module, and registers the interface when it is loaded."""

    def find_spec(self, name, path=None, target=None):
        if name != _AWAITED:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


class _Loader(importlib.abc.Loader):
    """Loads the module with `loader`, then registers the interface."""

    def __init__(self, loader):
        self._loader = loader

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__loader__ = module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        _register()


def _register():
    from . import _device_interface

    _device_interface.register()


def register_when_imported():
    if _AWAITED in sys.modules:
        _register()
    else:
        sys.meta_path.insert(0, _Finder())


def code_generator(name):
    """The class that generates code for Inductor, or a class that refuses in words."""
    if name in ("CppWrapperCodegen", "WrapperFxCodegen"):
        return _refusing("fakedev has no C++ wrapper for Inductor; use torch.compile without cpp_wrapper, and torch.export "
                         "instead of AOTInductor")
    try:
        from . import _code_generator
    except (ImportError, AttributeError):
        return _refusing(f"fakedev has no code generator for the Inductor of torch {torch.__version__}; "
                         "compile with backend='aot_eager'")
    return getattr(_code_generator, name)


class _Refusing(type):
    """Makes the class itself refuse, because Inductor reads attributes of the class before it creates an object."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        cls()

    def __call__(cls, *_, **__):
        raise NotImplementedError(cls.__doc__)


def _refusing(reason):
    return _Refusing("NoCodeGenerator", (), {"__doc__": reason})
