# SPDX-License-Identifier: BSD-3-Clause
"""Whether the device has generators: the probe of the capability, and its refusal check."""

import unittest

import torch
from assay.checks import Case


class GeneratorCapability(Case):
    def test_can_be_made(self):
        """generator.can_be_created"""
        self.clause("GEN-002")
        try:
            generator = torch.Generator(device=self.device)
        except NotImplementedError as error:
            self.lacks("rng", error)
        self.clause("GEN-005")
        self.expect_equal(generator.device.type, self.device.type, "torch.Generator(device) is of that device")

    def test_absence(self):
        """generator.error_without_generators_names_get_new_generator"""
        try:
            torch.Generator(device=self.device)
        except NotImplementedError as error:
            self.expect_true("getNewGenerator" in str(error), "the refusal names getNewGenerator", str(error)[:300])
        except Exception as error:
            self.expect(
                False,
                "a backend without generators refuses with NotImplementedError",
                f"{type(error).__name__}: {error}",
            )
        else:
            self.has_all_the_same("rng", "torch.Generator(device) works")


if __name__ == "__main__":
    unittest.main()
