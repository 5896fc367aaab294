# SPDX-License-Identifier: BSD-3-Clause
"""The faults of the Python layer. A fault that is armed replaces a function of the package or of PyTorch.

This folder is the package torch_fakedev._faults. Only the faulty copy of torch_fakedev contains this package. Each file
has a table PLACES, which maps the names of its faults to the functions that install them.
"""

import ctypes
import importlib
import pkgutil

from .._driver import library

# Each file in this folder contains some of the faults.
_PARTS = [importlib.import_module(f"{__name__}.{part.name}") for part in pkgutil.iter_modules(__path__)]
PLACES = {name: place for part in _PARTS for name, place in part.PLACES.items()}
_placed = set()


def armed(name):
    return library.fd_fault_is_on(name.encode()) == 1


@ctypes.CFUNCTYPE(None, ctypes.c_char_p)
def _place(name):
    """Called by the driver for each fault of this layer that is armed or watched."""
    name = name.decode()
    if armed(name) and name not in _placed:
        _placed.add(name)
        PLACES[name]()


def serve():
    """Last line of the faulty package's __init__.py."""
    library.fd_faults_serve(b"python", _place)
