# SPDX-License-Identifier: BSD-3-Clause
"""The foo backend of PyTorch. Its import registers the device; `import torch` imports it by autoload."""


def _autoload():
    """The entry point of the group torch.backends. The import of this module does all the work. This function is
    defined before `import torch`, because `import torch` calls it while this module is only partly imported.
    """


import ctypes
from pathlib import Path

import torch

_library = ctypes.CDLL(str(Path(__file__).resolve().parent / "libtorch_foo.so"))

from . import device_module  # must follow the load of the library

torch.utils.rename_privateuse1_backend("foo")
torch._register_device_module("foo", device_module.make(_library))
torch.utils.generate_methods_for_privateuse1_backend(for_storage=True)  # @with naming
