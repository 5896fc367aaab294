# SPDX-License-Identifier: BSD-3-Clause
"""Facts of the build of PyTorch, which no backend has a part in.

Imported by programs that checks run in a process without a backend; what the machine has plays no part.
"""

import torch

BUILT = {
    "cuda": torch.backends.cuda.is_built,
    "mtia": torch.mtia._is_compiled,
    "xpu": torch.xpu._is_compiled,
    "mps": torch.backends.mps.is_built,
}


def accelerator_of_the_build():
    """Name of the accelerator that PyTorch was built for, None in a build for the CPU alone."""
    return next((name for name, is_built in BUILT.items() if is_built()), None)
