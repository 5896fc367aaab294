# SPDX-License-Identifier: BSD-3-Clause
"""Random state of each device through torch.accelerator, which finds the default generators of the devices."""

import unittest

import torch
from assay.checks import random_numbers


class AcceleratorRandom(random_numbers.Drawing):
    def test_random(self):
        """accelerator.random_functions_use_the_device_generators"""
        self.put_device_back()
        for number, device in enumerate(self.devices):
            self.seed_one(device, self.seed + number)
        self.first_answer()
        told = torch.accelerator.random
        indices = range(torch.accelerator.device_count())
        states = [told.get_rng_state(index) for index in indices]
        for number, device in enumerate(self.devices):
            what = f"of {device}, which has its own seed,"
            self.expect_equal(told.initial_seed(device.index), self.seed + number, f"initial_seed {what} is that seed")
            if hasattr(self.device_module, "get_rng_state"):
                state = self.device_module.get_rng_state(device)
                self.expect_tensor(states[device.index], state, f"get_rng_state {what} equals the device module's")
        for index, state in zip(indices, told.get_rng_state_all(), strict=True):
            self.expect_tensor(state, states[index], f"get_rng_state_all()[{index}] is the state of device {index}")

    def seed_one(self, device, seed):
        if not hasattr(self.device_module, "manual_seed"):
            self.block("the device module has no function that seeds the current device", "module.manual_seed")
        torch.accelerator.set_device_index(device.index)
        self.device_module.manual_seed(seed)

    def first_answer(self):
        """Requests a default generator for the first time, because a backend without one raises here."""
        self.supported("rng", torch.accelerator.random.initial_seed, self.device.index)


if __name__ == "__main__":
    unittest.main()
