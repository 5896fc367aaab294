# SPDX-License-Identifier: BSD-3-Clause
"""torch.fakedev.amp: the classes of torch.amp with the device filled in. Serves: AMP-001, MOD-012."""

import torch


def get_amp_supported_dtype():
    return [torch.float16, torch.bfloat16]


def is_bf16_supported():
    return True


class autocast(torch.amp.autocast_mode.autocast):
    """torch.autocast("fakedev", ...)"""

    def __init__(self, enabled=True, dtype=None, cache_enabled=True):
        super().__init__("fakedev", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(torch.amp.GradScaler):
    """torch.amp.GradScaler("fakedev", ...)"""

    def __init__(self, *arguments, **keywords):
        super().__init__("fakedev", *arguments, **keywords)
