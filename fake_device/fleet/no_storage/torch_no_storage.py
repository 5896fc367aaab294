# SPDX-License-Identifier: BSD-3-Clause
"""A backend with two devices whose tensors have no storage. The backend does not support autocast: no-checkpoint."""

import fleet_module
import torch

module = fleet_module.load("no_storage", devices=2)
fleet_module.add_streams(module)
del module.Stream, module.Event
fleet_module.add_generators(module)
del module.get_rng_state_all, module.set_rng_state_all, module.seed  # rng-state-all
torch.utils.generate_methods_for_privateuse1_backend(unsupported_dtype=None)
