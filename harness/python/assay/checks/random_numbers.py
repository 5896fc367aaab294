# SPDX-License-Identifier: BSD-3-Clause
"""Helpers of the checks of random numbers: a seeded generator of the device, and a draw from it.

Used by suites/generator/test_*.py. A backend that clearly refuses a generator lacks `rng`.
"""

import warnings

import torch
from assay.checks.case import Case
from assay.values import own_torch

COUNT = 1000


class Drawing(Case):
    def generator(self, seed=None, device=None):
        """A generator of the device. If no seed is given, the generator gets the seed of the check."""
        try:
            generator = torch.Generator(device=device or self.device)
        except NotImplementedError as error:
            self.lacks("rng", error)
        return generator.manual_seed(self.seed if seed is None else seed)

    def block(self, seen, means):
        """If a backend without generators refuses a draw or a seed, skips the check. Otherwise blocks the check."""
        if means.startswith(("aten::", "module.")) and not self._makes_generators():
            self.lacks("rng", f"no generator is made, and {means} is refused")
        super().block(seen, means)

    def _makes_generators(self):
        try:
            torch.Generator(device=self.device)
        except NotImplementedError:
            return False
        return True

    def any_generator(self):
        """A seeded generator if operators accept one, else None. With None, operators draw from the default
        generator."""
        try:
            generator = torch.Generator(device=self.device).manual_seed(self.seed)
            torch.rand(1, device=self.device, generator=generator).cpu()  # waits, so that a late refusal is raised here
        except Exception as error:
            if isinstance(error, NotImplementedError) or self.refused_means(error):
                return None
            raise
        return generator

    def draw_if_taken(self, generator):
        """Returns numbers drawn from this generator, or None if operators accept no generator of the device."""
        try:
            return self.on_cpu(torch.rand(COUNT, device=generator.device, generator=generator))
        except Exception as error:
            if isinstance(error, NotImplementedError) or self.refused_means(error):
                return None
            raise

    def normals(self, count, generator):
        """Returns `count` normal numbers from the generator, or None if the backend does not offer normal numbers."""
        try:
            return self.on_cpu(torch.randn(count, device=generator.device, generator=generator))
        except Exception as error:
            if isinstance(error, NotImplementedError) or self.refused_means(error):
                return None
            raise

    def seed_module(self, seed):
        """Seeds through the device module. Unlike torch.manual_seed, this leaves the CPU generator unchanged."""
        for name in ("manual_seed_all", "manual_seed"):
            if hasattr(self.device_module, name):
                getattr(self.device_module, name)(seed)
                return
        self.block("the device module has no function that seeds the device", "module.manual_seed_all")

    def draws_after_seed(self, seed):
        """Seeds the module and returns numbers that are drawn without generator= directly after that."""
        self.seed_module(seed)
        return self.draw()

    def seed_has_effect(self):
        """Ends the check if draws do not depend on the module's seed. Another check tests this; here it is a means."""
        return own_torch.torch.equal(self.draws_after_seed(self.seed), self.draws_after_seed(self.seed))

    def seed_torch(self, seed=None):
        """Calls torch.manual_seed. If PyTorch warns that this call does not seed the device, the check is blocked."""
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            torch.manual_seed(self.seed if seed is None else seed)
        for one in said:
            if "does not take effect" in str(one.message):
                self.block(str(one.message), f"module.{self._missing_seed_function()}")

    def _missing_seed_function(self):
        names = ("_is_in_bad_fork", "manual_seed_all")
        lacking = (name for name in names if not hasattr(self.device_module, name))
        return next(lacking, "manual_seed_all")

    def draw(self, generator=None, device=None, count=COUNT):
        """Numbers from [0, 1), copied to the CPU."""
        return self.on_cpu(
            self.op("aten::uniform_", torch.rand, count, device=device or self.device,
                    generator=generator)
        )
