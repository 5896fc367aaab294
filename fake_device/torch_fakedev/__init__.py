# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch backend of the fake device: the package that a user imports and that `import torch` loads automatically.

The import loads the native library, which registers guard, allocator, hooks and kernels. Then the import does the steps
that only Python can do: rename the backend in Python, register the device module, and generate methods. The import
starts no device and no thread, so a later fork is safe. Serves: LOAD-001 to LOAD-013, NAME-011 to NAME-026, MOD-001,
MOD-023, HOOK-020.
"""


def _autoload():
    """Entry point of the group torch.backends. The function is a no-op, because the import of this module did all the
    work. This function must be defined before the first `import torch` below: `import torch` calls the entry point
    while this module is only partly initialised, and fails if the function does not exist.
    """


import torch

from . import _driver  # import the driver first: it reports an invalid setting before anything is registered
from . import _loading

_loading.load_library()

from . import _device_module, _registration  # these modules need the library

_registration.register(_device_module)

__version__ = _loading.VERSION
