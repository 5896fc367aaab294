# SPDX-License-Identifier: BSD-3-Clause
"""The driver seen from Python: one ctypes handle, and whether a variant is on.

Used by the package and by torch_fakedev.testing. Knows nothing of torch.
"""

import ctypes
import os

library = ctypes.CDLL(os.path.join(os.path.dirname(__file__), "libfakedev.so"))


def variant(name):
    """True if the variant is switched on."""
    return bool(library.fd_variant_is_on(name.encode()))
