# SPDX-License-Identifier: BSD-3-Clause
"""Devices of torch_geometric's tests: withDevice adds that of TORCH_DEVICE to the CPU, withCUDA knows CUDA alone; here both have one.

A plugin of pytest, named in torch_geometric.yaml.
"""

import os

import pytest
import torch
import torch_geometric.testing

NAME = os.environ["ASSAY_CLIENT_DEVICE"]
DEVICE = torch.device(NAME if NAME == "cpu" else f"{NAME}:0")

torch_geometric.testing.withDevice = torch_geometric.testing.withCUDA = pytest.mark.parametrize("device", [DEVICE])
