# SPDX-License-Identifier: BSD-3-Clause
"""What checks of random numbers share: a seeded generator of the device, and a draw from it.

For test_*.py of suites/generator. A backend that clearly refuses a generator lacks `rng`.
"""

import assay
import torch

COUNT = 1000


class Drawing(assay.Case):
    def generator(self, seed=None, device=None):
        """A generator of the device, seeded with the check's own seed unless another is given."""
        try:
            generator = torch.Generator(device=device or self.device)
        except NotImplementedError as error:
            self.lacks("rng", str(error))
        return generator.manual_seed(self.seed if seed is None else seed)

    def any_generator(self):
        """A seeded generator where there are any, else None: PyTorch's own way to draw."""
        try:
            return torch.Generator(device=self.device).manual_seed(self.seed)
        except NotImplementedError:
            return None

    def draw(self, generator=None, device=None, count=COUNT):
        """Numbers from [0, 1), on the CPU."""
        return self.on_cpu(
            self.op("aten::uniform_", torch.rand, count, device=device or self.device,
                    generator=generator)
        )
