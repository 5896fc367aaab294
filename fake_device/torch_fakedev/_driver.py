# SPDX-License-Identifier: BSD-3-Clause
"""Python access to the driver: one ctypes handle, and a query for variants.

Used by the package and by torch_fakedev.testing. Must not depend on torch.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(__file__), "libfakedev.so"))


def variant(name):
    """True if the variant is switched on."""
    return bool(library.fd_variant_is_on(name.encode()))
