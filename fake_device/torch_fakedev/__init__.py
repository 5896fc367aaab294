# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch backend of the fake device: what a user imports, and what `import torch` loads by itself.

Importing loads the native library (which registers guard, allocator, hooks, kernels) and then does
what only Python can: name the backend there, too, register the device module, generate methods.
It starts no device and no thread, so a fork afterwards is safe.
Serves: LOAD-001 to LOAD-013, NAME-011 to NAME-026, MOD-001, MOD-023, HOOK-020.
"""


def _autoload():
    """Entry point of the group torch.backends: importing this module did all the work.

    Defined before the first `import torch` below: that import calls us back while we are half
    imported, and fails if there is nothing to call.
    """


import torch

from . import _driver  # the driver first: it refuses a mistyped setting before anything registers
from . import _loading

_loading.load_library()

from . import _device_module, _registration  # they need the library

_registration.register(_device_module)

__version__ = _loading.VERSION
