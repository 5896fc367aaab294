# SPDX-License-Identifier: BSD-3-Clause
"""The memory in use on a device, for checks that look for leaks. A backend without statistics lacks memory.stats."""

import torch


def bytes_in_use(case):
    """The memory in use after all work is done. Ends the check if the allocator has no statistics."""
    return _unless_lacking(case, lambda: torch.accelerator.memory_allocated(case.device.index))


def statistics(case, device=None):
    """All statistics of the device after all work is done. Ends the check if the allocator has no statistics."""
    device = device or case.device
    wait_without_memory(case, device)
    seen = _unless_lacking(case, lambda: torch.accelerator.memory_stats(device.index), device)
    if not seen:
        case.lacks("memory.stats", "the allocator reports that it is not initialized")
    return seen


def statistics_now(case):
    """All statistics at this moment. If the device has no means to wait, running work may still change them."""
    return _unless_lacking(case, lambda: torch.accelerator.memory_stats(case.device.index))


def _unless_lacking(case, ask, device=None):
    case.supported("memory.stats", settle, case, device)
    return case.supported("memory.stats", ask)


def wait_without_memory(case, device):
    """Waits without a copy, which would itself use memory. Ends the check if the device has no means to wait."""
    try:
        torch.accelerator.synchronize(device.index)
    except RuntimeError as error:
        if case.refused_means(error) == "guard.synchronizeDevice":
            case.lacks("device.sync", error)
        raise


def settle(case, device=None):
    """Waits for the device. If the module has no synchronize(), a copy to the host waits."""
    device = device or case.device
    try:
        torch.accelerator.synchronize(device.index)
    except RuntimeError as error:
        if case.refused_means(error) != "guard.synchronizeDevice":
            raise
        torch.ones(1).to(device).cpu()
