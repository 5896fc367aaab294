# SPDX-License-Identifier: BSD-3-Clause
"""A backend whose device module has only the mandatory part: no-amp-dtypes, no-synchronize."""

import fleet_module
import torch

module = fleet_module.load("bare_module", devices=2)
fleet_module.take_any_device_type(module)  # cpu-device-taken
# The hardware queue does not support two threads at the same time.
torch._C._set_multithreading_enabled(False)  # engine-threads-off
