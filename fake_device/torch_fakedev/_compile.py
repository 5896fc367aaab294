# SPDX-License-Identifier: BSD-3-Clause
"""Registers the device with torch.compile when torch._dynamo is imported.

Without a DeviceInterface, Inductor and Dynamo's events raise NotImplementedError "No interface for device" for
"fakedev". Importing torch._dynamo takes seconds, so the package must not import it. Instead, an import finder waits for
the import of the module that holds the interfaces, and then removes itself. There is no code generator. A request for a
code generator raises an exception that says so, instead of KeyError. Serves: COMP-001 to COMP-006, COMP-022, COMP-024,
COMP-028, COMP-029.
"""

import importlib.abc
import importlib.util
import sys

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


def _refuse(*_, **__):
    raise NotImplementedError("fakedev has no code generator for Inductor; compile with backend='aot_eager'")


class _Refusing(type):
    """Makes the class itself refuse, because Inductor reads attributes of the class before it creates an object."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        _refuse()

    __call__ = _refuse


class NoCodeGenerator(metaclass=_Refusing):
    """Registered with Inductor in place of the classes that generate code for a device."""
