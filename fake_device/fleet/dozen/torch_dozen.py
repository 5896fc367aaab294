# SPDX-License-Identifier: BSD-3-Clause
"""dozen: twelve operators on two devices. Importing this makes `torch.device("dozen")` work."""

import sys
from pathlib import Path

import torch

torch.ops.load_library(Path(__file__).resolve().parents[2] / "lib/fleet/dozen.so")
torch.utils.rename_privateuse1_backend("dozen")


class device:  # noqa: N801  named as torch.cuda.device is
    """`with torch.dozen.device(1):`; takes an int or a torch.device."""

    def __init__(self, where):
        index = where if isinstance(where, int) else torch.device(where).index
        self._switch = torch.accelerator.device_index(index)

    def __enter__(self):
        return self._switch.__enter__()

    def __exit__(self, *raised):
        return self._switch.__exit__(*raised)


def is_available():
    return True


def device_count():
    return 2


def current_device():
    return torch.accelerator.current_device_index()


def set_device(where):
    torch.accelerator.set_device_index(where)


def is_initialized():
    return True


torch._register_device_module("dozen", sys.modules[__name__])
