# SPDX-License-Identifier: BSD-3-Clause
"""The range and distribution of random operators, and which generator they use.

The bounds of mean and deviation are at least six standard errors wide, so a correct generator stays inside.
"""

import contextlib
import unittest

import torch
from assay.checks import asking
from assay.checks.random_numbers import COUNT, Drawing

MANY = 1 << 16
WHOLE = (torch.int64, torch.uint8, torch.int8, torch.int16, torch.int32, torch.uint16, torch.uint32, torch.uint64)


def _empty(fill):
    return lambda device, generator: fill(torch.empty(COUNT, device=device), generator)


RANDOM_OPERATORS = {
    "rand": lambda device, generator: torch.rand(COUNT, device=device, generator=generator),
    "randn": lambda device, generator: torch.randn(COUNT, device=device, generator=generator),
    "randint": lambda device, generator: torch.randint(1000, (COUNT,), device=device, generator=generator),
    "randperm": lambda device, generator: torch.randperm(COUNT, device=device, generator=generator),
    "normal_": _empty(lambda tensor, generator: tensor.normal_(generator=generator)),
    "uniform_": _empty(lambda tensor, generator: tensor.uniform_(generator=generator)),
    "bernoulli_": _empty(lambda tensor, generator: tensor.bernoulli_(0.5, generator=generator)),
}


