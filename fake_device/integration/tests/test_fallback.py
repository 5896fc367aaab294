# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the CPU fallback counts its calls, and that an output that is also an input stays one tensor."""

import os
import subprocess
import sys
import unittest

import torch

from torch_fakedev import testing

NARROW = """
import torch, torch_fakedev
x = torch.arange(4.0, device="fakedev")
str(x), x @ x, (x == x).all()
try:
    x.sort()
except NotImplementedError as error:
    assert "aten::sort" in str(error), error
else:
    raise AssertionError("sorted")
"""


class Fallback(unittest.TestCase):
    def test_is_counted_and_right(self):
        testing.forget_fallbacks()
        values, order = torch.tensor([3.0, 1.0, 2.0], device="fakedev:1").sort()
        self.assertEqual((values.tolist(), order.tolist(), str(values.device)), ([1.0, 2.0, 3.0], [1, 2, 0], "fakedev:1"))
        self.assertIn("aten::sort.values_stable", testing.fallbacks())

    def test_output_that_is_an_input_is_judged_by_the_cpu(self):
        index = torch.tensor([2, 1, 0], device="fakedev")
        with self.assertRaisesRegex(RuntimeError, "refer to a single memory location"):
            torch.take(torch.arange(3, device="fakedev"), index, out=index)
        self.assertEqual(index.tolist(), [2, 1, 0])
        numbers = torch.tensor([1.0, 2.0, 3.0], device="fakedev")
        self.assertEqual(torch.logcumsumexp(numbers, 0, out=numbers).tolist(), torch.logcumsumexp(torch.tensor([1.0, 2.0, 3.0]), 0).tolist())

    def test_narrow_operators_refuses_what_has_no_kernel(self):
        done = subprocess.run([sys.executable, "-c", NARROW], capture_output=True, text=True, timeout=120,
                              env={**os.environ, "FAKEDEV_VARIANT": "narrow_operators"})
        self.assertEqual(0, done.returncode, done.stderr)


if __name__ == "__main__":
    unittest.main()
