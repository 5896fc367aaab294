# SPDX-License-Identifier: BSD-3-Clause
"""Random numbers of each device as torch.accelerator tells of them: by the default generators that core finds."""

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
            what = f"of {device}, which was given a seed of its own,"
            self.expect_equal(told.initial_seed(device.index), self.seed + number, f"initial_seed {what} is that seed")
            if hasattr(self.device_module, "get_rng_state"):
                state = self.device_module.get_rng_state(device)
                self.expect_tensor(states[device.index], state, f"get_rng_state {what} is what the device module says")
        for index, state in zip(indices, told.get_rng_state_all(), strict=True):
            self.expect_tensor(state, states[index], f"get_rng_state_all has the state of device {index} at its place")

    def seed_one(self, device, seed):
        if not hasattr(self.device_module, "manual_seed"):
            self.block("the device module has nothing that seeds the current device", "module.manual_seed")
        torch.accelerator.set_device_index(device.index)
        self.device_module.manual_seed(seed)

    def first_answer(self):
        """A backend without a default generator says so when it is first asked for one."""
        self.supported("rng", torch.accelerator.random.initial_seed, self.device.index)


if __name__ == "__main__":
    unittest.main()
