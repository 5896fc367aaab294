# SPDX-License-Identifier: BSD-3-Clause
"""Numbers that a Philox generator reserves for a kernel outside PyTorch."""

import unittest

import torch
from assay.checks import random_numbers

ASKED = 5  # not a multiple of 4: one Philox step gives 4 numbers
RESERVED = 8


class GeneratorPhilox(random_numbers.Drawing):
    def test_reserves(self):
        """generator.philox_state_reserves_numbers"""
        generator = self.generator()
        try:
            first = generator.philox_state(ASKED)
        except NotImplementedError as error:
            self.does_not_apply(str(error).split("\n")[0])
        except RuntimeError as error:
            if not self.refused_means(error):
                raise
            self.does_not_apply(str(error).split("\n")[0])
        second = generator.philox_state(ASKED)
        for tensor in (*first, *second):
            self.expect_dtype(tensor, torch.int64, "seed, offset and position in the graph are int64")
            self.expect_equal(tensor.numel(), 1, "seed, offset and position in the graph are scalars")
            self.expect_device(tensor, torch.device("cpu"), "outside a graph they are on the CPU")
        self.expect_equal(first[0].item(), self.seed, "the seed is that of the generator")
        self.expect_equal(second[0].item(), self.seed, "a reservation does not change the seed")
        self.expect_equal(
            self.start_of(second) - self.start_of(first), RESERVED,
            f"after {ASKED} numbers the next reservation starts {RESERVED} later, a multiple of four",
        )
        self.check_draws(generator)

    def check_draws(self, generator):
        """Expects that later draws do not use the reserved numbers."""
        generator.manual_seed(self.seed)
        drawn = self.draw_if_taken(generator)
        if drawn is None:
            return
        generator.manual_seed(self.seed)
        generator.philox_state(ASKED)
        self.expect_different(
            self.draw_if_taken(generator), drawn, "a draw after a reservation gets other numbers than a draw without a reservation"
        )

    def start_of(self, position):
        return position[1].item() + position[2].item()


if __name__ == "__main__":
    unittest.main()
