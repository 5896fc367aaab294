# SPDX-License-Identifier: BSD-3-Clause
"""Tests that a difference names the wrong part of a call: a result, a gradient, or an argument after the call."""

import unittest

import torch
from assay.checks.value_cases import numbers, with_gradients, with_part


class Parts(unittest.TestCase):
    def test_of_a_call_with_gradients(self):
        given = numbers(2), numbers(2, seed=1)
        called = with_gradients(torch.mul)(*given)
        for number, name in enumerate(("result 0", "gradient of tensor 0", "gradient of tensor 1", "requires_grad of result 0", "argument 0",
                                       "argument 1")):
            self.assertEqual(with_part(f"number {number}: it differs", called, given, True), f"{name}: it differs")

    def test_of_a_call_without(self):
        self.assertEqual(with_part("number 2: it differs", (numbers(2), numbers(2)), (numbers(2),), False), "argument 0: it differs")

    def test_other_words_stay(self):
        self.assertEqual(with_part("got 3 results: 2 wanted", numbers(2), (), False), "got 3 results: 2 wanted")


if __name__ == "__main__":
    unittest.main()
