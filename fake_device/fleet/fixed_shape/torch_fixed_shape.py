# SPDX-License-Identifier: BSD-3-Clause
"""A backend for a vector unit of 32 lanes of int32."""

import fleet_module

module = fleet_module.load("fixed_shape", devices=1)
fleet_module.take_any_device_type(module)  # cpu-device-taken
fleet_module.add_synchronize(module)


def _set_device(device):
    if module._index(device) not in (0, -1):
        raise RuntimeError(f"fixed_shape: there is one vector unit, and no {device}")


module.set_device = _set_device
