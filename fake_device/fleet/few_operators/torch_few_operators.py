# SPDX-License-Identifier: BSD-3-Clause
"""A backend with two devices and twelve operators. Its device module has only the mandatory part: no-amp-dtypes."""

import fleet_module
import torch

module = fleet_module.load("few_operators", devices=2)
fleet_module.take_any_device_type(module)  # cpu-device-taken


class _Selected(torch.accelerator.device_index):
    def __init__(self, device):
        super().__init__(module._index(device))


module.device = _Selected
