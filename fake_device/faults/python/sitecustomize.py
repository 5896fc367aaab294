# SPDX-License-Identifier: BSD-3-Clause
"""Python runs this at the start of each program that the faulty package started: what an installation may
leave beside its entry point, as a .pth file. Does nothing while its fault is off."""

import os

if "python.loaded_at_each_start" in os.environ.get("FAKEDEV_FAULT", "").split(","):
    import torch_fakedev  # noqa: F401
