# SPDX-License-Identifier: BSD-3-Clause
"""torch_fakedev with its faults: use `import torch_fakedev_faulty` instead of `import torch_fakedev`.

Until FAKEDEV_FAULT or the adapter switches a fault on, the package behaves like torch_fakedev. Programs that this
program starts also use this package.
"""

import os
import sys

_SITE = os.path.join(os.path.dirname(__file__), "site")

if not os.path.exists(os.path.join(_SITE, "torch_fakedev", "__init__.py")):
    raise ImportError(
        f"torch_fakedev_faulty is not built: there is no package in {_SITE}, and the device without faults would be "
        "imported. Build it with: ci/setup test"
    )
_loaded = sys.modules.get("torch_fakedev")
if _loaded and not os.path.samefile(os.path.dirname(os.path.dirname(_loaded.__file__)), _SITE):
    raise ImportError(
        "torch_fakedev is loaded already, without faults: import torch_fakedev_faulty first, or set "
        "TORCH_DEVICE_BACKEND_AUTOLOAD=0"
    )
sys.path.insert(0, _SITE)
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (_SITE, os.environ.get("PYTHONPATH"))))

import torch_fakedev  # noqa: E402, F401
