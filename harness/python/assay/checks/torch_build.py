# SPDX-License-Identifier: BSD-3-Clause
"""Facts about the build of PyTorch. These facts do not depend on the backend.

Programs that checks run in a process without a backend import this module. The facts do not depend on the machine.
"""

import torch

BUILT = {
    "cuda": torch.backends.cuda.is_built,
    "mtia": torch.mtia._is_compiled,
    "xpu": torch.xpu._is_compiled,
    "mps": torch.backends.mps.is_built,
}


def accelerator_of_the_build():
    """Name of the accelerator for which PyTorch was built, or None for a CPU-only build."""
    return next((name for name, is_built in BUILT.items() if is_built()), None)