class GeneratorDistributions(Drawing):
    def test_every_operator(self):
        """generator.every_random_operator_uses_the_given_generator"""
        generator = self.generator()
        for name, call, one in asking.each(self, RANDOM_OPERATORS):
            with one:
                self.check_operator(name, call, generator)

    def check_operator(self, name, call, generator):
        draws, taken = [], True
        for _ in range(2):
            generator.manual_seed(self.seed)
            before = generator.get_state()
            self.clause("GEN-036")
            draws.append(self.on_cpu(call(self.device, generator)))
            taken &= self.expect_different(generator.get_state(), before, f"{name} advances the generator it was given")
        if not taken:
            return  # the operator draws from the default generator instead
        self.clause("GEN-009")
        self.expect_tensor(draws[1], draws[0], f"{name} draws the same numbers after the same seed")
        self.clause("GEN-010")
        self.expect_different(self.on_cpu(call(self.device, generator)), draws[0], f"two draws of {name} differ")

    def test_dropout(self):
        """generator.dropout_follows_the_seed"""
        ones = self.on_device(torch.ones(COUNT))
        masks = []
        for _ in range(2):
            self.seed_module(self.seed)
            torch.default_generator.manual_seed(self.seed)  # another check tests a mask that comes from the CPU
            masks.append(self.on_cpu(self.op("aten::native_dropout", torch.dropout, ones, 0.5, True)))
        self.expect_tensor(masks[1], masks[0], "dropout repeats its mask after the same seed")
        dropped = (masks[0] == 0).sum().item()
        self.expect_true(0 < dropped < COUNT, "dropout of one half drops some elements", f"{dropped} of {COUNT}")

    def test_uniform_stays_below_one(self):
        """generator.uniform_keeps_its_range"""
        self.check_uniform(self.draw(self.any_generator(), count=1 << 18))
        refused = []
        for dtype in (torch.float64, torch.float16, torch.bfloat16):
            try:
                drawn = self.on_cpu(torch.rand(1 << 17, dtype=dtype, device=self.device))
            except Exception as error:
                refused.append(f"{dtype}: {error}"[:200])
                continue
            self.check_uniform(drawn)
            with self.subTest(dtype=dtype):
                drawn = self.on_cpu(torch.zeros(1 << 15, dtype=dtype, device=self.device).uniform_(1, 2))
                lowest, highest = drawn.min().item(), drawn.max().item()
                self.expect_true(lowest >= 1 and highest < 2, f"uniform_(1, 2) of {dtype} draws from [1, 2)", f"from {lowest} to {highest}")
        self.note("dtypes without rand", "; ".join(refused) or "none")

    def check_uniform(self, drawn):
        lowest, highest = drawn.min().item(), drawn.max().item()
        self.expect_true(
            0.0 <= lowest and highest < 1.0, f"rand of {drawn.dtype} draws from [0, 1)",
            f"from {lowest} to {highest}",
        )
        mean = drawn.double().mean().item()
        self.expect_true(abs(mean - 0.5) < 0.01, "its mean is near 0.5", f"{mean}")

    def test_normal(self):
        """generator.normal_has_the_requested_deviation"""
        empty = torch.empty(MANY, device=self.device)
        drawn = self.on_cpu(self.op("aten::normal_", empty.normal_, 5.0, 3.0, generator=self.any_generator()))
        mean, deviation = drawn.mean().item(), drawn.std().item()
        self.expect_true(abs(mean - 5) < 0.1, "the mean of normal_(5, 3) is near 5", f"{mean}")
        self.expect_true(abs(deviation - 3) < 0.1, "the deviation of normal_(5, 3) is near 3", f"{deviation}")

    def test_no_period(self):
        """generator.large_fills_do_not_repeat_numbers"""
        different = self.draw(self.any_generator(), count=MANY // 16).unique().numel()
        self.expect_true(
            different > MANY // 16 * 9 // 10,
            "at least nine of ten of 4096 uniform numbers differ", f"{different} different numbers",
        )

    def test_integers(self):
        """generator.randint_keeps_its_range"""
        drawn = self.on_cpu(
            self.op("aten::random_", torch.randint, -3, 7, (MANY,), device=self.device, generator=self.any_generator())
        )
        self.expect_equal(
            drawn.unique().tolist(), list(range(-3, 7)), "randint(-3, 7) draws each of the numbers from -3 to 6"
        )

    def test_whole_range(self):
        """generator.random_fills_each_integer_dtype"""
        refused, generator, served = [], self.any_generator(), False
        for dtype in WHOLE:
            try:
                empty = torch.empty(MANY, dtype=dtype, device=self.device)
                with self.asks_a_special_case() if served else contextlib.nullcontext():
                    drawn = self.on_cpu(empty.random_(generator=generator))
            except NotImplementedError as error:
                refused.append(f"{dtype}: {error}"[:200])
                continue
            served, largest = True, torch.iinfo(dtype).max
            lowest, highest = drawn.double().min().item(), drawn.double().max().item()
            self.expect_true(
                lowest >= 0 and highest > (largest if dtype is not torch.uint64 else 2**63) * 0.9,
                f"random_ of {dtype} draws from 0 to {largest}", f"from {lowest} to {highest}",
            )
            if dtype is torch.int64:
                self.check_bits(drawn)
        self.note("dtypes without random_", "; ".join(refused) or "none")
        if len(refused) == len(WHOLE):
            self.op("aten::random_", torch.empty(8, dtype=torch.int64, device=self.device).random_)

    def check_bits(self, drawn):
        """Expects that any two of the 63 bits are nearly independent. Counter-based hashes of sufficient quality
        correlate by up to 0.05."""
        bits = ((drawn[:, None] >> torch.arange(63)) & 1).double() * 2 - 1
        together = (bits.T @ bits / len(bits)).fill_diagonal_(0).abs()
        what = "the bits of 64-bit numbers that random_ draws are independent"
        first, second = divmod(together.argmax().item(), 63)
        self.expect_true(together.max().item() < 0.25, what, f"bits {first} and {second} correlate by {together.max().item():.3f}")

    def test_permutation(self):
        """generator.randperm_is_a_permutation"""
        drawn = self.on_cpu(
            self.op("aten::randperm", torch.randperm, COUNT, device=self.device, generator=self.any_generator())
        )
        self.expect_tensor(drawn.sort().values, torch.arange(COUNT), "randperm holds each number once")
        self.expect_different(drawn, torch.arange(COUNT), "randperm changes the order")


if __name__ == "__main__":
    unittest.main()
