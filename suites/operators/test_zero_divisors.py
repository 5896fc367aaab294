# SPDX-License-Identifier: BSD-3-Clause
"""Integers divided by zero: the CPU raises, and some devices return a number. The process must not end, and the device
must still work."""

import torch
from assay.checks import Case
from assay.checks.asking import each
from assay.checks.late import raised

DIVISIONS = {
    "div, rounding_mode=trunc": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
    "div, rounding_mode=floor": lambda x, y: torch.div(x, y, rounding_mode="floor"),
    "//": lambda x, y: x // y,
    "%": lambda x, y: x % y,
    "fmod": torch.fmod,
    "remainder_": lambda x, y: x.remainder_(y),
    "floor_divide_": lambda x, y: x.floor_divide_(y),
}
DTYPES = (torch.int64, torch.int32, torch.int8, torch.uint8)
ZEROS = {
    "a tensor that holds 0": lambda to, dtype: to(torch.tensor([1, 0, 2], dtype=dtype)),
    "the number 0": lambda to, dtype: 0,
    "a zero-dimensional CPU tensor of 0": lambda to, dtype: torch.tensor(0),
}
ROUND = {torch.int8: 256, torch.uint8: 256}  # converted to that dtype, this number becomes 0


class ZeroDivisors(Case):
    def test_harmless(self):
        """operators.integer_division_by_zero_does_not_crash"""
        table = {
            f"{name} of {dtype} by {what}": (call, dtype, zero)
            for name, call in DIVISIONS.items()
            for dtype in DTYPES
            for what, zero in self.zeros(dtype).items()
        }
        for name, (call, dtype, zero), one in each(self, table):
            with one:
                x = self.on_device(torch.tensor([5, 7, 1], dtype=dtype))
                error = raised(self.device, call, x, zero(self.on_device, dtype))
                self.look_at(name, error)
                again = self.on_cpu(self.on_device(torch.ones(3)) + 1)
                self.expect_tensor(again, torch.full((3,), 2.0), f"the device still computes after {name}")

    def zeros(self, dtype):
        if dtype not in ROUND:
            return ZEROS
        return {**ZEROS, f"{ROUND[dtype]} of the host": lambda to, dtype: torch.tensor(ROUND[dtype])}

    def look_at(self, name, error):
        if isinstance(error, NotImplementedError) or self.refused_means(str(error)):
            raise error
        if error is not None:
            self.expect_true("INTERNAL ASSERT" not in str(error), f"if {name} raises, the error has a text", str(error).split("\n")[0])


if __name__ == "__main__":
    import unittest

    unittest.main()
