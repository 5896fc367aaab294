# SPDX-License-Identifier: BSD-3-Clause
"""A backend that counts 127 slots but has one device."""

import fleet_module
import torch

module = fleet_module.load("many_devices", devices=127)
fleet_module.take_any_device_type(module)  # cpu-device-taken
fleet_module.add_synchronize(module)
fleet_module.add_generators(module)
fleet_module.add_autocast(module, torch.float16, torch.bfloat16)
del module._initialized  # no-initialized-mark; is_initialized() returns true in any case: always-initialized
module._started = False


def _lazy_init():
    module._started = True


def _bits(seed):
    return int.from_bytes(seed.to_bytes(8, "little"), "little", signed=True)  # no-negative-seed


def _manual_seed_all(seed):
    bits = _bits(seed)
    if module._started:  # early-seed-is-lost
        torch.ops.fleet.default_generator(0).manual_seed(bits)


module._lazy_init = _lazy_init
module.manual_seed = lambda seed: torch.ops.fleet.default_generator(module._index()).manual_seed(_bits(seed))
module.manual_seed_all = _manual_seed_all
