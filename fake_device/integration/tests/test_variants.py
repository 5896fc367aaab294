# SPDX-License-Identifier: BSD-3-Clause
"""Variants of the device that only operators can show. Each runs in a program of its own."""

import os
import subprocess
import sys
import unittest

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


class Variants(unittest.TestCase):
    def test_narrow_operators_refuses_what_has_no_kernel(self):
        done = subprocess.run([sys.executable, "-c", NARROW], capture_output=True, text=True, timeout=120,
                              env={**os.environ, "FAKEDEV_VARIANT": "narrow_operators"})
        self.assertEqual(0, done.returncode, done.stderr)


if __name__ == "__main__":
    unittest.main()
