# SPDX-License-Identifier: BSD-3-Clause
"""Devices of tensordict's tests, which know those of CUDA, NPU and MPS by name and make their tables as they are read.

A plugin of pytest, named in tensordict.yaml. The device has an index, as they give it one: tensordict adds it for CUDA alone.
"""

import importlib
import os

import torch

NAME = os.environ["ASSAY_CLIENT_DEVICE"]
DEVICE = torch.device(NAME if NAME == "cpu" else f"{NAME}:0")
STAYS = "memmap_td"  # whose memory is a file


def pytest_sessionstart():
    internal = importlib.import_module("_utils_internal")
    internal.get_available_devices = lambda: [DEVICE]
    for rows in (internal.TestTensorDictsBase.TYPES_DEVICES, internal.TestTensorDictsBase.TYPES_DEVICES_NOLAZY):
        rows[:] = [[kind, device if kind == STAYS else DEVICE] for kind, device in rows]
