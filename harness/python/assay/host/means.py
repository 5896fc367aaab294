# SPDX-License-Identifier: BSD-3-Clause
"""Records which attributes of the device module a check uses, and can refuse or delay them; see
harness/host/target/means.h.

The object torch.<name> keeps its identity and its kind (a module stays a ModuleType). Only the class of the object is
replaced by a subclass that records each attribute access from outside the backend. Python's own names, such as
__name__, are not means.
"""

import sys
import threading
import types

import torch
from assay.host import report


def _package_of(module):
    """The backend's own package. Uses of the device module by this package are not recorded."""
    name = getattr(module, "__name__", None) or type(module).__module__
    top = name.split(".")[0]
    return name if top == "torch" else top


def _is_within(frame, package):
    name = frame.f_globals.get("__name__", "")
    return name == package or name.startswith(package + ".")


def _value(kind, module, name):
    try:
        return kind.__getattribute__(module, name)
    except AttributeError:
        return None


def _is_same(one, other):
    """Compares bound methods by function and object, because each access creates a new bound method."""
    return one is other or (callable(one) and one == other)


def watch(module, used, gone=None, refused=None):
    """From now on, each access from outside calls `used(name)`, and the attribute `gone` is missing.

    If another module assigns a new value to a missing attribute, the attribute exists again.
    """
    kind, package = type(module), _package_of(module)
    taken_away = _value(kind, module, gone) if gone else None

    def is_gone(self, name):
        if name != gone or _is_within(sys._getframe(2), package):
            return False
        if not _is_same(_value(kind, self, name), taken_away):
            return False
        refused(name)
        return True

    def absent(self, name):
        """Raises AttributeError with Python's own message."""
        is_module = issubclass(kind, types.ModuleType)
        owner = f"module '{self.__name__}'" if is_module else f"'{kind.__name__}' object"
        return AttributeError(f"{owner} has no attribute '{name}'", name=name, obj=self)

    class Watched(kind):
        def __getattribute__(self, name):
            if is_gone(self, name):
                raise absent(self, name)
            value = kind.__getattribute__(self, name)
            if not name.startswith("__") and not _is_within(sys._getframe(1), package):
                used(name)
            return value

        if hasattr(kind, "__getattr__"):

            def __getattr__(self, name):
                if name == gone:
                    raise absent(self, name)
                return kind.__getattr__(self, name)

    Watched.__name__, Watched.__qualname__ = kind.__name__, kind.__qualname__
    module.__class__ = Watched


def begin(folder, library, device_name):
    """Called in the job before its check. If the module cannot be watched, the error is one sentence."""
    refused, late = report.order("refuse"), int(report.order("late-means") or 0)
    recorded = late > 0 or report.order("record-means") is not None
    library.begin_means(folder, refused, recorded, late)
    gone = (refused or "").partition("module.")[2] or None
    module = getattr(torch, device_name, None)
    if module is None or not (gone or recorded):
        return
    seen = set()

    def used(name):
        if name in seen or not recorded:
            return
        seen.add(name)
        library.means_used(f"module.{name}")
        threading.Event().wait(late / 1000)  # a wait of `late` milliseconds, because no thread sets this event

    try:
        watch(module, used, gone, lambda name: library.means_refused(f"module.{name}"))
    except TypeError as error:
        raise RuntimeError(f"torch.{device_name} cannot be watched: {error}") from None
