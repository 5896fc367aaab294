# SPDX-License-Identifier: BSD-3-Clause
"""Adds the device to the tests of torch_geometric. Its decorator withDevice uses the CPU and the device in
TORCH_DEVICE, and withCUDA uses only CUDA. With this plugin, both decorators use the device.

A pytest plugin, named in torch_geometric.yaml.
"""

import os

import pytest
import torch
import torch_geometric.testing

NAME = os.environ["ASSAY_CLIENT_DEVICE"]
DEVICE = torch.device(NAME if NAME == "cpu" else f"{NAME}:0")

torch_geometric.testing.withDevice = torch_geometric.testing.withCUDA = pytest.mark.parametrize("device", [DEVICE])
