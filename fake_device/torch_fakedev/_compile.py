# SPDX-License-Identifier: BSD-3-Clause
"""Facts that torch.compile needs of the device, registered when torch._dynamo is imported.

Without a DeviceInterface, Inductor and Dynamo's events know no "fakedev" (NotImplementedError "No
interface for device"). Importing torch._dynamo takes seconds, so the package must not do it: a
finder waits for the module that keeps the interfaces, and leaves when it has come. There is no code
generator; whoever asks for one is told so instead of KeyError.
Serves: COMP-001 to COMP-006, COMP-022, COMP-024, COMP-028, COMP-029.
"""

import importlib.abc
import importlib.util
import sys

_AWAITED = "torch._dynamo.device_interface"


class _Finder(importlib.abc.MetaPathFinder):
    """Finds nothing itself: lets the others find, and adds our registration to what is loaded."""

    def find_spec(self, name, path=None, target=None):
        if name != _AWAITED:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


class _Loader(importlib.abc.Loader):
    """Loads as `loader` does, then registers."""

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
    raise NotImplementedError(
        "fakedev has no code generator for Inductor; compile with backend='aot_eager'"
    )


class _Refusing(type):
    """Inductor asks a class for its abilities before it makes an object: the answer is the same."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        _refuse()

    __call__ = _refuse


class NoCodeGenerator(metaclass=_Refusing):
    """Stands where Inductor looks for the classes that generate code for the device."""
