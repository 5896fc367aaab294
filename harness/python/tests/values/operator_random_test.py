# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the statements about random numbers are true for the CPU and false for slightly wrong generators."""

import unittest

import torch  # noqa: E402
from assay.values import distributions as operator_random
from assay.values.distributions import COUNT, DISTRIBUTIONS, normal_function

CPU = torch.device("cpu")


def again(numbers, block):
    return numbers[:block].repeat(-(-COUNT // block))[:COUNT]


def hidden_last(numbers):
    return torch.cat([numbers[:-1], torch.tensor([-1.0])])


UNIFORM = {  # replacements for torch.rand
    "a wider one": lambda: torch.rand(COUNT) * 1.04,
    "one that bends": lambda: torch.rand(COUNT) ** 1.08,
    "the same block again": lambda: again(torch.rand(COUNT), 256),
    "each number twice": lambda: torch.rand(COUNT).repeat_interleave(2)[:COUNT],
    "in order": lambda: torch.rand(COUNT).sort().values,
    "the last one not written": lambda: hidden_last(torch.rand(COUNT)),
    "a NaN": lambda: torch.rand(COUNT) / (torch.arange(COUNT) != 5) * (torch.arange(COUNT) != 5),
}
NORMAL = {
    "a variance in the place of a deviation": lambda: torch.randn(COUNT) * 9 + 2,
    "a moved mean": lambda: torch.randn(COUNT) * 3 + 2.2,
    "one that is uniform": lambda: torch.rand(COUNT) * 10 - 3,
}
DROPPED = {  # dropout of a tensor of twos with p = 0.25
    "not scaled": lambda: torch.bernoulli(torch.full((COUNT,), 0.75)) * 2,
    "scaled by p": lambda: torch.bernoulli(torch.full((COUNT,), 0.75)) * 8,
    "kept with p": lambda: torch.bernoulli(torch.full((COUNT,), 0.25)) * 2 / 0.75,
    "too often": lambda: torch.bernoulli(torch.full((COUNT,), 0.72)) * 2 / 0.75,
    "in pairs": lambda: (torch.bernoulli(torch.full((COUNT,), 0.75)) * 2 / 0.75).repeat_interleave(2)[:COUNT],
}


class Random(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(11)

    def test_the_cpu_is_right(self):
        for name, statements in DISTRIBUTIONS.items():
            for ask in statements:
                with self.subTest(name):
                    self.assertIsNone(ask(CPU, torch.float32))

    def expect_seen(self, draws, ask):
        for name, draw in draws.items():
            with self.subTest(name):
                self.assertIsNotNone(ask(draw)(CPU, torch.float32))

    def test_numbers_that_are_not_uniform_are_seen(self):
        self.expect_seen(UNIFORM, lambda draw: operator_random._continuous(lambda *_: draw(), lambda x: x, 0, 1))

    def test_numbers_that_are_not_normal_are_seen(self):
        self.expect_seen(NORMAL, lambda draw: operator_random._continuous(lambda *_: draw(), normal_function(2, 3)))

    def test_a_wrong_dropout_is_seen(self):
        scaled = torch.tensor(2 / 0.75).item()
        self.expect_seen(DROPPED, lambda draw: operator_random._discrete(lambda *_: draw(), {0: 0.25, scaled: 0.75}))

    def test_an_end_of_p_must_be_exact(self):
        nearly = torch.cat([torch.zeros(COUNT - 1), torch.ones(1)])
        self.assertIsNotNone(operator_random._discrete(lambda *_: nearly, {0: 1})(CPU, torch.float32))

    def test_channels_are_dropped_as_a_whole(self):
        ask = operator_random._dropout(torch.nn.functional.dropout, 0.25, (2, 2))
        self.assertIsNotNone(ask(CPU, torch.float32))

    def test_a_seed_determines_what_is_drawn(self):
        own = torch.Generator()
        self.assertIsNone(operator_random.unseeded(lambda: torch.rand(9)))
        self.assertIsNotNone(operator_random.unseeded(lambda: torch.rand(9, generator=own)))


if __name__ == "__main__":
    unittest.main()
