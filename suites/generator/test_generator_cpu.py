# SPDX-License-Identifier: BSD-3-Clause
"""Whether the device draws its own random numbers or numbers of the CPU.

An operator without a kernel falls back to the CPU and draws numbers of the CPU. Then the CPU generator of the program
advances, and the seed of the device has no effect. These checks draw without generator=, so that both effects can be
seen.
"""

import unittest

import torch
from assay.checks.random_numbers import COUNT, Drawing
from assay.values.own_torch import torch as own_torch


def _on_empty(name, *arguments):
    return lambda device: getattr(torch.empty(COUNT, device=device), name)(*arguments)


def _of_halves(call):
    return lambda device: call(torch.full((COUNT,), 0.5).to(device))


DRAWS = {
    "rand": lambda device: torch.rand(COUNT, device=device),
    "randn": lambda device: torch.randn(COUNT, device=device),
    "randint": lambda device: torch.randint(1000, (COUNT,), device=device),
    "randperm": lambda device: torch.randperm(COUNT, device=device),
    "uniform_": _on_empty("uniform_"),
    "normal_": _on_empty("normal_"),
    "random_": _on_empty("random_"),
    "bernoulli_": _on_empty("bernoulli_", 0.5),
    "exponential_": _on_empty("exponential_"),
    "geometric_": _on_empty("geometric_", 0.5),
    "cauchy_": _on_empty("cauchy_"),
    "log_normal_": _on_empty("log_normal_"),
    "bernoulli": _of_halves(torch.bernoulli),
    "normal": _of_halves(torch.normal),
    "poisson": _of_halves(torch.poisson),
    "multinomial": _of_halves(lambda halves: torch.multinomial(halves, 4)),
    "binomial": _of_halves(lambda halves: torch.binomial(halves + halves, halves)),
    "_standard_gamma": _of_halves(torch._standard_gamma),
    "_sample_dirichlet": _of_halves(torch._sample_dirichlet),
    "rrelu": _of_halves(lambda halves: torch.rrelu(halves - 1, training=True)),
    "dropout": _of_halves(lambda halves: torch.dropout(halves, 0.5, True)),
}


class GeneratorOfTheCpu(Drawing):
    def test_cpu_is_left_alone(self):
        """generator.draws_do_not_advance_the_cpu_generator"""
        self.draw()
        drawn, refused = [], []
        for name, call in DRAWS.items():
            before = torch.get_rng_state()
            try:
                call(self.device)
            except Exception as error:
                refused.append(f"{name}: {error}"[:200])
                continue
            if not own_torch.equal(torch.get_rng_state(), before):
                drawn.append(name)
        self.note("refused operators", "; ".join(refused) or "none")
        self.expect_equal(drawn, [], "no draw on the device advances the generator of the CPU")


if __name__ == "__main__":
    unittest.main()
