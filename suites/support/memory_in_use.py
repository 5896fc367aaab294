# SPDX-License-Identifier: BSD-3-Clause
"""The bytes in use on a device, for checks that look for what is kept. Without statistics nothing is said."""

import torch


def bytes_in_use(case):
    """What is in use now that all work is done; ends the check where the allocator keeps no statistics."""
    try:
        settle(case)
        return torch.accelerator.memory_allocated(case.device.index)
    except RuntimeError as error:
        if not case.refused_means(error):
            raise
        case.lacks("memory.stats", str(error).splitlines()[0])


def settle(case):
    """Waits for the device, by a copy where it cannot be waited for."""
    try:
        torch.accelerator.synchronize(case.device.index)
    except RuntimeError as error:
        if case.refused_means(error) != "guard.synchronizeDevice":
            raise
        torch.ones(1).to(case.device).cpu()
