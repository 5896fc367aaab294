# SPDX-License-Identifier: BSD-3-Clause
"""bare_module: no more of a device module than the mandatory part: no-amp-dtypes, no-synchronize."""

import fleet_module
import torch

module = fleet_module.load("bare_module", devices=2)
fleet_module.take_any_device_type(module)  # cpu-device-taken
# Two threads in the hardware's queue at once are not supported.
torch._C._set_multithreading_enabled(False)  # engine-threads-off
