# SPDX-License-Identifier: BSD-3-Clause
"""The memory in use on a device, for checks that look for what is kept. Without statistics nothing is said."""

import torch


def bytes_in_use(case):
    """The memory in use now that all work is done; ends the check where the allocator keeps no statistics."""
    return _unless_lacking(case, lambda: torch.accelerator.memory_allocated(case.device.index))


def statistics(case, device=None):
    """Every statistic of the device now that all work is done; ends the check likewise."""
    device = device or case.device
    wait_without_memory(case, device)
    seen = _unless_lacking(case, lambda: torch.accelerator.memory_stats(device.index), device)
    if not seen:
        case.lacks("memory.stats", "the allocator says that it is not initialized")
    return seen


def statistics_now(case):
    """Every statistic as it is, also where a device cannot be waited for: what still works may change it."""
    return _unless_lacking(case, lambda: torch.accelerator.memory_stats(case.device.index))


def _unless_lacking(case, ask, device=None):
    try:
        settle(case, device)
        return ask()
    except RuntimeError as error:
        if not case.refused_means(error):
            raise
        case.lacks("memory.stats", error)


def wait_without_memory(case, device):
    """Where a device cannot be waited for, only a copy could tell that it is idle, and that would be counted."""
    try:
        torch.accelerator.synchronize(device.index)
    except RuntimeError as error:
        if case.refused_means(error) == "guard.synchronizeDevice":
            case.lacks("device.sync", error)
        raise


def settle(case, device=None):
    """Waits for the device, by a copy where it cannot be waited for."""
    device = device or case.device
    try:
        torch.accelerator.synchronize(device.index)
    except RuntimeError as error:
        if case.refused_means(error) != "guard.synchronizeDevice":
            raise
        torch.ones(1).to(device).cpu()
