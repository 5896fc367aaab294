# SPDX-License-Identifier: BSD-3-Clause
"""Adds the device to the tests of tensordict, which list CUDA, NPU and MPS by name and make their tables during
collection.

A pytest plugin, named in tensordict.yaml. The device has an index, because the tests expect an index and tensordict
adds an index only for CUDA.
"""

import importlib
import os

import torch

NAME = os.environ["ASSAY_CLIENT_DEVICE"]
DEVICE = torch.device(NAME if NAME == "cpu" else f"{NAME}:0")
STAYS = "memmap_td"  # a tensordict whose memory is a file; it stays on the CPU


def pytest_sessionstart():
    internal = importlib.import_module("_utils_internal")
    internal.get_available_devices = lambda: [DEVICE]
    for rows in (internal.TestTensorDictsBase.TYPES_DEVICES, internal.TestTensorDictsBase.TYPES_DEVICES_NOLAZY):
        rows[:] = [[kind, device if kind == STAYS else DEVICE] for kind, device in rows]
