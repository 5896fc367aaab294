# SPDX-License-Identifier: BSD-3-Clause
"""Helpers of the amp checks: a dtype that the target's autocast supports, and an autocast region with that dtype.

Used by suites/amp/test_*.py. The device and the dtype come from the target.
"""

import torch

_HALVES = (torch.float16, torch.bfloat16)


def low_precision(case):
    """A 16-bit dtype that autocast regions of this target can use. The default dtype is preferred."""
    listed = case.device_module.get_amp_supported_dtype()
    default = torch.get_autocast_dtype(case.device_name)
    if default in _HALVES and default in listed:
        return default
    for dtype in _HALVES:
        if dtype in listed:
            return dtype
    case.lacks("amp", f"get_amp_supported_dtype() lists no 16-bit float: {listed}")


def region(case, **options):
    """torch.autocast on the target. If no dtype is given, a supported dtype is used."""
    options.setdefault("dtype", low_precision(case))
    return torch.autocast(case.device_name, **options)


def state(case):
    """The current values of all settings that an autocast region changes."""
    return {
        "enabled": torch.is_autocast_enabled(case.device_name),
        "dtype": torch.get_autocast_dtype(case.device_name),
        "cache": torch.is_autocast_cache_enabled(),
    }
