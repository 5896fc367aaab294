# SPDX-License-Identifier: BSD-3-Clause
"""The driver seen from Python: one ctypes handle, and whether a fault or a variant is on.

Used by the package's own fault lines and by torch_fakedev.testing. Knows nothing of torch.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(__file__), "libfakedev.so"))

_any_fault = ctypes.c_int32.in_dll(library, "fd_any_fault")


def fault(name):
    """True if the fault is switched on. One line where each fault of the Python layer acts."""
    return bool(_any_fault.value) and bool(library.fd_fault_is_on(name.encode()))


def variant(name):
    """True if the variant is switched on."""
    return bool(library.fd_variant_is_on(name.encode()))
