# SPDX-License-Identifier: BSD-3-Clause
"""Python runs this file at the start of each program that the faulty package started.

The file stands for a .pth file that an installation may contain besides its entry point. If its fault is off, the file
does nothing.
"""

import os

if "python.loaded_at_each_start" in os.environ.get("FAKEDEV_FAULT", "").split(","):
    import torch_fakedev  # noqa: F401
