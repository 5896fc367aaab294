# SPDX-License-Identifier: BSD-3-Clause
"""A backend with two devices in host memory."""

import fleet_module
import host_memory_collectives
import torch

module = fleet_module.load("host_memory", devices=2)
fleet_module.take_any_device_type(module)  # cpu-device-taken
fleet_module.add_streams(module)
del module.Stream, module.Event, module.stream  # module-streams
fleet_module.add_generators(module)
del module.manual_seed_all, module._is_in_bad_fork  # manual-seed-missing
del module.get_rng_state_all, module.set_rng_state_all, module.seed  # rng-state-all
fleet_module.add_autocast(module, torch.float16, torch.bfloat16)
host_memory_collectives.register()
